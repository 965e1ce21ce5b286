//! The one transaction of a request.
//!
//! The settings and the statement go out together and are answered together, and Postgres commits when both are
//! done: a request costs one round trip and no BEGIN. Only a transaction of another kind than the session's own
//! begins with one, and only a write whose result may refuse it waits with COMMIT.

use http::StatusCode;
use svc_kit::{
    pg::{Caller, set_config_statement},
    wire::{Connection, Failure, Lease, Pool, PoolError, Row, SessionSettings},
};

use crate::{
    config::LogLevel,
    error::{Error, Result},
    sql::{Param, Sql},
};

/// How a transaction begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mode {
    /// READ ONLY.
    pub(crate) read_only: bool,
    /// The isolation level.
    pub(crate) isolation: Isolation,
}

/// `BEGIN ISOLATION LEVEL …`
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Isolation {
    ReadCommitted,
    RepeatableRead,
    Serializable,
}

impl Isolation {
    /// Reads the value of `default_transaction_isolation`.
    pub(crate) fn parse(text: &str) -> Self {
        match text.to_ascii_lowercase().as_str() {
            "serializable" => Self::Serializable,
            "repeatable read" => Self::RepeatableRead,
            _ => Self::ReadCommitted,
        }
    }
}

impl Mode {
    fn begin(self) -> &'static str {
        use Isolation::{ReadCommitted, RepeatableRead, Serializable};
        match (self.isolation, self.read_only) {
            (ReadCommitted, true) => "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY",
            (ReadCommitted, false) => "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE",
            (RepeatableRead, true) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            (RepeatableRead, false) => "BEGIN ISOLATION LEVEL REPEATABLE READ READ WRITE",
            (Serializable, true) => "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY",
            (Serializable, false) => "BEGIN ISOLATION LEVEL SERIALIZABLE READ WRITE",
        }
    }

    /// True if a transaction without BEGIN is of this kind, but for READ ONLY, which is a setting.
    fn is_own_of(self, connection: &Connection) -> bool {
        let session = connection.session();
        self.isolation == Isolation::ReadCommitted
            && session.read_committed
            && !session.read_only
            && !session.in_recovery
    }
}

/// What the transaction does beside its statement.
pub(crate) struct Plan<'a> {
    /// How it begins.
    pub(crate) mode: Mode,
    /// Who it runs as, and every setting.
    pub(crate) caller: Caller,
    /// A function that runs first.
    pub(crate) pre_request: Option<&'a Sql>,
    /// The statement.
    pub(crate) statement: &'a Sql,
    /// False to roll back at the end.
    pub(crate) commit: bool,
    /// True if the caller has no token's role, which decides between 401 and 403.
    pub(crate) is_anonymous: bool,
    /// False behind a transaction-mode pooler.
    pub(crate) prepared: bool,
    /// True if nearly all requests have this one's `search_path`.
    pub(crate) has_usual_path: bool,
}

/// Looks at the rows before the transaction ends, and may refuse them.
pub(crate) type Accept<'a> = &'a (dyn Fn(&[Row]) -> Result<()> + Sync);

impl Plan<'_> {
    /// Runs the transaction. `accept` looks at the rows before the end and may refuse them, which rolls back;
    /// without it Postgres commits as soon as the statement is done.
    ///
    /// # Errors
    /// What the database or `accept` refused, or that there is no connection.
    pub(crate) async fn run(&self, pool: &Pool, accept: Option<Accept<'_>>) -> Result<Vec<Row>> {
        let lease = Lease::take(pool).await.map_err(|error| match error {
            PoolError::Timeout(_) => Error::pool_timeout(),
            PoolError::Backend(error) => Error::connection(&error.to_string()),
            other => Error::connection(&other.to_string()),
        });
        let mut lease = lease?;
        let (connection, session) = lease.parts();
        let begins = accept.is_some() || !self.commit || !self.mode.is_own_of(connection);
        let failed = |error| Error::from_database(&error, self.is_anonymous);
        self.queue(connection, session, begins).map_err(failed)?;
        let rows = connection.exchange().await;
        if !begins {
            session.has_search_path |= rows.is_ok() && self.keeps_search_path();
            return rows.map_err(failed);
        }
        let outcome = rows
            .map_err(failed)
            .and_then(|rows| accept.map_or(Ok(()), |accept| accept(&rows)).map(|()| rows));
        let ended = match &outcome {
            Ok(_) if self.commit => self.end(connection, "COMMIT").await,
            Ok(_) => self.undo(connection).await,
            Err(_) => connection.settle().await,
        };
        outcome.and_then(|rows| ended.map_err(failed).map(|()| rows))
    }

    /// Writes the statements of a request that ended with this status, if the level shows such requests.
    pub(crate) fn log(&self, level: LogLevel, status: StatusCode) {
        if !level.shows(status) {
            return;
        }
        let names = self.caller.transaction_settings().map(|(name, _)| name);
        let settings = set_config_statement(names);
        let pre_request = self.pre_request.map(Sql::text);
        let statements = [
            Some(settings.as_str()),
            pre_request,
            Some(self.statement.text()),
        ];
        for text in statements.into_iter().flatten() {
            // Names in it are the client's, and a line is a line.
            tracing::info!("{}", text.replace(char::is_control, " "));
        }
    }

    /// Everything up to the statement, and it.
    fn queue(
        &self,
        connection: &mut Connection,
        session: &mut SessionSettings,
        begins: bool,
    ) -> std::result::Result<(), Failure> {
        // BEGIN and the settings are everybody's; what comes after them is planned for a role.
        let common = self.prepared.then_some("");
        let own = self.prepared.then_some(self.caller.role.as_str());
        let mut settings: Vec<(&str, &str)> = Vec::with_capacity(16);
        if begins {
            connection.queue(common, self.mode.begin(), [])?;
        } else if self.mode.read_only {
            settings.push(("transaction_read_only", "on"));
        }
        settings.extend(self.caller.transaction_settings());
        if !begins && !session.has_search_path && self.keeps_search_path() {
            self.keep_search_path(connection)?;
        }
        let set = session.text(&settings);
        let values = settings.iter().map(|(_, value)| Some(value.as_bytes()));
        connection.queue(common, set, values)?;
        if let Some(call) = self.pre_request {
            connection.queue(own, call.text(), [])?;
        }
        let values = self.statement.params().iter();
        let values = values.map(|Param(value)| value.as_deref());
        connection.queue(own, self.statement.text(), values)
    }

    /// True if the session may have this `search_path` between transactions too. One that a pooler lends is not ours
    /// to change.
    fn keeps_search_path(&self) -> bool {
        self.prepared && self.has_usual_path
    }

    /// Gives the session itself the `search_path`, from the end of the transaction on. A request with another one
    /// still makes its own, and so does one after a function that changed it.
    fn keep_search_path(&self, connection: &mut Connection) -> std::result::Result<(), Failure> {
        let mut settings = self.caller.transaction_settings();
        let Some((_, path)) = settings.find(|(name, _)| *name == "search_path") else {
            return Ok(());
        };
        let set = "select set_config('search_path', $1, false)";
        connection.queue(None, set, [Some(path.as_bytes())])
    }

    async fn end(
        &self,
        connection: &mut Connection,
        statement: &str,
    ) -> std::result::Result<(), Failure> {
        connection.queue(self.prepared.then_some(""), statement, [])?;
        connection.exchange().await.map(drop)
    }

    /// A rollback that lets deferred constraints speak first.
    async fn undo(&self, connection: &mut Connection) -> std::result::Result<(), Failure> {
        let checked = self.end(connection, "SET CONSTRAINTS ALL IMMEDIATE").await;
        connection.settle().await?;
        checked
    }
}
