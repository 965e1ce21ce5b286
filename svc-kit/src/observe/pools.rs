//! Pools of database connections.

use std::sync::atomic::{AtomicUsize, Ordering};

use sqlx::PgPool;

use super::text::{Kind, Text};
use crate::wire::Pool;

const COUNT: &str = "db_client_connection_count";
const MAX: &str = "db_client_connection_max";
const PENDING: &str = "db_client_connection_pending_requests";
const POOL: &str = "db_client_connection_pool_name";
const STATE: &str = "db_client_connection_state";

/// A pool at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// Tells the pools of a service apart.
    pub name: &'static str,
    /// The most connections that it may have.
    pub max: usize,
    /// Open connections.
    pub size: usize,
    /// Of these, those that nobody uses.
    pub idle: usize,
    /// Who waits for one, if somebody counts them.
    pub waiting: Option<usize>,
}

impl PoolState {
    /// Of a pool of [`crate::wire`].
    pub fn of_wire(name: &'static str, pool: &Pool) -> Self {
        let status = pool.status();
        Self {
            name,
            max: status.max_size,
            size: status.size,
            idle: status.available,
            waiting: Some(status.waiting),
        }
    }

    /// Of a pool of sqlx, which does not tell who waits.
    pub fn of_sqlx(name: &'static str, pool: &PgPool, waiters: Option<&Waiters>) -> Self {
        Self {
            name,
            max: pool.options().get_max_connections() as usize,
            size: pool.size() as usize,
            idle: pool.num_idle(),
            waiting: waiters.map(Waiters::count),
        }
    }
}

/// Counts who waits for a connection of a pool that does not do so itself.
#[derive(Debug, Default)]
pub struct Waiters(AtomicUsize);

impl Waiters {
    /// Waits for what gives a connection.
    pub async fn wait<T>(&self, connection: impl Future<Output = T>) -> T {
        let _waiting = Waiting::new(&self.0);
        connection.await
    }

    /// How many wait now.
    pub fn count(&self) -> usize {
        self.0.load(Ordering::Relaxed)
    }
}

/// Ends with the one who waits, also if that is dropped.
struct Waiting<'a>(&'a AtomicUsize);

impl<'a> Waiting<'a> {
    fn new(count: &'a AtomicUsize) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// The pools of a service.
pub fn render_pools(text: &mut Text, pools: &[PoolState]) {
    text.family(COUNT, Kind::Gauge, "Open connections to the database.");
    for pool in pools {
        let used = pool.size.saturating_sub(pool.idle);
        for (state, value) in [("idle", pool.idle), ("used", used)] {
            text.sample(COUNT, &[(POOL, pool.name), (STATE, state)], value);
        }
    }
    text.family(MAX, Kind::Gauge, "The most connections at a time.");
    for pool in pools {
        text.sample(MAX, &[(POOL, pool.name)], pool.max);
    }
    text.family(PENDING, Kind::Gauge, "Who waits for a connection.");
    for pool in pools {
        if let Some(waiting) = pool.waiting {
            text.sample(PENDING, &[(POOL, pool.name)], waiting);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::pending, pin::pin, task::Context};

    use super::*;

    #[test]
    fn who_waits_is_counted_until_there_is_a_connection_or_patience_ends() {
        let waiters = Waiters::default();
        let mut context = Context::from_waker(std::task::Waker::noop());
        {
            let mut wait = pin!(waiters.wait(pending::<()>()));
            assert!(wait.as_mut().poll(&mut context).is_pending());
            assert_eq!(waiters.count(), 1);
        }
        assert_eq!(waiters.count(), 0);
    }

    #[test]
    fn a_pool_says_what_is_idle_and_what_is_used() {
        let mut text = Text::default();
        let pool = |name, waiting| PoolState {
            name,
            max: 10,
            size: 4,
            idle: 1,
            waiting,
        };
        render_pools(&mut text, &[pool("main", Some(2)), pool("jobs", None)]);
        let text = text.into_string();
        for line in [
            r#"db_client_connection_count{db_client_connection_pool_name="main",db_client_connection_state="idle"} 1"#,
            r#"db_client_connection_count{db_client_connection_pool_name="jobs",db_client_connection_state="used"} 3"#,
            r#"db_client_connection_max{db_client_connection_pool_name="main"} 10"#,
            r#"db_client_connection_pending_requests{db_client_connection_pool_name="main"} 2"#,
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert!(!text.contains(r#"pending_requests{db_client_connection_pool_name="jobs""#));
    }
}
