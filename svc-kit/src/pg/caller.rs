use std::{borrow::Cow, fmt::Write as _};

use sqlx::{PgPool, Postgres, Transaction};

use super::quote_literal;
use crate::jwt::Claims;

/// On whose behalf a transaction runs: a database role, the claims of the token, and settings of the
/// request that policies and functions may read.
#[derive(Clone, Debug)]
pub struct Caller {
    /// The database role that the transaction switches to.
    pub role: String,
    /// JSON text for `request.jwt.claims`.
    pub claims_json: String,
    /// Settings that are made before the role is switched, with the rights of the login role.
    pub before_role: Vec<(Cow<'static, str>, String)>,
    /// Further transaction-local settings, such as `request.method` or `storage.operation`.
    pub settings: Vec<(Cow<'static, str>, String)>,
}

impl Caller {
    /// The caller that a verified token stands for.
    pub fn new(role: impl Into<String>, claims: &Claims) -> Self {
        Self {
            role: role.into(),
            claims_json: claims.to_json(),
            before_role: Vec::new(),
            settings: Vec::new(),
        }
    }

    /// Adds a setting.
    #[must_use]
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Self {
        self.settings.push((name.into(), value.into()));
        self
    }

    /// Every setting of the transaction, in order, as names and values for `set_config`.
    ///
    /// This list is the one place that says what claims become in Postgres. Drivers differ, the list
    /// does not: [`begin_as`] sends it through sqlx, rest-svc pipelines it in front of its query.
    pub fn transaction_settings(&self) -> impl Iterator<Item = (&str, &str)> {
        self.before_role
            .iter()
            .map(|(name, value)| (name.as_ref(), value.as_str()))
            .chain([
                ("role", self.role.as_str()),
                ("request.jwt.claims", self.claims_json.as_str()),
            ])
            .chain(
                self.settings
                    .iter()
                    .map(|(name, value)| (name.as_ref(), value.as_str())),
            )
    }
}

/// `select num_nulls(set_config('role', $1, true), set_config('request.jwt.claims', $2, true), …)` for settings of these
/// names, of which there is at least one.
///
/// The text depends on the names alone, so it is a good key for a prepared statement. The function around them
/// keeps Postgres from sending every value back.
///
/// A `search_path` that the session has already is not made again: Postgres would look up its schemas, and again at
/// the end of the transaction, which is a third of what the settings of a request cost.
pub fn set_config_statement<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut sql = String::from("select num_nulls(");
    for (index, name) in names.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { ", " };
        let is_path = name == "search_path";
        let (name, value) = (quote_literal(name), index + 1);
        let set = format!("set_config({name}, ${value}, true)");
        let _ = if is_path {
            write!(
                sql,
                "{separator}case when current_setting({name}) <> ${value} then {set} end"
            )
        } else {
            write!(sql, "{separator}{set}")
        };
    }
    sql.push(')');
    sql
}

/// Opens a transaction in which every statement runs under the caller's role and claims.
///
/// Ends with the transaction: a connection goes back to the pool without a trace of the caller.
pub async fn begin_as(
    pool: &PgPool,
    caller: &Caller,
) -> Result<Transaction<'static, Postgres>, sqlx::Error> {
    let mut tx = pool.begin().await?;
    let sql = set_config_statement(caller.transaction_settings().map(|(name, _)| name));
    let mut query = sqlx::query(sqlx::AssertSqlSafe(sql));
    for (_, value) in caller.transaction_settings() {
        query = query.bind(value.to_owned());
    }
    query.execute(&mut *tx).await?;
    Ok(tx)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn role_and_claims_come_first_and_settings_follow() {
        let caller = Caller::new("anon", &Claims::anonymous("anon")).with("request.method", "GET");
        let names: Vec<_> = caller
            .transaction_settings()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["role", "request.jwt.claims", "request.method"]);
        assert_eq!(
            set_config_statement(["role", "app.it's"]),
            "select num_nulls(set_config('role', $1, true), set_config('app.it''s', $2, true))"
        );
        assert_eq!(
            set_config_statement(["search_path"]),
            "select num_nulls(case when current_setting('search_path') <> $1 then set_config('search_path', $1, true) end)"
        );
    }
}
