//! The days of `realtime.messages`: a message needs the partition of its day, and is kept for three days.

use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};
use svc_kit::pg::{quote_ident, quote_literal};
use tokio_util::sync::CancellationToken;

/// Keeps two copies of the service from doing the same.
const LOCK: i64 = 0x7274_7061_7274;
/// Who owns the table.
const OWNER: &str = "supabase_realtime_admin";

/// What was done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tended {
    /// Partitions that were made.
    pub(crate) made: usize,
    /// Partitions that were dropped.
    pub(crate) dropped: usize,
}

/// Tends the partitions now and then, until it is told to stop.
pub(crate) async fn tend_every(pool: PgPool, every: Duration, stop: CancellationToken) {
    /// After a failure it does not take hours until the next attempt.
    const AGAIN: Duration = Duration::from_mins(1);
    loop {
        let next = match tend(&pool).await {
            Ok(tended) => {
                if tended != Tended::default() {
                    tracing::debug!(?tended, "partitions of realtime.messages");
                }
                every
            }
            Err(error) => {
                tracing::warn!(%error, "cannot tend the partitions of realtime.messages");
                every.min(AGAIN)
            }
        };
        tokio::select! {
            () = stop.cancelled() => return,
            () = tokio::time::sleep(next) => {}
        }
    }
}

/// Makes the partitions from yesterday to in three days, and drops those whose last message is older than 72 hours;
/// days are those of UTC. While another copy is at it nothing is done.
pub(crate) async fn tend(pool: &PgPool) -> sqlx::Result<Tended> {
    let mut tended = Tended::default();
    let mut transaction = pool.begin().await?;
    // A partition comes and goes under a lock of the whole table; who waits for it keeps everybody else waiting.
    sqlx::raw_sql("set local lock_timeout = '5s'; set local statement_timeout = '30s'")
        .execute(&mut *transaction)
        .await?;
    let locked: bool = sqlx::query_scalar(
        "select to_regclass('realtime.messages') is not null and pg_try_advisory_xact_lock($1)",
    )
    .bind(LOCK)
    .fetch_one(&mut *transaction)
    .await?;
    if !locked {
        return Ok(tended);
    }
    for (name, from, to) in missing(&mut transaction).await? {
        let name = quote_ident(&name);
        let make = format!(
            "create table realtime.{name} partition of realtime.messages for values from ({}) to ({}); \
             alter table realtime.{name} owner to {}",
            quote_literal(&from),
            quote_literal(&to),
            quote_ident(OWNER),
        );
        tended.made += usize::from(attempt(&mut transaction, make).await?);
    }
    for name in outdated(&mut transaction).await? {
        let drop = format!("drop table realtime.{}", quote_ident(&name));
        tended.dropped += usize::from(attempt(&mut transaction, drop).await?);
    }
    transaction.commit().await?;
    Ok(tended)
}

/// The names of the partitions to make, and their bounds.
async fn missing(connection: &mut PgConnection) -> sqlx::Result<Vec<(String, String, String)>> {
    sqlx::query_as(
        "select name, day::text, (day + 1)::text from ( \
             select day, 'messages_' || to_char(day, 'YYYY_MM_DD') as name \
             from (select (now() at time zone 'utc')::date + ahead as day from generate_series(-1, 3) ahead) days \
         ) named where to_regclass('realtime.' || name) is null order by day",
    )
    .fetch_all(connection)
    .await
}

/// The names of the partitions to drop. What somebody added under a name of another form is left alone.
async fn outdated(connection: &mut PgConnection) -> sqlx::Result<Vec<String>> {
    sqlx::query_scalar(
        "select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid \
         where i.inhparent = to_regclass('realtime.messages') and c.relnamespace = to_regnamespace('realtime') \
         and c.relname ~ '^messages_\\d{4}_\\d{2}_\\d{2}$' \
         and substr(c.relname, 10) < to_char((now() at time zone 'utc')::date - 3, 'YYYY_MM_DD') \
         order by 1",
    )
    .fetch_all(connection)
    .await
}

/// One day that cannot be made or dropped does not keep the others from it.
async fn attempt(connection: &mut PgConnection, sql: String) -> sqlx::Result<bool> {
    let mut savepoint = connection.begin().await?;
    match sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(&mut *savepoint)
        .await
    {
        Ok(_) => savepoint.commit().await.map(|()| true),
        Err(sqlx::Error::Database(error)) => {
            tracing::warn!(%error, "a partition of realtime.messages");
            savepoint.rollback().await.map(|()| false)
        }
        Err(error) => Err(error),
    }
}
