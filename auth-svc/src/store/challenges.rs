//! `auth.mfa_challenges`: what a second factor has to answer.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{
    FromRow, PgConnection,
    types::{Json, ipnetwork::IpNetwork},
};
use uuid::Uuid;

/// One challenge.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Challenge {
    pub id: Uuid,
    pub factor_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub verified_at: Option<DateTime<Utc>>,
    pub ip_address: IpNetwork,
    pub otp_code: Option<String>,
    pub web_authn_session_data: Option<Json<Value>>,
}

/// Adds one.
pub async fn insert(conn: &mut PgConnection, new: &Challenge) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.mfa_challenges
            (id, factor_id, created_at, ip_address, otp_code, web_authn_session_data)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(new.id)
    .bind(new.factor_id)
    .bind(new.created_at)
    .bind(new.ip_address)
    .bind(&new.otp_code)
    .bind(&new.web_authn_session_data)
    .execute(conn)
    .await?;
    Ok(())
}

/// One of a factor's, locked until the transaction ends.
pub async fn lock(
    conn: &mut PgConnection,
    factor: Uuid,
    id: Uuid,
) -> Result<Option<Challenge>, sqlx::Error> {
    sqlx::query_as(
        "select id, factor_id, created_at, verified_at, ip_address, otp_code, web_authn_session_data
         from auth.mfa_challenges
         where factor_id = $1 and id = $2
         for update",
    )
    .bind(factor)
    .bind(id)
    .fetch_optional(conn)
    .await
}

/// Notes that it was answered.
pub async fn set_verified(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.mfa_challenges set verified_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes one.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.mfa_challenges where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}
