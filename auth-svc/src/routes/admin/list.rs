//! Users, page by page or from one on.

use axum::{extract::State, response::Response};
use http::Uri;
use serde_json::{Value, json};

use crate::{
    app::App,
    domain::{account, session::Caller},
    error::Error,
    routes::{
        caller::Admin,
        extract::Query,
        keyset::{self, Keyset},
        paging::Page,
    },
    store::users,
};

pub(in crate::routes) async fn list(
    State(app): State<App>,
    Admin { caller, .. }: Admin,
    uri: Uri,
    query: Query,
) -> Result<Response, Error> {
    let sort = query.get("sort");
    let (field, direction) = sort.split_once(' ').unwrap_or((sort, "desc"));
    if !["", "created_at"].contains(&field) {
        return Err(Error::invalid(format!(
            "Bad Sort Parameters: bad field for sort '{field}'"
        )));
    }
    let ascending = direction.eq_ignore_ascii_case("asc");
    if !ascending && !direction.eq_ignore_ascii_case("desc") {
        return Err(Error::invalid(format!(
            "Bad Sort Parameters: bad direction for sort '{direction}', only 'asc' and 'desc' allowed"
        )));
    }
    let filter = query.get("filter");
    if app.config().experimental.cursor_pagination && Keyset::is_wanted(&query) {
        let keyset = Keyset::read(&query)?;
        return list_after(&app, &caller, &uri, filter, ascending, &keyset).await;
    }
    let page = Page::read(&query)?;
    let mut conn = app.connection().await?;
    let window = page.limit_and_offset();
    let (rows, total) = users::page(&mut conn, &caller.aud, filter, ascending, window)
        .await
        .map_err(Error::database("Database error finding users"))?;
    let users: Vec<Value> = rows.iter().map(account::listed_json).collect();
    let body = json!({ "users": users, "aud": caller.aud });
    Ok(page.respond(&uri, total, body))
}

async fn list_after(
    app: &App,
    caller: &Caller,
    uri: &Uri,
    filter: &str,
    ascending: bool,
    keyset: &Keyset,
) -> Result<Response, Error> {
    // One more than wanted, which tells whether there are more.
    let limit = i64::try_from(keyset.limit + 1).unwrap_or(i64::MAX);
    let mut conn = app.connection().await?;
    let mut rows = users::page_after(
        &mut conn,
        &caller.aud,
        filter,
        ascending,
        keyset.after,
        limit,
    )
    .await
    .map_err(Error::database("Database error finding users"))?;
    let has_more = rows.len() > keyset.limit;
    rows.truncate(keyset.limit);
    let last = rows.last().filter(|_| has_more);
    let last = last.map(|user| (user.created_at, user.id));
    let users: Vec<Value> = rows.iter().map(account::listed_json).collect();
    Ok(keyset::respond(uri, &users, &caller.aud, last))
}
