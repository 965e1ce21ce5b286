//! What policies on `realtime.messages` let a caller do in a private channel.
//!
//! Postgres is asked by trying: a row of the channel is inserted, looked at or not, and always rolled back, so that it
//! never reaches the log.

use std::{sync::Arc, time::Duration};

use svc_kit::{
    pg::Caller,
    wire::{Failure, Lease, Pool, PoolError},
};
use uuid::Uuid;

use crate::token::Token;

/// The plan of a statement that the service itself runs.
const SERVICE: &str = "";
/// How long a question may take.
const PATIENCE: Duration = Duration::from_secs(10);
const BROADCAST: &str = "broadcast";
const PRESENCE: &str = "presence";

/// Who asks about which channel.
#[derive(Clone, Debug)]
pub(crate) struct Context {
    /// Without `realtime:`.
    pub(crate) topic: Arc<str>,
    pub(crate) token: Arc<Token>,
    /// The JSON text that `request.headers` receives.
    pub(crate) headers: Arc<str>,
}

/// What a channel may read. Presence is asked about only where it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Reads {
    pub(crate) broadcast: bool,
    pub(crate) presence: Option<bool>,
}

/// What a channel may write: one question for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Write {
    Broadcast,
    Presence,
}

/// Why Postgres gave no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PolicyError {
    /// A policy fails, or the role does not exist.
    #[error("{0}")]
    Policy(String),
    #[error("Realtime was unable to find the expected messages partition")]
    MissingPartition,
    #[error("{0}")]
    Canceled(String),
    #[error("Please increase your connection pool size")]
    PoolExhausted,
    #[error("Realtime was unable to connect to the project database")]
    Unavailable,
}

impl From<PoolError> for PolicyError {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(deadpool::managed::TimeoutType::Wait) => Self::PoolExhausted,
            _ => Self::Unavailable,
        }
    }
}

impl From<Failure> for PolicyError {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Database(error) => match error.code.as_str() {
                "57014" => Self::Canceled(error.message),
                // No partition for the row.
                "23514" => Self::MissingPartition,
                // The server goes away, or has no connection left.
                code if code.starts_with("57P") || code.starts_with("53") => Self::Unavailable,
                _ => Self::Policy(error.message),
            },
            Failure::Connection(_) => Self::Unavailable,
            Failure::Unsendable(error) => Self::Policy(error.to_string()),
        }
    }
}

/// Why a question was not answered as it was asked.
enum Refused {
    Database(Failure),
    /// The database took too long.
    Late,
}

impl From<Refused> for PolicyError {
    fn from(refused: Refused) -> Self {
        match refused {
            Refused::Database(failure) => failure.into(),
            Refused::Late => Self::Canceled("the question took too long".to_owned()),
        }
    }
}

/// A lock or a slow policy must not hold a connection for ever.
async fn within<T>(answer: impl Future<Output = Result<T, Failure>>) -> Result<T, Refused> {
    match tokio::time::timeout(PATIENCE, answer).await {
        Ok(answer) => answer.map_err(Refused::Database),
        Err(_) => Err(Refused::Late),
    }
}

/// Asks Postgres.
#[derive(Clone)]
pub(crate) struct Policies {
    pool: Pool,
}

impl std::fmt::Debug for Policies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Policies").finish_non_exhaustive()
    }
}

impl Policies {
    pub(crate) fn new(pool: Pool) -> Self {
        Self { pool }
    }

    /// What the caller may read in the channel.
    pub(crate) async fn reads(
        &self,
        context: &Context,
        presence: bool,
    ) -> Result<Reads, PolicyError> {
        let mut lease = Lease::take(&self.pool).await?;
        let probes = [Uuid::new_v4().to_string(), Uuid::new_v4().to_string()];
        let count = if presence { 2 } else { 1 };
        let (connection, session) = lease.parts();
        let insert = if presence {
            "insert into realtime.messages (id, topic, extension) values ($1::uuid, $3, 'broadcast'), ($2::uuid, $3, 'presence')"
        } else {
            "insert into realtime.messages (id, topic, extension) values ($1::uuid, $2, 'broadcast')"
        };
        let mut values: Vec<_> = probes[..count].iter().map(String::as_str).collect();
        values.push(&context.topic);
        connection.queue(Some(SERVICE), "begin", [])?;
        connection.queue(Some(SERVICE), insert, bytes(&values))?;
        let caller = caller(context);
        let settings: Vec<_> = caller.transaction_settings().collect();
        let names = settings.iter().map(|(_, value)| Some(value.as_bytes()));
        connection.queue(Some(SERVICE), session.text(&settings), names)?;
        let found = "select extension from realtime.messages where id in ($1::uuid, $2::uuid)";
        connection.queue(
            Some(&context.token.role),
            found,
            bytes(&[&probes[0], &probes[1]]),
        )?;
        connection.queue(Some(SERVICE), "rollback", [])?;
        // begin, insert, settings, select, rollback
        let rows = within(connection.exchange_all()).await?;
        let readable = |extension: &str| {
            let rows = rows.get(3).into_iter().flatten();
            rows.filter_map(|row| row.text(0)).any(|it| it == extension)
        };
        Ok(Reads {
            broadcast: readable(BROADCAST),
            presence: presence.then(|| readable(PRESENCE)),
        })
    }

    /// Whether the caller may write to the channel.
    pub(crate) async fn may_write(
        &self,
        context: &Context,
        what: Write,
    ) -> Result<bool, PolicyError> {
        let mut lease = Lease::take(&self.pool).await?;
        let (connection, session) = lease.parts();
        connection.queue(Some(SERVICE), "begin", [])?;
        let caller = caller(context);
        let settings: Vec<_> = caller.transaction_settings().collect();
        let values = settings.iter().map(|(_, value)| Some(value.as_bytes()));
        connection.queue(Some(SERVICE), session.text(&settings), values)?;
        let extension = match what {
            Write::Broadcast => BROADCAST,
            Write::Presence => PRESENCE,
        };
        let insert = "insert into realtime.messages (topic, extension) values ($1, $2)";
        connection.queue(
            Some(&context.token.role),
            insert,
            bytes(&[&*context.topic, extension]),
        )?;
        connection.queue(Some(SERVICE), "rollback", [])?;
        match within(connection.exchange_all()).await {
            Ok(_) => Ok(true),
            Err(Refused::Database(Failure::Database(error))) if error.code == "42501" => Ok(false),
            Err(error) => Err(error.into()),
        }
    }
}

fn bytes<'a>(values: &'a [&'a str]) -> impl Iterator<Item = Option<&'a [u8]>> {
    values.iter().map(|value| Some(value.as_bytes()))
}

/// The settings that policies may read.
fn caller(context: &Context) -> Caller {
    let Context {
        topic,
        token,
        headers,
    } = context;
    let caller = Caller::new(&*token.role, &token.claims)
        .with("realtime.topic", &**topic)
        .with("request.jwt.claim.role", &*token.role)
        .with("request.headers", &**headers);
    match token.claims.subject() {
        Some(subject) => caller.with("request.jwt.claim.sub", subject),
        None => caller,
    }
}
