//! What runs beside requests: reading the catalog, and listening for its changes.

use std::time::Duration;

use futures_util::{StreamExt as _, stream};
use svc_kit::pg::quote_ident;
use tokio::{
    signal::unix::{SignalKind, signal},
    sync::mpsc,
};
use tokio_postgres::{AsyncMessage, NoTls};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{App, db, schema_cache};

/// Bursts of changes are read once.
const SETTLE: Duration = Duration::from_millis(100);
const MAX_BACKOFF: Duration = Duration::from_secs(32);

pub(crate) fn spawn(app: App, stop: CancellationToken) -> TaskTracker {
    let tracker = TaskTracker::new();
    tracker.spawn(
        stop.clone()
            .run_until_cancelled_owned(keep_loaded(app.clone())),
    );
    tracker.spawn(
        stop.clone()
            .run_until_cancelled_owned(reload_on_signal(app.clone())),
    );
    if let Some(channel) = app.inner().config.channel.clone() {
        tracker.spawn(stop.run_until_cancelled_owned(listen(app, channel)));
    }
    tracker
}

/// Reads the catalog at start and whenever it is asked for. While it cannot be read the old one serves on.
async fn keep_loaded(app: App) {
    let mut backoff = Duration::from_secs(1);
    loop {
        match load(&app).await {
            Ok(()) => {
                backoff = Duration::from_secs(1);
                app.inner().reload.notified().await;
                tokio::time::sleep(SETTLE).await;
            }
            Err(error) => {
                tracing::warn!(
                    error = format!("{error:#}"),
                    retry_s = backoff.as_secs(),
                    "schema cache not loaded"
                );
                tokio::time::sleep(backoff).await;
                backoff = (backoff * 2).min(MAX_BACKOFF);
            }
        }
    }
}

async fn load(app: &App) -> anyhow::Result<()> {
    let inner = app.inner();
    let mut client = db::connect(&inner.pg).await?;
    let cache = schema_cache::load(
        &mut client,
        &inner.config.schemas,
        &inner.config.extra_search_path,
    )
    .await?;
    tracing::info!(
        relations = cache.tables.len(),
        functions = cache.routines.len(),
        "schema cache loaded"
    );
    inner.cache.store(Some(cache.into()));
    inner.loaded.notify_waiters();
    Ok(())
}

async fn reload_on_signal(app: App) {
    let Ok(mut usr1) = signal(SignalKind::user_defined1()) else {
        return;
    };
    while usr1.recv().await.is_some() {
        app.inner().reload.notify_one();
    }
}

/// Listens on a connection of its own. After it broke, notifications may have been lost, so the catalog is
/// read again.
async fn listen(app: App, channel: String) {
    let mut backoff = Duration::from_secs(1);
    let mut first = true;
    loop {
        if let Err(error) = listen_once(&app, &channel, first, &mut backoff).await {
            tracing::warn!(%error, "listener lost");
        }
        first = false;
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
    let (client, mut connection) = app.inner().pg.connect(NoTls).await?;
    let (sender, mut messages) = mpsc::unbounded_channel();
    tokio::spawn(async move {
        let mut stream = stream::poll_fn(move |context| connection.poll_message(context));
        while let Some(Ok(message)) = stream.next().await {
            if sender.send(message).is_err() {
                return;
            }
        }
    });
    client
        .batch_execute(&format!("LISTEN {}", quote_ident(channel)))
        .await?;
    *backoff = Duration::from_secs(1);
    if !first {
        app.inner().reload.notify_one();
    }
    while let Some(message) = messages.recv().await {
        if let AsyncMessage::Notification(notification) = message
            && matches!(notification.payload(), "" | "reload schema")
        {
            app.inner().reload.notify_one();
        }
    }
    anyhow::bail!("the connection ended")
}
