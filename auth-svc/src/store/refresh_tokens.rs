//! `auth.refresh_tokens`: the opaque kind, one row per token.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use sqlx::{AssertSqlSafe, FromRow, PgConnection};
use uuid::Uuid;

/// One token.
#[derive(Clone, Debug, Deserialize, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct RefreshToken {
    pub id: i64,
    pub token: String,
    pub user_id: String,
    pub revoked: bool,
    pub updated_at: DateTime<Utc>,
    pub parent: String,
    pub session_id: Option<Uuid>,
}

/// What a [`RefreshToken`] is read from.
pub(super) const COLUMNS: &str = "\
    id, coalesce(token, '') as token, coalesce(user_id, '') as user_id, \
    coalesce(revoked, false) as revoked, coalesce(updated_at, 'epoch') as updated_at, \
    coalesce(parent, '') as parent, session_id";

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select {COLUMNS} from auth.refresh_tokens where {condition}"
    ))
}

/// By its text.
pub async fn find(
    conn: &mut PgConnection,
    token: &str,
) -> Result<Option<RefreshToken>, sqlx::Error> {
    sqlx::query_as(select("token = $1"))
        .bind(token)
        .fetch_optional(conn)
        .await
}

/// The newest live token of a session.
pub async fn active(
    conn: &mut PgConnection,
    session: Uuid,
) -> Result<Option<RefreshToken>, sqlx::Error> {
    sqlx::query_as(select(
        "session_id = $1 and revoked = false order by id desc limit 1",
    ))
    .bind(session)
    .fetch_optional(conn)
    .await
}

/// Adds a token; `parent` is the one that it was exchanged for.
pub async fn insert(
    conn: &mut PgConnection,
    token: &str,
    user: Uuid,
    session: Uuid,
    parent: Option<&str>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.refresh_tokens
            (instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
         values ('00000000-0000-0000-0000-000000000000', $1, $2, false, $3, $3, $4, $5)",
    )
    .bind(token)
    .bind(user.to_string())
    .bind(now)
    .bind(parent)
    .bind(session)
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends one token.
pub async fn revoke(
    conn: &mut PgConnection,
    id: i64,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.refresh_tokens set revoked = true, updated_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends all tokens of a session.
pub async fn revoke_family(
    conn: &mut PgConnection,
    session: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.refresh_tokens set revoked = true, updated_at = $2
         where session_id = $1 and revoked = false",
    )
    .bind(session)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a token that belongs to no session.
pub async fn delete(conn: &mut PgConnection, id: i64) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.refresh_tokens where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}
