use std::sync::Arc;

use axum::Router;
use svc_kit::observe::Requests;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config, inspector::Inspector, jobs::Jobs, metrics::Metrics, pool::Pool, registry::Registry,
    routes, token::Keys,
};

/// The functions service.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    keys: Keys,
    registry: Arc<Registry>,
    pool: Arc<Pool>,
    metrics: Arc<Metrics>,
    requests: Requests,
    jobs: Jobs,
    inspector: Option<Arc<Inspector>>,
}

impl App {
    /// Makes the service; no process is started yet.
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let metrics = Arc::new(Metrics::default());
        let inspector = match config.inspect {
            Some(inspect) => Some(Arc::new(Inspector::bind(inspect).await?)),
            None => None,
        };
        let pool = Arc::new(Pool::new(&config, metrics.clone(), inspector.clone())?);
        let registry = Arc::new(Registry::new(config.clone()));
        if pool.deno.binary().is_none() {
            tracing::warn!("there is no Deno: functions answer 503 until it is installed");
        }
        let keys = Keys::new(config.keys.clone(), config.published_keys.clone())?;
        let jobs = Jobs::new(config.jobs.clone())?;
        registry.look(std::time::Duration::ZERO, &pool).await;
        Ok(Self(Arc::new(Inner {
            config,
            keys,
            registry,
            pool,
            metrics,
            requests: Requests::new(),
            jobs,
            inspector,
        })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        routes::router(self.clone())
    }

    /// Loops that outlive a request: one looks at the files, one fetches what functions need, one looks after the
    /// processes, which end with it; webhooks and scheduled jobs.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        let (registry, pool) = (&self.0.registry, &self.0.pool);
        tracker.spawn(registry.clone().watch(pool.clone(), stop.clone()));
        tracker.spawn(registry.clone().prepare(pool.clone(), stop.clone()));
        self.0.jobs.spawn(&tracker, stop.clone());
        if let Some(inspector) = &self.0.inspector {
            tracker.spawn(inspector.clone().serve(stop.clone()));
        }
        tracker.spawn(pool.clone().keep(stop));
        tracker
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn keys(&self) -> &Keys {
        &self.0.keys
    }

    pub(crate) fn registry(&self) -> &Registry {
        &self.0.registry
    }

    pub(crate) fn pool(&self) -> &Arc<Pool> {
        &self.0.pool
    }

    pub(crate) fn jobs(&self) -> &Jobs {
        &self.0.jobs
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn requests(&self) -> &Requests {
        &self.0.requests
    }
}
