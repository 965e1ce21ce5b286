//! The queue's SQL.

use std::time::Duration;

use serde_json::Value;
use sqlx::{PgConnection, PgPool, Row as _, types::Json};

/// The class of the workers' advisory locks, as `net.check_worker_is_up` knows it; the letters of `nilq`.
const LOCK_CLASS: i32 = 0x6e69_6c71;
/// Answers that one statement removes.
const SWEPT_AT_ONCE: i64 = 2000;
/// Beyond it the depth is not counted.
const COUNTED: i64 = 100_000;

/// A request to be sent.
#[derive(Clone, Debug)]
pub(super) struct Request {
    pub(super) id: i64,
    pub(super) method: String,
    pub(super) url: String,
    /// An object of names and values, if whoever made the row was reasonable.
    pub(super) headers: Option<Value>,
    pub(super) body: Option<Vec<u8>>,
    pub(super) timeout_ms: i32,
    /// This attempt included.
    pub(super) attempts: i32,
}

/// What is noted of a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Answer {
    pub(super) status: Option<i32>,
    pub(super) content_type: Option<String>,
    pub(super) headers: Option<Value>,
    pub(super) content: Option<String>,
    pub(super) timed_out: bool,
    pub(super) error: Option<String>,
}

/// True if the queue in the database is ours and not the extension's.
pub(super) async fn is_ours(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from pg_attribute where attrelid = to_regclass('net.http_request_queue')
             and attname = 'worker' and not attisdropped)
         and not exists (select from pg_extension where extname = 'pg_net')",
    )
    .fetch_one(connection)
    .await
}

/// Makes this session a worker, for as long as it lives; gives the number by which its rows are marked.
pub(super) async fn enter(connection: &mut PgConnection) -> sqlx::Result<i32> {
    sqlx::query_scalar(
        "select pid from pg_backend_pid() as pid, pg_advisory_lock($1, pid) as locked",
    )
    .bind(LOCK_CLASS)
    .fetch_one(connection)
    .await
}

/// Gives back what sessions have taken that are gone, and what this one is marked with from an earlier life.
pub(super) async fn reclaim(connection: &mut PgConnection, me: Option<i32>) -> sqlx::Result<u64> {
    let done = sqlx::query(
        "update net.http_request_queue set worker = null
         where worker is not null and (worker = $2 or not exists (
             select from pg_locks
             where locktype = 'advisory' and classid = $1::bigint::oid and objsubid = 2 and granted
                 and objid = worker::bigint::oid
                 and database = (select oid from pg_database where datname = current_database())))",
    )
    .bind(i64::from(LOCK_CLASS))
    .bind(me)
    .execute(connection)
    .await?;
    Ok(done.rows_affected())
}

/// Takes requests whose time has come.
pub(super) async fn claim(
    connection: &mut PgConnection,
    me: i32,
    count: usize,
) -> sqlx::Result<Vec<Request>> {
    let rows = sqlx::query(
        "with picked as (
             select id from net.http_request_queue
             where worker is null and due <= clock_timestamp()
             order by due, id
             limit $2
             for update skip locked)
         update net.http_request_queue as q
         set worker = $1, attempts = q.attempts + 1
         from picked
         where q.id = picked.id
         returning q.id, q.method::text, q.url, q.headers, q.body, q.timeout_milliseconds, q.attempts",
    )
    .bind(me)
    .bind(i64::try_from(count).unwrap_or(i64::MAX))
    .fetch_all(connection)
    .await?;
    rows.iter()
        .map(|row| {
            Ok(Request {
                id: row.try_get(0)?,
                method: row.try_get(1)?,
                url: row.try_get(2)?,
                headers: row.try_get(3)?,
                body: row.try_get(4)?,
                timeout_ms: row.try_get(5)?,
                attempts: row.try_get(6)?,
            })
        })
        .collect()
}

/// How long it is until the next request is due; nothing if none is.
pub(super) async fn next_due(connection: &mut PgConnection) -> sqlx::Result<Option<Duration>> {
    let seconds: Option<f64> = sqlx::query_scalar(
        "select extract(epoch from min(due) - clock_timestamp())::float8
         from net.http_request_queue where worker is null",
    )
    .fetch_one(connection)
    .await?;
    Ok(seconds.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()))
}

/// Notes answers and takes their requests out of the queue.
///
/// A row that another session was given meanwhile stays there; its answer is noted twice.
pub(super) async fn record(
    pool: &PgPool,
    me: i32,
    answers: Vec<(i64, Answer)>,
) -> sqlx::Result<()> {
    let mut columns = Columns::default();
    for (id, answer) in answers {
        columns.push(id, answer);
    }
    sqlx::query(
        "with done as (delete from net.http_request_queue where id = any ($1) and worker = $2)
         insert into net._http_response (id, status_code, content_type, headers, content, timed_out, error_msg)
         select * from unnest($1::bigint[], $3::integer[], $4::text[], $5::jsonb[], $6::text[], $7::boolean[], $8::text[])",
    )
    .bind(columns.ids)
    .bind(me)
    .bind(columns.statuses)
    .bind(columns.content_types)
    .bind(columns.headers)
    .bind(columns.contents)
    .bind(columns.timed_out)
    .bind(columns.errors)
    .execute(pool)
    .await?;
    Ok(())
}

#[derive(Default)]
struct Columns {
    ids: Vec<i64>,
    statuses: Vec<Option<i32>>,
    content_types: Vec<Option<String>>,
    headers: Vec<Option<Json<Value>>>,
    contents: Vec<Option<String>>,
    timed_out: Vec<bool>,
    errors: Vec<Option<String>>,
}

impl Columns {
    fn push(&mut self, id: i64, answer: Answer) {
        self.ids.push(id);
        self.statuses.push(answer.status);
        self.content_types.push(answer.content_type);
        self.headers.push(answer.headers.map(Json));
        self.contents.push(answer.content);
        self.timed_out.push(answer.timed_out);
        self.errors.push(answer.error);
    }
}

/// Puts requests back, to be sent after a while.
pub(super) async fn postpone(
    pool: &PgPool,
    me: i32,
    requests: &[(i64, Duration)],
) -> sqlx::Result<()> {
    let (ids, seconds): (Vec<i64>, Vec<f64>) = requests
        .iter()
        .map(|(id, wait)| (*id, wait.as_secs_f64()))
        .unzip();
    sqlx::query(
        "update net.http_request_queue as q
         set worker = null, due = clock_timestamp() + make_interval(secs => p.seconds)
         from unnest($1::bigint[], $2::float8[]) as p (id, seconds)
         where q.id = p.id and q.worker = $3",
    )
    .bind(ids)
    .bind(seconds)
    .bind(me)
    .execute(pool)
    .await?;
    Ok(())
}

/// Removes answers that are older than their time to live.
pub(super) async fn sweep(connection: &mut PgConnection, ttl: Duration) -> sqlx::Result<()> {
    loop {
        let done = sqlx::query(
            "with expired as (
                 select ctid from net._http_response
                 where created < now() - make_interval(secs => $1)
                 order by created
                 limit $2
                 for update skip locked)
             delete from net._http_response r using expired where r.ctid = expired.ctid",
        )
        .bind(ttl.as_secs_f64())
        .bind(SWEPT_AT_ONCE)
        .execute(&mut *connection)
        .await?;
        if done.rows_affected() < SWEPT_AT_ONCE.unsigned_abs() {
            return Ok(());
        }
    }
}

/// How many requests wait, up to a hundred thousand, and for how many seconds the oldest has.
pub(in crate::jobs) async fn depth(pool: &PgPool) -> sqlx::Result<(i64, f64)> {
    sqlx::query_as(
        "select (select count(*) from (select from net.http_request_queue limit $1) as counted),
             coalesce(extract(epoch from clock_timestamp() - min(due)), 0)::float8
         from net.http_request_queue",
    )
    .bind(COUNTED)
    .fetch_one(pool)
    .await
}
