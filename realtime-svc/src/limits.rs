//! How much a project may do per second.

use std::{
    collections::VecDeque,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

/// How often rates are looked at. Between two looks bursts pass.
pub(crate) const TICK: Duration = Duration::from_secs(5);
/// A rate is the average over this many ticks.
const WINDOW: usize = 12;

/// Counts events and compares their average per second with a limit, as the original does: once per [`TICK`], so that
/// a burst passes and a limit, once reached, holds until the average is below it again.
#[derive(Debug)]
pub(crate) struct Rate {
    limit: u64,
    count: AtomicU64,
    total: AtomicU64,
    window: Mutex<VecDeque<u64>>,
    average: AtomicU64,
    is_reached: AtomicBool,
}

impl Rate {
    /// `limit` is events per second.
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            count: AtomicU64::new(0),
            total: AtomicU64::new(0),
            window: Mutex::default(),
            average: AtomicU64::new(0),
            is_reached: AtomicBool::new(false),
        }
    }

    /// Counts.
    pub(crate) fn add(&self, events: usize) {
        let events = events as u64;
        self.count.fetch_add(events, Ordering::Relaxed);
        self.total.fetch_add(events, Ordering::Relaxed);
    }

    /// True if the average reached the limit.
    pub(crate) fn is_reached(&self) -> bool {
        self.is_reached.load(Ordering::Relaxed)
    }

    /// Events per second, rounded down.
    pub(crate) fn average(&self) -> u64 {
        self.average.load(Ordering::Relaxed)
    }

    /// Events per second that are allowed.
    pub(crate) fn limit(&self) -> u64 {
        self.limit
    }

    /// All events since the start.
    pub(crate) fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    /// To be called once per [`TICK`].
    pub(crate) fn tick(&self) {
        let mut window = self.window.lock().unwrap_or_else(PoisonError::into_inner);
        window.push_front(self.count.swap(0, Ordering::Relaxed));
        window.truncate(WINDOW);
        let seconds = window.len() as u64 * TICK.as_secs();
        let sum: u64 = window.iter().sum();
        self.average.store(sum / seconds, Ordering::Relaxed);
        self.is_reached
            .store(sum >= self.limit.saturating_mul(seconds), Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_passes_and_a_lasting_rate_does_not() {
        let rate = Rate::new(10);
        rate.tick();
        rate.add(60);
        assert!(!rate.is_reached(), "nobody has looked yet");
        rate.tick();
        assert!(!rate.is_reached(), "6 per second over two ticks");
        rate.add(100);
        rate.tick();
        assert!(rate.is_reached(), "160 in 15 seconds");
        assert_eq!((rate.average(), rate.total()), (10, 160));
        rate.tick();
        assert!(!rate.is_reached(), "160 in 20 seconds");
    }
}
