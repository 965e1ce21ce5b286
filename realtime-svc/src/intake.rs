//! Takes what the log tells to where it belongs: messages to their rooms at once, changes of rows to the engine in
//! batches.

use std::time::Duration;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::{
    app::App,
    hub::Body,
    messages,
    replication::{Change, Commit, Event, FeedItem, Items},
};

/// The most changes of one batch: with a thousand callers that is half a million questions.
const BATCH: usize = 500;
/// How long a batch that failed waits for the next attempt.
const AGAIN: Duration = Duration::from_secs(1);

/// Reads the feed until it ends.
pub(crate) async fn run(app: App, mut items: Items, stop: CancellationToken) {
    let mut intake = Intake {
        window: app.config().changes_window,
        app,
        batch: Vec::new(),
        end: None,
    };
    while let Some(first) = items.recv().await {
        intake.take(first);
        let mut taken = 0_usize;
        // A client that has just written a row may learn of it from the log before it has the answer to its write, and
        // then does not know the row. So changes wait a moment, and what comes meanwhile shares the questions about who
        // may see it.
        let closes = Instant::now() + intake.window;
        while intake.batch.len() < BATCH {
            if let Some(item) = items.try_recv() {
                intake.take(item);
                // Sockets get their turn, so that a flood does not fill the queues of those that read.
                taken += 1;
                if taken.is_multiple_of(64) {
                    tokio::task::yield_now().await;
                }
                continue;
            }
            if intake.batch.is_empty() {
                break;
            }
            match tokio::time::timeout_at(closes, items.recv()).await {
                Ok(Some(item)) => intake.take(item),
                Ok(None) | Err(_) => break,
            }
        }
        if !intake.deliver(&stop).await {
            return;
        }
    }
}

struct Intake {
    app: App,
    window: Duration,
    batch: Vec<(Commit, Change)>,
    /// Where the log goes on after the last transaction that is complete.
    end: Option<u64>,
}

impl Intake {
    fn take(&mut self, item: FeedItem) {
        match item {
            FeedItem::Event(Event::Change(commit, change)) => {
                if messages::is_message(&change) {
                    self.send(&change);
                } else if !self.app.engine().is_empty() {
                    self.batch.push((commit, change));
                }
            }
            FeedItem::Event(Event::Committed { end, .. }) => self.end = Some(end),
            FeedItem::Gap(gap) => {
                tracing::error!(
                    ?gap,
                    "changes were lost; subscribers are told to begin anew"
                );
                // What was read before is of no use to those who begin anew.
                self.batch.clear();
                self.app.interrupt_changes();
            }
            FeedItem::Streaming { lsn } => tracing::debug!(lsn, "changes flow"),
        }
    }

    /// Sends a message that the database has written.
    fn send(&self, change: &Change) {
        let Some((name, message)) = messages::of_change(change) else {
            return;
        };
        let metrics = self.app.metrics();
        if metrics.events.is_reached() {
            tracing::error!("UnableToBroadcastChanges: too many requests");
            return;
        }
        if let Body::User { payload, .. } = &message.body
            && payload.len() > self.app.config().limits.max_payload_bytes()
        {
            tracing::error!("UnableToBroadcastChanges: payload size exceeded");
            return;
        }
        metrics.events.add(1);
        // Every copy reads it.
        self.app.hub().deliver(&name, &message);
    }

    /// Delivers the batch, however often that takes; false if the service stops meanwhile.
    async fn deliver(&mut self, stop: &CancellationToken) -> bool {
        let (app, metrics) = (&self.app, self.app.metrics());
        // Beyond the limit changes are dropped, as the original drops them.
        if !self.batch.is_empty() && !metrics.db_events.is_reached() {
            let before = app.engine().metrics().counts().messages;
            while let Err(error) = app.engine().deliver(&self.batch).await {
                tracing::warn!(%error, "changes cannot be checked, and are tried again");
                tokio::select! {
                    () = tokio::time::sleep(AGAIN) => {}
                    () = stop.cancelled() => return false,
                }
            }
            let delivered = app.engine().metrics().counts().messages - before;
            metrics
                .db_events
                .add(usize::try_from(delivered).unwrap_or(usize::MAX));
        }
        self.batch.clear();
        if let Some(end) = self.end.take() {
            app.confirm(end);
        }
        true
    }
}
