//! The SQL of jobs and their runs.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool, Row as _};

/// The class of the advisory locks that copies of the service hold while they run jobs; the letters of `nilc`.
const COPIES: i32 = 0x6e69_6c63;

/// A row of `cron.job`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub(super) id: i64,
    pub(super) schedule: String,
    pub(super) command: String,
    pub(super) database: String,
    pub(super) username: String,
}

/// True if the jobs in the database are ours and not the extension's.
pub(super) async fn is_ours(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select to_regclass('cron._job_claim') is not null
             and not exists (select from pg_extension where extname = 'pg_cron')",
    )
    .fetch_one(connection)
    .await
}

/// All jobs that are to run.
pub(super) async fn active_jobs(connection: &mut PgConnection) -> sqlx::Result<Vec<Job>> {
    let rows = sqlx::query(
        "select jobid, schedule, command, database, username from cron.job where active",
    )
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Job {
                id: row.try_get(0)?,
                schedule: row.try_get(1)?,
                command: row.try_get(2)?,
                database: row.try_get(3)?,
                username: row.try_get(4)?,
            })
        })
        .collect()
}

/// Makes a run ours, if nobody has begun one since `not_since`.
///
/// # Errors
/// The inner value, if somebody has: when that was.
pub(super) async fn claim(
    connection: &mut PgConnection,
    job: i64,
    due: DateTime<Utc>,
    not_since: DateTime<Utc>,
) -> sqlx::Result<Result<(), Option<DateTime<Utc>>>> {
    let mine: Option<bool> = sqlx::query_scalar(
        "insert into cron._job_claim as c (jobid, due)
         select jobid, $2 from cron.job where jobid = $1
         on conflict (jobid) do update set due = excluded.due where c.due <= $3
         returning true",
    )
    .bind(job)
    .bind(due)
    .bind(not_since)
    .fetch_optional(&mut *connection)
    .await?;
    if mine.is_some() {
        return Ok(Ok(()));
    }
    let last = sqlx::query_scalar("select due from cron._job_claim where jobid = $1");
    Ok(Err(last.bind(job).fetch_optional(connection).await?))
}

/// Notes that a run has begun; gives its number.
pub(super) async fn begin(pool: &PgPool, job: &Job, pid: Option<i32>) -> sqlx::Result<i64> {
    sqlx::query_scalar(
        "insert into cron.job_run_details (jobid, job_pid, database, username, command, status, start_time)
         values ($1, $2, $3, $4, $5, 'running', clock_timestamp())
         returning runid",
    )
    .bind(job.id)
    .bind(pid)
    .bind(&job.database)
    .bind(&job.username)
    .bind(&job.command)
    .fetch_one(pool)
    .await
}

/// Notes how a run has ended.
pub(super) async fn end(pool: &PgPool, run: i64, succeeded: bool, words: &str) -> sqlx::Result<()> {
    let status = if succeeded { "succeeded" } else { "failed" };
    sqlx::query(
        "update cron.job_run_details set status = $2, return_message = $3, end_time = clock_timestamp()
         where runid = $1",
    )
    .bind(run)
    .bind(status)
    .bind(words)
    .execute(pool)
    .await?;
    Ok(())
}

/// Says of runs whose session is gone that they failed, as the original does when it starts.
pub(super) async fn fail_orphans(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query(
        "update cron.job_run_details d set status = 'failed', return_message = 'server restarted'
         where status in ('starting', 'connecting', 'sending', 'running')
             and not exists (
                 select from pg_stat_activity a
                 where a.pid = d.job_pid and a.backend_start <= d.start_time)
             and (d.job_pid is not null or not exists (
                 select from pg_locks
                 where locktype = 'advisory' and classid = $1::bigint::oid and objsubid = 2 and granted
                     and pid <> pg_backend_pid()
                     and database = (select oid from pg_database where datname = current_database())))",
    )
    .bind(i64::from(COPIES))
    .execute(connection)
    .await?;
    Ok(())
}

/// Shows other copies, for as long as the session lives, that this one runs jobs.
pub(super) async fn enter(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query("select pg_advisory_lock_shared($1, 0)")
        .bind(COPIES)
        .execute(connection)
        .await?;
    Ok(())
}

/// Ends a session whose job has to end.
pub(super) async fn terminate(pool: &PgPool, pid: i32) -> sqlx::Result<()> {
    sqlx::query("select pg_terminate_backend($1)")
        .bind(pid)
        .execute(pool)
        .await?;
    Ok(())
}
