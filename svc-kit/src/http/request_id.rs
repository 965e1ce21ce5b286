use axum::{extract::Request, middleware::Next, response::Response};
use http::{HeaderName, HeaderValue};
use tracing::Instrument as _;

/// The header that carries the id which the gateway gave a request.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("sb-request-id");

/// Gives a request an id unless it has one, and repeats it in the response.
///
/// Use with [`axum::middleware::from_fn`]. An id from outside is kept only if it is short and plain.
pub async fn request_id_layer(mut request: Request, next: Next) -> Response {
    let id = request
        .headers()
        .get(&REQUEST_ID)
        .filter(|id| {
            id.len() <= 64
                && id
                    .as_bytes()
                    .iter()
                    .all(|b| b.is_ascii_alphanumeric() || *b == b'-')
        })
        .cloned()
        .unwrap_or_else(new_id);
    request.headers_mut().insert(REQUEST_ID, id.clone());
    let span = tracing::debug_span!("request", request_id = id.to_str().unwrap_or_default());
    let mut response = next.run(request).instrument(span).await;
    response.headers_mut().insert(REQUEST_ID, id);
    response
}

fn new_id() -> HeaderValue {
    let id = uuid::Uuid::new_v4().to_string();
    HeaderValue::from_str(&id).unwrap_or_else(|_| HeaderValue::from_static("unknown"))
}
