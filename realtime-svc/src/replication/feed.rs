//! A task that keeps the log flowing while somebody needs it.

mod place;
mod queue;
mod session;
mod worker;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use sqlx::PgPool;
use tokio::sync::watch;
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{Event, Settings};
pub(crate) use queue::{Items, Queue, queue};
use worker::Worker;

/// What the feed tells its consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FeedItem {
    /// What happened. A transaction that was interrupted goes on where it stopped, unless the publications have
    /// changed meanwhile: then all of it comes again.
    Event(Event),
    /// Changes were lost.
    Gap(Gap),
    /// From here on changes flow, again or for the first time.
    Streaming {
        /// Where in the log.
        lsn: u64,
    },
}

/// Why changes were lost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Gap {
    /// The consumer was too slow: the server had to keep this many bytes of the log for it.
    Behind(u64),
    /// The server had removed what the slot needed.
    Lost,
    /// Somebody has dropped the slot.
    Dropped,
    /// Where the slot stood in the log, a publication did not exist.
    Unpublished,
    /// What another copy has read did not arrive here.
    Unheard,
}

/// What the feed is doing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Status {
    /// Nobody needs it.
    #[default]
    Idle,
    /// It will be there soon.
    Connecting,
    /// Changes flow.
    Streaming,
    /// Another copy of the service has the slot; this one takes over when that one has gone.
    Standby,
    /// It does not work for this reason, and is tried again.
    Failed(String),
}

/// Where changes come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// They are read here.
    Here,
    /// Another copy of the service reads them.
    Elsewhere,
}

/// Numbers for the metrics.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(super) lag_bytes: AtomicU64,
    pub(super) changes: AtomicU64,
    pub(super) transactions: AtomicU64,
    pub(super) reconnects: AtomicU64,
    pub(super) gaps: AtomicU64,
}

impl Counters {
    /// How many bytes of the log were not confirmed when this was last looked at.
    pub(crate) fn lag_bytes(&self) -> u64 {
        self.lag_bytes.load(Ordering::Relaxed)
    }

    /// Changes that were read.
    pub(crate) fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Transactions that were read.
    pub(crate) fn transactions(&self) -> u64 {
        self.transactions.load(Ordering::Relaxed)
    }

    /// Connections after the first.
    pub(crate) fn reconnects(&self) -> u64 {
        self.reconnects.load(Ordering::Relaxed)
    }

    /// How often changes were lost.
    pub(crate) fn gaps(&self) -> u64 {
        self.gaps.load(Ordering::Relaxed)
    }
}

/// A handle of the feed.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    users: watch::Sender<usize>,
    confirmed: watch::Sender<u64>,
    status: watch::Receiver<Status>,
    counters: Arc<Counters>,
}

/// Somebody needs the feed, as long as this lives.
#[derive(Debug)]
pub(crate) struct User(watch::Sender<usize>);

impl Drop for User {
    fn drop(&mut self) {
        self.0.send_modify(|users| *users = users.saturating_sub(1));
    }
}

impl Feed {
    /// Starts the task. The pool is for questions about the catalog, on the same database. When the task is told to
    /// stop, or the receiver is gone, it closes the slot and ends; the tracker waits for it.
    pub(crate) fn spawn(
        settings: Settings,
        pool: PgPool,
        tracker: &TaskTracker,
        stop: CancellationToken,
    ) -> (Self, Items) {
        let (users, wanted) = watch::channel(0);
        let (confirmed, confirmations) = watch::channel(0);
        let (status, shown) = watch::channel(Status::Idle);
        let (items, received) = queue(settings.queue, settings.queue_bytes);
        let counters = Arc::<Counters>::default();
        let worker = Worker::new(
            settings,
            pool,
            items,
            confirmations,
            status,
            Arc::clone(&counters),
        );
        tracker.spawn(worker.run(wanted, stop));
        let feed = Self {
            users,
            confirmed,
            status: shown,
            counters,
        };
        (feed, received)
    }

    /// Keeps the feed open until the answer is dropped.
    pub(crate) fn user(&self) -> User {
        self.users.send_modify(|users| *users += 1);
        User(self.users.clone())
    }

    /// Everything up to here, the `end` of a [`Event::Committed`], is dealt with.
    pub(crate) fn confirm(&self, end: u64) {
        self.confirmed.send_if_modified(|confirmed| {
            let moves = *confirmed < end;
            *confirmed = (*confirmed).max(end);
            moves
        });
    }

    /// How many there are of these, now and later.
    pub(crate) fn users(&self) -> watch::Receiver<usize> {
        self.users.subscribe()
    }

    /// What the feed is doing, now and later.
    pub(crate) fn status(&self) -> watch::Receiver<Status> {
        self.status.clone()
    }

    /// Numbers for the metrics.
    pub(crate) fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Waits until nothing that is committed from now on is missed. Nothing comes of it when the feed has ended.
    pub(crate) async fn wait_streaming(&self) -> Option<Source> {
        let mut status = self.status.clone();
        let flowing =
            status.wait_for(|status| matches!(status, Status::Streaming | Status::Standby));
        let flowing = flowing.await.ok()?;
        Some(match *flowing {
            Status::Standby => Source::Elsewhere,
            _ => Source::Here,
        })
    }
}
