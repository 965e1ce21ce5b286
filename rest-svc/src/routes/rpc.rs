//! Functions.

use axum::response::Response;
use http::{Method, StatusCode, header};

use super::{
    Context, empty,
    negotiate::{Negotiated, negotiate},
    resolve::resolve,
    respond::{
        self, Applied, Outcome, beyond_the_end, check_affected, check_single, content_range,
        finish, range_status, with_body,
    },
    window::{estimated_total, root_range, totals},
};
use svc_kit::wire::Row;

use crate::{
    error::{Error, Result},
    parse::{
        MediaType, Payload, PlanFormat, QueryParams, parse_arguments, parse_form, parse_payload,
        parse_query,
    },
    plan::{Source, plan_read},
    schema_cache::{QualifiedName, Shape},
    sql::{self, Arguments, Body, Kind, Sql, Totals},
};

/// Where a call's arguments are.
enum Given {
    /// In the query string, or in a form.
    Pairs(Vec<(String, String)>),
    /// In the body.
    Payload(Payload),
}

pub(super) async fn serve(context: Context, name: &str) -> Result<Response> {
    let method = context.parts.method.clone();
    match method {
        Method::GET | Method::HEAD => {
            let mut params = parse_arguments(context.query())?;
            let pairs = std::mem::take(&mut params.arguments);
            call(context, name, params, Given::Pairs(pairs)).await
        }
        Method::POST => {
            let params = parse_query(context.query())?;
            let given = if context.content_media() == "application/x-www-form-urlencoded" {
                let mut pairs = parse_form(&context.body);
                if let Some(columns) = &params.columns {
                    pairs.retain(|(name, _)| columns.contains(name));
                }
                Given::Pairs(pairs)
            } else {
                let parsed = parse_payload(
                    context.content_type(),
                    context.body.clone(),
                    params.columns.as_deref(),
                    true,
                );
                Given::Payload(parsed.map_err(|message| Error::new(400, "102", message))?)
            };
            call(context, name, params, given).await
        }
        Method::OPTIONS => {
            let routine = resolve(&context, name, &[], false)?;
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
    given: Given,
) -> Result<Response> {
    root_range(&context, &mut params)?;
    let is_post = context.parts.method == Method::POST;
    let mut names: Vec<String> = match &given {
        Given::Payload(payload) => payload.keys.iter().cloned().collect(),
        Given::Pairs(pairs) => pairs.iter().map(|(name, _)| name.clone()).collect(),
    };
    names.sort();
    names.dedup();
    let routine = resolve(&context, name, &names, is_post)?.clone();
    let config = context.config.clone();
    let is_scalar = routine.shape != Shape::Composite;
    let rows_of = routine.returns.clone();
    let alias = rows_of
        .as_ref()
        .map_or_else(|| name.to_owned(), |id| id.name.clone());
    // What a value's handler is for is the function; what its rows' handler is for, their relation.
    let target = QualifiedName::new(&routine.id.schema, &alias);
    let default_select = !params.has_select;
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
    let media = negotiate(
        &context,
        &target,
        default_select || plan.has_default_select(),
    )?;
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
            sql.push("SELECT ")
                .column(name, "pgrst_scalar")
                .push(" FROM pgrst_source AS ")
                .ident(name);
            sql::window(sql, plan.range);
        } else {
            sql::read(sql, &context.cache, &plan);
        }
    };
    let arguments = match &given {
        Given::Pairs(pairs) => Arguments::Pairs(pairs),
        Given::Payload(payload) if routine.takes_raw() => Arguments::Raw(payload),
        Given::Payload(payload) => Arguments::Body(payload),
    };
    let returning = plan.used_columns(&[]);
    let mut statement = Sql::new();
    sql::wrap(
        &mut statement,
        |sql| sql::call(sql, &routine, arguments, returning.as_deref()),
        rows,
        |sql| {
            if is_scalar {
                sql.push("SELECT 1 FROM pgrst_source");
            } else {
                sql::count_of(sql, &context.cache, &plan);
            }
        },
        totals,
        &body,
        if is_single { Kind::Single } else { Kind::Rows },
    );
    let read_only = !is_post || !routine.is_volatile();
    if let MediaType::Plan {
        format, options, ..
    } = &media.media
    {
        let explained = sql::explain(&statement, *format == PlanFormat::Json, options);
        let rows = context
            .run(&explained, read_only, &routine.settings, None)
            .await?;
        return Ok(respond::plan(&media, *format, &rows));
    }
    let accept = |rows: &[Row]| {
        if !is_single {
            check_single(&media.media, rows)?;
        }
        check_affected(&context, rows)
    };
    let decides = matches!(media.media, MediaType::Object(_))
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
        content_range(offset, outcome.count, total),
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

fn body_for(media: &Negotiated, is_scalar: bool, is_single: bool) -> Body {
    match (media.body(), is_scalar, is_single) {
        (Body::Handler { handler, .. }, true, true) => Body::Handler {
            handler,
            of_scalar: true,
        },
        (Body::Array, true, true) | (Body::Object, true, _) => Body::Scalar,
        (Body::ArrayStripped, true, true) | (Body::ObjectStripped, true, _) => Body::ScalarStripped,
        (Body::Array, true, false) => Body::ScalarArray,
        (Body::ArrayStripped, true, false) => Body::ScalarArrayStripped,
        (Body::Array, false, true) => Body::Object,
        (Body::ArrayStripped, false, true) => Body::ObjectStripped,
        (body, ..) => body,
    }
}
