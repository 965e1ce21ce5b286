//! Latencies, and what has arrived.

use std::{
    cell::{Cell, RefCell},
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tokio::sync::Notify;

/// Values of one power of two share this many buckets: figures are right to 3 %.
const STEPS: u64 = 32;

/// Counts microseconds.
pub(crate) struct Histogram {
    counts: Vec<u64>,
    total: u64,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; 64 * STEPS as usize],
            total: 0,
            max: 0,
        }
    }
}

impl Histogram {
    pub(crate) fn add(&mut self, micros: u64) {
        self.counts[bucket(micros)] += 1;
        self.total += 1;
        self.max = self.max.max(micros);
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Milliseconds that this share of the values is not above.
    pub(crate) fn quantile(&self, share: f64) -> f64 {
        let wanted = (self.total as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && seen > 0 {
                return value(index as u64).min(self.max) as f64 / 1e3;
            }
        }
        0.0
    }

    pub(crate) fn summary(&self) -> Value {
        json!({
            "p50": self.quantile(0.5),
            "p95": self.quantile(0.95),
            "p99": self.quantile(0.99),
            "max": self.max as f64 / 1e3,
        })
    }
}

fn bucket(micros: u64) -> usize {
    let exponent = (micros | STEPS).ilog2() - STEPS.ilog2();
    let index = u64::from(exponent) * STEPS + (micros >> exponent);
    index as usize
}

/// The largest value of a bucket.
fn value(index: u64) -> u64 {
    if index < 2 * STEPS {
        return index;
    }
    let exponent = index / STEPS - 1;
    ((index % STEPS + STEPS + 1) << exponent) - 1
}

/// What the readers of all sockets found.
pub(crate) struct Tally {
    begun: Instant,
    received: Cell<u64>,
    /// When the last one came.
    last: Cell<Instant>,
    /// How many it takes until somebody is woken.
    wake_at: Cell<u64>,
    woken: Notify,
    pub(crate) closed: Cell<u64>,
    latencies: RefCell<Histogram>,
}

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            begun: Instant::now(),
            received: Cell::new(0),
            last: Cell::new(Instant::now()),
            wake_at: Cell::new(u64::MAX),
            woken: Notify::new(),
            closed: Cell::new(0),
            latencies: RefCell::default(),
        }
    }

    /// Microseconds since the beginning: the time that messages are stamped with.
    pub(crate) fn now(&self) -> u64 {
        self.begun.elapsed().as_micros() as u64
    }

    /// One was delivered.
    pub(crate) fn count(&self, stamp: Option<u64>) {
        let now = Instant::now();
        self.last.set(now);
        if let Some(stamp) = stamp {
            let since = now.saturating_duration_since(self.begun);
            let latency = (since.as_micros() as u64).saturating_sub(stamp);
            self.latencies.borrow_mut().add(latency);
        }
        let received = self.received.get() + 1;
        self.received.set(received);
        if received >= self.wake_at.get() {
            self.wake_at.set(u64::MAX);
            self.woken.notify_one();
        }
    }

    pub(crate) fn last(&self) -> Instant {
        self.last.get()
    }

    pub(crate) fn received(&self) -> u64 {
        self.received.get()
    }

    /// Returns when that many have been delivered, or the time is over.
    pub(crate) async fn reaches(&self, count: u64, within: Duration) {
        if self.received() < count {
            self.wake_at.set(count);
            let _ = tokio::time::timeout(within, self.woken.notified()).await;
            self.wake_at.set(u64::MAX);
        }
    }

    /// Forgets what has been delivered.
    pub(crate) fn start_over(&self) {
        self.received.set(0);
        self.take_latencies();
    }

    /// The latencies until now; counting begins anew.
    pub(crate) fn take_latencies(&self) -> Histogram {
        self.latencies.take()
    }
}

/// The digits at the beginning of these bytes.
pub(crate) fn digits(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .fold(0, |number, byte| number * 10 + u64::from(byte - b'0'))
}
