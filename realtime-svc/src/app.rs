use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use axum::Router;
use secrecy::ExposeSecret as _;
use svc_kit::wire::{self, Pool, Target};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config,
    hub::{Broadcast, Hub, RoomName},
    limits::TICK,
    metrics::Metrics,
    policies::Policies,
    routes,
    socket::ChannelId,
    token::Verifier,
};

/// Shown in `pg_stat_activity`.
const APPLICATION: &str = "realtime_svc";
/// How long a question waits for a connection.
const POOL_TIMEOUT: Duration = Duration::from_secs(5);
/// How long sockets may take to close when the service stops.
const DRAIN: Duration = Duration::from_secs(8);

/// The realtime service.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

struct Inner {
    config: Config,
    verifier: Verifier,
    metrics: Arc<Metrics>,
    hub: Arc<Hub>,
    pool: Pool,
    policies: Policies,
    sessions: TaskTracker,
    drain: CancellationToken,
    /// A child of `drain`.
    connected: Mutex<CancellationToken>,
    channels: AtomicU64,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("App").finish_non_exhaustive()
    }
}

impl App {
    /// Makes the service; nothing needs to be reachable yet.
    #[expect(
        clippy::unused_async,
        reason = "every service is made the same way, and most of them connect"
    )]
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        let metrics = Arc::new(Metrics::new(&config.limits));
        let drain = CancellationToken::new();
        let url = config.database_url.expose_secret();
        let target = Target::new(url, APPLICATION, |_| None)
            .context("the database's address cannot be read")?;
        let pool = wire::pool(target, config.pool_size.max(1), POOL_TIMEOUT)?;
        Ok(Self(Arc::new(Inner {
            verifier: Verifier {
                keys: config.keys.clone(),
                demanded: config.demanded_claims.clone(),
            },
            hub: Arc::new(Hub::new(metrics.clone())),
            policies: Policies::new(pool.clone()),
            pool,
            metrics,
            config,
            sessions: TaskTracker::new(),
            connected: Mutex::new(drain.child_token()),
            drain,
            channels: AtomicU64::new(0),
        })))
    }

    /// All routes.
    pub fn router(&self) -> Router {
        routes::router(self)
    }

    /// The rates of limits, and the end of all sockets when it is time to stop.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        let (app, stopped) = (self.clone(), stop.clone());
        tracker.spawn(async move {
            let mut ticks = tokio::time::interval(TICK);
            loop {
                tokio::select! {
                    _ = ticks.tick() => app.metrics().tick(),
                    () = stopped.cancelled() => break,
                }
            }
        });
        let app = self.clone();
        tracker.spawn(async move {
            stop.cancelled().await;
            app.0.drain.cancel();
            app.0.sessions.close();
            let closed = tokio::time::timeout(DRAIN, app.0.sessions.wait());
            if closed.await.is_err() {
                tracing::warn!("sockets were still open when the time to close them was over");
            }
        });
        tracker
    }

    pub(crate) fn config(&self) -> &Config {
        &self.0.config
    }

    pub(crate) fn verifier(&self) -> &Verifier {
        &self.0.verifier
    }

    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn hub(&self) -> &Arc<Hub> {
        &self.0.hub
    }

    pub(crate) fn pool(&self) -> &Pool {
        &self.0.pool
    }

    pub(crate) fn policies(&self) -> &Policies {
        &self.0.policies
    }

    /// The sockets that are open.
    pub(crate) fn sessions(&self) -> &TaskTracker {
        &self.0.sessions
    }

    /// Cancelled when the service stops.
    pub(crate) fn drain(&self) -> &CancellationToken {
        &self.0.drain
    }

    /// A number that no other channel of this process has.
    pub(crate) fn new_channel_id(&self) -> ChannelId {
        ChannelId(self.0.channels.fetch_add(1, Ordering::Relaxed))
    }

    /// Sends to everybody in a room; gives how many of them are connected here.
    pub(crate) fn send(&self, name: &RoomName, message: Broadcast) -> usize {
        self.0.hub.broadcast(name, &message)
    }

    /// Closes every socket; clients connect again.
    pub(crate) fn disconnect_all(&self) {
        let next = self.0.drain.child_token();
        let mut current = self
            .0
            .connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *current, next).cancel();
    }

    /// Cancelled when the sockets that are open now are to be closed.
    pub(crate) fn connected(&self) -> CancellationToken {
        let current = self
            .0
            .connected
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        current.clone()
    }

    /// True if messages of the database reach the rooms.
    pub(crate) fn is_replicating(&self) -> bool {
        false
    }

    /// Ends a channel's subscriptions to changes.
    pub(crate) fn unsubscribe(&self, _channel: ChannelId) {}

    /// Returns when messages that the database sends reach the rooms.
    pub(crate) async fn replication_ready(&self) {}
}
