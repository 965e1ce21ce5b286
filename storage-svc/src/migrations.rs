use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::migrate::{Bookkeeping, Set};

use crate::Config;

/// The migrations of the schema `storage`. A database that storage-api migrated is recognised.
pub fn migrations() -> Set {
    Set::converging(
        "storage",
        "supabase_storage_admin",
        Bookkeeping::Storage,
        &[
            include_str!("../../sql/platform/storage/0001_functions.sql"),
            include_str!("../../sql/platform/storage/0002_buckets_and_objects.sql"),
            include_str!("../../sql/platform/storage/0003_multipart_uploads.sql"),
            include_str!("../../sql/platform/storage/0004_analytics_and_vectors.sql"),
            include_str!("../../sql/platform/storage/0005_triggers_and_rights.sql"),
            include_str!("../../sql/platform/storage/0006_search.sql"),
        ],
        include_str!("../../sql/platform/storage/versions.txt"),
    )
}

/// Brings the database up to date, as the original does when it starts.
pub async fn migrate(config: &Config) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(config.database_url.expose_secret())
        .await
        .context("the database cannot be reached")?;
    migrations().run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}

/// Makes the queue of webhooks, which the original's versions know nothing of: only who asks for webhooks has it.
pub(crate) async fn make_webhook_queue(config: &Config) -> anyhow::Result<()> {
    let url = config.database_url.expose_secret();
    let mut connection = PgConnection::connect(url)
        .await
        .context("the database cannot be reached")?;
    let mut tx = connection.begin().await?;
    sqlx::query("select pg_advisory_xact_lock(hashtext('storage.webhook_queue'))")
        .execute(&mut *tx)
        .await?;
    let queue = include_str!("../../sql/platform/storage/0007_webhook_queue.sql");
    sqlx::raw_sql(queue)
        .execute(&mut *tx)
        .await
        .context("the queue of webhooks cannot be made")?;
    tx.commit().await?;
    connection.close().await?;
    Ok(())
}
