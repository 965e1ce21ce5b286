//! The page on which a person reads codes.

use axum::{
    extract::{Path, State},
    response::{IntoResponse, Response},
};
use http::header;

use super::{Mailbox, api};

/// Only what this server sends runs or is fetched.
const PAGE_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
    connect-src 'self'; frame-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
    frame-ancestors 'none'";

/// A mail may be styled, and its links open elsewhere. It runs nothing and fetches nothing.
const MAIL_POLICY: &str = "sandbox allow-popups allow-popups-to-escape-sandbox; \
    default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'self'";

/// `GET /`
pub(super) async fn index() -> Response {
    own("text/html; charset=utf-8", include_str!("page.html"))
}

/// `GET /mailbox.css`
pub(super) async fn style() -> Response {
    own("text/css; charset=utf-8", include_str!("page.css"))
}

/// `GET /mailbox.js`
pub(super) async fn script() -> Response {
    own("text/javascript; charset=utf-8", include_str!("page.js"))
}

fn own(kind: &'static str, content: &'static str) -> Response {
    respond(kind, PAGE_POLICY, content)
}

/// `GET /view/{ID}`, `/view/{ID}.html` and `/view/{ID}.txt`: a mail's body alone.
pub(super) async fn view(
    State(mailbox): State<Mailbox>,
    Path(file): Path<String>,
) -> Result<Response, Response> {
    let (id, kind) = file.split_once('.').unwrap_or((&file, ""));
    let mail = mailbox.store().mail(id).ok_or_else(api::not_found)?;
    let html = mail.html();
    if kind == "txt" || (html.is_empty() && kind != "html") {
        return Ok(respond(
            "text/plain; charset=utf-8",
            MAIL_POLICY,
            mail.text(),
        ));
    }
    // Links open beside the page, not in its frame.
    let html = format!("<!doctype html><base target=\"_blank\">{html}");
    Ok(respond("text/html; charset=utf-8", MAIL_POLICY, html))
}

fn respond(kind: &'static str, policy: &'static str, content: impl IntoResponse) -> Response {
    let headers = [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, policy),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
    ];
    (headers, content).into_response()
}
