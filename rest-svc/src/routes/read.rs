//! GET and HEAD on a relation.

use axum::response::Response;
use http::{Method, StatusCode, header};

use super::{
    Context,
    negotiate::negotiate,
    relation::table,
    respond::{
        self, Applied, Outcome, beyond_the_end, check_single, content_range, encode, finish,
        range_status, with_body,
    },
    window::{estimated_total, root_range, totals},
};
use svc_kit::wire::Row;

use crate::{
    error::Result,
    parse::{MediaType, parse_query},
    plan::{Source, plan_read},
    sql::{self, Body, Kind, Sql},
};

/// Reads.
pub(super) async fn read(context: Context, name: &str) -> Result<Response> {
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
        content_range(
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
        let query = &params.canonical;
        let mark = if query.is_empty() { "" } else { "?" };
        let location = format!("/{}{mark}{query}", encode(name));
        respond::set(headers, header::CONTENT_LOCATION, location);
    }
    finish(&context, response, &outcome, Applied::default())
}
