//! `auth.mfa_factors`. What a factor is proved with is read apart from the factor itself, so that it cannot
//! end up in an answer.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::Value;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One second factor.
#[derive(Clone, Debug, Deserialize, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Factor {
    pub id: Uuid,
    pub friendly_name: String,
    pub factor_type: String,
    pub status: String,
    pub phone: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub last_challenged_at: Option<DateTime<Utc>>,
    pub web_authn_aaguid: Option<Uuid>,
    pub last_webauthn_challenge_data: Option<Json<Value>>,
}

impl Factor {
    /// True once a challenge was answered.
    pub fn is_verified(&self) -> bool {
        self.status == "verified"
    }
}

/// A factor that is about to be added, not verified yet.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewFactor<'a> {
    pub id: Uuid,
    pub user_id: Uuid,
    pub friendly_name: &'a str,
    pub factor_type: &'a str,
    pub secret: Option<&'a str>,
    pub phone: Option<&'a str>,
}

/// What a [`Factor`] is read from.
pub(super) const COLUMNS: &str = "\
    id, coalesce(friendly_name, '') as friendly_name, factor_type::text as factor_type, \
    status::text as status, coalesce(phone, '') as phone, created_at, updated_at, \
    last_challenged_at, web_authn_aaguid, last_webauthn_challenge_data";

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select {COLUMNS} from auth.mfa_factors where {condition}"
    ))
}

/// All of a user's.
pub async fn of_user(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Factor>, sqlx::Error> {
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
) -> Result<Option<Factor>, sqlx::Error> {
    sqlx::query_as(select("user_id = $1 and id = $2"))
        .bind(user)
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// One of a user's, locked until the transaction ends. The others are locked with it, in the order of their
/// ids: proving one removes others, and two that did so at once would wait for each other.
pub async fn lock(
    conn: &mut PgConnection,
    user: Uuid,
    id: Uuid,
) -> Result<Option<Factor>, sqlx::Error> {
    let all: Vec<Factor> = sqlx::query_as(select("user_id = $1 order by id for update"))
        .bind(user)
        .fetch_all(conn)
        .await?;
    Ok(all.into_iter().find(|factor| factor.id == id))
}

/// The secret of a TOTP factor, in base32, as it is stored.
pub async fn secret(conn: &mut PgConnection, id: Uuid) -> Result<String, sqlx::Error> {
    sqlx::query_scalar("select coalesce(secret, '') from auth.mfa_factors where id = $1")
        .bind(id)
        .fetch_one(conn)
        .await
}

/// Stores the secret of a TOTP factor again, in another form.
pub async fn set_secret(
    conn: &mut PgConnection,
    id: Uuid,
    secret: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.mfa_factors set secret = $2 where id = $1")
        .bind(id)
        .bind(secret)
        .execute(conn)
        .await?;
    Ok(())
}

/// The WebAuthn credentials of a user's verified factors.
pub async fn credentials(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Value>, sqlx::Error> {
    let rows: Vec<Json<Value>> = sqlx::query_scalar(
        "select web_authn_credential from auth.mfa_factors
         where user_id = $1 and status = 'verified' and factor_type = 'webauthn'
           and web_authn_credential is not null
         order by created_at",
    )
    .bind(user)
    .fetch_all(conn)
    .await?;
    Ok(rows.into_iter().map(|Json(value)| value).collect())
}

/// Adds one. The secret of the kinds that have none is empty, not null, which GoTrue could not read.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewFactor<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.mfa_factors
            (id, user_id, friendly_name, factor_type, status, created_at, updated_at, secret, phone)
         values ($1, $2, $3, $4::auth.factor_type, 'unverified', $5, $5, coalesce($6, ''), $7)",
    )
    .bind(new.id)
    .bind(new.user_id)
    .bind(new.friendly_name)
    .bind(new.factor_type)
    .bind(now)
    .bind(new.secret)
    .bind(new.phone)
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that a challenge was answered.
pub async fn set_verified(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.mfa_factors set status = 'verified', updated_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes that a challenge was made.
pub async fn set_challenged(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.mfa_factors set last_challenged_at = $2, updated_at = $2 where id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps the credential that a WebAuthn factor is proved with from now on.
pub async fn set_credential(
    conn: &mut PgConnection,
    id: Uuid,
    credential: &Value,
    aaguid: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.mfa_factors
         set web_authn_credential = $2, web_authn_aaguid = $3, updated_at = $4
         where id = $1",
    )
    .bind(id)
    .bind(Json(credential))
    .bind(aaguid)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Keeps the last ceremony, which clients are shown.
pub async fn set_last_ceremony(
    conn: &mut PgConnection,
    id: Uuid,
    ceremony: &Value,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.mfa_factors
         set last_webauthn_challenge_data = $2, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(Json(ceremony))
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
    sqlx::query("update auth.mfa_factors set friendly_name = $2, updated_at = $3 where id = $1")
        .bind(id)
        .bind(name)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Changes the number.
pub async fn set_phone(
    conn: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.mfa_factors set phone = $2, updated_at = $3 where id = $1")
        .bind(id)
        .bind(phone)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes one.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.mfa_factors where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes a user's unverified ones of one kind.
pub async fn delete_unverified(
    conn: &mut PgConnection,
    user: Uuid,
    factor_type: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from auth.mfa_factors
         where user_id = $1 and status = 'unverified' and factor_type = $2::auth.factor_type",
    )
    .bind(user)
    .bind(factor_type)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes everybody's unverified ones from before `limit` that were never challenged.
pub async fn delete_forgotten(
    conn: &mut PgConnection,
    limit: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from auth.mfa_factors as factor
         where status <> 'verified' and created_at < $1
           and not exists (select from auth.mfa_challenges where factor_id = factor.id)",
    )
    .bind(limit)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes all of a user's.
pub async fn delete_of_user(conn: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.mfa_factors where user_id = $1")
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}
