use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::migrate::{Bookkeeping, Set};

use crate::Config;

/// The migrations of the schemas `realtime` and `_realtime`. A database that Realtime migrated is recognised.
pub fn migrations() -> Set {
    Set::converging(
        "realtime",
        "supabase_admin",
        Bookkeeping::Realtime,
        &[
            include_str!("../../sql/platform/realtime/0001_types.sql"),
            include_str!("../../sql/platform/realtime/0002_tables.sql"),
            include_str!("../../sql/platform/realtime/0003_filters.sql"),
            include_str!("../../sql/platform/realtime/0004_changes.sql"),
            include_str!("../../sql/platform/realtime/0005_broadcast.sql"),
            include_str!("../../sql/platform/realtime/0006_rights.sql"),
            include_str!("../../sql/platform/realtime/0007_service.sql"),
        ],
        include_str!("../../sql/platform/realtime/versions.txt"),
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
