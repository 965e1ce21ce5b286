use std::sync::Arc;

use anyhow::Context as _;
use axum::Router;
use secrecy::ExposeSecret as _;
use sqlx::PgPool;
use svc_kit::{
    jwt::KeySet,
    pg::{self, PoolSettings},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{Config, routes};

/// The storage service: its keys and its database.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    keys: KeySet,
    db: PgPool,
}

impl App {
    /// Makes the service. The database is reached with the first request that needs it.
    #[expect(
        clippy::unused_async,
        reason = "every service is made the same way, and most of them wait for something"
    )]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let mut settings = PoolSettings::new("storage");
        settings.max_connections = config.max_connections;
        let db = pg::pool(config.database_url.expose_secret(), &settings)
            .context("DATABASE_URL is no Postgres URL")?;
        Ok(Self(Arc::new(Inner {
            keys: config.keys,
            db,
        })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        routes::router().with_state(self.clone())
    }

    /// Loops that outlive a request: none so far.
    pub fn spawn_workers(&self, _stop: CancellationToken) -> TaskTracker {
        TaskTracker::new()
    }

    pub(crate) fn keys(&self) -> &KeySet {
        &self.0.keys
    }

    pub(crate) fn db(&self) -> &PgPool {
        &self.0.db
    }
}
