//! Functions.

use axum::response::Response;
use http::{Method, StatusCode, header};

use super::{
    Context, empty,
    relation::{estimated_total, finish, root_range, totals},
    respond::{
        self, Applied, Outcome, beyond_the_end, body_of, check_affected, check_single,
        content_range, negotiate, range_status, with_body,
    },
};
use crate::{
    error::{Error, Result},
    parse::{
        MediaType, Payload, PayloadKind, PlanFormat, QueryParams, parse_arguments, parse_payload,
        parse_query,
    },
    plan::{Source, plan_read},
    schema_cache::{Routine, SchemaCache, Shape},
    sql::{self, Arguments, Body, Sql, Totals},
};

pub(super) async fn serve(context: Context, name: &str) -> Result<Response> {
    let method = context.parts.method.clone();
    match method {
        Method::GET | Method::HEAD => {
            let params = parse_arguments(context.query())?;
            call(context, name, params, None).await
        }
        Method::POST => {
            let params = parse_query(context.query())?;
            let parsed = parse_payload(
                context.content_type(),
                context.body.clone(),
                params.columns.as_deref(),
                true,
            );
            let payload = parsed.map_err(|message| Error::new(400, "102", message))?;
            call(context, name, params, Some(payload)).await
        }
        Method::OPTIONS => {
            let routine = resolve(&context, name, &[], None)?;
            Ok(respond::options(if routine.is_volatile() {
                "OPTIONS,POST"
            } else {
                "OPTIONS,GET,HEAD,POST"
            }))
        }
        method => Err(Error::new(
            405,
            "101",
            format!("Cannot use the {method} method on RPC"),
        )),
    }
}

async fn call(
    context: Context,
    name: &str,
    mut params: QueryParams,
    payload: Option<Payload>,
) -> Result<Response> {
    root_range(&context, &mut params)?;
    let given: Vec<String> = match &payload {
        Some(payload) => payload.keys.iter().cloned().collect(),
        None => params
            .arguments
            .iter()
            .map(|(name, _)| name.clone())
            .collect(),
    };
    let routine = resolve(&context, name, &given, payload.as_ref())?.clone();
    let config = &context.app.inner().config;
    let is_scalar = routine.shape != Shape::Composite;
    let rows_of = routine.returns.clone();
    let alias = rows_of
        .as_ref()
        .map_or_else(|| name.to_owned(), |id| id.name.clone());
    if is_scalar {
        params.filters.clear();
        params.logic.clear();
        params.order.clear();
        params.select.clear();
    }
    let schema = rows_of
        .as_ref()
        .map_or(context.schema.as_str(), |id| id.schema.as_str())
        .to_owned();
    let plan = plan_read(
        &context.cache,
        &schema,
        Source::Rows(rows_of),
        &alias,
        &params,
        config.max_rows,
        config.aggregates,
    )?;
    let media = negotiate(&context)?;
    context.check_preferences()?;
    let is_single = !routine.returns_set;
    if context.preferences.is_strict() && context.preferences.max_affected.is_some() && is_single {
        return Err(Error::new(
            400,
            "128",
            "Function must return SETOF or TABLE when max-affected preference is used with handling=strict",
        ));
    }
    let is_head = context.parts.method == Method::HEAD;
    let body = if is_head {
        Body::None
    } else {
        body_for(&media, is_scalar, is_single)
    };
    let totals = if is_single && context.preferences.count.is_some() {
        Totals::Page
    } else {
        totals(&context, plan.range)
    };
    let rows = |sql: &mut Sql| {
        if is_scalar {
            sql.push("SELECT pgrst_scalar FROM pgrst_source");
            if let Some(limit) = plan.range.limit {
                sql.push(" LIMIT ").param(limit.to_string());
            }
            if plan.range.offset > 0 {
                sql.push(" OFFSET ").param(plan.range.offset.to_string());
            }
        } else {
            sql::read(sql, &context.cache, &plan);
        }
    };
    let arguments = match &payload {
        None => Arguments::Query(&params.arguments),
        Some(payload) if takes_raw(&routine) => Arguments::Raw(payload),
        Some(payload) => Arguments::Body(payload),
    };
    let mut statement = Sql::new();
    sql::wrap(
        &mut statement,
        |sql| sql::call(sql, &routine, arguments),
        rows,
        |sql| {
            if is_scalar {
                sql.push("SELECT 1 FROM pgrst_source");
            } else {
                sql::count_of(sql, &context.cache, &plan);
            }
        },
        totals,
        body,
        None,
    );
    let read_only = context.parts.method != Method::POST || !routine.is_volatile();
    if let MediaType::Plan {
        format, options, ..
    } = &media
    {
        let explained = sql::explain(&statement, *format == PlanFormat::Json, options);
        let rows = context
            .run(&explained, read_only, &routine.settings, None)
            .await?;
        return Ok(respond::plan(&media, *format, &rows));
    }
    let accept = |rows: &[tokio_postgres::Row]| {
        if !is_single {
            check_single(&media, rows)?;
        }
        check_affected(&context, rows)
    };
    let decides = matches!(media, MediaType::Object(_))
        || context.preferences.max_affected.is_some()
        || !context.commits();
    let rows = context
        .run(
            &statement,
            read_only,
            &routine.settings,
            if decides { Some(&accept) } else { None },
        )
        .await?;
    let outcome = Outcome::read(&rows)?;
    let total = if is_single || is_scalar {
        outcome.total
    } else if context.preferences.count == Some(crate::parse::Count::Planned) {
        None
    } else {
        estimated_total_of(&context, &plan, outcome.total).await?
    };
    let offset = plan.range.offset.max(0);
    let status = range_status(offset, outcome.count, total);
    let mut response = if status == StatusCode::RANGE_NOT_SATISFIABLE {
        beyond_the_end(offset, total.unwrap_or(0))
    } else if routine.shape == Shape::Void {
        empty(StatusCode::NO_CONTENT)
    } else {
        with_body(status, &media, outcome.body.clone(), is_head)
    };
    respond::set(
        response.headers_mut(),
        header::CONTENT_RANGE,
        &content_range(offset, outcome.count, total),
    );
    finish(
        &context,
        response,
        &outcome,
        Applied {
            max_affected: true,
            ..Applied::default()
        },
    )
}

/// On a function an estimate is a count.
async fn estimated_total_of(
    context: &Context,
    plan: &crate::plan::ReadPlan,
    counted: Option<i64>,
) -> Result<Option<i64>> {
    if context.preferences.count == Some(crate::parse::Count::Estimated) {
        return Ok(counted);
    }
    estimated_total(context, plan, counted).await
}

fn body_for(media: &MediaType, is_scalar: bool, is_single: bool) -> Body {
    match (body_of(media).unwrap_or(Body::Array), is_scalar, is_single) {
        (Body::Array, true, true) | (Body::Object, true, _) => Body::Scalar,
        (Body::Array, true, false) => Body::ScalarArray,
        (Body::Array, false, true) => Body::Object,
        (body, ..) => body,
    }
}

fn takes_raw(routine: &Routine) -> bool {
    matches!(routine.arguments.as_slice(), [one] if one.name.is_empty())
}

/// Finds the one overload that takes these arguments.
fn resolve<'a>(
    context: &'a Context,
    name: &str,
    given: &[String],
    payload: Option<&Payload>,
) -> Result<&'a Routine> {
    let id = context.id(name);
    let overloads = context
        .cache
        .routines
        .get(&id)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let media = context
        .content_type()
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let raw_type = payload.and_then(|payload| match (payload.kind, media.as_str()) {
        (PayloadKind::Raw, "text/plain") => Some("text"),
        (PayloadKind::Raw, "text/xml") => Some("xml"),
        (PayloadKind::Raw, _) => Some("bytea"),
        (_, "" | "application/json") => Some("json"),
        _ => None,
    });
    let is_raw = payload.is_some_and(|payload| payload.kind == PayloadKind::Raw);
    let fits = |routine: &&Routine| {
        let known = |name: &String| {
            routine
                .arguments
                .iter()
                .any(|argument| argument.name == *name)
        };
        !takes_raw(routine)
            && !is_raw
            && given.iter().all(known)
            && routine.arguments.iter().all(|argument| {
                !argument.required || argument.variadic || given.contains(&argument.name)
            })
    };
    let by_name: Vec<&Routine> = overloads.iter().filter(fits).collect();
    match by_name.as_slice() {
        [one] => return Ok(one),
        [] => {}
        many => {
            let shown: Vec<String> = many.iter().map(|routine| signature(routine)).collect();
            return Err(Error::new(300, "203", format!("Could not choose the best candidate function between: {}", shown.join(", ")))
                .hint(Some(
                    "Try renaming the parameters or the function itself in the database so function overloading can be resolved".to_owned(),
                )));
        }
    }
    let takes_body = |routine: &&Routine| {
        let kind = routine
            .arguments
            .first()
            .map(|argument| argument.type_name.0.as_str());
        takes_raw(routine)
            && (kind == raw_type || (raw_type == Some("json") && kind == Some("jsonb")))
    };
    let by_body: Vec<&Routine> = overloads.iter().filter(takes_body).collect();
    match by_body.as_slice() {
        [one] => Ok(one),
        _ => Err(not_found(
            &context.cache,
            &id.schema,
            name,
            given,
            overloads,
            raw_type,
            is_raw,
        )),
    }
}

fn signature(routine: &Routine) -> String {
    let arguments: Vec<String> = routine
        .arguments
        .iter()
        .map(|argument| format!("{} => {}", argument.name, argument.type_name.0))
        .collect();
    format!(
        "{}.{}({})",
        routine.id.schema,
        routine.id.name,
        arguments.join(", ")
    )
}

fn not_found(
    cache: &SchemaCache,
    schema: &str,
    name: &str,
    given: &[String],
    overloads: &[Routine],
    raw_type: Option<&str>,
    is_raw: bool,
) -> Error {
    let function = format!("{schema}.{name}");
    let mut sorted = given.to_vec();
    sorted.sort();
    let list = sorted.join(", ");
    let searched = match (sorted.len(), is_raw) {
        (_, true) => format!(
            " with a single unnamed {} parameter",
            raw_type.unwrap_or("text")
        ),
        (0, _) => " without parameters".to_owned(),
        (1, _) => format!(" with parameter {list}"),
        _ => format!(" with parameters {list}"),
    };
    let shown = match (sorted.is_empty(), is_raw) {
        (_, true) => String::new(),
        (true, _) => " without parameters".to_owned(),
        _ => format!("({list})"),
    };
    let or_json = if raw_type == Some("json") && !is_raw {
        " or with a single unnamed json/jsonb parameter"
    } else {
        ""
    };
    let hint = if is_raw {
        None
    } else if overloads.is_empty() {
        let id = crate::schema_cache::QualifiedName::new(schema, name);
        cache
            .similar_routine(&id)
            .map(|found| format!("Perhaps you meant to call the function {schema}.{found}"))
    } else {
        let known: Vec<String> = overloads
            .iter()
            .map(|routine| {
                let mut names: Vec<&str> = routine
                    .arguments
                    .iter()
                    .map(|argument| argument.name.as_str())
                    .collect();
                names.sort_unstable();
                format!("({})", names.join(", "))
            })
            .collect();
        SchemaCache::similar_arguments(&format!("({list})"), &known)
            .map(|found| format!("Perhaps you meant to call the function {function}{found}"))
    };
    Error::new(404, "202", format!("Could not find the function {function}{shown} in the schema cache"))
        .details(format!("Searched for the function {function}{searched}{or_json}, but no matches were found in the schema cache."))
        .hint(hint)
}
