//! What all routes have around them.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{HeaderName, Method};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::{
    app::App,
    error::{Code, Error},
};

/// Ends a request that takes too long.
pub(super) async fn timeout(State(app): State<App>, request: Request, next: Next) -> Response {
    let limit = app.config().api.max_request_duration;
    tokio::time::timeout(limit, next.run(request))
        .await
        .unwrap_or_else(|_| {
            Error::refused(
                504,
                Code::RequestTimeout,
                "Processing this request timed out, please retry after a moment.",
            )
            .into_response()
        })
}

/// Lets pages of any origin call, with the headers that clients send.
pub(super) fn cors(extra: &[String]) -> CorsLayer {
    let named = [
        "accept",
        "authorization",
        "content-type",
        "x-client-ip",
        "x-client-info",
        "x-jwt-aud",
        "x-use-cookie",
        "x-supabase-api-version",
    ];
    let allowed: Vec<HeaderName> = named
        .into_iter()
        .chain(extra.iter().map(String::as_str))
        .filter_map(|name| HeaderName::try_from(name).ok())
        .collect();
    CorsLayer::new()
        .allow_origin(AllowOrigin::mirror_request())
        .allow_credentials(true)
        .allow_methods([
            Method::GET,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers(allowed)
        .expose_headers([
            HeaderName::from_static("x-total-count"),
            http::header::LINK,
            HeaderName::from_static("x-supabase-api-version"),
        ])
}
