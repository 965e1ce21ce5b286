//! Statements and transactions, over few round trips.

use std::borrow::Cow;

use svc_kit::{
    observe::PoolState,
    pg,
    wire::{self, Failure, Lease, Pool, Row, Target},
};

use crate::{
    config::Config,
    error::{Error, Result},
};

/// What statements that no role runs are prepared for.
const EVERYBODY: &str = "";

/// A statement with its values, each in Postgres's text format.
#[derive(Clone, Debug)]
pub(crate) struct Sql<'a> {
    text: Cow<'a, str>,
    values: Vec<Option<Cow<'a, str>>>,
}

impl<'a> Sql<'a> {
    pub(crate) fn new(text: impl Into<Cow<'a, str>>) -> Self {
        Self {
            text: text.into(),
            values: Vec::new(),
        }
    }

    /// The same values for another text.
    pub(crate) fn with_text(mut self, text: impl Into<Cow<'a, str>>) -> Self {
        self.text = text.into();
        self
    }

    /// Adds the next value.
    pub(crate) fn bind(self, value: impl Into<Cow<'a, str>>) -> Self {
        self.bind_opt(Some(value.into()))
    }

    /// Adds the next value, or null.
    pub(crate) fn bind_opt(mut self, value: Option<impl Into<Cow<'a, str>>>) -> Self {
        self.values.push(value.map(Into::into));
        self
    }

    /// Adds the next value of any type that prints as Postgres reads it.
    pub(crate) fn bind_display<T: ToString + Copy>(self, value: T) -> Self {
        self.bind(value.to_string())
    }

    /// Adds an array of texts, which the statement reads with `array(select jsonb_array_elements_text($n::jsonb))`.
    pub(crate) fn bind_texts<T: AsRef<str> + serde::Serialize>(self, values: &[T]) -> Self {
        // Texts always serialise.
        self.bind(serde_json::to_string(values).unwrap_or_default())
    }

    fn queue(&self, connection: &mut wire::Connection, role: Option<&str>) -> Result<(), Failure> {
        let values = self.values.iter();
        let values = values.map(|value| value.as_deref().map(str::as_bytes));
        connection.queue(role, &self.text, values)
    }
}

/// The database of a service.
#[derive(Clone)]
pub(crate) struct Db {
    pool: Pool,
    prepares: bool,
}

impl std::fmt::Debug for Db {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Db").finish_non_exhaustive()
    }
}

impl Db {
    pub(crate) fn new(config: &Config) -> anyhow::Result<Self> {
        let name = format!("Supabase Storage API {}", config.version);
        let target = Target::new(config.request_url(), &name, |_| None)?;
        let pool = wire::pool(target, config.max_connections, config.connection_timeout)?;
        Ok(Self {
            pool,
            prepares: config.pool_url.is_none(),
        })
    }

    /// One statement as the login role, which owns the tables, so that no policy stands in its way.
    pub(crate) async fn read(&self, sql: &Sql<'_>) -> Result<Vec<Row>> {
        let mut lease = Lease::take(&self.pool).await?;
        let (connection, _) = lease.parts();
        sql.queue(connection, self.prepares.then_some(EVERYBODY))?;
        Ok(connection.exchange().await?)
    }

    /// One statement in a transaction of its own under the caller's role, in one round trip.
    pub(crate) async fn run_as(&self, caller: &pg::Caller, sql: &Sql<'_>) -> Result<Vec<Row>> {
        let mut tx = self.lease().await?;
        tx.become_caller(caller)?;
        tx.push(sql)?;
        Ok(tx.exchange().await?)
    }

    /// Statements in one transaction under the caller's role, in one round trip; gives the rows of each.
    pub(crate) async fn run_all_as(
        &self,
        caller: &pg::Caller,
        statements: &[Sql<'_>],
    ) -> Result<Vec<Vec<Row>>> {
        let mut tx = self.lease().await?;
        tx.become_caller(caller)?;
        for sql in statements {
            tx.push(sql)?;
        }
        let (connection, _) = tx.lease.parts();
        let mut rows = connection.exchange_all().await?;
        rows.remove(0);
        Ok(rows)
    }

    /// Statements under the caller's role in a transaction that stays open; gives the rows of each.
    pub(crate) async fn begin_as(
        &self,
        caller: &pg::Caller,
        statements: &[Sql<'_>],
    ) -> Result<(Tx, Vec<Vec<Row>>)> {
        let mut tx = self.begin().await?;
        tx.become_caller(caller)?;
        for sql in statements {
            tx.push(sql)?;
        }
        let (connection, _) = tx.lease.parts();
        let mut rows = connection.exchange_all().await?;
        // begin and the settings
        rows.drain(..2);
        Ok((tx, rows))
    }

    /// Whether the caller might run the statement: it runs, and is undone. Gives its rows.
    pub(crate) async fn test_as(&self, caller: &pg::Caller, sql: &Sql<'_>) -> Result<Vec<Row>> {
        let mut tx = self.lease().await?;
        tx.queue(EVERYBODY, &Sql::new("begin"))?;
        tx.become_caller(caller)?;
        tx.push(sql)?;
        tx.queue(EVERYBODY, &Sql::new("rollback"))?;
        let (connection, _) = tx.lease.parts();
        // begin, the settings, the statement, rollback
        let rows = connection.exchange_all().await?;
        Ok(rows.into_iter().nth(2).unwrap_or_default())
    }

    /// A transaction that more than one round trip needs.
    pub(crate) async fn begin(&self) -> Result<Tx> {
        let mut tx = self.lease().await?;
        tx.queue(EVERYBODY, &Sql::new("begin"))?;
        Ok(tx)
    }

    /// The pool under the names of every service.
    pub(crate) fn pool_state(&self) -> PoolState {
        PoolState::of_wire("storage", &self.pool)
    }

    /// How many connections there are, and how many of them wait for work.
    pub(crate) fn status(&self) -> svc_kit::wire::PoolStatus {
        self.pool.status()
    }

    async fn lease(&self) -> Result<Tx> {
        Ok(Tx {
            lease: Lease::take(&self.pool).await?,
            prepares: self.prepares,
            role: String::new(),
        })
    }
}

/// An open transaction. One that is dropped is rolled back.
pub(crate) struct Tx {
    lease: Lease,
    prepares: bool,
    role: String,
}

impl Tx {
    /// What follows runs as this caller. Sent with the next statement.
    pub(crate) fn become_caller(&mut self, caller: &pg::Caller) -> Result<()> {
        let settings: Vec<(&str, &str)> = caller.transaction_settings().collect();
        let common = self.prepares.then_some(EVERYBODY);
        let (connection, session) = self.lease.parts();
        let values = settings.iter().map(|(_, value)| Some(value.as_bytes()));
        connection.queue(common, session.text(&settings), values)?;
        self.role.clone_from(&caller.role);
        Ok(())
    }

    /// What follows runs as the login role again. Sent with the next statement.
    pub(crate) fn become_login(&mut self) -> Result<()> {
        self.queue(EVERYBODY, &Sql::new("set local role none"))?;
        self.role.clear();
        Ok(())
    }

    /// Puts a statement into the queue, which goes out with the next [`query`](Self::query) or
    /// [`commit`](Self::commit).
    pub(crate) fn push(&mut self, sql: &Sql<'_>) -> Result<()> {
        let role = self.prepares.then_some(self.role.as_str());
        let (connection, _) = self.lease.parts();
        Ok(sql.queue(connection, role)?)
    }

    fn queue(&mut self, role: &str, sql: &Sql<'_>) -> Result<()> {
        let (connection, _) = self.lease.parts();
        Ok(sql.queue(connection, self.prepares.then_some(role))?)
    }

    async fn exchange(&mut self) -> Result<Vec<Row>, Failure> {
        self.lease.parts().0.exchange().await
    }

    /// Sends the queue and a statement; gives the statement's rows.
    pub(crate) async fn query(&mut self, sql: &Sql<'_>) -> Result<Vec<Row>> {
        self.push(sql)?;
        Ok(self.exchange().await?)
    }

    /// Sends the queue and ends the transaction. What was done is durable when this returns.
    pub(crate) async fn commit(mut self) -> Result<()> {
        self.queue(EVERYBODY, &Sql::new("commit"))?;
        self.exchange().await.map_err(Error::from)?;
        Ok(())
    }
}
