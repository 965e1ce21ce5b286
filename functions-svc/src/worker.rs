//! A process that serves one function, and the requests in it.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use tokio::sync::OwnedSemaphorePermit;

use crate::{
    config::Limits,
    connections::Connections,
    process::{Cause, Process},
};

mod storage;
mod usage;

pub(crate) use storage::{changed, remove, watch_storage};
use usage::private_memory;
pub(crate) use usage::{Usage, Verdict};

/// A process that serves.
#[derive(Debug)]
pub(crate) struct Worker {
    pub(crate) function: String,
    pub(crate) process: Process,
    pub(crate) connections: Connections,
    pub(crate) started: Instant,
    /// No new requests: it is old, replaced, out of CPU time, or gone.
    retired: AtomicBool,
    inflight: AtomicUsize,
    /// Counts the times that a request came to an idle process.
    pub(crate) busy_periods: AtomicU64,
    /// The most requests at a time since the last of these.
    pub(crate) peak: AtomicUsize,
    /// Counts answers that began and pieces of them: signs of life.
    pub(crate) progress: AtomicU64,
    /// Milliseconds since [`Worker::started`] when the last request ended.
    idle_since_ms: AtomicU64,
}

/// Why no process could be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct BootFailed;

impl Worker {
    /// Waits until the function in the process serves.
    pub(crate) async fn boot(
        process: Process,
        function: &str,
        limits: &Limits,
        permit: OwnedSemaphorePermit,
    ) -> Result<Arc<Self>, BootFailed> {
        let connections = Connections::new(process.socket.clone());
        let accepted = accepts(&process, &connections, limits.memory_mb << 20);
        let served = tokio::time::timeout(limits.request_wait, accepted);
        match served.await {
            Ok(Ok(())) => {}
            Ok(Err(cause)) => {
                let cause = cause.name();
                tracing::warn!(function, cause, "a process ended before it served");
                return Err(BootFailed);
            }
            Err(_) => {
                tracing::warn!(function, "the function does not begin to serve");
                process.kill(Cause::Boot);
                return Err(BootFailed);
            }
        }
        let worker = Arc::new(Self {
            function: function.to_owned(),
            process,
            connections,
            started: Instant::now(),
            retired: AtomicBool::new(false),
            inflight: AtomicUsize::new(0),
            busy_periods: AtomicU64::new(0),
            peak: AtomicUsize::new(0),
            progress: AtomicU64::new(0),
            idle_since_ms: AtomicU64::new(0),
        });
        let ended = worker.process.ended_signal();
        // Held for as long as the process lives, which is not as long as somebody remembers it.
        tokio::spawn(async move {
            ended.await;
            drop(permit);
        });
        Ok(worker)
    }

    /// Gives it no new requests. True the first time.
    pub(crate) fn retire(&self) -> bool {
        !self.retired.swap(true, Ordering::SeqCst)
    }

    pub(crate) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::SeqCst)
    }

    /// Requests in it.
    pub(crate) fn inflight(&self) -> usize {
        self.inflight.load(Ordering::SeqCst)
    }

    /// Neither a request nor a background task needs it.
    pub(crate) fn is_idle(&self) -> bool {
        self.inflight() == 0 && self.process.background() == 0
    }

    /// How long it has been without a request.
    pub(crate) fn idle_for(&self) -> Duration {
        let since = Duration::from_millis(self.idle_since_ms.load(Ordering::Relaxed));
        self.started.elapsed().saturating_sub(since)
    }

    /// Enters a request, unless the worker takes no more.
    pub(crate) fn lease(self: &Arc<Self>) -> Option<Lease> {
        let before = self.inflight.fetch_add(1, Ordering::SeqCst);
        let lease = Lease(self.clone());
        // Looked at after the request was counted, so that whoever retires a worker and finds no request in it can
        // rely on that.
        if self.is_retired() || self.process.ended().is_some() {
            return None;
        }
        if before == 0 {
            self.busy_periods.fetch_add(1, Ordering::Relaxed);
            self.peak.store(1, Ordering::Relaxed);
        } else {
            self.peak.fetch_max(before + 1, Ordering::Relaxed);
        }
        Some(lease)
    }

    /// Notes a sign of life.
    pub(crate) fn progressed(&self) {
        self.progress.fetch_add(1, Ordering::Relaxed);
    }
}

/// Waits until a connection is accepted; fails if the process ended instead, or had to.
///
/// That the function says so is not enough, and one that serves by way of `node:http` does not say so.
async fn accepts(process: &Process, connections: &Connections, memory: u64) -> Result<(), Cause> {
    const PERIOD: Duration = Duration::from_millis(20);
    let ended = process.ended_signal();
    let ready = process.ready();
    tokio::pin!(ended, ready);
    let mut is_ready = false;
    loop {
        tokio::select! {
            biased;
            cause = &mut ended => return Err(cause),
            () = &mut ready, if !is_ready => is_ready = true,
            () = tokio::time::sleep(PERIOD) => {}
        }
        if connections.prime().await.is_ok() {
            return Ok(());
        }
        if private_memory(process.pid).is_some_and(|bytes| bytes >= memory) {
            process.kill(Cause::Memory);
        }
    }
}

/// A request in a worker, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lease(Arc<Worker>);

impl std::ops::Deref for Lease {
    type Target = Worker;

    fn deref(&self) -> &Worker {
        &self.0
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let now = u64::try_from(self.0.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.0.idle_since_ms.store(now, Ordering::Relaxed);
        self.0.inflight.fetch_sub(1, Ordering::SeqCst);
    }
}
