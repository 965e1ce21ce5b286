//! The pool of connections that requests run on.

use std::sync::atomic::{AtomicU64, Ordering};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};

use crate::{
    config::Config,
    target::{ConnectError, Target},
    transaction::SettingTexts,
    wire,
};

/// A connection of the pool.
pub(crate) struct Connection {
    pub(crate) wire: wire::Connection,
    settings: SettingTexts,
    generation: u64,
}

impl Connection {
    /// The connection, and what it knows of settings.
    pub(crate) fn parts(&mut self) -> (&mut wire::Connection, &mut SettingTexts) {
        (&mut self.wire, &mut self.settings)
    }
}

/// Makes connections for the pool.
pub(crate) struct Manager {
    target: Target,
    /// Connections of an earlier generation are not used again.
    generation: AtomicU64,
}

impl Manager {
    /// Makes every connection that there is be replaced, those in use when they come back.
    pub(crate) fn renew(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = ConnectError;

    async fn create(&self) -> Result<Connection, ConnectError> {
        Ok(Connection {
            generation: self.generation.load(Ordering::Relaxed),
            // Boxed: a request's future would carry a handshake's state that it hardly ever needs.
            wire: Box::pin(self.target.open()).await?,
            settings: SettingTexts::default(),
        })
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<ConnectError> {
        if connection.generation != self.generation.load(Ordering::Relaxed) {
            return Err(RecycleError::message("connection of an earlier catalog"));
        }
        let refreshed = connection.wire.refresh();
        refreshed.map_err(|failure| RecycleError::message(failure.to_string()))
    }
}

/// The pool of a service.
pub(crate) type Pool = managed::Pool<Manager>;

/// A connection that goes back to the pool.
pub(crate) type Pooled = managed::Object<Manager>;

/// Makes a pool that connects when it is first used.
pub(crate) fn pool(config: &Config) -> anyhow::Result<(Pool, Target)> {
    let target = Target::of(config)?;
    let manager = Manager {
        target: target.clone(),
        generation: AtomicU64::new(0),
    };
    let pool = Pool::builder(manager)
        .max_size(config.pool)
        .wait_timeout(Some(config.pool_timeout))
        .create_timeout(Some(config.pool_timeout))
        .runtime(deadpool::Runtime::Tokio1)
        .build()?;
    Ok((pool, target))
}
