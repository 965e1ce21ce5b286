//! What the service counts.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use crate::{error::Error, process::Cause};

/// A number that only grows.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, more: u64) {
        self.0.fetch_add(more, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// What there is at one moment.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Counts {
    /// Processes that take requests.
    pub(crate) active: usize,
    /// Processes that only end what they have.
    pub(crate) retired: usize,
    /// Requests in processes.
    pub(crate) inflight: usize,
}

/// Counters of the process.
#[derive(Debug, Default)]
pub(crate) struct Metrics {
    /// Requests for a function, whether there is one of that name or not.
    pub(crate) received: Counter,
    /// Of these, those that a function answered.
    pub(crate) handled: Counter,
    /// Processes that did not get to serve.
    pub(crate) boot_failures: Counter,
    boots: Counter,
    boot_micros: Counter,
    ends: [Counter; CAUSES.len()],
    errors: [Counter; CODES.len()],
}

const CAUSES: [Cause; 7] = [
    Cause::Cpu,
    Cause::Memory,
    Cause::Storage,
    Cause::WallClock,
    Cause::Boot,
    Cause::Stopped,
    Cause::Failed,
];

const CODES: [Error; 7] = [
    Error::NotFound,
    Error::Boot,
    Error::Worker,
    Error::WorkerLimit,
    Error::IdleTimeout,
    Error::MissingName,
    Error::InvalidJwtFormat,
];

impl Metrics {
    /// A process serves, so long after it was asked for.
    pub(crate) fn started(&self, after: Duration) {
        self.boots.add(1);
        self.boot_micros
            .add(u64::try_from(after.as_micros()).unwrap_or(u64::MAX));
    }

    /// A process that served ended.
    pub(crate) fn ended(&self, cause: Cause) {
        if let Some(at) = CAUSES.iter().position(|known| *known == cause) {
            self.ends[at].add(1);
        }
    }

    /// A request got this instead of an answer. Refused tokens count as one.
    pub(crate) fn failed(&self, error: Error) {
        let known = CODES.iter().position(|known| {
            known.code() == error.code() || (known.is_refused_token() && error.is_refused_token())
        });
        if let Some(at) = known {
            self.errors[at].add(1);
        }
    }

    /// All of it in Prometheus's text format.
    pub(crate) fn render(&self, now: Counts) -> String {
        let mut text = String::new();
        let mut family = |name: &str, kind: &str, help: &str, samples: &[(String, f64)]| {
            // Writing to a string cannot fail.
            let _ = writeln!(text, "# HELP functions_{name} {help}");
            let _ = writeln!(text, "# TYPE functions_{name} {kind}");
            for (labels, value) in samples {
                let _ = writeln!(text, "functions_{name}{labels} {value}");
            }
        };
        let one = |value: f64| [(String::new(), value)];
        family(
            "requests_received_total",
            "counter",
            "Requests for a function.",
            &one(float(self.received.get())),
        );
        family(
            "requests_handled_total",
            "counter",
            "Requests that a function answered.",
            &one(float(self.handled.get())),
        );
        let errors: Vec<_> = CODES
            .iter()
            .zip(&self.errors)
            .map(|(error, count)| {
                let code = if error.is_refused_token() {
                    "UNAUTHORIZED"
                } else {
                    error.code()
                };
                (format!("{{code=\"{code}\"}}"), float(count.get()))
            })
            .collect();
        family(
            "request_errors_total",
            "counter",
            "Requests that the service answered in place of a function.",
            &errors,
        );
        let gauge = |value: usize| float(u64::try_from(value).unwrap_or(u64::MAX));
        family(
            "requests_inflight",
            "gauge",
            "Requests that functions work on.",
            &one(gauge(now.inflight)),
        );
        let workers = [
            ("{state=\"active\"}".to_owned(), gauge(now.active)),
            ("{state=\"retired\"}".to_owned(), gauge(now.retired)),
        ];
        family("workers", "gauge", "Processes that serve.", &workers);
        family(
            "worker_boots_total",
            "counter",
            "Processes that got to serve.",
            &one(float(self.boots.get())),
        );
        family(
            "worker_boot_seconds_total",
            "counter",
            "Time that they took for it.",
            &one(float(self.boot_micros.get()) / 1e6),
        );
        family(
            "worker_boot_failures_total",
            "counter",
            "Processes that did not get to serve.",
            &one(float(self.boot_failures.get())),
        );
        let ends: Vec<_> = CAUSES
            .iter()
            .zip(&self.ends)
            .map(|(cause, count)| {
                (
                    format!("{{cause=\"{}\"}}", cause.name()),
                    float(count.get()),
                )
            })
            .collect();
        family(
            "worker_ends_total",
            "counter",
            "Processes that ended after they served, by cause.",
            &ends,
        );
        text
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "the format has no other numbers"
)]
fn float(value: u64) -> f64 {
    value as f64
}
