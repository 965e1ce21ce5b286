//! One run of a job, from its connection to the note of how it ended.

use std::{sync::Arc, time::Duration};

use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{
    login::{self, LoginError, StandIns},
    session::{Ended, Session},
    store::{self, Job},
};
use crate::jobs::{Counters, CronConfig, Database};

/// How often a run that waits for another one of the same job looks whether that has ended.
const AGAIN: Duration = Duration::from_secs(1);

/// What a run needs.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) database: Database,
    pub(super) config: CronConfig,
    pub(super) counters: Arc<Counters>,
    pub(super) stand_ins: Arc<StandIns>,
}

/// Why a run was ended from outside.
#[derive(Clone, Debug)]
pub(super) struct Stops {
    /// The job is no more.
    pub(super) cancelled: CancellationToken,
    /// The service stops.
    pub(super) service: CancellationToken,
}

impl Runner {
    /// Runs a job and notes it; what goes wrong is part of the note.
    pub(super) async fn run(&self, job: &Job, stops: &Stops) {
        self.counters.run_started();
        let ended = self.attempt(job, stops).await;
        self.counters.run_ended(ended);
    }

    async fn attempt(&self, job: &Job, stops: &Stops) -> bool {
        let opened = login::open(&self.database, &self.config, &self.stand_ins, job).await;
        let (mut session, pid) = match opened {
            Ok(opened) => opened,
            Err(error) => {
                let source = std::error::Error::source(&error).map(ToString::to_string);
                tracing::warn!(job = job.id, %error, source, "a job has no session");
                let words = match error {
                    LoginError::TimedOut => error.to_string(),
                    _ => format!("connection failed: {error}"),
                };
                let run = self.begin(job, None).await;
                self.end(run, &failed(&words)).await;
                return false;
            }
        };
        if !wait_for_turn(&mut session, job, stops).await {
            session.close().await;
            return false;
        }
        let run = self.begin(job, Some(pid)).await;
        let ended = tokio::select! {
            ended = timeout(self.config.job_timeout, session.run(&job.command)) => match ended {
                Ok(Ok(ended)) => ended,
                Ok(Err(_)) => failed("connection lost"),
                Err(_) => failed("job timeout"),
            },
            () = stops.cancelled.cancelled() => failed("job canceled"),
            () = stops.service.cancelled() => failed("server restarted"),
        };
        if ended.succeeded {
            session.close().await;
        } else if let Err(error) = store::terminate(&self.database.pool, pid).await {
            tracing::warn!(job = job.id, %error, "the session of a failed job was not ended");
        }
        self.end(run, &ended).await;
        ended.succeeded
    }

    async fn begin(&self, job: &Job, pid: Option<i32>) -> Option<i64> {
        if !self.config.log_run {
            return None;
        }
        let run = store::begin(&self.database.pool, job, pid).await;
        run.inspect_err(|error| tracing::warn!(job = job.id, %error, "a run was not noted"))
            .ok()
    }

    async fn end(&self, run: Option<i64>, ended: &Ended) {
        let Some(run) = run else { return };
        let noted = store::end(&self.database.pool, run, ended.succeeded, &ended.words).await;
        if let Err(error) = noted {
            tracing::warn!(run, %error, "the end of a run was not noted");
        }
    }
}

fn failed(words: &str) -> Ended {
    Ended {
        succeeded: false,
        words: words.to_owned(),
        value: None,
    }
}

/// Waits until no other copy runs the job; false if it is not to run any more.
async fn wait_for_turn(session: &mut Session, job: &Job, stops: &Stops) -> bool {
    loop {
        match login::lock(session, job).await {
            Ok(true) => return true,
            Ok(false) => {}
            Err(error) => {
                tracing::warn!(job = job.id, %error, "a job lost its session");
                return false;
            }
        }
        tokio::select! {
            () = sleep(AGAIN) => {}
            () = stops.cancelled.cancelled() => return false,
            () = stops.service.cancelled() => return false,
        }
    }
}
