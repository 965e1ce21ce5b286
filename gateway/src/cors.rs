//! CORS. Preflights are answered here, never authenticated and never passed on.

use axum::response::Response;
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header};

const METHODS: HeaderValue =
    HeaderValue::from_static("GET,HEAD,PUT,PATCH,POST,DELETE,OPTIONS,TRACE,CONNECT");
const ANY: HeaderValue = HeaderValue::from_static("*");
const MAX_AGE: HeaderValue = HeaderValue::from_static("3600");

/// Named one by one, because browsers do not let `*` stand for all of them in every case.
const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Range, Content-Location, Content-Encoding, Date, Location, Server, Transfer-Encoding, Range-Unit, \
     ETag, X-Total-Count, Link, X-Supabase-Api-Version, x-sb-error-code, sb-error-code, x-relay-error, \
     sb-request-id, Upload-Offset, Upload-Length, Tus-Resumable, Tus-Version, Tus-Extension, Upload-Metadata, Upload-Defer-Length, Upload-Expires, Tus-Max-Size, Tus-Complete",
);

/// True for a browser's question, not for an `OPTIONS` request that a service answers.
pub(crate) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

/// The answer to a preflight: whatever headers are asked for are allowed, so that a client may add one.
pub(crate) fn preflight(headers: &HeaderMap) -> Response {
    let mut response = Response::default();
    *response.status_mut() = StatusCode::NO_CONTENT;
    let allowed = headers
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .cloned()
        .unwrap_or(ANY);
    let answer = response.headers_mut();
    answer.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    answer.insert(header::ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    answer.insert(header::ACCESS_CONTROL_MAX_AGE, MAX_AGE);
    answer.insert(
        header::VARY,
        HeaderValue::from_static("Access-Control-Request-Headers"),
    );
    response
}

/// Opens a response to pages of any origin, unless the service already said to whom.
pub(crate) fn expose(headers: &mut HeaderMap) {
    set_default(headers, header::ACCESS_CONTROL_ALLOW_ORIGIN, ANY);
    // One list: a service's own would hide the headers that the gateway adds.
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}

fn set_default(headers: &mut HeaderMap, name: HeaderName, value: HeaderValue) {
    headers.entry(name).or_insert(value);
}
