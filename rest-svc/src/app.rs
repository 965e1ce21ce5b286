use std::{sync::Arc, time::Duration};

use arc_swap::ArcSwapOption;
use axum::{Router, routing::get};
use http::StatusCode;
use tokio::sync::Notify;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::Config,
    db::{self, Pool},
    routes,
    schema_cache::SchemaCache,
    workers,
};

/// The service: its configuration, its pool and the catalog.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub(crate) struct Inner {
    pub(crate) config: Config,
    pub(crate) pool: Pool,
    pub(crate) pg: tokio_postgres::Config,
    pub(crate) cache: ArcSwapOption<SchemaCache>,
    /// Asks for the catalog to be read again.
    pub(crate) reload: Notify,
    /// Says that it was read.
    pub(crate) loaded: Notify,
}

impl App {
    /// Prepares the service. The database need not be up: the workers connect, and try again until it is.
    #[expect(clippy::unused_async, reason = "every service is made in the same way")]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let (pool, pg) = db::pool(&config)?;
        Ok(Self(Arc::new(Inner {
            config,
            pool,
            pg,
            cache: ArcSwapOption::empty(),
            reload: Notify::new(),
            loaded: Notify::new(),
        })))
    }

    /// The API.
    pub fn router(&self) -> Router {
        Router::new()
            .fallback(routes::serve)
            .with_state(self.clone())
    }

    /// Health and state, on a port of their own because any path of the API could be a table.
    pub fn admin_router(&self) -> Router {
        let ready = |axum::extract::State(app): axum::extract::State<Self>| async move {
            if app.is_ready() {
                StatusCode::OK
            } else {
                StatusCode::SERVICE_UNAVAILABLE
            }
        };
        Router::new()
            .route("/live", get(|| async { StatusCode::OK }))
            .route("/ready", get(ready))
            .with_state(self.clone())
    }

    /// Loads the catalog, and again whenever the database says so.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        workers::spawn(self.clone(), stop)
    }

    /// True when the catalog is there.
    pub fn is_ready(&self) -> bool {
        self.0.cache.load().is_some()
    }

    /// Waits for the catalog, but not for ever.
    pub async fn wait_ready(&self, within: Duration) -> anyhow::Result<()> {
        tokio::time::timeout(within, async {
            loop {
                let loaded = self.0.loaded.notified();
                if self.is_ready() {
                    return;
                }
                loaded.await;
            }
        })
        .await
        .map_err(|_| anyhow::anyhow!("not within {} s", within.as_secs()))
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}
