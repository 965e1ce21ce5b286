//! Which publications there are, asked over an ordinary connection.

use sqlx::{AssertSqlSafe, PgPool};
use svc_kit::pg::quote_ident;

use super::{Settings, lsn};

/// Keeps two copies of the service from making the same publication at the same time.
const LOCK: i64 = 0x7274_7075_626c;

/// The publications that exist, in the order of their names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) names: Vec<String>,
    /// Where the log ended after they were seen: from here on they exist.
    pub(super) at: u64,
}

impl Found {
    /// Where these can be read instead of `before`. One that is gone is left out at once: it can only cause errors.
    /// One that is new does not exist further back, and there Postgres stumbles over it.
    pub(super) fn since(self, before: &[String]) -> Self {
        let grows = self.names.iter().any(|name| !before.contains(name));
        Self {
            at: if grows { self.at } else { 0 },
            ..self
        }
    }
}

/// Looks for the publications.
pub(super) async fn find(pool: &PgPool, settings: &Settings) -> sqlx::Result<Found> {
    // The end is asked for in a statement of its own, after the catalog: the other way round a publication could
    // begin to exist in between. It is where the next record goes: what was seen need not be written out yet.
    let names = sqlx::query_scalar(
        "select pubname::text from pg_publication where pubname in ($1, $2) order by pubname",
    )
    .bind(&settings.changes)
    .bind(&settings.messages)
    .fetch_all(pool)
    .await?;
    let at: String = sqlx::query_scalar("select pg_current_wal_insert_lsn()::text")
        .fetch_one(pool)
        .await?;
    Ok(Found {
        names,
        at: lsn::parse(&at).unwrap_or(0),
    })
}

/// Sees to it that the publication of messages holds the table `realtime.messages`, all of it, partition by
/// partition, and nothing else. Without the table nothing is done.
pub(super) async fn ensure_messages(pool: &PgPool, name: &str) -> sqlx::Result<()> {
    if is_good(pool, name).await? {
        return Ok(());
    }
    let mut transaction = pool.begin().await?;
    sqlx::query("select pg_advisory_xact_lock($1)")
        .bind(LOCK)
        .execute(&mut *transaction)
        .await?;
    if is_good(&mut *transaction, name).await? {
        return Ok(());
    }
    let name = quote_ident(name);
    let make = format!(
        "drop publication if exists {name}; create publication {name} for table realtime.messages"
    );
    sqlx::raw_sql(AssertSqlSafe(make))
        .execute(&mut *transaction)
        .await?;
    transaction.commit().await
}

async fn is_good(connection: impl sqlx::PgExecutor<'_>, name: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select to_regclass('realtime.messages') is null or exists ( \
             select from pg_publication p \
             where pubname = $1 and pubinsert and not puballtables and not pubviaroot \
             and not exists (select from pg_publication_namespace where pnpubid = p.oid) \
             and array[to_regclass('realtime.messages')::oid] = ( \
                 select array_agg(prrelid) from pg_publication_rel \
                 where prpubid = p.oid and prqual is null and prattrs is null) \
             and 1 = (select count(*) from pg_publication_rel where prpubid = p.oid))",
    )
    .bind(name)
    .fetch_one(connection)
    .await
}
