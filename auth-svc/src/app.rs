//! The service: its configuration and everything it talks to.

use std::{sync::Arc, time::Duration};

use anyhow::Context as _;
use chrono::{DateTime, Utc};
use secrecy::ExposeSecret as _;
use sqlx::{PgPool, Postgres, Transaction, pool::PoolConnection};
use svc_kit::pg::PoolSettings;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{
    config::{Config, RelyingParty},
    domain::{
        clock::{Clock, Random, SystemClock, SystemRandom},
        disguise::SendTime,
        external::issuers::Issuers,
        limiter::Limiter,
        outside::{Outside, StandIns},
        password::Hasher,
        pwned::Pwned,
        refresh,
    },
    error::Error,
    mail::{Smtp, Templates},
    metrics::Metrics,
    routes,
};

/// How often old rows are looked for.
const CLEANUP_EVERY: Duration = Duration::from_secs(60);
/// How often counts of limits are removed.
const FORGET_LIMITS_EVERY: Duration = Duration::from_secs(900);
/// The connections that limits are counted over.
const LIMIT_CONNECTIONS: u32 = 2;

/// The authentication service.
#[derive(Clone, Debug)]
pub struct App(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    config: Config,
    db: PgPool,
    clock: Arc<dyn Clock>,
    random: Arc<dyn Random>,
    hasher: Hasher,
    pwned: Pwned,
    limiter: Limiter,
    refreshes: refresh::Queues,
    send_time: SendTime,
    http: reqwest::Client,
    outside: Outside,
    issuers: Issuers,
    smtp: Smtp,
    templates: Templates,
    metrics: Metrics,
}

impl App {
    /// Prepares everything; the database is connected to when it is first needed.
    pub async fn connect(config: Config) -> anyhow::Result<Self> {
        Self::with_sources(config, Arc::new(SystemClock), Arc::new(SystemRandom)).await
    }

    /// The same, with another clock or another source of randomness.
    pub async fn with_sources(
        config: Config,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
    ) -> anyhow::Result<Self> {
        Self::with_stand_ins(config, clock, random, StandIns::default()).await
    }

    /// The same, with stand-ins for hosts on the internet.
    #[expect(
        clippy::unused_async,
        reason = "all services connect alike, and some have to wait"
    )]
    pub async fn with_stand_ins(
        config: Config,
        clock: Arc<dyn Clock>,
        random: Arc<dyn Random>,
        stand_ins: StandIns,
    ) -> anyhow::Result<Self> {
        let settings = PoolSettings {
            max_connections: config.db.max_pool_size,
            ..PoolSettings::new("auth-svc")
        };
        let db = svc_kit::pg::pool(config.db.url.expose_secret(), &settings)
            .context("the database URL cannot be used")?;
        let shared_limits = if config.rate_limits.shared {
            // Apart from the other connections: a request may count while it holds one of those, and requests that
            // all wait for a second one would wait for ever.
            let settings = PoolSettings {
                max_connections: LIMIT_CONNECTIONS,
                ..PoolSettings::new("auth-svc limits")
            };
            let pool = svc_kit::pg::pool(config.db.url.expose_secret(), &settings);
            Some(pool.context("the database URL cannot be used")?)
        } else {
            None
        };
        let http = reqwest::Client::builder()
            // A hook or template that redirects could be led to where it must not go.
            .redirect(reqwest::redirect::Policy::none())
            .build()
            .context("the HTTP client cannot be made")?;
        let smtp = Smtp::new(&config.smtp).context("the mail server's settings cannot be used")?;
        Ok(Self(Arc::new(Inner {
            db,
            clock,
            random,
            hasher: Hasher::new(config.additions.password_hash),
            pwned: Pwned::new(config.hibp.as_ref()),
            limiter: Limiter::new(&config.rate_limits, shared_limits),
            refreshes: refresh::Queues::default(),
            send_time: SendTime::default(),
            templates: Templates::new(&config.mailer, &config.site_url, http.clone()),
            http,
            outside: Outside::new(stand_ins).context("the HTTP client cannot be made")?,
            issuers: Issuers::default(),
            smtp,
            metrics: Metrics::default(),
            config,
        })))
    }

    /// All routes, with the state applied.
    pub fn router(&self) -> axum::Router {
        routes::router(self)
    }

    /// Starts what goes on between requests.
    pub fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        if self.config().db.cleanup_enabled {
            let app = self.clone();
            let stop = stop.clone();
            tracker.spawn(async move { app.clean_up_until(stop).await });
        }
        if self.config().rate_limits.shared {
            let app = self.clone();
            tracker.spawn(async move { app.forget_limits_until(stop).await });
        }
        tracker.close();
        tracker
    }

    async fn clean_up_until(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(CLEANUP_EVERY);
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            if let Err(error) = crate::store::cleanup::run(&self.0.db, self.now()).await {
                tracing::warn!(%error, "old rows could not be removed");
            }
        }
    }

    async fn forget_limits_until(self, stop: CancellationToken) {
        let mut ticks = tokio::time::interval(FORGET_LIMITS_EVERY);
        // The first tick comes at once, and there may be no table yet.
        ticks.tick().await;
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                _ = ticks.tick() => {}
            }
            if let Err(error) = self.limiter().clean_up(self.now()).await {
                tracing::warn!(%error, "counts of limits could not be removed");
            }
        }
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.0.config
    }

    /// Now. To the microsecond, because that is what the database keeps.
    pub fn now(&self) -> DateTime<Utc> {
        let now = self.0.clock.now();
        DateTime::from_timestamp_micros(now.timestamp_micros()).unwrap_or(now)
    }

    /// The source of randomness.
    pub fn random(&self) -> &dyn Random {
        &*self.0.random
    }

    /// The hasher of passwords.
    pub fn hasher(&self) -> &Hasher {
        &self.0.hasher
    }

    /// Leaked passwords that were seen before.
    pub fn pwned(&self) -> &Pwned {
        &self.0.pwned
    }

    /// The limits.
    pub fn limiter(&self) -> &Limiter {
        &self.0.limiter
    }

    /// Where refreshes with one token wait for each other.
    pub fn refreshes(&self) -> &refresh::Queues {
        &self.0.refreshes
    }

    /// How long sending takes lately.
    pub fn send_time(&self) -> &SendTime {
        &self.0.send_time
    }

    /// Who asks for WebAuthn credentials; fails when that was not said.
    pub fn relying_party(&self) -> Result<&RelyingParty, Error> {
        let party = self.config().relying_party.as_ref();
        party.ok_or_else(|| {
            let reason = anyhow::anyhow!("GOTRUE_WEBAUTHN_RP_* is incomplete");
            Error::internal("Failed to initialize WebAuthn", reason)
        })
    }

    /// The client for hooks, templates and external providers.
    pub fn http(&self) -> &reqwest::Client {
        &self.0.http
    }

    /// The client for addresses that an administrator chose.
    pub fn outside(&self) -> &Outside {
        &self.0.outside
    }

    /// Who signs ID tokens.
    pub fn issuers(&self) -> &Issuers {
        &self.0.issuers
    }

    /// The way to the mail server.
    pub fn smtp(&self) -> &Smtp {
        &self.0.smtp
    }

    /// The texts of mails.
    pub fn templates(&self) -> &Templates {
        &self.0.templates
    }

    /// What is counted.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub(crate) fn pool(&self) -> &PgPool {
        &self.0.db
    }

    /// A connection for reading.
    pub async fn connection(&self) -> Result<PoolConnection<Postgres>, Error> {
        let waiters = self.0.metrics.connections();
        Ok(waiters.wait(self.0.db.acquire()).await?)
    }

    /// Begins a transaction.
    pub async fn begin(&self) -> Result<Transaction<'static, Postgres>, Error> {
        let waiters = self.0.metrics.connections();
        let connection = waiters.wait(self.0.db.acquire()).await?;
        // Apart, because who sends BEGIN does not wait for a connection any more.
        Ok(Transaction::begin(connection, None).await?)
    }
}
