//! Knows all jobs, and starts each when it is due.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, TimeDelta, Utc};
use sqlx::{Connection as _, PgConnection, postgres::PgListener};
use tokio::{
    sync::{Notify, Semaphore},
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use super::{
    run::{Runner, Stops},
    schedule::Schedule,
    store::{self, Job},
};
use crate::jobs::{Counters, CronConfig, Database};

/// What tells of changed jobs.
const CHANNEL: &str = "nilam_cron";
/// Jobs are read anew at least so often: a restored dump tells nobody.
const RELOAD: Duration = Duration::from_secs(60);
/// A run that is later than this is left out, as the original does after a clock that jumped.
const TOO_LATE: TimeDelta = TimeDelta::hours(3);
/// How long runs may still take when the service stops; then they end.
const DRAIN: Duration = Duration::from_secs(5);

/// The runs of this copy. They outlive a lost connection of whoever began them.
#[derive(Clone, Debug)]
pub(in crate::jobs) struct Runs(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    runner: Runner,
    /// Runs of the same job wait for each other, one at the most.
    now: Mutex<HashMap<i64, Running>>,
    permits: Arc<Semaphore>,
    tasks: TaskTracker,
    ended: Notify,
    stop: CancellationToken,
    /// Jobs that run at the start have run.
    started: Mutex<bool>,
}

#[derive(Debug)]
struct Running {
    cancel: CancellationToken,
    again: bool,
}

impl Runs {
    pub(in crate::jobs) fn new(
        database: Database,
        config: CronConfig,
        counters: Arc<Counters>,
    ) -> Self {
        Self(Arc::new(Inner {
            permits: Arc::new(Semaphore::new(config.max_running_jobs)),
            runner: Runner {
                database,
                config,
                counters,
                stand_ins: Arc::default(),
            },
            now: Mutex::default(),
            tasks: TaskTracker::new(),
            ended: Notify::new(),
            stop: CancellationToken::new(),
            started: Mutex::default(),
        }))
    }

    fn now(&self) -> std::sync::MutexGuard<'_, HashMap<i64, Running>> {
        self.0.now.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a job, or has it start when its run of now has ended.
    fn start(&self, job: Job) {
        let cancel = self.0.stop.child_token();
        {
            let mut now = self.now();
            if let Some(running) = now.get_mut(&job.id) {
                running.again = true;
                return;
            }
            let running = Running {
                cancel: cancel.clone(),
                again: false,
            };
            now.insert(job.id, running);
        }
        let runs = self.clone();
        self.0.tasks.spawn(async move {
            let stops = Stops {
                cancelled: cancel,
                service: runs.0.stop.clone(),
            };
            loop {
                let permit = runs.0.permits.acquire().await;
                runs.0.runner.run(&job, &stops).await;
                drop(permit);
                let mut now = runs.now();
                match now.get_mut(&job.id) {
                    Some(running) if running.again && !stops.cancelled.is_cancelled() => {
                        running.again = false;
                    }
                    _ => {
                        now.remove(&job.id);
                        break;
                    }
                }
            }
            runs.0.ended.notify_waiters();
        });
    }

    /// Ends the runs of jobs that are gone.
    fn cancel_unless(&self, is_there: impl Fn(i64) -> bool) {
        for (job, running) in self.now().iter() {
            if !is_there(*job) {
                running.cancel.cancel();
            }
        }
    }

    /// True for the first time.
    fn is_first_start(&self) -> bool {
        let mut started = self
            .0
            .started
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        !std::mem::replace(&mut *started, true)
    }

    /// Waits a while for what runs, then ends it.
    pub(in crate::jobs) async fn finish(&self) {
        self.0.tasks.close();
        if timeout(DRAIN, self.0.tasks.wait()).await.is_err() {
            self.0.stop.cancel();
            self.0.tasks.wait().await;
        }
    }
}

/// A job and when it is due next.
struct Planned {
    job: Job,
    schedule: Schedule,
    due: Option<DateTime<Utc>>,
}

/// Starts jobs until it is time to stop; gives an error when the database is lost.
pub(in crate::jobs) async fn run(
    database: &Database,
    config: &CronConfig,
    runs: &Runs,
    stop: &CancellationToken,
) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect_with(&database.options).await?;
    if !store::is_ours(&mut connection).await? {
        tracing::info!("the extension pg_cron is installed and runs its jobs itself");
        stop.cancelled().await;
        return Ok(());
    }
    let mut listener = PgListener::connect_with(&database.pool).await?;
    listener.ignore_pool_close_event(true);
    listener.listen(CHANNEL).await?;
    store::enter(&mut connection).await?;
    store::fail_orphans(&mut connection).await?;
    let mut plan = Plan {
        config,
        runs,
        jobs: HashMap::new(),
    };
    plan.load(&mut connection).await?;
    if runs.is_first_start() {
        plan.start_at_start(&mut connection).await?;
    }
    let mut reload_at = Utc::now() + RELOAD;
    while !stop.is_cancelled() {
        plan.start_due(&mut connection).await?;
        let wake = plan.next_due().unwrap_or(reload_at).min(reload_at);
        let wait = (wake - Utc::now()).to_std().unwrap_or_default();
        tokio::select! {
            // Without a notification the connection was lost, and something may have been missed.
            notified = listener.try_recv() => {
                notified?;
                reload_at = Utc::now();
            }
            // A minute is over when the clock says so, and not a little before.
            () = sleep(wait + Duration::from_millis(1)) => {}
            () = stop.cancelled() => break,
        }
        if reload_at <= Utc::now() {
            plan.load(&mut connection).await?;
            reload_at = Utc::now() + RELOAD;
        }
    }
    connection.close().await?;
    Ok(())
}

struct Plan<'a> {
    config: &'a CronConfig,
    runs: &'a Runs,
    jobs: HashMap<i64, Planned>,
}

impl Plan<'_> {
    /// Reads the jobs; those that have not changed keep their time.
    async fn load(&mut self, connection: &mut PgConnection) -> anyhow::Result<()> {
        let now = Utc::now();
        let mut jobs = HashMap::new();
        for job in store::active_jobs(connection).await? {
            if let Some(known) = self.jobs.remove(&job.id)
                && known.job.schedule == job.schedule
            {
                jobs.insert(job.id, Planned { job, ..known });
                continue;
            }
            let Some(schedule) = Schedule::parse(&job.schedule) else {
                tracing::warn!(job = job.id, "the schedule of a job cannot be read");
                continue;
            };
            let due = self.after(&schedule, now);
            jobs.insert(job.id, Planned { job, schedule, due });
        }
        self.jobs = jobs;
        self.runs.cancel_unless(|job| self.jobs.contains_key(&job));
        Ok(())
    }

    fn after(&self, schedule: &Schedule, time: DateTime<Utc>) -> Option<DateTime<Utc>> {
        match schedule {
            Schedule::Start => None,
            Schedule::Every(interval) => Some(time + *interval),
            Schedule::Minutes(minutes) => minutes.next_after(time, self.config.timezone),
        }
    }

    fn next_due(&self) -> Option<DateTime<Utc>> {
        self.jobs.values().filter_map(|planned| planned.due).min()
    }

    /// Every copy runs these when it starts, as each start of the original does.
    async fn start_at_start(&mut self, connection: &mut PgConnection) -> anyhow::Result<()> {
        let now = Utc::now();
        for planned in self.jobs.values() {
            if planned.schedule == Schedule::Start {
                let claimed = store::claim(connection, planned.job.id, now, now).await?;
                if claimed.is_ok() {
                    self.runs.start(planned.job.clone());
                }
            }
        }
        Ok(())
    }

    async fn start_due(&mut self, connection: &mut PgConnection) -> anyhow::Result<()> {
        let now = Utc::now();
        let due: Vec<_> = self
            .jobs
            .values()
            .filter_map(|planned| Some((planned.job.id, planned.due?)))
            .filter(|(_, due)| *due <= now)
            .collect();
        for (id, due) in due {
            let Some(planned) = self.jobs.get(&id) else {
                continue;
            };
            let (job, schedule) = (planned.job.clone(), planned.schedule.clone());
            let next = match schedule {
                Schedule::Every(interval) => {
                    // The last run was at least so long ago, whoever it was that began it.
                    match store::claim(connection, id, now, now - interval).await? {
                        Ok(()) => {
                            self.runs.start(job);
                            Some(now + interval)
                        }
                        Err(last) => Some((last.unwrap_or(now) + interval).max(now)),
                    }
                }
                _ if now - due > TOO_LATE => self.after(&schedule, now),
                _ => {
                    let before = due - TimeDelta::microseconds(1);
                    if store::claim(connection, id, due, before).await?.is_ok() {
                        self.runs.start(job);
                    }
                    self.after(&schedule, now.max(due))
                }
            };
            if let Some(planned) = self.jobs.get_mut(&id) {
                planned.due = next;
            }
        }
        Ok(())
    }
}
