//! What the service answers over HTTP.

mod broadcast;
mod cors;
mod handshake;
mod metrics;
mod tenants;

use axum::{
    Json, Router,
    extract::{Request, State},
    middleware::{self, Next},
    response::{IntoResponse as _, Response},
    routing::{any, get, post},
};
use serde_json::{Value, json};
use svc_kit::observe::ObserveLayer;

use crate::{app::App, error::Error};

/// What machines ask for all the time.
const ROUTINE: [&str; 4] = [
    "/healthcheck",
    "/metrics",
    "/metrics/{region}",
    "/api/tenants/{tenant}/health",
];

/// All routes. Paths are the original's, as it has them behind its own port.
pub(crate) fn router(app: &App) -> Router {
    let broadcasts = Router::new()
        .route("/api/broadcast", post(broadcast::batch))
        .route(
            "/api/broadcast/{topic}/events/{event}",
            post(broadcast::single),
        )
        .layer(middleware::from_fn_with_state(app.clone(), limit))
        .layer(middleware::from_fn(cors::open));
    let ping = Router::new()
        .route("/api/ping", get(ping))
        .layer(middleware::from_fn_with_state(app.clone(), limit));
    Router::new()
        .route("/healthcheck", get(async || "ok"))
        .route("/socket/websocket", any(handshake::upgrade))
        .route("/metrics", get(metrics::index))
        .route("/metrics/{region}", get(metrics::index))
        .merge(broadcasts)
        .merge(ping)
        .merge(tenants::router())
        .fallback(async || Error::NoRoute)
        .method_not_allowed_fallback(async || Error::NoRoute)
        .layer(ObserveLayer::new(app.requests().clone()).routine(&ROUTINE))
        .with_state(app.clone())
}

async fn ping() -> Json<Value> {
    Json(json!({ "message": "Success" }))
}

/// Says how near the project is to its limit; refuses beyond it.
async fn limit(State(app): State<App>, request: Request, next: Next) -> Response {
    let events = &app.metrics().events;
    let (average, limit) = (events.average(), events.limit());
    let mut response = if average >= limit {
        Error::TooManyRequests.into_response()
    } else {
        next.run(request).await
    };
    let headers = response.headers_mut();
    headers.insert("x-rate-rolling", average.into());
    headers.insert("x-rate-limit", limit.into());
    let left = limit.saturating_sub(average);
    headers.insert("x-rate-limit-remaining", left.into());
    response
}
