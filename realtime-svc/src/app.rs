use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use anyhow::Context as _;
use axum::Router;
use secrecy::ExposeSecret as _;
use sqlx::PgPool;
use svc_kit::{
    observe::{PoolState, Requests},
    pg::{self, PoolSettings},
    wire::{self, Pool, Target},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    Config,
    bus::{self, Bus},
    changes::{self, Engine},
    hub::{Broadcast, Hub, RoomName},
    intake,
    limits::TICK,
    metrics::Metrics,
    policies::Policies,
    replication::{self, Counters, Feed, Status, User, tend_every},
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
    requests: Requests,
    hub: Arc<Hub>,
    target: Target,
    pool: Pool,
    /// For what is asked seldom.
    catalog: PgPool,
    engine: Engine,
    /// Nothing before the workers run.
    feed: OnceLock<Feed>,
    /// The way to other copies, where there may be any; taken when the workers run.
    bus_parts: Mutex<Option<bus::Parts>>,
    /// Nothing before the workers run, or without other copies.
    bus: OnceLock<Bus>,
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
        let pool = wire::pool(target.clone(), config.pool_size.max(1), POOL_TIMEOUT)?;
        let bus_parts = config.nats_url.is_some().then(|| {
            let subjects = bus::Subjects::new(&config.tenant, config.slot_suffix.as_deref());
            bus::Link::new(subjects)
        });
        let link = bus_parts.as_ref().map(|(link, _)| link.clone());
        let engine = changes::Settings {
            node: link.as_ref().map(|link| link.node()),
            ..changes::Settings::default()
        };
        // Who waits for a permission must not wait for changes, and the other way round.
        let engine_pool = wire::pool(target.clone(), engine.parallel + 1, POOL_TIMEOUT)?;
        let catalog = pg::pool(
            url,
            &PoolSettings {
                max_connections: 2,
                ..PoolSettings::new(APPLICATION)
            },
        )?;
        Ok(Self(Arc::new(Inner {
            verifier: Verifier {
                keys: config.keys.clone(),
                demanded: config.demanded_claims.clone(),
            },
            hub: Arc::new(Hub::new(metrics.clone(), link)),
            policies: Policies::new(pool.clone()),
            pool,
            target,
            catalog,
            engine: Engine::new(engine_pool, engine),
            feed: OnceLock::new(),
            bus_parts: Mutex::new(bus_parts),
            bus: OnceLock::new(),
            metrics,
            requests: Requests::new(),
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
        // The others are told of the last sockets that close.
        let stop_bus = CancellationToken::new();
        self.spawn_database_workers(&tracker, &stop, &stop_bus);
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
            if let Some(bus) = app.0.bus.get() {
                bus.goodbye().await;
            }
            stop_bus.cancel();
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

    pub(crate) fn requests(&self) -> &Requests {
        &self.0.requests
    }

    /// The pools of connections, as they are now.
    pub(crate) fn pool_states(&self) -> [PoolState; 3] {
        [
            PoolState::of_wire("realtime", &self.0.pool),
            PoolState::of_wire("changes", self.0.engine.pool()),
            PoolState::of_sqlx("catalog", &self.0.catalog, None),
        ]
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
    pub(crate) fn send(&self, name: &RoomName, message: &Broadcast) -> usize {
        self.0.hub.broadcast(name, message)
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
        if let Some(bus) = self.0.bus.get() {
            return bus.is_ready();
        }
        let feed = self.0.feed.get();
        feed.is_some_and(|feed| *feed.status().borrow() == Status::Streaming)
    }

    /// What was read of the log; nothing without the service's workers.
    pub(crate) fn log_counters(&self) -> Option<&Counters> {
        self.0.feed.get().map(Feed::counters)
    }

    /// Returns when messages and changes of the database flow; never without the service's workers.
    pub(crate) async fn replication_ready(&self) {
        if let Some(bus) = self.0.bus.get() {
            return bus.wait_ready().await;
        }
        match self.0.feed.get() {
            Some(feed) if feed.wait_streaming().await.is_some() => {}
            _ => std::future::pending().await,
        }
    }

    /// Returns when messages of the database flow, or when it is known that at the moment they cannot.
    pub(crate) async fn replication_settled(&self) {
        if let Some(feed) = self.0.feed.get() {
            let is_settled = |status: &Status| !matches!(status, Status::Idle | Status::Connecting);
            let _ = feed.status().wait_for(is_settled).await;
        }
    }

    /// Has the log read for as long as the answer lives.
    pub(crate) fn need_feed(&self) -> Option<User> {
        self.0.feed.get().map(Feed::user)
    }

    /// Everything in the log up to here is dealt with.
    pub(crate) fn confirm(&self, end: u64) {
        if let Some(bus) = self.0.bus.get() {
            bus.delivered(end);
        } else if let Some(feed) = self.0.feed.get() {
            feed.confirm(end);
        }
    }

    /// Who listens to changes of rows.
    pub(crate) fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Ends a channel's subscriptions to changes.
    pub(crate) fn unsubscribe(&self, channel: ChannelId) {
        self.0.engine.unsubscribe(channel.0);
    }

    /// Tells everybody who listens to changes that some were lost.
    pub(crate) fn interrupt_changes(&self) {
        for (channel, outlet) in self.0.engine.outlets() {
            outlet.interrupt(ChannelId(channel));
        }
    }

    /// Reads the log, and keeps what is in the database in order.
    fn spawn_database_workers(
        &self,
        tracker: &TaskTracker,
        stop: &CancellationToken,
        stop_bus: &CancellationToken,
    ) {
        let config = &self.0.config;
        let settings = replication::Settings {
            idle_after: config.replication_idle,
            max_lag_bytes: config.max_lag_bytes,
            keep_slot_on_stop: config.nats_url.is_some(),
            ..replication::Settings::new(self.0.target.clone(), config.slot_suffix.as_deref())
        };
        let (catalog, slot) = (&self.0.catalog, settings.slot.clone());
        let (feed, items) = Feed::spawn(settings, catalog.clone(), tracker, stop.clone());
        // Workers are spawned once.
        let _ = self.0.feed.set(feed.clone());
        let parts = self
            .0
            .bus_parts
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let items = match (config.nats_url.clone(), parts) {
            (Some(url), Some(parts)) => {
                let settings = bus::Settings {
                    url,
                    node_timeout: config.bus_node_timeout,
                    slot,
                };
                let (bus, items) = Bus::spawn(
                    settings,
                    parts,
                    &self.0.hub,
                    (feed, items),
                    catalog.clone(),
                    (tracker, stop_bus.clone()),
                );
                let _ = self.0.bus.set(bus);
                items
            }
            _ => items,
        };
        tracker.spawn(intake::run(self.clone(), items, stop.clone()));
        let (engine, stopped) = (self.0.engine.clone(), stop.clone());
        tracker.spawn(async move { engine.run(stopped).await });
        let every = config.janitor_interval;
        tracker.spawn(tend_every(catalog.clone(), every, stop.clone()));
    }
}
