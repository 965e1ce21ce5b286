use std::sync::Arc;

use axum::{Json, Router, extract::State, routing::get};
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Config, error::Error, token};

/// The functions service.
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
            .route("/_internal/health", get(health))
            .fallback(call)
            .with_state(self.clone())
    }

    /// Loops that outlive a request: none so far.
    pub fn spawn_workers(&self, _stop: CancellationToken) -> TaskTracker {
        TaskTracker::new()
    }
}

async fn health() -> Json<Value> {
    Json(json!({ "message": "ok" }))
}

async fn call(
    State(app): State<App>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
) -> Result<(), Error> {
    let config = &app.0.config;
    if config.verify_jwt && method != Method::OPTIONS {
        token::check(&headers, &config.keys)?;
    }
    if uri.path().trim_matches('/').is_empty() {
        return Err(Error::MissingName);
    }
    Err(Error::NotImplemented)
}
