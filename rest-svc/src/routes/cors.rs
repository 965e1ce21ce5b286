//! CORS, for deployments without a gateway.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};

const EXPOSED: HeaderValue = HeaderValue::from_static(
    "Content-Encoding, Content-Location, Content-Range, Content-Type, Date, Location, Server, Transfer-Encoding, Range-Unit",
);

pub(super) fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
    method == Method::OPTIONS
        && headers.contains_key(header::ORIGIN)
        && headers.contains_key(header::ACCESS_CONTROL_REQUEST_METHOD)
}

pub(super) fn preflight(headers: &HeaderMap) -> Response {
    let requested = headers
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .and_then(|value| value.to_str().ok());
    let mut allowed = vec!["Authorization".to_owned()];
    allowed.extend(
        requested
            .into_iter()
            .flat_map(|list| list.split(','))
            .map(|name| name.trim().to_owned()),
    );
    allowed.extend(["Accept", "Accept-Language", "Content-Language"].map(str::to_owned));
    let mut response = StatusCode::OK.into_response();
    let answer = response.headers_mut();
    answer.insert(
        header::ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST, PATCH, PUT, DELETE, OPTIONS, HEAD"),
    );
    if let Ok(allowed) = HeaderValue::from_str(&allowed.join(", ")) {
        answer.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
    }
    answer.insert(
        header::ACCESS_CONTROL_MAX_AGE,
        HeaderValue::from_static("86400"),
    );
    response
}

/// Lets pages of allowed origins read the response.
pub(super) fn allow(headers: &mut HeaderMap, origin: Option<&HeaderValue>, allowed: &[String]) {
    let Some(origin) = origin else { return };
    if allowed.is_empty() {
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
    } else if allowed
        .iter()
        .any(|known| known.as_bytes() == origin.as_bytes())
    {
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, origin.clone());
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_CREDENTIALS,
            HeaderValue::from_static("true"),
        );
    } else {
        return;
    }
    headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, EXPOSED);
}
