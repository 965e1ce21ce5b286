//! The jobs of `cron.schedule`: when they are due, who runs them, and as whom.
//!
//! Every copy of the service knows all jobs and reckons when each is due; whoever moves the job's claim runs it.
//! While it runs, the job's own session holds an advisory lock, so that it never runs twice at a time, even when the
//! copy that began it is gone and Postgres has not noticed.

mod login;
mod run;
mod schedule;
mod scheduler;
mod session;
mod store;

pub(super) use scheduler::{Runs, run};
