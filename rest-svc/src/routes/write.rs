//! POST, PATCH, PUT and DELETE on a relation.

use axum::response::Response;
use http::{Method, StatusCode, header};
use percent_encoding::{AsciiSet, utf8_percent_encode};

use super::{
    Context, empty,
    negotiate::{Negotiated, negotiate},
    relation::table,
    respond::{
        self, Applied, Outcome, PATH, check_affected, check_single, content_range, finish,
        with_body,
    },
};
use svc_kit::wire::Row;

use crate::{
    error::{Error, Result},
    parse::{
        Count, MediaType, Missing, OpExpr, Operation, Operator, QueryParams, Resolution, Return,
        parse_payload, parse_query,
    },
    plan::{Source, plan_read},
    schema_cache::{Column, Table},
    sql::{self, Body, Kind, Mutation, MutationKind, OnConflict, Sql, Totals},
};

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

/// Writes.
pub(super) async fn write(context: Context, name: &str, method: &Method) -> Result<Response> {
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
        respond::set(headers, header::CONTENT_RANGE, range);
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
            format!("/{}?{}", encode(name), keys.join("&")),
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
