//! What webhooks and jobs count, and how it is shown to Prometheus.

use std::{
    fmt::Write as _,
    sync::atomic::{AtomicU64, Ordering},
};

use sqlx::PgPool;

use super::net;

/// Counters of the process.
#[derive(Debug, Default)]
pub(super) struct Counters {
    sent: AtomicU64,
    failed: AtomicU64,
    timed_out: AtomicU64,
    retried: AtomicU64,
    runs_succeeded: AtomicU64,
    runs_failed: AtomicU64,
    running: AtomicU64,
}

fn add(counter: &AtomicU64) {
    counter.fetch_add(1, Ordering::Relaxed);
}

impl Counters {
    pub(super) fn answered(&self, failed: bool, timed_out: bool) {
        if timed_out {
            add(&self.timed_out);
        } else if failed {
            add(&self.failed);
        } else {
            add(&self.sent);
        }
    }

    pub(super) fn retried(&self) {
        add(&self.retried);
    }

    pub(super) fn run_started(&self) {
        add(&self.running);
    }

    pub(super) fn run_ended(&self, succeeded: bool) {
        self.running.fetch_sub(1, Ordering::Relaxed);
        add(if succeeded {
            &self.runs_succeeded
        } else {
            &self.runs_failed
        });
    }

    /// The counters and the queue's depth in Prometheus's text format.
    pub(super) async fn text(&self, pool: &PgPool) -> String {
        let mut text = String::new();
        let mut add = |name: &str, kind: &str, help: &str, value: f64| {
            // Writing to a string cannot fail.
            let _ = write!(
                text,
                "# HELP {name} {help}\n# TYPE {name} {kind}\n{name} {value}\n"
            );
        };
        let count = |counter: &AtomicU64| {
            #[expect(clippy::cast_precision_loss, reason = "exact up to 2^53")]
            let value = counter.load(Ordering::Relaxed) as f64;
            value
        };
        for (name, help, counter) in [
            (
                "net_requests_sent_total",
                "Requests that were answered.",
                &self.sent,
            ),
            (
                "net_requests_failed_total",
                "Requests that were given up.",
                &self.failed,
            ),
            (
                "net_requests_timed_out_total",
                "Requests not answered in time.",
                &self.timed_out,
            ),
            (
                "net_requests_retried_total",
                "Connections that are tried again.",
                &self.retried,
            ),
            (
                "cron_runs_succeeded_total",
                "Runs of jobs that went well.",
                &self.runs_succeeded,
            ),
            (
                "cron_runs_failed_total",
                "Runs of jobs that failed.",
                &self.runs_failed,
            ),
        ] {
            add(name, "counter", help, count(counter));
        }
        add(
            "cron_jobs_running",
            "gauge",
            "Jobs that run now.",
            count(&self.running),
        );
        // Where the extension has the queue, or the database is away, there is nothing to say.
        if let Ok((depth, oldest)) = net::depth(pool).await {
            #[expect(
                clippy::cast_precision_loss,
                reason = "counted up to a hundred thousand"
            )]
            let depth = depth as f64;
            add(
                "net_queue_depth",
                "gauge",
                "Requests in the queue, counted up to 100000.",
                depth,
            );
            add(
                "net_queue_oldest_seconds",
                "gauge",
                "How long the oldest has been due.",
                oldest.max(0.0),
            );
        }
        text
    }
}
