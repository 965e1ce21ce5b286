//! What the service answers over HTTP.

mod broadcast;
mod cors;
mod handshake;
mod metrics;
mod tenants;

use axum::{
    Json, Router, middleware,
    response::Response,
    routing::{any, get, post},
};
use http::{HeaderValue, StatusCode};
use serde_json::json;

use crate::{app::App, error::Error, metrics::Metrics};

/// All routes. Paths are the original's, as it has them behind its own port.
pub(crate) fn router(app: &App) -> Router {
    let broadcasts = Router::new()
        .route("/api/broadcast", post(broadcast::batch))
        .route(
            "/api/broadcast/{topic}/events/{event}",
            post(broadcast::single),
        )
        .layer(middleware::from_fn(cors::open));
    Router::new()
        .route("/healthcheck", get(async || "ok"))
        .route("/socket/websocket", any(handshake::upgrade))
        .route("/api/ping", get(ping))
        .route("/metrics", get(metrics::index))
        .route("/metrics/{region}", get(metrics::index))
        .merge(broadcasts)
        .merge(tenants::router())
        .fallback(async || Error::NotFound)
        .with_state(app.clone())
}

async fn ping(axum::extract::State(app): axum::extract::State<App>) -> Result<Response, Error> {
    let mut response =
        axum::response::IntoResponse::into_response(Json(json!({ "message": "Success" })));
    limit_requests(app.metrics(), &mut response)?;
    Ok(response)
}

/// Says how near the limit is; refuses beyond it.
fn limit_requests(metrics: &Metrics, response: &mut Response) -> Result<(), Error> {
    let (average, limit) = (metrics.events.average(), metrics.events.limit());
    if average >= limit {
        return Err(Error::TooManyRequests);
    }
    let headers = response.headers_mut();
    headers.insert("x-rate-rolling", HeaderValue::from(average));
    headers.insert("x-rate-limit", HeaderValue::from(limit));
    headers.insert("x-rate-limit-remaining", HeaderValue::from(limit - average));
    Ok(())
}

/// Accepted, and nothing to say about it.
fn accepted(metrics: &Metrics) -> Result<Response, Error> {
    let mut response = axum::response::IntoResponse::into_response(StatusCode::ACCEPTED);
    limit_requests(metrics, &mut response)?;
    Ok(response)
}
