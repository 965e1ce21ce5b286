//! What runs beside requests: reading the configuration and the catalog, listening for changes, and giving
//! connections back.

use std::{
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

use futures_util::{StreamExt as _, stream};
use svc_kit::{pg::quote_ident, wire::ConnectError};
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tokio_postgres::AsyncMessage;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{App, Error, config, schema_cache};

/// A burst of changes is read at once and once after it, so far apart.
const BETWEEN_LOADS: Duration = Duration::from_millis(100);
const FIRST_BACKOFF: Duration = Duration::from_secs(1);
const MAX_BACKOFF: Duration = Duration::from_secs(32);
const TIDY_EVERY: Duration = Duration::from_secs(5);

pub(crate) fn spawn(app: &App, stop: &CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    let run = |work: futures_util::future::BoxFuture<'static, ()>| {
        let stop = stop.clone();
        tracker.spawn(async move {
            stop.run_until_cancelled_owned(work).await;
        });
    };
    run(Box::pin(keep_loaded(app.clone())));
    run(Box::pin(keep_configured(app.clone())));
    run(Box::pin(reload_on(
        app.clone(),
        SignalKind::user_defined1(),
    )));
    run(Box::pin(reload_on(
        app.clone(),
        SignalKind::user_defined2(),
    )));
    run(Box::pin(tidy(app.clone())));
    if let Some(channel) = app.config().listen_channel().map(str::to_owned) {
        run(Box::pin(listen(app.clone(), channel)));
    }
    tracker
}

/// Reads the catalog at start and whenever it is asked for. While it is being read the old one serves on.
async fn keep_loaded(app: App) {
    let inner = app.inner();
    let mut backoff = FIRST_BACKOFF;
    loop {
        let started = Instant::now();
        let outcome = load(&app).await;
        inner.settled.store(outcome.is_ok(), Ordering::Release);
        inner.tried.notify_waiters();
        match outcome {
            Ok(()) => {
                backoff = FIRST_BACKOFF;
                inner.reload.notified().await;
                inner.settled.store(false, Ordering::Release);
                tokio::time::sleep(BETWEEN_LOADS.saturating_sub(started.elapsed())).await;
            }
            Err(error) => {
                // What is not known to be there must not be guessed at: PostgREST answers 503 until it can look.
                inner.cache.store(None);
                inner.metrics.failed_loads.fetch_add(1, Ordering::Relaxed);
                say_failed(&app, &error);
                let refused = error
                    .downcast_ref::<ConnectError>()
                    .and_then(ConnectError::code)
                    .is_some_and(|code| code.starts_with("28"));
                let recovers = app.config().pool_recovery;
                if refused || !recovers {
                    inner.fatal.notify_one();
                }
                if refused {
                    let told = Error::beside(&error).to_json();
                    tracing::error!("Failed to establish a connection. {told}");
                } else if recovers {
                    tracing::warn!(
                        "Attempting to reconnect to the database in {} seconds...",
                        backoff.as_secs()
                    );
                } else {
                    tracing::error!("Automatic recovery disabled, exiting.");
                }
                // A change may well be what makes it readable.
                let _ = tokio::time::timeout(backoff, inner.reload.notified()).await;
                backoff = (backoff * 2).min(MAX_BACKOFF);
            }
        }
    }
}

/// Why the catalog was not loaded.
fn say_failed(app: &App, error: &anyhow::Error) {
    let told = Error::beside(error).to_json();
    if error.is::<ConnectError>() {
        tracing::warn!("Failed to query the PostgreSQL version. {told}");
        return;
    }
    let config = app.config();
    tracing::warn!(
        "Failed to load the schema cache using db-schemas={} and db-extra-search-path={}. {told}",
        config.schemas.join(","),
        config.extra_search_path.join(","),
    );
}

/// What Postgres calls itself.
async fn version(client: &tokio_postgres::Client) -> Result<String, tokio_postgres::Error> {
    let row = client.query_one("select pg_catalog.version()", &[]).await?;
    Ok(row.get(0))
}

async fn load(app: &App) -> anyhow::Result<()> {
    let inner = app.inner();
    let mut client = inner.target.client().await?;
    tracing::info!("Successfully connected to {}", version(&client).await?);
    if app.config().db_config {
        configure(app, &mut client).await;
        inner.configured.store(true, Ordering::Release);
    }
    let config = app.config();
    tracing::info!(
        "Connection Pool initialized with a maximum size of {} connections",
        config.pool
    );
    let started = Instant::now();
    let cache = schema_cache::load(&mut client, &config.schemas, &config.extra_search_path).await?;
    if let Some(delay) = config.catalog_delay {
        let sleep = format!("select pg_sleep({delay} / 1000.0)");
        client.batch_execute(&sleep).await?;
    }
    let queried = started.elapsed();
    inner.metrics.loaded(queried);
    let millis = |took: Duration| format!("{:.1}", took.as_secs_f64() * 1e3);
    tracing::info!("Schema cache queried in {} milliseconds", millis(queried));
    tracing::info!("Schema cache loaded {}", cache.summary());
    let is_first = inner.cache.swap(Some(cache.into())).is_none();
    if !is_first {
        // Sessions keep what they knew of types and roles.
        inner.pool.manager().renew();
        inner.pool.retain(|_, _| false);
        tracing::debug!("Database connection pool flushed");
    }
    let loaded = started.elapsed().saturating_sub(queried);
    tracing::info!("Schema cache loaded in {} milliseconds", millis(loaded));
    Ok(())
}

/// Reads the settings of the database into the configuration; true if they are in effect. What cannot be read, or is
/// wrong, leaves everything as it was.
async fn configure(app: &App, client: &mut tokio_postgres::Client) -> bool {
    let current = app.config();
    let (settings, roles) = if current.db_config {
        let settings = config::database::read(client, &current).await;
        let roles = config::database::roles(client).await;
        match (settings, roles) {
            (Ok(settings), Ok(roles)) => (settings, roles),
            (Err(error), _) => {
                let told = Error::beside(&error.into()).to_json();
                tracing::error!(
                    "Failed to query database settings for the config parameters.{told}"
                );
                return false;
            }
            (_, Err(error)) => {
                let told = Error::beside(&error.into()).to_json();
                tracing::error!("Failed to query the role settings. {told}");
                return false;
            }
        }
    } else {
        Default::default()
    };
    match current.reloaded(settings) {
        Ok(mut next) => {
            next.roles = roles;
            app.set_config(next);
            true
        }
        Err(error) => {
            tracing::error!("Failed reloading config: {error}");
            false
        }
    }
}

/// Reads the configuration alone when it is asked for.
async fn keep_configured(app: App) {
    loop {
        app.inner().reload_config.notified().await;
        match app.inner().target.client().await {
            Ok(mut client) => {
                if configure(&app, &mut client).await {
                    tracing::info!("Config reloaded");
                }
            }
            Err(error) => {
                let told = Error::connection(&error.to_string()).to_json();
                tracing::error!(
                    "Failed to query database settings for the config parameters.{told}"
                );
            }
        }
    }
}

/// SIGUSR1 asks for everything, SIGUSR2 for the configuration.
async fn reload_on(app: App, kind: SignalKind) {
    let Ok(mut received) = signal(kind) else {
        return;
    };
    while received.recv().await.is_some() {
        if kind == SignalKind::user_defined1() {
            app.inner().reload.notify_one();
        } else {
            app.inner().reload_config.notify_one();
        }
    }
}

/// Closes connections that nobody used for a while, and old ones.
async fn tidy(app: App) {
    loop {
        tokio::time::sleep(TIDY_EVERY).await;
        let config = app.config();
        app.inner().pool.retain(|_, metrics| {
            metrics.last_used() < config.pool_max_idletime
                && metrics.age() < config.pool_max_lifetime
        });
    }
}

/// Listens on a connection of its own. After it broke, notifications may have been lost, so the catalog is
/// read again.
async fn listen(app: App, channel: String) {
    let mut backoff = FIRST_BACKOFF;
    let mut first = true;
    loop {
        if let Err(error) = listen_once(&app, &channel, first, &mut backoff).await {
            let told = format!("{error:#}").replace(['\n', '\t'], " ");
            tracing::warn!(
                "Failed listening for database notifications on the {channel:?} channel. {told}"
            );
        }
        app.inner().listening.store(false, Ordering::Release);
        if !app.config().pool_recovery {
            app.inner().fatal.notify_one();
        }
        first = false;
        tracing::warn!(
            "Retrying listening for database notifications in {} seconds...",
            backoff.as_secs()
        );
        tokio::time::sleep(backoff).await;
        backoff = (backoff * 2).min(MAX_BACKOFF);
    }
}

async fn listen_once(
    app: &App,
    channel: &str,
    first: bool,
    backoff: &mut Duration,
) -> anyhow::Result<()> {
    let inner = app.inner();
    let (client, mut connection) = inner.target.read_write().client_and_driver().await?;
    let (sender, mut messages) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut stream = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = stream.next().await {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    let version = version(&client).await?;
    client
        .batch_execute(&format!("LISTEN {}", quote_ident(channel)))
        .await?;
    inner.listening.store(true, Ordering::Release);
    *backoff = FIRST_BACKOFF;
    if !first {
        inner.reload.notify_one();
    }
    tracing::info!(
        "Listener connected to {version} on {:?} and listening for database notifications on the {channel:?} channel",
        inner.target.servers(),
    );
    while let Some(message) = messages.recv().await {
        if let AsyncMessage::Notification(notification) = message {
            match notification.payload() {
                "" | "reload schema" => {
                    tracing::info!(
                        "Received a schema cache reload message on the {channel:?} channel"
                    );
                    inner.reload.notify_one();
                }
                "reload config" => {
                    tracing::info!("Received a config reload message on the {channel:?} channel");
                    inner.reload_config.notify_one();
                }
                _ => {}
            }
        }
    }
    anyhow::bail!("the connection ended")
}
