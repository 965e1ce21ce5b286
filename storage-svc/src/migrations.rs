use anyhow::Context as _;
use secrecy::ExposeSecret as _;
use sqlx::{Connection as _, PgConnection};
use svc_kit::migrate::{Bookkeeping, Set};

use crate::Config;

/// The migrations of the schema `storage`. Its tables are not part of the set yet.
pub fn migrations() -> Set {
    Set::numbered(
        "storage",
        "supabase_storage_admin",
        Bookkeeping::Storage,
        &[],
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
