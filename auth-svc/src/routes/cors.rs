//! Who may call from a browser: pages of any origin, with the headers that clients send.
//!
//! A preflight is answered here, whatever its path, and only says yes to what it asks for: a list of all that
//! is allowed would be larger. Without an `Origin` nobody needs to be told anything.

use std::{collections::HashSet, sync::Arc};

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];
const HEADERS: [&str; 8] = [
    "accept",
    "authorization",
    "content-type",
    "x-client-ip",
    "x-client-info",
    "x-jwt-aud",
    "x-use-cookie",
    "x-supabase-api-version",
];

/// The request headers that pages may send, in lower case.
pub(super) type Allowed = Arc<HashSet<String>>;

/// Those of the contract and those of the settings.
pub(super) fn allowed(extra: &[String]) -> Allowed {
    let names = HEADERS.into_iter().chain(extra.iter().map(String::as_str));
    Arc::new(names.map(str::to_ascii_lowercase).collect())
}

pub(super) async fn layer(
    State(allowed): State<Allowed>,
    request: Request,
    next: Next,
) -> Response {
    let is_preflight = request.method() == Method::OPTIONS
        && !text(request.headers(), &header::ACCESS_CONTROL_REQUEST_METHOD).is_empty();
    if is_preflight {
        return preflight(request.headers(), &allowed);
    }
    let from_page = request.headers().contains_key(header::ORIGIN);
    let known = METHODS.contains(request.method()) || request.method() == Method::OPTIONS;
    let may_read = from_page && known;
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("Origin"));
    if may_read {
        permit(headers);
        headers.insert(
            header::ACCESS_CONTROL_EXPOSE_HEADERS,
            HeaderValue::from_static("X-Total-Count, Link, X-Supabase-Api-Version"),
        );
    }
    response
}

fn preflight(asked: &HeaderMap, allowed: &HashSet<String>) -> Response {
    let mut response = StatusCode::NO_CONTENT.into_response();
    let headers = response.headers_mut();
    headers.insert(
        header::VARY,
        HeaderValue::from_static(
            "Origin, Access-Control-Request-Method, Access-Control-Request-Headers",
        ),
    );
    let method = text(asked, &header::ACCESS_CONTROL_REQUEST_METHOD);
    let names = text(asked, &header::ACCESS_CONTROL_REQUEST_HEADERS);
    let fits = METHODS.iter().any(|each| each == method)
        && names
            .split(',')
            .map(str::trim)
            .filter(|name| !name.is_empty())
            .all(|name| allowed.contains(&name.to_ascii_lowercase()));
    if !fits || text(asked, &header::ORIGIN).is_empty() {
        return response;
    }
    permit(headers);
    for (from, to) in [
        (
            header::ACCESS_CONTROL_REQUEST_METHOD,
            header::ACCESS_CONTROL_ALLOW_METHODS,
        ),
        (
            header::ACCESS_CONTROL_REQUEST_HEADERS,
            header::ACCESS_CONTROL_ALLOW_HEADERS,
        ),
    ] {
        if let Some(value) = asked.get(from).filter(|value| !value.is_empty()) {
            headers.insert(to, value.clone());
        }
    }
    response
}

fn permit(headers: &mut HeaderMap) {
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_ORIGIN,
        HeaderValue::from_static("*"),
    );
    headers.insert(
        header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
        HeaderValue::from_static("true"),
    );
}

fn text<'a>(headers: &'a HeaderMap, name: &header::HeaderName) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}
