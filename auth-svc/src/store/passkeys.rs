//! `auth.webauthn_credentials` and `auth.webauthn_challenges`: passkeys, and the ceremonies that they are made
//! and used in.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One passkey.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Passkey {
    pub id: Uuid,
    pub user_id: Uuid,
    pub credential_id: Vec<u8>,
    /// A COSE key.
    pub public_key: Vec<u8>,
    pub attestation_type: String,
    pub aaguid: Option<Uuid>,
    pub sign_count: i64,
    pub transports: Json<Vec<String>>,
    pub backup_eligible: bool,
    pub backed_up: bool,
    pub friendly_name: String,
    pub created_at: DateTime<Utc>,
    pub last_used_at: Option<DateTime<Utc>>,
}

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count,
                transports, backup_eligible, backed_up, friendly_name, created_at, last_used_at
         from auth.webauthn_credentials where {condition}"
    ))
}

/// All of a user's, oldest first.
pub async fn of_user(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Passkey>, sqlx::Error> {
    sqlx::query_as(select("user_id = $1 order by created_at"))
        .bind(user)
        .fetch_all(conn)
        .await
}

/// One of a user's.
pub async fn find(
    conn: &mut PgConnection,
    user: Uuid,
    id: Uuid,
) -> Result<Option<Passkey>, sqlx::Error> {
    sqlx::query_as(select("user_id = $1 and id = $2"))
        .bind(user)
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// How many a user has. Waits for whoever else adds one to the same user.
pub async fn count_locked(conn: &mut PgConnection, user: Uuid) -> Result<i64, sqlx::Error> {
    sqlx::query("select from auth.users where id = $1 for no key update")
        .bind(user)
        .execute(&mut *conn)
        .await?;
    sqlx::query_scalar("select count(*) from auth.webauthn_credentials where user_id = $1")
        .bind(user)
        .fetch_one(conn)
        .await
}

/// Adds one.
pub async fn insert(conn: &mut PgConnection, new: &Passkey) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.webauthn_credentials
            (id, user_id, credential_id, public_key, attestation_type, aaguid, sign_count, transports,
             backup_eligible, backed_up, friendly_name, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $12)",
    )
    .bind(new.id)
    .bind(new.user_id)
    .bind(&new.credential_id)
    .bind(&new.public_key)
    .bind(&new.attestation_type)
    .bind(new.aaguid)
    .bind(new.sign_count)
    .bind(&new.transports)
    .bind(new.backup_eligible)
    .bind(new.backed_up)
    .bind(&new.friendly_name)
    .bind(new.created_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes a sign-in.
pub async fn record_use(
    conn: &mut PgConnection,
    id: Uuid,
    sign_count: i64,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.webauthn_credentials
         set sign_count = $2, last_used_at = $3, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(sign_count)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Changes the name.
pub async fn rename(
    conn: &mut PgConnection,
    id: Uuid,
    name: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.webauthn_credentials set friendly_name = $2, updated_at = $3 where id = $1",
    )
    .bind(id)
    .bind(name)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes one.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.webauthn_credentials where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes all of a user's.
pub async fn delete_of_user(conn: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.webauthn_credentials where user_id = $1")
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}

/// A ceremony that has begun.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Ceremony {
    pub id: Uuid,
    /// Nobody yet, when it is to find out who the user is.
    pub user_id: Option<Uuid>,
    /// `registration` or `authentication`.
    pub challenge_type: String,
    pub session_data: Json<Value>,
    pub expires_at: DateTime<Utc>,
}

/// Notes that a ceremony began.
pub async fn begin(
    conn: &mut PgConnection,
    new: &Ceremony,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.webauthn_challenges
            (id, user_id, challenge_type, session_data, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(new.id)
    .bind(new.user_id)
    .bind(&new.challenge_type)
    .bind(&new.session_data)
    .bind(now)
    .bind(new.expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes a ceremony away, so that it can be finished only once.
pub async fn consume(
    conn: &mut PgConnection,
    id: Uuid,
    challenge_type: &str,
    user: Option<Uuid>,
) -> Result<Option<Ceremony>, sqlx::Error> {
    sqlx::query_as(
        "delete from auth.webauthn_challenges
         where id = $1 and challenge_type = $2 and user_id is not distinct from $3
         returning id, user_id, challenge_type, session_data, expires_at",
    )
    .bind(id)
    .bind(challenge_type)
    .bind(user)
    .fetch_optional(conn)
    .await
}
