//! What the service counts.

use std::{
    collections::BTreeMap,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
};

use crate::{config::Limits, limits::Rate};

/// Counters of the process; rates are also limits.
#[derive(Debug)]
pub(crate) struct Metrics {
    /// Messages sent by clients and delivered to them.
    pub(crate) events: Rate,
    /// Presence messages, per delivery.
    pub(crate) presence_events: Rate,
    /// Changes of rows, per delivery.
    pub(crate) db_events: Rate,
    /// Joins.
    pub(crate) joins: Rate,
    /// Web sockets that are open.
    pub(crate) sockets: AtomicUsize,
    /// Of these, those with a channel.
    pub(crate) users: AtomicUsize,
    /// Channels that are joined.
    pub(crate) channels: AtomicUsize,
    /// Bytes of frames that were read.
    pub(crate) input_bytes: AtomicU64,
    /// Bytes of frames that were written.
    pub(crate) output_bytes: AtomicU64,
    /// Sockets that were closed because they did not read.
    pub(crate) overflows: AtomicU64,
    /// Errors that clients were told, by their code.
    errors: Mutex<BTreeMap<String, u64>>,
}

impl Metrics {
    pub(crate) fn new(limits: &Limits) -> Self {
        Self {
            events: Rate::new(limits.max_events_per_second),
            presence_events: Rate::new(limits.max_presence_events_per_second),
            db_events: Rate::new(limits.max_events_per_second),
            joins: Rate::new(limits.max_joins_per_second),
            sockets: AtomicUsize::new(0),
            users: AtomicUsize::new(0),
            channels: AtomicUsize::new(0),
            input_bytes: AtomicU64::new(0),
            output_bytes: AtomicU64::new(0),
            overflows: AtomicU64::new(0),
            errors: Mutex::default(),
        }
    }

    /// Counts an error that a client was told.
    pub(crate) fn count_error(&self, code: &str) {
        let mut errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        *errors.entry(code.to_owned()).or_default() += 1;
    }

    /// How often clients were told which error.
    pub(crate) fn errors(&self) -> BTreeMap<String, u64> {
        let errors = self.errors.lock().unwrap_or_else(PoisonError::into_inner);
        errors.clone()
    }

    /// The rates, once per [`crate::limits::TICK`].
    pub(crate) fn tick(&self) {
        for rate in [
            &self.events,
            &self.presence_events,
            &self.db_events,
            &self.joins,
        ] {
            rate.tick();
        }
    }
}

/// Adds one for as long as it lives.
#[derive(Debug)]
pub(crate) struct Gauge<'a>(&'a AtomicUsize);

impl<'a> Gauge<'a> {
    pub(crate) fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Gauge<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
