//! Statements of the service itself: how they are sent, and what their failures mean.

use std::{fmt::Write as _, time::Duration};

use svc_kit::wire::{Connection, DbError, Failure, Lease, Pool, PoolError, Row};

/// Dates are read and written in UTC, and nothing may hold up the changes of everybody for longer than this.
/// Who waits for a lock gives up first: that says nothing of the statement.
///
/// A plan is kept, and one that was made while a table was small would read all of it for every key when it is large.
/// The cost that this pretends would set off the compiler.
const SETTINGS: &str = "select num_nulls(set_config('TimeZone', 'UTC', true), \
     set_config('statement_timeout', $1, true), set_config('lock_timeout', $2, true), \
     set_config('enable_seqscan', 'off', true), set_config('jit', 'off', true))";

/// The database has no answer now; it may have one later.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DatabaseError {
    #[error("no database connection: {0}")]
    Pool(#[from] PoolError),
    #[error("database: {0}")]
    Failed(#[from] Failure),
    #[error("the database did not answer in time")]
    Timeout,
}

impl DatabaseError {
    /// The database's words if they are about what was asked, and would be the same the next time.
    pub(super) fn refusal(&self) -> Option<&DbError> {
        match self {
            Self::Failed(Failure::Database(error)) if !is_passing(&error.code) => Some(error),
            _ => None,
        }
    }

    /// SQLSTATE if it is about what was asked, or if that took too long: it would be no better the next time.
    pub(super) fn fault(&self) -> Option<&str> {
        match self {
            Self::Failed(Failure::Database(error))
                if error.code == SLOW || !is_passing(&error.code) =>
            {
                Some(&error.code)
            }
            _ => None,
        }
    }
}

/// `query_canceled`
pub(super) const SLOW: &str = "57014";

/// True for what says nothing of the statement: connections, resources, an operator, locks.
fn is_passing(code: &str) -> bool {
    let class = code.get(..2).unwrap_or_default();
    matches!(class, "08" | "25" | "40" | "53" | "57" | "58") || matches!(code, "55P03" | "55006")
}

/// A statement with its parameters in text format.
pub(super) struct Statement<'a> {
    pub(super) text: &'a str,
    pub(super) values: Vec<Option<&'a [u8]>>,
}

impl<'a> Statement<'a> {
    pub(super) fn new(text: &'a str, values: impl IntoIterator<Item = &'a str>) -> Self {
        let values = values.into_iter().map(|value| Some(value.as_bytes()));
        Self {
            text,
            values: values.collect(),
        }
    }
}

/// How the database is reached.
#[derive(Clone)]
pub(super) struct Database {
    pub(super) pool: Pool,
    /// How long an exchange may take.
    pub(super) patience: Duration,
}

impl Database {
    /// Runs statements as the service, in one transaction and one round trip; gives the rows of each.
    pub(super) async fn run(
        &self,
        statements: &[Statement<'_>],
    ) -> Result<Vec<Vec<Row>>, DatabaseError> {
        let mut lease = Lease::take(&self.pool).await?;
        let connection = lease.parts().0;
        self.begin(connection)?;
        for statement in statements {
            queue(
                connection,
                "",
                statement.text,
                statement.values.iter().copied(),
            )?;
        }
        let exchange = connection.exchange_all();
        let mut rows = self.within(statements.len(), exchange).await?;
        if !rows.is_empty() {
            rows.remove(0);
        }
        Ok(rows)
    }

    /// Queues the settings of an exchange.
    pub(super) fn begin(&self, connection: &mut Connection) -> Result<(), Failure> {
        let whole = self.patience.as_millis();
        let (whole, half) = (whole.to_string(), (whole / 2).max(1).to_string());
        let values = [Some(whole.as_bytes()), Some(half.as_bytes())];
        queue(connection, "", SETTINGS, values)
    }

    /// Waits no longer than patience allows for so many statements, with something added for the way.
    pub(super) async fn within<T>(
        &self,
        statements: usize,
        exchange: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, DatabaseError> {
        let statements = u32::try_from(statements).unwrap_or(u32::MAX);
        let limit = self.patience.saturating_mul(statements) + Duration::from_secs(1);
        match tokio::time::timeout(limit, exchange).await {
            Ok(outcome) => Ok(outcome?),
            Err(_) => Err(DatabaseError::Timeout),
        }
    }
}

/// Queues a statement that is kept prepared for a role, as far as `role` tells it from others.
pub(super) fn queue<'a>(
    connection: &mut Connection,
    role: &str,
    text: &str,
    values: impl IntoIterator<Item = Option<&'a [u8]>>,
) -> Result<(), Failure> {
    connection.queue(Some(role), text, values)
}

/// The text of an array.
pub(super) fn array<'a>(items: impl IntoIterator<Item = Option<&'a str>>) -> String {
    let mut text = String::from("{");
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        let Some(item) = item else {
            text.push_str("NULL");
            continue;
        };
        text.push('"');
        for character in item.chars() {
            if matches!(character, '"' | '\\') {
                text.push('\\');
            }
            text.push(character);
        }
        text.push('"');
    }
    text.push('}');
    text
}

/// The text of an array of values that need no quotes.
pub(super) fn plain_array<T: std::fmt::Display>(items: impl IntoIterator<Item = T>) -> String {
    let mut text = String::from("{");
    for (index, item) in items.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        let _ = write!(text, "{separator}{item}");
    }
    text.push('}');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_of_an_array_are_quoted() {
        let items = [Some(r#"a"b\c"#), None, Some("NULL")];
        assert_eq!(array(items), r#"{"a\"b\\c",NULL,"NULL"}"#);
        assert_eq!(plain_array([1, 2]), "{1,2}");
    }
}
