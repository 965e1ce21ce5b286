//! Health and metrics, on a port that no client reaches.

use std::sync::Arc;

use axum::{
    Router,
    extract::State,
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::header;

use crate::{App, health::health};

/// `/live`, `/ready`, `/metrics`.
pub(crate) fn router(app: &App) -> Router {
    Router::new()
        .route("/live", get(|| async { "OK" }))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics))
        .with_state(app.clone())
}

async fn ready(State(app): State<App>) -> Response {
    health(&app.live()).await
}

async fn metrics(State(app): State<App>) -> Response {
    let live = app.live();
    let copies: Vec<_> = live
        .balancers()
        .flat_map(|balancer| {
            let copies = balancer.copies();
            let states = copies.iter().map(|copy| {
                (
                    balancer.service,
                    Arc::clone(copy.name()),
                    copy.is_available(),
                )
            });
            states.collect::<Vec<_>>()
        })
        .collect();
    let kind = "text/plain; version=0.0.4; charset=utf-8";
    (
        [(header::CONTENT_TYPE, kind)],
        app.metrics().render(&copies),
    )
        .into_response()
}
