use std::sync::Arc;

use axum::{Json, Router, extract::State, routing::get};
use http::{HeaderMap, Method, Uri};
use serde_json::{Value, json};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Config, error::Error, jobs::Jobs, token};

/// The functions service.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    jobs: Jobs,
}

impl App {
    /// Makes the service; nothing needs to be reachable yet.
    #[expect(
        clippy::unused_async,
        reason = "every service is made the same way, and most of them connect"
    )]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let jobs = Jobs::new(config.jobs.clone())?;
        Ok(Self(Arc::new(Inner { config, jobs })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        Router::new()
            .route("/_internal/health", get(health))
            .route("/_internal/jobs/metrics", get(jobs_metrics))
            .fallback(call)
            .with_state(self.clone())
    }

    /// Loops that outlive a request: webhooks and scheduled jobs.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        self.0.jobs.spawn(&tracker, stop);
        tracker
    }
}

async fn health() -> Json<Value> {
    Json(json!({ "message": "ok" }))
}

async fn jobs_metrics(State(app): State<App>) -> String {
    app.0.jobs.metrics().await
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
