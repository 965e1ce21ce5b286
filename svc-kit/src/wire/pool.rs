use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};

use super::{
    Connection,
    target::{ConnectError, Target},
};
use crate::pg::set_config_statement;

/// A connection of the pool.
pub struct PooledConnection {
    wire: Connection,
    settings: SessionSettings,
    generation: u64,
    /// What the log calls it.
    number: u64,
}

/// Makes connections for the pool.
pub struct Manager {
    target: Target,
    /// Connections of an earlier generation are not used again.
    generation: AtomicU64,
    /// How many were made.
    made: AtomicU64,
}

impl Manager {
    /// Makes every connection that there is be replaced, those in use when they come back.
    pub fn renew(&self) {
        self.generation.fetch_add(1, Ordering::Relaxed);
    }
}

impl managed::Manager for Manager {
    type Type = PooledConnection;
    type Error = ConnectError;

    async fn create(&self) -> Result<PooledConnection, ConnectError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed) + 1;
        tracing::debug!("Connection {number} is being established");
        let connection = PooledConnection {
            generation: self.generation.load(Ordering::Relaxed),
            // Boxed: a request's future would carry a handshake's state that it hardly ever needs.
            wire: Box::pin(self.target.open()).await?,
            settings: SessionSettings::default(),
            number,
        };
        tracing::debug!("Connection {number} is available");
        Ok(connection)
    }

    async fn recycle(
        &self,
        connection: &mut PooledConnection,
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
pub type Pool = managed::Pool<Manager>;

/// How many connections a pool has.
pub type PoolStatus = deadpool::Status;

/// Why there is no connection for a request.
pub type PoolError = managed::PoolError<ConnectError>;

/// Makes a pool that connects when it is first used. `size` is the most connections at a time, `timeout` how long
/// a request waits for one.
///
/// # Errors
/// A size or timeout that no pool can have.
pub fn pool(target: Target, size: usize, timeout: Duration) -> Result<Pool, managed::BuildError> {
    let manager = Manager {
        target,
        generation: AtomicU64::new(0),
        made: AtomicU64::new(0),
    };
    Pool::builder(manager)
        .max_size(size)
        // Few backends that are warm cost Postgres less than many in turn: with 4, a fifth less CPU than with 16.
        .queue_mode(managed::QueueMode::Lifo)
        .wait_timeout(Some(timeout))
        .create_timeout(Some(timeout))
        .runtime(deadpool::Runtime::Tokio1)
        .build()
}

/// What is known of a session's settings.
#[derive(Default)]
pub struct SessionSettings {
    /// Texts of the statements that make settings, by the settings' names. Requests differ little in them.
    texts: Vec<(Vec<String>, String)>,
    /// True once the session itself has a `search_path` that requests want, so that theirs need not be made.
    pub has_search_path: bool,
}

impl SessionSettings {
    const KEPT: usize = 8;

    /// The statement that makes settings of these names.
    pub fn text(&mut self, settings: &[(&str, &str)]) -> &str {
        let is_same = |known: &(Vec<String>, String)| {
            let names = settings.iter().map(|(name, _)| *name);
            known.0.len() == settings.len() && known.0.iter().map(String::as_str).eq(names)
        };
        let index = self.texts.iter().position(is_same).unwrap_or_else(|| {
            let names = || settings.iter().map(|(name, _)| *name);
            self.texts.truncate(Self::KEPT - 1);
            let known = names().map(str::to_owned).collect();
            self.texts.push((known, set_config_statement(names())));
            self.texts.len() - 1
        });
        &self.texts[index].1
    }
}

/// A connection for as long as a transaction lasts.
///
/// A request that is dropped half-way (its client went away) leaves a transaction open on its connection. It is
/// ended before the connection serves anybody else, and until then keeps its place in the pool: the database is
/// still at work for it.
pub struct Lease(Option<managed::Object<Manager>>);

impl Lease {
    /// Takes a connection out of the pool, or makes one.
    ///
    /// # Errors
    /// None is free in time, or none can be made.
    pub async fn take(pool: &Pool) -> Result<Self, PoolError> {
        let connection = pool.get().await?;
        tracing::debug!("Connection {} is used", connection.number);
        Ok(Self(Some(connection)))
    }

    /// The connection, and what is known of its session's settings.
    pub fn parts(&mut self) -> (&mut Connection, &mut SessionSettings) {
        match &mut self.0 {
            Some(connection) => {
                let connection: &mut PooledConnection = connection;
                (&mut connection.wire, &mut connection.settings)
            }
            None => unreachable!("the connection leaves with the lease"),
        }
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(mut connection) = self.0.take() else {
            return;
        };
        if connection.wire.is_idle() {
            tracing::debug!("Connection {} is available", connection.number);
            return;
        }
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if !connection.wire.is_lost() => {
                runtime.spawn(async move {
                    if connection.wire.settle().await.is_err() {
                        discard(connection);
                    }
                });
            }
            _ => discard(connection),
        }
    }
}

/// Gives up a connection, and with it its place in the pool.
fn discard(connection: managed::Object<Manager>) {
    tracing::debug!(
        "Connection {} is terminated due to network error",
        connection.number
    );
    drop(managed::Object::take(connection));
}
