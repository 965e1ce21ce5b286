//! The slot as the catalog has it, asked over an ordinary connection.

use std::time::Duration;

use sqlx::PgPool;
use tokio::time::{Instant, sleep};

/// How often a slot is asked for that somebody still has.
const AGAIN: Duration = Duration::from_millis(100);

/// A row of `pg_replication_slots`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct SlotState {
    /// The process that reads it.
    pub(super) active_pid: Option<i32>,
    /// How many bytes of the log are there that were not confirmed.
    pub(super) lag: i64,
}

/// Looks the slot up.
pub(super) async fn state(pool: &PgPool, slot: &str) -> sqlx::Result<Option<SlotState>> {
    let row: Option<(Option<i32>, i64)> = sqlx::query_as(
        "select active_pid, \
             coalesce(pg_wal_lsn_diff(pg_current_wal_lsn(), confirmed_flush_lsn), 0)::bigint \
         from pg_replication_slots where slot_name = $1",
    )
    .bind(slot)
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|(active_pid, lag)| SlotState { active_pid, lag }))
}

/// Ends the process that sends to us, if it still has the slot: it may not have noticed yet that we have gone.
pub(super) async fn release(pool: &PgPool, slot: &str, pid: i32) -> sqlx::Result<()> {
    sqlx::query(
        "select pg_terminate_backend(active_pid) from pg_replication_slots \
         where slot_name = $1 and active_pid = $2",
    )
    .bind(slot)
    .bind(pid)
    .execute(pool)
    .await?;
    Ok(())
}

/// Drops the slot. Gives false if somebody has it all the time.
pub(crate) async fn drop(pool: &PgPool, slot: &str, within: Duration) -> sqlx::Result<bool> {
    let until = Instant::now() + within;
    loop {
        let dropped = sqlx::query(
            "select pg_drop_replication_slot(slot_name) from pg_replication_slots \
             where slot_name = $1 and plugin = 'pgoutput' and database = current_database()",
        )
        .bind(slot)
        .execute(pool)
        .await;
        match dropped {
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("55006") => {
                if Instant::now() >= until {
                    return Ok(false);
                }
                sleep(AGAIN).await;
            }
            // Somebody else dropped it meanwhile.
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42704") => {
                return Ok(true);
            }
            dropped => return dropped.map(|_| true),
        }
    }
}
