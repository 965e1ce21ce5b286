use std::sync::Arc;

use axum::{
    Router,
    extract::{Query, State},
    routing::get,
};
use http::HeaderMap;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config,
    error::Error,
    key::{self, SocketQuery},
};

/// The realtime service.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
}

impl App {
    /// Makes the service; nothing needs to be reachable yet.
    #[expect(
        clippy::unused_async,
        reason = "every service is made the same way, and most of them connect"
    )]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        Ok(Self(Arc::new(Inner { config })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/healthcheck", get(async || "ok"))
            .route("/socket/websocket", get(socket))
            .fallback(async || Error::NotImplemented)
            .with_state(self.clone())
    }

    /// Loops that outlive a request: none so far.
    pub fn spawn_workers(&self, _stop: CancellationToken) -> TaskTracker {
        TaskTracker::new()
    }
}

/// Refuses the handshake, late: clients try again at once, and all of them together.
async fn socket(
    State(app): State<App>,
    Query(query): Query<SocketQuery>,
    headers: HeaderMap,
) -> Error {
    let config = &app.0.config;
    let refusal = key::check(&headers, &query, &config.keys)
        .err()
        .unwrap_or(Error::NotImplemented);
    tokio::time::sleep(config.connect_error_backoff).await;
    refusal
}
