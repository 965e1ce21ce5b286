//! The rules by which processes live and end.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use super::Pool;
use crate::{
    config::Limits,
    metrics::Metrics,
    process::Cause,
    worker::{Usage, Verdict, Worker},
};

/// How long a process that was asked to stop may take, if it does nothing that anybody waits for.
const STOPPING: Duration = Duration::from_secs(2);
/// How long background tasks may go on when the service stops.
const LAST_TASKS: Duration = Duration::from_secs(5);

/// A worker and what was seen of it.
#[derive(Debug)]
pub(super) struct Watched {
    pub(super) worker: Arc<Worker>,
    usage: Usage,
    announced: bool,
    stopping_since: Option<Instant>,
}

impl Watched {
    pub(super) fn new(worker: Arc<Worker>) -> Self {
        Self {
            worker,
            usage: Usage::default(),
            announced: false,
            stopping_since: None,
        }
    }

    /// Applies the rules. False if the process is gone.
    fn look(&mut self, limits: &Limits, metrics: &Metrics) -> bool {
        let worker = self.worker.clone();
        if let Some(cause) = worker.process.ended() {
            worker.retire();
            metrics.ended(cause);
            if cause != Cause::Stopped {
                tracing::warn!(
                    function = worker.function,
                    execution_id = %worker.process.id,
                    cause = cause.name(),
                    inflight = worker.inflight(),
                    "a process ended"
                );
            }
            return false;
        }
        match self.usage.look(&worker, limits) {
            Verdict::Fine => {}
            Verdict::NearlyFull => self.announce("memory"),
            Verdict::CpuSoft => self.announce("cpu"),
            Verdict::Cpu => worker.process.kill(Cause::Cpu),
            Verdict::Memory => worker.process.kill(Cause::Memory),
        }
        let age = worker.started.elapsed();
        if age >= limits.wall_clock {
            worker.process.kill(Cause::WallClock);
        } else if age >= limits.wall_clock / 10 * 9 {
            self.announce("wall_clock");
        } else if age >= limits.wall_clock / 2
            || (worker.is_idle() && worker.idle_for() >= limits.worker_idle)
        {
            // What comes now would not get much of the time that is left.
            worker.retire();
        }
        if worker.is_retired() && worker.is_idle() {
            self.stop("early_drop");
        }
        true
    }

    /// Gives the function a last chance to save something, and no new requests.
    fn announce(&mut self, reason: &str) {
        self.worker.retire();
        if !std::mem::replace(&mut self.announced, true) {
            self.worker.process.announce(reason);
        }
    }

    fn stop(&mut self, reason: &str) {
        if !self.worker.process.is_stopping() {
            self.worker.process.stop(reason);
        }
        let since = *self.stopping_since.get_or_insert_with(Instant::now);
        if since.elapsed() >= STOPPING {
            self.worker.process.kill(Cause::Stopped);
        }
    }
}

impl Pool {
    pub(super) fn look_at_all(&self) {
        self.watched()
            .retain_mut(|watched| watched.look(&self.limits, &self.metrics));
    }

    /// Requests have ended by now. Background tasks get a little longer.
    pub(super) async fn end_all(&self) {
        let mut ends = Vec::new();
        for watched in self.watched().drain(..) {
            let worker = watched.worker;
            worker.retire();
            worker.process.stop("termination");
            ends.push(async move {
                let limit = if worker.is_idle() {
                    STOPPING
                } else {
                    LAST_TASKS
                };
                let ended = worker.process.ended_signal();
                if tokio::time::timeout(limit, ended).await.is_err() {
                    worker.process.kill(Cause::Stopped);
                    worker.process.ended_signal().await;
                }
            });
        }
        self.spares.clear();
        futures_util::future::join_all(ends).await;
    }
}
