//! Any page may broadcast.

use axum::{
    extract::Request,
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, Method, StatusCode, header};

/// Adds the headers of CORS; a preflight ends here.
pub(super) async fn open(request: Request, next: Next) -> Response {
    let has_origin = request.headers().contains_key(header::ORIGIN);
    let asked = request
        .headers()
        .get(header::ACCESS_CONTROL_REQUEST_HEADERS)
        .cloned();
    let is_preflight = request.method() == Method::OPTIONS && has_origin;
    let mut response = if is_preflight {
        StatusCode::OK.into_response()
    } else {
        next.run(request).await
    };
    if has_origin {
        let headers = response.headers_mut();
        headers.insert(
            header::ACCESS_CONTROL_ALLOW_ORIGIN,
            HeaderValue::from_static("*"),
        );
        if is_preflight {
            let methods = HeaderValue::from_static("POST");
            headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
            if let Some(asked) = asked {
                headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, asked);
            }
        }
    }
    response
}
