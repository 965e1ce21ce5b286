use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::migrate::{Bookkeeping, Set};

use crate::Config;

/// The migrations of the schema `realtime`. A database that Realtime migrated is recognised.
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
        ],
        include_str!("../../sql/platform/realtime/versions.txt"),
    )
}

/// The migrations of the service's own schema `_realtime`, which the original notes apart: a project's dump has
/// the schema `realtime` without this one.
pub fn service_migrations() -> Set {
    Set::converging(
        "realtime-service",
        "supabase_admin",
        Bookkeeping::RealtimeService,
        &[include_str!("../../sql/platform/realtime/0007_service.sql")],
        include_str!("../../sql/platform/realtime/service_versions.txt"),
    )
}

/// Brings the database up to date, as the original does when it starts.
pub async fn migrate(config: &Config) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(config.database_url.expose_secret())
        .await
        .context("the database cannot be reached")?;
    migrations().run(&mut connection).await?;
    service_migrations().run(&mut connection).await?;
    connection.close().await?;
    Ok(())
}
