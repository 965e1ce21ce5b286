//! One function as it is served: the process that has it now, and how the next one is started.

use std::{
    path::PathBuf,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use arc_swap::ArcSwapOption;
use tokio::{
    sync::{Mutex, OnceCell},
    time::Instant,
};

use crate::{
    Policy,
    catalog::Definition,
    error::Error,
    pool::Pool,
    prepare::{Prepared, bundle, prepare},
    process::Cause,
    worker::{Lease, Worker},
};

/// A process that lived shorter than this has crashed, rather than reached its end.
const SHORT_LIFE: Duration = Duration::from_secs(10);
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A function in one state of its files.
#[derive(Debug)]
pub(crate) struct Function {
    pub(crate) definition: Definition,
    current: ArcSwapOption<Worker>,
    prepared: OnceLock<Prepared>,
    preparing: Mutex<()>,
    /// All of its modules in one, if that is made and works.
    bundle: OnceCell<Option<PathBuf>>,
    bundle_fails: AtomicBool,
    /// Whoever holds it may start a process.
    gate: Mutex<Failures>,
    replaced: AtomicBool,
}

/// Starts that failed and processes that crashed, in a row.
#[derive(Debug, Default)]
struct Failures {
    boots: u32,
    crashes: u32,
    not_before: Option<Instant>,
}

impl Function {
    pub(crate) fn new(definition: Definition) -> Self {
        Self {
            definition,
            current: ArcSwapOption::empty(),
            prepared: OnceLock::new(),
            preparing: Mutex::new(()),
            bundle: OnceCell::new(),
            bundle_fails: AtomicBool::new(false),
            gate: Mutex::default(),
            replaced: AtomicBool::new(false),
        }
    }

    /// A place in a process, which is started if there is none.
    pub(crate) async fn lease(
        self: &Arc<Self>,
        pool: &Arc<Pool>,
        policy: Policy,
    ) -> Result<Lease, Error> {
        if policy == Policy::PerWorker
            && let Some(lease) = self.current.load().as_ref().and_then(Worker::lease)
        {
            // Another process would not help a function that does not keep up.
            if lease.inflight() > pool.limits.max_requests.get() {
                return Err(Error::Busy);
            }
            return Ok(lease);
        }
        let (function, pool) = (self.clone(), pool.clone());
        // In a task of its own: the start goes on for the others when this request is given up.
        let start = tokio::spawn(async move {
            match policy {
                Policy::PerWorker => function.lease_or_start(&pool).await,
                Policy::Oneshot => function.start_for_one(&pool).await,
            }
        });
        start.await.unwrap_or(Err(Error::Boot))
    }

    async fn lease_or_start(self: &Arc<Self>, pool: &Arc<Pool>) -> Result<Lease, Error> {
        let mut failures = self.gate.lock().await;
        loop {
            let former = self.current.load_full();
            if let Some(lease) = former.as_ref().and_then(Worker::lease) {
                return Ok(lease);
            }
            failures.check()?;
            if let Some(pause) = failures.pause_after(former.as_deref()) {
                tokio::time::sleep(pause).await;
            }
            let worker = failures.note(self.start(pool).await)?;
            self.current.store(Some(worker.clone()));
            let lease = worker.lease();
            if self.is_replaced() {
                worker.retire();
            }
            // It may have crashed already.
            if let Some(lease) = lease {
                return Ok(lease);
            }
        }
    }

    async fn start_for_one(self: &Arc<Self>, pool: &Arc<Pool>) -> Result<Lease, Error> {
        let worker = self.start(pool).await?;
        let lease = worker.lease().ok_or(Error::Worker);
        worker.retire();
        lease
    }

    async fn start(self: &Arc<Self>, pool: &Arc<Pool>) -> Result<Arc<Worker>, Error> {
        let prepared = self.prepare(pool).await?;
        let entry = &self.definition.entrypoint;
        let bundle = self
            .bundle
            .get()
            .and_then(Option::as_deref)
            .filter(|_| !self.bundle_fails.load(Ordering::Relaxed));
        let Some(bundle) = bundle else {
            return pool.start(self, &prepared, entry).await;
        };
        let started = pool.start(self, &prepared, bundle).await;
        if started.as_ref().err() != Some(&Error::Boot) {
            return started;
        }
        // What is wrong with the function is wrong without a bundle, too.
        let started = pool.start(self, &prepared, entry).await;
        if started.is_ok() {
            tracing::warn!(
                function = self.definition.name,
                "it does not work in one module"
            );
            self.bundle_fails.store(true, Ordering::Relaxed);
        }
        started
    }

    /// Makes the next start faster, once.
    pub(crate) async fn make_bundle(&self, pool: &Pool) {
        let (Some(binary), Some(prepared)) = (pool.deno.binary(), self.prepared.get()) else {
            return;
        };
        self.bundle
            .get_or_init(|| {
                bundle(
                    &pool.deno,
                    &binary,
                    &self.definition,
                    prepared,
                    pool.limits.prepare,
                )
            })
            .await;
    }

    /// False if there is nothing left that would make the next start faster.
    pub(crate) fn lacks_bundle(&self) -> bool {
        self.prepared.get().is_some() && !self.bundle.initialized()
    }

    /// Fetches what it needs. What could not be fetched is asked for again the next time.
    pub(crate) async fn prepare(&self, pool: &Pool) -> Result<Prepared, Error> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared.clone());
        }
        let _one = self.preparing.lock().await;
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared.clone());
        }
        let binary = pool.deno.binary().ok_or(Error::NoDeno)?;
        let limit = pool.limits.prepare;
        let prepared = prepare(&pool.deno, &binary, &self.definition, limit)
            .await
            .map_err(|error| {
                tracing::warn!(function = self.definition.name, %error, "the function cannot be prepared");
                Error::Boot
            })?;
        if prepared.is_complete {
            // Nobody else could have set it.
            let _ = self.prepared.set(prepared.clone());
        }
        Ok(prepared)
    }

    /// What was fetched for it, if it was.
    pub(crate) fn prepared(&self) -> Option<&Prepared> {
        self.prepared.get()
    }

    /// Its files are others now: requests in its process end, and no new ones come.
    pub(crate) fn replace(&self) {
        self.replaced.store(true, Ordering::SeqCst);
        if let Some(worker) = self.current.load_full() {
            worker.retire();
        }
    }

    pub(crate) fn is_replaced(&self) -> bool {
        self.replaced.load(Ordering::SeqCst)
    }
}

impl Failures {
    /// While a function fails to start, most requests learn that without another attempt.
    fn check(&self) -> Result<(), Error> {
        match self.not_before {
            Some(at) if Instant::now() < at => Err(Error::Boot),
            _ => Ok(()),
        }
    }

    fn note(&mut self, start: Result<Arc<Worker>, Error>) -> Result<Arc<Worker>, Error> {
        match &start {
            Ok(_) => {
                self.boots = 0;
                self.not_before = None;
            }
            // The function is not at fault when there is no room.
            Err(Error::Boot) => {
                self.not_before = Some(Instant::now() + pause(self.boots));
                self.boots += 1;
            }
            Err(_) => {}
        }
        start
    }

    /// How long to wait after the former process: nothing after a first crash.
    fn pause_after(&mut self, former: Option<&Worker>) -> Option<Duration> {
        let former = former?;
        let crashed = matches!(
            former.process.ended()?,
            Cause::Failed | Cause::Memory | Cause::Storage | Cause::Cpu
        );
        if !crashed || former.started.elapsed() > SHORT_LIFE {
            self.crashes = 0;
            return None;
        }
        self.crashes += 1;
        (self.crashes > 1).then(|| pause(self.crashes - 2))
    }
}

fn pause(failures: u32) -> Duration {
    FIRST_PAUSE
        .saturating_mul(2_u32.saturating_pow(failures))
        .min(LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_a_bound() {
        assert_eq!(pause(0), Duration::from_millis(100));
        assert_eq!(pause(3), Duration::from_millis(800));
        assert_eq!(pause(40), LONGEST_PAUSE);
    }
}
