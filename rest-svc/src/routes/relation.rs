//! Relations: reading, writing, and what they allow.

use axum::response::Response;
use http::{Method, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::{
    Context, empty,
    negotiate::{Negotiated, negotiate},
    respond::{
        self, Applied, Outcome, apply_settings, beyond_the_end, check_affected, check_single,
        content_range, preference_applied, range_status, with_body,
    },
};
use crate::{
    error::{Error, Result},
    parse::{
        Count, MediaType, Missing, OpExpr, Operation, Operator, QueryParams, Range, Resolution,
        Return, parse_payload, parse_query,
    },
    plan::{ReadPlan, Source, plan_read},
    schema_cache::{Column, Table},
    sql::{self, Body, Kind, Mutation, MutationKind, OnConflict, Sql, Totals},
    wire::Row,
};

pub(super) async fn serve(context: Context, name: &str) -> Result<Response> {
    let method = context.parts.method.clone();
    match method {
        Method::GET | Method::HEAD => read(context, name).await,
        Method::POST | Method::PATCH | Method::PUT | Method::DELETE => {
            write(context, name, &method).await
        }
        Method::OPTIONS => Ok(respond::options(allowed(table(&context, name)?))),
        method => Err(Error::new(
            405,
            "117",
            format!("Unsupported HTTP method: {method}"),
        )),
    }
}

fn table<'a>(context: &'a Context, name: &str) -> Result<&'a Table> {
    let id = context.id(name);
    context.cache.table(&id).ok_or_else(|| {
        let schema = &id.schema;
        Error::new(
            404,
            "205",
            format!("Could not find the table '{schema}.{name}' in the schema cache"),
        )
        .hint(
            context
                .cache
                .similar_table(&id)
                .map(|found| format!("Perhaps you meant the table '{schema}.{found}'")),
        )
    })
}

fn allowed(table: &Table) -> &'static str {
    let put = table.insertable && table.updatable && !table.primary_key.is_empty();
    match (table.insertable, put, table.updatable, table.deletable) {
        (true, true, true, true) => "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE",
        (true, false, true, true) => "OPTIONS,GET,HEAD,POST,PATCH,DELETE",
        (true, _, false, false) => "OPTIONS,GET,HEAD,POST",
        (true, true, true, false) => "OPTIONS,GET,HEAD,POST,PUT,PATCH",
        (true, false, true, false) => "OPTIONS,GET,HEAD,POST,PATCH",
        (true, _, false, true) => "OPTIONS,GET,HEAD,POST,DELETE",
        (false, _, true, true) => "OPTIONS,GET,HEAD,PATCH,DELETE",
        (false, _, true, false) => "OPTIONS,GET,HEAD,PATCH",
        (false, _, false, true) => "OPTIONS,GET,HEAD,DELETE",
        (false, _, false, false) => "OPTIONS,GET,HEAD",
    }
}

/// The window of the root: limit and offset within the header `Range`, which counts on GET only.
pub(super) fn root_range(context: &Context, params: &mut QueryParams) -> Result<()> {
    let is_get = context.parts.method == Method::GET;
    let from_header = context
        .parts
        .headers
        .get(header::RANGE)
        .filter(|_| is_get)
        .and_then(|value| Range::from_header(value.to_str().ok()?));
    let index = params.ranges.iter().position(|(path, _)| path.is_empty());
    let from_query = index.map_or_else(Range::default, |index| params.ranges[index].1);
    if from_query.limit.is_some_and(|limit| limit < 0) {
        return Err(Error::new(416, "103", "Requested range not satisfiable")
            .details("Limit should be greater than or equal to zero."));
    }
    if let Some(range) = from_header {
        if range.limit.is_some_and(|limit| limit < 1) {
            return Err(Error::new(416, "103", "Requested range not satisfiable")
                .details("The lower boundary must be lower than or equal to the upper boundary in the Range header."));
        }
        let both = from_query.intersect(range);
        match index {
            Some(index) => params.ranges[index].1 = both,
            None => params.ranges.push((Vec::new(), both)),
        }
    }
    Ok(())
}

/// What is counted, and by which number of rows at most.
pub(super) fn totals(context: &Context, range: Range) -> Totals {
    let most = context.config.max_rows;
    match context.preferences.count {
        None | Some(Count::Planned) => Totals::None,
        Some(Count::Exact) if range.is_all() => Totals::Page,
        Some(Count::Exact) => Totals::Rows(None),
        Some(Count::Estimated) => Totals::Rows(most.map(|most| most + 1)),
    }
}

/// The planner's guess, where the client prefers it.
pub(super) async fn estimated_total(
    context: &Context,
    plan: &ReadPlan,
    counted: Option<i64>,
) -> Result<Option<i64>> {
    let most = context.config.max_rows;
    let needed = match context.preferences.count {
        Some(Count::Planned) => true,
        Some(Count::Estimated) => {
            most.is_none_or(|most| counted.is_some_and(|counted| counted > most))
        }
        _ => false,
    };
    if !needed {
        return Ok(counted);
    }
    let mut count = Sql::new();
    sql::count_of(&mut count, &context.cache, plan);
    let explained = sql::explain(&count, true, &[]);
    let rows = context.run(&explained, true, &[], None).await?;
    let planned = rows
        .first()
        .and_then(|row| serde_json::from_slice::<serde_json::Value>(row.get(0)?).ok())
        .and_then(|value| value[0]["Plan"]["Plan Rows"].as_f64());
    #[expect(clippy::cast_possible_truncation, reason = "a number of rows")]
    let planned = planned.map(|rows| rows as i64);
    Ok(planned.max(counted))
}

async fn read(context: Context, name: &str) -> Result<Response> {
    let mut params = parse_query(context.query())?;
    root_range(&context, &mut params)?;
    let id = context.id(name);
    table(&context, name)?;
    let config = context.config.clone();
    let plan = plan_read(
        &context.cache,
        &context.schema,
        Source::Relation(id.clone()),
        name,
        &params,
        config.max_rows,
        config.aggregates,
    )?;
    let media = negotiate(&context, &id, plan.has_default_select())?;
    context.check_preferences()?;
    let is_head = context.parts.method == Method::HEAD;
    let body = if is_head { Body::None } else { media.body() };
    let totals = totals(&context, plan.range);
    let mut statement = Sql::new();
    sql::wrap(
        &mut statement,
        |sql| sql::read(sql, &context.cache, &plan),
        |sql| {
            sql.push("SELECT * FROM pgrst_source");
        },
        |sql| sql::count_of(sql, &context.cache, &plan),
        totals,
        &body,
        Kind::Rows,
    );
    if let MediaType::Plan {
        format, options, ..
    } = &media.media
    {
        let explained = sql::explain(
            &statement,
            *format == crate::parse::PlanFormat::Json,
            options,
        );
        let rows = context.run(&explained, true, &[], None).await?;
        return Ok(respond::plan(&media, *format, &rows));
    }
    let single = |rows: &[Row]| check_single(&media.media, rows);
    // An object that turns out to be none rolls back, but reading changes nothing: COMMIT may ride along.
    let rows = context.run(&statement, true, &[], None).await?;
    single(&rows)?;
    let outcome = Outcome::read(&rows)?;
    let total = estimated_total(&context, &plan, outcome.total).await?;
    let offset = plan.range.offset.max(0);
    let status = range_status(offset, outcome.count, total);
    let mut response = if status == StatusCode::RANGE_NOT_SATISFIABLE {
        beyond_the_end(offset, total.unwrap_or(0))
    } else {
        with_body(status, &media, outcome.body.clone(), is_head)
    };
    let headers = response.headers_mut();
    respond::set(
        headers,
        header::CONTENT_RANGE,
        &content_range(
            offset,
            if status == StatusCode::RANGE_NOT_SATISFIABLE {
                0
            } else {
                outcome.count
            },
            total,
        ),
    );
    if status != StatusCode::RANGE_NOT_SATISFIABLE {
        let query = if params.canonical.is_empty() {
            String::new()
        } else {
            format!("?{}", params.canonical)
        };
        respond::set(
            headers,
            header::CONTENT_LOCATION,
            &format!("/{}{query}", encode(name)),
        );
    }
    finish(&context, response, &outcome, Applied::default())
}

/// Adds what every success has.
pub(super) fn finish(
    context: &Context,
    mut response: Response,
    outcome: &Outcome,
    applied: Applied,
) -> Result<Response> {
    if let Some(value) = preference_applied(context, applied) {
        response.headers_mut().insert("preference-applied", value);
    }
    context.show_profile(&mut response);
    apply_settings(outcome, &mut response)?;
    Ok(response)
}

const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// `Location` leaves more characters as they are.
const LOCATION: &AsciiSet = &PATH
    .remove(b':')
    .remove(b'@')
    .remove(b'$')
    .remove(b',')
    .remove(b'(')
    .remove(b')')
    .remove(b'\'')
    .remove(b'!')
    .remove(b'*');

fn encode(text: &str) -> String {
    utf8_percent_encode(text, PATH).to_string()
}

async fn write(context: Context, name: &str, method: &Method) -> Result<Response> {
    let mut params = parse_query(context.query())?;
    let is_put = *method == Method::PUT;
    if is_put && params.has_root_range {
        return Err(Error::new(
            400,
            "114",
            "limit/offset querystring parameters are not allowed for PUT",
        ));
    }
    // A window has no meaning for what is written.
    params.ranges.retain(|(path, _)| !path.is_empty());
    let has_body = *method != Method::DELETE;
    let payload = if has_body {
        let parsed = parse_payload(
            context.content_type(),
            context.body.clone(),
            params.columns.as_deref(),
            false,
        );
        Some(parsed.map_err(|message| Error::new(400, "102", message))?)
    } else {
        None
    };
    let table = table(&context, name)?;
    let aggregates = context.config.aggregates;
    let filters_root = matches!(*method, Method::PATCH | Method::DELETE | Method::PUT);
    let mut target_params = params.clone();
    target_params.filters.retain(|(path, _)| path.is_empty());
    target_params.logic.retain(|(path, _)| path.is_empty());
    if filters_root {
        params.filters.retain(|(path, _)| !path.is_empty());
        params.logic.retain(|(path, _)| !path.is_empty());
    }
    let plan = plan_read(
        &context.cache,
        &context.schema,
        Source::Rows(Some(table.id.clone())),
        name,
        &params,
        None,
        aggregates,
    )?;
    let bare = QueryParams {
        filters: target_params.filters,
        logic: target_params.logic,
        select: Vec::new(),
        ..QueryParams::default()
    };
    let target = plan_read(
        &context.cache,
        &context.schema,
        Source::Relation(table.id.clone()),
        name,
        &bare,
        None,
        aggregates,
    )?;

    let columns: Vec<&Column> = payload
        .iter()
        .flat_map(|payload| &payload.keys)
        .map(|key| column(table, key))
        .collect::<Result<_>>()?;
    let only = if is_put {
        put_keys(table, &bare)?
    } else {
        Vec::new()
    };
    context.check_preferences()?;
    let media = negotiate(&context, &table.id, plan.has_default_select())?;
    let wants = context
        .preferences
        .representation
        .unwrap_or(Return::Minimal);
    let represented = wants == Return::Representation;
    let nothing_to_do = *method == Method::PATCH && columns.is_empty();

    let conflict = on_conflict(&context, table, &params, method)?;
    let located =
        *method == Method::POST && wants == Return::HeadersOnly && !table.primary_key.is_empty();
    let returning = if represented {
        plan.used_columns(&table.primary_key)
    } else if located {
        Some(table.primary_key.clone())
    } else {
        Some(Vec::new())
    };
    let kind = match (&payload, *method == Method::PATCH) {
        (None, _) => MutationKind::Delete,
        (Some(payload), true) => MutationKind::Update { payload },
        (Some(payload), false) => MutationKind::Insert {
            conflict: conflict.clone(),
            only: only.clone(),
            payload,
        },
    };
    let defaults = context.preferences.missing == Some(Missing::Default) && !is_put;
    let mutation = Mutation {
        kind,
        table,
        columns,
        defaults,
        target: &target,
        returning,
    };
    let body = if represented {
        media.body()
    } else {
        Body::None
    };
    let upsert = conflict.as_ref().is_some_and(|conflict| conflict.merge);
    let mut statement = Sql::new();
    sql::wrap(
        &mut statement,
        |sql| {
            if nothing_to_do {
                sql.push("SELECT ");
                match &mutation.returning {
                    Some(columns) if !columns.is_empty() => {
                        sql.list(", ", columns, |sql, name| {
                            sql.column(&table.id.name, name);
                        });
                    }
                    _ => {
                        sql.push("*");
                    }
                }
                sql.push(" FROM ").qualified(&table.id).push(" WHERE false");
            } else {
                sql::mutate(sql, &mutation);
            }
        },
        |sql| {
            if represented {
                sql::read(sql, &context.cache, &plan);
            } else {
                sql.push("SELECT * FROM pgrst_source");
            }
        },
        |_| {},
        Totals::None,
        &body,
        Kind::Write {
            located: located.then_some(table),
            upsert,
        },
    );
    if let MediaType::Plan {
        format, options, ..
    } = &media.media
    {
        let explained = sql::explain(
            &statement,
            *format == crate::parse::PlanFormat::Json,
            options,
        );
        let rows = context.run(&explained, false, &[], None).await?;
        return Ok(respond::plan(&media, *format, &rows));
    }
    let accept = |rows: &[Row]| {
        if is_put {
            if Outcome::count_in(rows) != 1 {
                return Err(Error::new(
                    400,
                    "115",
                    "Payload values do not match URL in primary key column(s)",
                ));
            }
            return Ok(());
        }
        check_single(&media.media, rows)?;
        if filters_root {
            check_affected(&context, rows)
        } else {
            Ok(())
        }
    };
    let decides = is_put
        || matches!(media.media, MediaType::Object(_))
        || (context.preferences.max_affected.is_some() && context.preferences.is_strict())
        || !context.commits();
    let rows = context
        .run(
            &statement,
            false,
            &[],
            if decides { Some(&accept) } else { None },
        )
        .await?;
    let outcome = Outcome::written(&rows)?;
    let applied = Applied {
        resolution: conflict.is_some() && *method == Method::POST,
        missing: matches!(*method, Method::POST | Method::PATCH),
        representation: true,
        max_affected: matches!(*method, Method::PATCH | Method::DELETE),
    };
    let response = answer(
        &context,
        method,
        &media,
        &outcome,
        represented,
        located.then_some((name, table)),
        conflict.as_ref(),
    );
    finish(&context, response, &outcome, applied)
}

fn answer(
    context: &Context,
    method: &Method,
    media: &Negotiated,
    outcome: &Outcome,
    represented: bool,
    located: Option<(&str, &Table)>,
    conflict: Option<&OnConflict>,
) -> Response {
    let counted = matches!(
        context.preferences.count,
        Some(Count::Exact | Count::Estimated)
    )
    .then_some(outcome.count);
    let merged = conflict.is_some_and(|conflict| conflict.merge) && outcome.inserted == Some(0);
    let status = match (method.as_str(), represented) {
        ("POST", _) => {
            if merged {
                StatusCode::OK
            } else {
                StatusCode::CREATED
            }
        }
        ("PUT", true) => {
            if outcome.inserted.is_some_and(|inserted| inserted > 0) {
                StatusCode::CREATED
            } else {
                StatusCode::OK
            }
        }
        (_, true) => StatusCode::OK,
        (_, false) => StatusCode::NO_CONTENT,
    };
    let mut response = if represented {
        with_body(status, media, outcome.body.clone(), false)
    } else {
        empty(status)
    };
    let headers = response.headers_mut();
    if !represented && status != StatusCode::NO_CONTENT {
        headers.insert(header::CONTENT_LENGTH, 0.into());
    }
    let range = match method.as_str() {
        "PATCH" => Some(content_range(0, outcome.count, counted)),
        "POST" | "DELETE" => Some(content_range(1, 0, counted)),
        _ => None,
    };
    if let Some(range) = range {
        respond::set(headers, header::CONTENT_RANGE, &range);
    }
    if let Some((name, _)) = located
        && outcome.count == 1
    {
        let encode = |text: &str| utf8_percent_encode(text, LOCATION).to_string();
        let keys: Vec<String> = outcome
            .keys
            .iter()
            .map(|(key, value)| match value {
                Some(value) => format!("{}=eq.{}", encode(key), encode(value)),
                None => format!("{}=is.null", encode(key)),
            })
            .collect();
        respond::set(
            headers,
            header::LOCATION,
            &format!("/{}?{}", encode(name), keys.join("&")),
        );
    }
    response
}

fn column<'a>(table: &'a Table, name: &str) -> Result<&'a Column> {
    table.column(name).ok_or_else(|| {
        Error::new(
            400,
            "204",
            format!(
                "Could not find the '{name}' column of '{}' in the schema cache",
                table.id.name
            ),
        )
    })
}

/// What PUT's filters must be: `key=eq.value` for each column of the key and nothing else.
fn put_keys(table: &Table, params: &QueryParams) -> Result<Vec<(String, String)>> {
    let wrong = || {
        Error::new(
            405,
            "105",
            "Filters must include all and only primary key columns with 'eq' operators",
        )
    };
    let mut keys = Vec::new();
    for (_, filter) in &params.filters {
        let OpExpr {
            negated: false,
            operation: Operation::Compare(Operator::Eq, None, value),
        } = &filter.op
        else {
            return Err(wrong());
        };
        if !filter.field.path.is_empty() || !table.primary_key.contains(&filter.field.name) {
            return Err(wrong());
        }
        keys.push((filter.field.name.clone(), value.clone()));
    }
    let complete = !table.primary_key.is_empty()
        && table
            .primary_key
            .iter()
            .all(|name| keys.iter().any(|(key, _)| key == name));
    if complete && params.logic.is_empty() && keys.len() == table.primary_key.len() {
        Ok(keys)
    } else {
        Err(wrong())
    }
}

fn on_conflict(
    context: &Context,
    table: &Table,
    params: &QueryParams,
    method: &Method,
) -> Result<Option<OnConflict>> {
    if *method == Method::PUT {
        return Ok(Some(OnConflict {
            columns: table.primary_key.clone(),
            merge: true,
        }));
    }
    let Some(resolution) = context
        .preferences
        .resolution
        .filter(|_| *method == Method::POST)
    else {
        return Ok(None);
    };
    let columns = match &params.on_conflict {
        Some(names) => {
            for name in names {
                column(table, name)?;
            }
            names.clone()
        }
        None => table.primary_key.clone(),
    };
    Ok((!columns.is_empty()).then_some(OnConflict {
        columns,
        merge: resolution == Resolution::MergeDuplicates,
    }))
}
