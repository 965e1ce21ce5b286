use std::{
    convert::Infallible,
    net::SocketAddr,
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::{ArcSwap, ArcSwapOption};
use axum::{Router, extract::Request, response::Response};
use futures_util::FutureExt as _;
use svc_kit::wire::{self, Pool, Target};
use tokio::{
    net::{TcpStream, UnixStream},
    sync::Notify,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::{Service, service_fn};

use crate::{
    access_log,
    admin::{self, Metrics},
    config::Config,
    routes,
    schema_cache::SchemaCache,
    traffic::Traffic,
    workers,
};

/// Where the API listens.
#[derive(Clone, Debug)]
pub enum Address {
    /// A port.
    Tcp(SocketAddr),
    /// A socket in the file system.
    Unix(PathBuf),
}

/// The service: its configuration, its pool and the catalog.
#[derive(Clone)]
pub struct App(Arc<Inner>);

pub(crate) struct Inner {
    config: ArcSwap<Config>,
    pub(crate) pool: Pool,
    pub(crate) target: Target,
    pub(crate) cache: ArcSwapOption<SchemaCache>,
    pub(crate) metrics: Metrics,
    pub(crate) traffic: Traffic,
    /// Asks for the configuration and the catalog to be read again.
    pub(crate) reload: Notify,
    /// Asks for the configuration alone.
    pub(crate) reload_config: Notify,
    /// Says that reading was tried.
    pub(crate) tried: Notify,
    /// False while the catalog is being read, or could not be.
    pub(crate) settled: AtomicBool,
    /// True once the database was asked for its part of the configuration, or need not be.
    pub(crate) configured: AtomicBool,
    /// False while the listener has no connection.
    pub(crate) listening: AtomicBool,
    /// Says that the service should end: the database is gone and recovery is off.
    pub(crate) fatal: Notify,
    /// Where the API listens, to find out whether it still does.
    pub(crate) address: OnceLock<Address>,
}

impl App {
    /// Prepares the service. The database need not be up: the workers connect, and try again until it is.
    #[expect(clippy::unused_async, reason = "every service is made in the same way")]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let target = config.target()?;
        let pool = wire::pool(target.clone(), config.pool, config.pool_timeout)?;
        let listening = AtomicBool::new(!config.channel_enabled);
        let configured = AtomicBool::new(!config.db_config);
        Ok(Self(Arc::new(Inner {
            config: ArcSwap::from_pointee(config),
            pool,
            target,
            cache: ArcSwapOption::empty(),
            metrics: Metrics::default(),
            traffic: Traffic::new(),
            reload: Notify::new(),
            reload_config: Notify::new(),
            tried: Notify::new(),
            settled: AtomicBool::new(false),
            configured,
            listening,
            fatal: Notify::new(),
            address: OnceLock::new(),
        })))
    }

    /// The API.
    pub fn router(&self) -> Router {
        let app = self.clone();
        Router::new().fallback(move |request| routes::serve(app.clone(), request))
    }

    /// The API with PostgREST's access log on standard output. It is no router: there is nothing to choose between, and
    /// choosing costs a fifteenth of a small request's CPU.
    pub fn logged_service(
        &self,
    ) -> impl Service<Request, Response = Response, Error = Infallible, Future: Send>
    + Clone
    + Send
    + 'static {
        let app = self.clone();
        // Boxed: servers move what they poll, and this is large.
        service_fn(move |request| Box::pin(access_log::serve(app.clone(), request).map(Ok)))
    }

    /// Health, state and metrics, on a port of their own because any path of the API could be a table.
    pub fn admin_router(&self) -> Router {
        admin::router(self.clone())
    }

    /// Loads the configuration of the database and the catalog, and again whenever the database says so.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "every service is started in the same way"
    )]
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        workers::spawn(self, &stop)
    }

    /// True when the catalog is there and is kept up to date.
    pub fn is_ready(&self) -> bool {
        self.0.cache.load().is_some()
            && self.0.settled.load(Ordering::Acquire)
            && self.0.listening.load(Ordering::Acquire)
    }

    /// Tells where the API listens; from then on health depends on whether it can be reached there.
    pub fn serves_at(&self, address: Address) {
        // The first one stands: a service listens once.
        let _ = self.0.address.set(address);
    }

    /// Waits until the service had better end: the database cannot be used and `db-pool-automatic-recovery` is off.
    pub async fn failed(&self) {
        self.0.fatal.notified().await;
    }

    /// True if the API can be reached where it listens.
    pub(crate) async fn is_reachable(&self) -> bool {
        match self.0.address.get() {
            None => true,
            Some(Address::Tcp(address)) => TcpStream::connect(address).await.is_ok(),
            Some(Address::Unix(path)) => UnixStream::connect(path).await.is_ok(),
        }
    }

    /// Waits for the catalog, but not for ever.
    pub async fn wait_ready(&self, within: Duration) -> anyhow::Result<()> {
        let loaded = self.wait_until(|inner| inner.cache.load().is_some());
        tokio::time::timeout(within, loaded)
            .await
            .map_err(|_| anyhow::anyhow!("not within {} s", within.as_secs()))
    }

    async fn wait_until(&self, is_so: impl Fn(&Inner) -> bool) {
        loop {
            let tried = self.0.tried.notified();
            if is_so(&self.0) {
                return;
            }
            tried.await;
        }
    }

    /// The configuration as it is now.
    pub fn config(&self) -> Arc<Config> {
        self.0.config.load_full()
    }

    pub(crate) fn set_config(&self, config: Config) {
        self.0.config.store(Arc::new(config));
    }

    pub(crate) fn inner(&self) -> &Inner {
        &self.0
    }
}
