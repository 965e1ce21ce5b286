//! The answers of the database to whoever takes them compressed: on a phone's connection the size of a list is what its reader waits for.

use std::{convert::Infallible, future::ready};

use axum::{body::Body, extract::Request, response::Response};
use http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use http_body::Body as _;
use tower::{Layer as _, ServiceExt as _, service_fn};
use tower_http::{CompressionLevel, compression::CompressionLayer};

use crate::Service;

/// Smaller ones are one packet anyway.
const LEAST_BYTES: u64 = 1400;

/// What a request says about compression, if its answer may be compressed.
pub(crate) fn wish(service: Service, method: &Method, headers: &HeaderMap) -> Option<HeaderValue> {
    if service != Service::Rest || method == Method::HEAD {
        return None;
    }
    let wish = headers.get(header::ACCEPT_ENCODING)?;
    let named = wish.to_str().ok()?;
    // Who may refuse the answer as it is would be refused after the statement has run.
    let is_plain = !named.contains("identity") && !named.contains('*');
    (is_plain && (named.contains("br") || named.contains("gzip"))).then(|| wish.clone())
}

/// Compresses a long answer in JSON as its reader wishes.
pub(crate) async fn compress(wish: HeaderValue, mut response: Response) -> Response {
    let is_json = response
        .headers()
        .get(header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("application/") && kind.contains("json"));
    let is_long = response.body().size_hint().lower() >= LEAST_BYTES;
    if !is_json || !is_long || response.status() == StatusCode::NO_CONTENT {
        return response;
    }
    // Rows, not bytes: the layer would take it for a part of a file.
    let rows = response.headers_mut().remove(header::CONTENT_RANGE);
    let mut answer = Some(response);
    let service =
        service_fn(move |_: Request| ready(Ok::<_, Infallible>(answer.take().unwrap_or_default())));
    let mut request = Request::new(Body::empty());
    request.headers_mut().insert(header::ACCEPT_ENCODING, wish);
    let compressed = CompressionLayer::new()
        .quality(CompressionLevel::Fastest)
        .layer(service)
        .oneshot(request)
        .await;
    let mut response = match compressed {
        Ok(response) => response.map(Body::new),
        Err(never) => match never {},
    };
    if let Some(rows) = rows {
        response.headers_mut().insert(header::CONTENT_RANGE, rows);
    }
    response
}
