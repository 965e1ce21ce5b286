use std::{str::FromStr, time::Duration};

use sqlx::{
    Connection as _, PgPool,
    postgres::{PgConnectOptions, PgPoolOptions},
};

/// How long a connection counts as good after it was used.
const TRUSTED_FOR: Duration = Duration::from_secs(1);

/// What a service may set of its pool.
#[derive(Clone, Debug)]
pub struct PoolSettings {
    /// The most connections at a time.
    pub max_connections: u32,
    /// How long a request waits for one.
    pub acquire_timeout: Duration,
    /// How long an unused connection is kept.
    pub idle_timeout: Duration,
    /// Shown in `pg_stat_activity`.
    pub application_name: String,
}

impl PoolSettings {
    /// Ten connections, ten seconds of waiting, five minutes of idling.
    pub fn new(application_name: &str) -> Self {
        Self {
            max_connections: 10,
            acquire_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
            application_name: application_name.to_owned(),
        }
    }
}

/// Makes a pool that connects when it is first used, so that a service can start before its database.
pub fn pool(url: &str, settings: &PoolSettings) -> Result<PgPool, sqlx::Error> {
    let options = PgConnectOptions::from_str(url)?.application_name(&settings.application_name);
    Ok(PgPoolOptions::new()
        .max_connections(settings.max_connections)
        .acquire_timeout(settings.acquire_timeout)
        .idle_timeout(settings.idle_timeout)
        // The default asks the server before every use, which is a round trip of each request. A connection that
        // was good a moment ago is, too; one that waited longer may have lost its server.
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                if meta.idle_for >= TRUSTED_FOR {
                    connection.ping().await?;
                }
                Ok(true)
            })
        })
        .connect_lazy_with(options))
}
