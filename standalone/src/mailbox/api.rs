//! The JSON API: Mailpit's paths and names for mails, and the like for texts.

use axum::{
    Json,
    extract::{Path, Query, State},
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, header};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Mailbox, sms::Sms};

/// How many entries a list has unless it is asked for another number.
const PAGE: usize = 50;

#[derive(Debug, Deserialize)]
pub(super) struct ListQuery {
    limit: Option<usize>,
    #[serde(default)]
    start: usize,
    #[serde(default)]
    query: String,
}

#[derive(Debug, Default, Deserialize)]
pub(super) struct DeleteBody {
    #[serde(default, rename = "IDs")]
    ids: Vec<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SmsQuery {
    phone: Option<String>,
    limit: Option<usize>,
}

/// `GET /api/v1/info`
pub(super) async fn info(State(mailbox): State<Mailbox>) -> Json<Value> {
    let store = mailbox.store();
    Json(json!({
        "Version": env!("CARGO_PKG_VERSION"),
        "LatestVersion": env!("CARGO_PKG_VERSION"),
        "Database": "memory",
        "DatabaseSize": store.mail_bytes(),
        "Messages": store.mails().len(),
        "Unread": store.mails().len(),
        "Tags": {},
    }))
}

/// `GET /api/v1/messages`
pub(super) async fn list(State(mailbox): State<Mailbox>, query: Query<ListQuery>) -> Json<Value> {
    page(&mailbox, &query, "")
}

/// `GET /api/v1/search`
pub(super) async fn search(State(mailbox): State<Mailbox>, query: Query<ListQuery>) -> Json<Value> {
    page(&mailbox, &query, &query.query)
}

fn page(mailbox: &Mailbox, query: &ListQuery, search: &str) -> Json<Value> {
    // Searching may parse every mail: not under the lock.
    let all: Vec<_> = mailbox.store().mails().cloned().collect();
    let total = all.len();
    let found: Vec<_> = all
        .into_iter()
        .filter(|mail| mail.matches(search))
        .collect();
    let messages: Vec<_> = found
        .iter()
        .skip(query.start)
        .take(query.limit.unwrap_or(PAGE))
        .map(|mail| mail.to_list_json())
        .collect();
    Json(json!({
        "total": total,
        "unread": total,
        "count": messages.len(),
        "messages_count": found.len(),
        "messages_unread": found.len(),
        "start": query.start,
        "tags": [],
        "messages": messages,
    }))
}

/// `DELETE /api/v1/messages`: those named, or all.
pub(super) async fn delete(
    State(mailbox): State<Mailbox>,
    body: Option<Json<DeleteBody>>,
) -> &'static str {
    let ids = body.map(|Json(body)| body.ids).unwrap_or_default();
    mailbox
        .store()
        .remove_mails(|mail| ids.is_empty() || ids.contains(&mail.id));
    "ok"
}

/// `GET /api/v1/message/{ID}`
pub(super) async fn message(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Response> {
    let mail = mailbox.store().mail(&id).ok_or_else(not_found)?;
    Ok(Json(mail.to_json()))
}

/// `GET /api/v1/message/{ID}/raw`
pub(super) async fn raw(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
) -> Result<Response, Response> {
    let mail = mailbox.store().mail(&id).ok_or_else(not_found)?;
    // As text whatever it contains: a browser must not take it for a page.
    let headers = [
        (header::CONTENT_TYPE, "text/plain; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    ];
    Ok((headers, mail.raw.clone()).into_response())
}

/// `GET /api/v1/message/{ID}/headers`
pub(super) async fn headers(
    State(mailbox): State<Mailbox>,
    Path(id): Path<String>,
) -> Result<Json<Value>, Response> {
    let mail = mailbox.store().mail(&id).ok_or_else(not_found)?;
    Ok(Json(json!(mail.headers())))
}

/// `GET /api/v1/sms`
pub(super) async fn list_sms(
    State(mailbox): State<Mailbox>,
    Query(query): Query<SmsQuery>,
) -> Json<Value> {
    let limit = query.limit.unwrap_or(PAGE);
    let messages = texts(&mailbox, query.phone.as_deref(), limit);
    Json(json!({ "messages": messages }))
}

/// `GET /api/v1/sms/latest`
pub(super) async fn latest_sms(
    State(mailbox): State<Mailbox>,
    Query(query): Query<SmsQuery>,
) -> Result<Json<Sms>, Response> {
    let latest = texts(&mailbox, query.phone.as_deref(), 1);
    latest.into_iter().next().map(Json).ok_or_else(not_found)
}

fn texts(mailbox: &Mailbox, phone: Option<&str>, limit: usize) -> Vec<Sms> {
    let store = mailbox.store();
    let wanted = |sms: &&Sms| phone.is_none_or(|phone| sms.is_to(phone));
    store.texts().filter(wanted).take(limit).cloned().collect()
}

/// `DELETE /api/v1/sms`
pub(super) async fn delete_sms(State(mailbox): State<Mailbox>) -> &'static str {
    mailbox.store().clear_texts();
    "ok"
}

pub(super) fn not_found() -> Response {
    let body = Json(json!({ "Error": "message not found" }));
    (StatusCode::NOT_FOUND, body).into_response()
}
