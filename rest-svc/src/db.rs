//! The pool, and the one transaction of a request.
//!
//! BEGIN, the settings, the statement and COMMIT go out together and are answered together: a request
//! costs one round trip. Only a statement that is new to its connection is prepared first, and only a
//! write whose result may refuse it waits with COMMIT.

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
};

use deadpool::managed::{self, Metrics, RecycleError, RecycleResult};
use svc_kit::pg::{Caller, set_config_statement};
use tokio_postgres::{
    Row, Statement,
    types::{ToSql, Type},
};

use crate::{
    config::Config,
    error::{Error, Result},
    sql::{Param, Sql},
    target::Target,
};

/// Statements kept per connection. Beyond it all are forgotten: shapes of requests are few, and a client
/// that makes up new ones must not fill the server's memory.
const MAX_STATEMENTS: usize = 500;

/// A connection with what was prepared on it.
pub(crate) struct Connection {
    client: tokio_postgres::Client,
    statements: HashMap<String, Statement>,
    generation: u64,
}

/// Makes connections for the pool.
pub(crate) struct Manager {
    config: Target,
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
    type Error = tokio_postgres::Error;

    async fn create(&self) -> std::result::Result<Connection, tokio_postgres::Error> {
        Ok(Connection {
            generation: self.generation.load(Ordering::Relaxed),
            client: connect(&self.config).await?,
            statements: HashMap::new(),
        })
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<tokio_postgres::Error> {
        if connection.client.is_closed() {
            return Err(RecycleError::message("connection closed"));
        }
        if connection.generation != self.generation.load(Ordering::Relaxed) {
            return Err(RecycleError::message("connection of an earlier catalog"));
        }
        if connection.statements.len() > MAX_STATEMENTS {
            connection.statements.clear();
        }
        Ok(())
    }
}

/// Opens one connection and drives it in the background.
pub(crate) async fn connect(
    target: &Target,
) -> std::result::Result<tokio_postgres::Client, tokio_postgres::Error> {
    let (client, connection) = target.connect().await?;
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "database connection ended");
        }
    });
    Ok(client)
}

/// The pool of a service.
pub(crate) type Pool = managed::Pool<Manager>;

/// Makes a pool that connects when it is first used.
pub(crate) fn pool(config: &Config) -> anyhow::Result<(Pool, Target)> {
    let pg = Target::of(config)?;
    let manager = Manager {
        config: pg.clone(),
        generation: AtomicU64::new(0),
    };
    let pool = Pool::builder(manager)
        .max_size(config.pool)
        .wait_timeout(Some(config.pool_timeout))
        .create_timeout(Some(config.pool_timeout))
        .runtime(deadpool::Runtime::Tokio1)
        .build()?;
    Ok((pool, pg))
}

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
}

/// Looks at the rows before the transaction ends, and may refuse them.
pub(crate) type Accept<'a> = &'a (dyn Fn(&[Row]) -> Result<()> + Sync);

/// Runs the transaction. `accept` looks at the rows before the end and may refuse them, which rolls back;
/// without it COMMIT is sent along with the statement.
pub(crate) async fn run(
    pool: &Pool,
    plan: &Plan<'_>,
    accept: Option<Accept<'_>>,
) -> Result<Vec<Row>> {
    let mut connection = pool.get().await.map_err(|error| match error {
        managed::PoolError::Timeout(_) => Error::pool_timeout(),
        managed::PoolError::Backend(error) => Error::connection(&error.to_string()),
        other => Error::connection(&other.to_string()),
    })?;
    let failed = |error: &tokio_postgres::Error| Error::from_postgres(error, plan.is_anonymous);
    let settings: Vec<(&str, &str)> = plan.caller.transaction_settings().collect();
    let set_sql = set_config_statement(settings.len());
    // Before the transaction: preparing fails in an aborted one, and this statement needs no rights.
    let set = if plan.prepared {
        let prepared = prepare(&mut connection, &set_sql).await;
        Some(prepared.map_err(|error| failed(&error))?)
    } else {
        None
    };
    let set_values: Vec<Param> = settings
        .iter()
        .flat_map(|(name, value)| [name, value])
        .map(|text| Param(Some(text.as_bytes().to_vec().into())))
        .collect();
    let known = connection
        .statements
        .get(plan.statement.text())
        .cloned()
        .filter(|_| plan.prepared);
    let guard = Guard::new(connection);
    let client = &guard.connection().client;
    let values = references(plan.statement.params());

    let begin = client.batch_execute(plan.mode.begin());
    let set_values = references(&set_values);
    let configure = async {
        match &set {
            Some(set) => client.query(set, &set_values).await,
            None => client.query_typed(&set_sql, &untyped(&set_values)).await,
        }
    };
    let before = async {
        match plan.pre_request {
            Some(call) => client.batch_execute(call.text()).await,
            None => Ok(()),
        }
    };
    let (guard, rows) = match (known, accept) {
        (Some(statement), None) => {
            let (begun, configured, prepared, rows, ended) = tokio::join!(
                begin,
                configure,
                before,
                client.query(&statement, &values),
                end(client, plan.commit)
            );
            let rows = first_error(begun, configured.map(|_| ()), prepared, rows);
            let rows = rows
                .and_then(|rows| ended.map(|()| rows))
                .map_err(|error| failed(&error));
            return guard.finish(rows);
        }
        (known, accept) => {
            let (begun, configured, prepared) = tokio::join!(begin, configure, before);
            let ready = begun.and(configured.map(|_| ())).and(prepared);
            let run = async {
                ready?;
                let statement = match known {
                    Some(statement) => Some(statement),
                    None if plan.prepared => Some(client.prepare(plan.statement.text()).await?),
                    None => None,
                };
                let rows = if let Some(statement) = &statement {
                    client.query(statement, &values).await?
                } else {
                    // A pooler between us may give the next statement to another session.
                    let values = untyped(&values);
                    client.query_typed(plan.statement.text(), &values).await?
                };
                Ok((rows, statement))
            };
            let outcome = run.await;
            let result = match outcome {
                Err(error) => Err(failed(&error)),
                Ok((rows, statement)) => match accept.map_or(Ok(()), |accept| accept(&rows)) {
                    Err(error) => Err(error),
                    Ok(()) => Ok((rows, statement)),
                },
            };
            let ended = end(client, plan.commit && result.is_ok()).await;
            match (result, ended) {
                (Ok((rows, statement)), Ok(())) => {
                    let mut guard = guard;
                    if let Some(statement) = statement {
                        guard.remember(plan.statement.text(), statement);
                    }
                    (guard, Ok(rows))
                }
                (Ok(_), Err(error)) => (guard, Err(failed(&error))),
                (Err(error), _) => (guard, Err(error)),
            }
        }
    };
    guard.finish(rows)
}

/// COMMIT, or a rollback that lets deferred constraints speak first.
async fn end(
    client: &tokio_postgres::Client,
    commit: bool,
) -> std::result::Result<(), tokio_postgres::Error> {
    if commit {
        client.batch_execute("COMMIT").await
    } else {
        let checked = client.batch_execute("SET CONSTRAINTS ALL IMMEDIATE");
        let (checked, ended) = tokio::join!(checked, client.batch_execute("ROLLBACK"));
        // After a failed statement the check fails too, and says nothing new.
        match checked {
            Err(error) if error.code().is_some_and(|code| code.code() != "25P02") => Err(error),
            _ => ended,
        }
    }
}

/// What fails first makes the rest fail with 25P02, so the first is the reason.
fn first_error<T>(
    begun: std::result::Result<(), tokio_postgres::Error>,
    configured: std::result::Result<(), tokio_postgres::Error>,
    prepared: std::result::Result<(), tokio_postgres::Error>,
    rows: std::result::Result<T, tokio_postgres::Error>,
) -> std::result::Result<T, tokio_postgres::Error> {
    begun?;
    configured?;
    prepared?;
    rows
}

fn references(params: &[Param]) -> Vec<&(dyn ToSql + Sync)> {
    params
        .iter()
        .map(|param| param as &(dyn ToSql + Sync))
        .collect()
}

/// Values whose types the statement decides.
fn untyped<'a>(values: &[&'a (dyn ToSql + Sync)]) -> Vec<(&'a (dyn ToSql + Sync), Type)> {
    values.iter().map(|value| (*value, Type::UNKNOWN)).collect()
}

async fn prepare(
    connection: &mut Connection,
    sql: &str,
) -> std::result::Result<Statement, tokio_postgres::Error> {
    if let Some(statement) = connection.statements.get(sql) {
        return Ok(statement.clone());
    }
    let statement = connection.client.prepare(sql).await?;
    connection
        .statements
        .insert(sql.to_owned(), statement.clone());
    Ok(statement)
}

/// A request that is dropped half-way (its client went away) leaves a transaction open on its connection. It is
/// ended before the connection serves anybody else, and until then keeps its place in the pool: the database is
/// still at work for it.
struct Guard(Option<managed::Object<Manager>>);

impl Guard {
    fn new(connection: managed::Object<Manager>) -> Self {
        Self(Some(connection))
    }

    fn connection(&self) -> &Connection {
        match &self.0 {
            Some(connection) => connection,
            None => unreachable!("the connection leaves with the guard"),
        }
    }

    fn remember(&mut self, text: &str, statement: Statement) {
        if let Some(connection) = &mut self.0 {
            connection.statements.insert(text.to_owned(), statement);
        }
    }

    /// The transaction has ended, so the connection may go back.
    fn finish<T>(mut self, result: T) -> T {
        drop(self.0.take());
        result
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        let Some(connection) = self.0.take() else {
            return;
        };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            drop(managed::Object::take(connection));
            return;
        };
        runtime.spawn(async move {
            if connection.client.batch_execute("ROLLBACK").await.is_err() {
                drop(managed::Object::take(connection));
            }
        });
    }
}
