//! What the engine counts.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

/// Counters since the start; they only grow.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    changes: AtomicU64,
    messages: AtomicU64,
    checks: AtomicU64,
    batches: AtomicU64,
    microseconds: AtomicU64,
}

/// The counters at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Changed rows to which somebody listened.
    pub(crate) changes: u64,
    /// Frames given to channels.
    pub(crate) messages: u64,
    /// Groups of equal claims for which the database was asked about rows.
    pub(crate) checks: u64,
    /// Batches delivered, and how long they took altogether.
    pub(crate) batches: u64,
    pub(crate) busy: Duration,
}

impl Metrics {
    /// What was counted so far.
    pub(crate) fn counts(&self) -> Counts {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        Counts {
            changes: get(&self.changes),
            messages: get(&self.messages),
            checks: get(&self.checks),
            batches: get(&self.batches),
            busy: Duration::from_micros(get(&self.microseconds)),
        }
    }

    pub(super) fn add(&self, more: Counts) {
        let add = |counter: &AtomicU64, number: u64| counter.fetch_add(number, Ordering::Relaxed);
        add(&self.changes, more.changes);
        add(&self.messages, more.messages);
        add(&self.checks, more.checks);
        add(&self.batches, more.batches);
        add(
            &self.microseconds,
            u64::try_from(more.busy.as_micros()).unwrap_or(u64::MAX),
        );
    }
}
