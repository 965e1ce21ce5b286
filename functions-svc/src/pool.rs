//! All processes: how many there may be, which are kept ready, and which have to go.

use std::{
    io,
    path::Path,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;

use crate::{
    Config,
    config::Limits,
    deno::Deno,
    error::Error,
    function::Function,
    inspector::Inspector,
    metrics::{Counts, Metrics},
    prepare::Prepared,
    process::{Host, Process, Spawner},
    worker::{Worker, watch_storage},
};

mod keeper;
mod run_dir;
mod spares;

use keeper::Watched;
use run_dir::RunDir;
use spares::Spares;

/// The processes of all functions.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) deno: Deno,
    pub(crate) limits: Limits,
    pub(crate) bundles: bool,
    pub(crate) metrics: Arc<Metrics>,
    inspector: Option<Arc<Inspector>>,
    spawner: Spawner,
    run_dir: RunDir,
    permits: Arc<Semaphore>,
    workers: Mutex<Vec<Watched>>,
    spares: Spares,
}

impl Pool {
    pub(crate) fn new(
        config: &Config,
        metrics: Arc<Metrics>,
        inspector: Option<Arc<Inspector>>,
    ) -> io::Result<Self> {
        Ok(Self {
            deno: Deno::new(config.deno.clone())?,
            limits: config.limits.clone(),
            // Who debugs wants to see the modules that somebody wrote.
            bundles: config.deno.bundles && inspector.is_none(),
            inspector,
            metrics,
            spawner: Spawner::new()?,
            run_dir: RunDir::new(config.deno.run_dir.as_deref())?,
            permits: Arc::new(Semaphore::new(config.limits.max_workers.get())),
            workers: Mutex::default(),
            spares: Spares::new(config.limits.spares),
        })
    }

    /// Starts a process for a function, or lets one that is ready have it.
    pub(crate) async fn start(
        &self,
        function: &Arc<Function>,
        prepared: &Prepared,
        module: &Path,
    ) -> Result<Arc<Worker>, Error> {
        let permit = self.permit().await?;
        let definition = &function.definition;
        let started = std::time::Instant::now();
        let (process, spare) = match self.spares.take(function) {
            Some(process) => (process, true),
            None => (self.spawn(function, prepared).await?, false),
        };
        watch_storage(&process, self.limits.tmp_mb << 20);
        process.run(&self.deno, definition, module, self.inspector.as_deref());
        let id = process.id;
        let booted = Worker::boot(process, &definition.name, &self.limits, permit).await;
        let Ok(worker) = booted else {
            self.metrics.boot_failures.add(1);
            return Err(Error::Boot);
        };
        let elapsed = started.elapsed();
        self.metrics.started(elapsed);
        tracing::debug!(
            function = definition.name,
            execution_id = %id,
            spare,
            boot_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
            "started"
        );
        self.watched().push(Watched::new(worker.clone()));
        self.spares.want(function);
        Ok(worker)
    }

    async fn spawn(&self, function: &Function, prepared: &Prepared) -> Result<Process, Error> {
        let binary = self.deno.binary().ok_or(Error::NoDeno)?;
        let host = Host {
            spawner: &self.spawner,
            deno: &self.deno,
            binary: &binary,
            limits: &self.limits,
            run_dir: self.run_dir.path(),
            inspector: self.inspector.as_ref(),
        };
        Process::spawn(&host, &function.definition, prepared)
        .await
        .map_err(|error| {
            tracing::error!(function = function.definition.name, %error, "Deno cannot be started");
            Error::Boot
        })
    }

    /// Room for a process, for which one that idles may have to go.
    async fn permit(&self) -> Result<OwnedSemaphorePermit, Error> {
        if let Ok(permit) = self.permits.clone().try_acquire_owned() {
            return Ok(permit);
        }
        if let Some(idle) = self.longest_idle() {
            idle.retire();
            // A request may have come before that; then the process ends when it is answered.
            if idle.is_idle() {
                idle.process.stop("early_drop");
            }
        }
        let waiting = self.permits.clone().acquire_owned();
        match tokio::time::timeout(self.limits.request_wait, waiting).await {
            Ok(Ok(permit)) => Ok(permit),
            _ => Err(Error::Busy),
        }
    }

    fn longest_idle(&self) -> Option<Arc<Worker>> {
        self.watched()
            .iter()
            .map(|watched| &watched.worker)
            .filter(|worker| !worker.is_retired() && worker.is_idle())
            .max_by_key(|worker| worker.idle_for())
            .cloned()
    }

    fn watched(&self) -> std::sync::MutexGuard<'_, Vec<Watched>> {
        self.workers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps a process ready for a function.
    pub(crate) fn want_spare(&self, function: &Arc<Function>) {
        self.spares.want(function);
    }

    /// What there is at this moment.
    pub(crate) fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for watched in self.watched().iter() {
            let worker = &watched.worker;
            counts.inflight += worker.inflight();
            if worker.is_retired() {
                counts.retired += 1;
            } else {
                counts.active += 1;
            }
        }
        counts
    }

    /// Watches over processes until `stop`, then ends them all.
    pub(crate) async fn keep(self: Arc<Self>, stop: CancellationToken) {
        const PERIOD: Duration = Duration::from_millis(100);
        let mut ticks = tokio::time::interval(PERIOD);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                () = stop.cancelled() => break,
                _ = ticks.tick() => {}
            }
            self.look_at_all();
            self.refill_spares().await;
        }
        self.end_all().await;
    }
}
