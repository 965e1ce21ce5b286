//! Users with all that belongs to them, in one statement: what nearly every request asks for.

use std::sync::{Arc, LazyLock};

use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

use super::{
    factors::{self, Factor},
    identities::{self, Identity},
    sessions::{self, Session},
    users::{self, User},
};

/// A user with its identities and second factors.
#[derive(Clone, Debug)]
pub struct Account {
    /// The row.
    pub user: User,
    /// The ways to sign in.
    pub identities: Vec<Identity>,
    /// The second factors.
    pub factors: Vec<Factor>,
}

/// How an [`Account`] comes from the database.
#[derive(Debug, FromRow)]
pub(super) struct Row {
    #[sqlx(flatten)]
    user: User,
    identities: Json<Vec<Identity>>,
    factors: Json<Vec<Factor>>,
}

impl From<Row> for Account {
    fn from(row: Row) -> Self {
        Self {
            user: row.user,
            identities: row.identities.0,
            factors: row.factors.0,
        }
    }
}

/// The columns of a [`Row`], given that `u` has the user's.
pub(super) fn columns() -> String {
    format!(
        "u.*,
         (select coalesce(json_agg(i), '[]') from (
             select {} from auth.identities where user_id = u.id order by created_at
         ) as i) as identities,
         (select coalesce(json_agg(f), '[]') from (
             select {} from auth.mfa_factors where user_id = u.id order by created_at
         ) as f) as factors",
        identities::COLUMNS,
        factors::COLUMNS
    )
}

/// The user of this id, which is an expression.
pub(super) fn user(id: &str) -> String {
    format!(
        "select {} from auth.users where {} and id = {id}",
        users::COLUMNS,
        users::OURS
    )
}

/// By id.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Account>, sqlx::Error> {
    static SQL: LazyLock<Arc<str>> =
        LazyLock::new(|| format!("select {} from ({}) as u", columns(), user("$1")).into());
    let row: Option<Row> = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(id)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(Account::from))
}

/// By id, with a session, whosever it is.
pub async fn find_with_session(
    conn: &mut PgConnection,
    id: Uuid,
    session: Option<Uuid>,
) -> Result<Option<(Account, Option<Session>)>, sqlx::Error> {
    #[derive(FromRow)]
    struct Both {
        #[sqlx(flatten)]
        account: Row,
        session: Option<Json<Session>>,
    }
    static SQL: LazyLock<Arc<str>> = LazyLock::new(|| {
        format!(
            "select {}, (select row_to_json(s) from (
             select {} from auth.sessions where id = $2
         ) as s) as session
         from ({}) as u",
            columns(),
            sessions::COLUMNS,
            user("$1")
        )
        .into()
    });
    let row: Option<Both> = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(id)
        .bind(session)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(|row| (row.account.into(), row.session.map(|Json(session)| session))))
}
