//! `GET /admin/audit`.

use axum::{extract::State, response::Response};
use http::Uri;
use serde_json::{Value, json};

use super::{caller::Admin, extract::Query, paging::Page};
use crate::{app::App, domain::account::time, error::Error, store};

pub(super) async fn get(
    State(app): State<App>,
    _: Admin,
    uri: Uri,
    query: Query,
) -> Result<Response, Error> {
    let page = Page::read(&query)?;
    let filter: Option<(&[&str], &str)> = match query.get("query").split_once(':') {
        None if query.get("query").is_empty() => None,
        Some(("author", text)) => Some((&["actor_username", "actor_name"], text)),
        Some(("action", text)) => Some((&["action"], text)),
        Some(("type", text)) => Some((&["log_type"], text)),
        _ => {
            return Err(Error::invalid(format!(
                "Invalid query scope: {}",
                query.get("query")
            )));
        }
    };
    let mut conn = app.connection().await?;
    let (entries, total) = store::audit::page(&mut conn, filter, page.limit_and_offset())
        .await
        .map_err(Error::database("Error searching for audit logs"))?;
    let list: Vec<Value> = entries
        .into_iter()
        .map(|entry| {
            json!({
                "id": entry.id,
                "payload": entry.payload.0,
                "created_at": time(entry.created_at),
                "ip_address": entry.ip_address,
            })
        })
        .collect();
    Ok(page.respond(&uri, total, list.into()))
}
