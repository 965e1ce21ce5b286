//! `auth.flow_state`: sign-ins that were begun with a PKCE challenge.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// One begun sign-in.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct FlowState {
    pub id: Uuid,
    pub user_id: Option<Uuid>,
    pub code_challenge: String,
    pub code_challenge_method: String,
    pub provider_type: String,
    pub provider_access_token: Option<String>,
    pub provider_refresh_token: Option<String>,
    pub authentication_method: String,
    pub auth_code_issued_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
}

/// What a new one holds.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewFlowState<'a> {
    pub id: Uuid,
    pub user_id: Uuid,
    pub auth_code: Uuid,
    pub code_challenge: &'a str,
    pub code_challenge_method: &'a str,
    pub provider_type: &'a str,
    pub authentication_method: &'a str,
}

/// Begins one.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewFlowState<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.flow_state
            (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type,
             authentication_method, created_at, updated_at)
         values ($1, $2, $3, $4::auth.code_challenge_method, $5, $6, $7, $8, $8)",
    )
    .bind(new.id)
    .bind(new.user_id)
    .bind(new.auth_code.to_string())
    .bind(new.code_challenge_method)
    .bind(new.code_challenge)
    .bind(new.provider_type)
    .bind(new.authentication_method)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives out the code of the user's newest sign-in of this method.
pub async fn issue_code(
    conn: &mut PgConnection,
    user: Uuid,
    method: &str,
    now: DateTime<Utc>,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "update auth.flow_state set auth_code_issued_at = $3, updated_at = $3
         where id = (select id from auth.flow_state
                     where user_id = $1 and authentication_method = $2
                     order by created_at desc limit 1)
           and code_challenge is not null
         returning auth_code",
    )
    .bind(user)
    .bind(method)
    .bind(now)
    .fetch_optional(conn)
    .await
    .map(Option::flatten)
}

/// By the code that was given out.
pub async fn find_by_code(
    conn: &mut PgConnection,
    code: &str,
) -> Result<Option<FlowState>, sqlx::Error> {
    sqlx::query_as(
        "select id, user_id, code_challenge, code_challenge_method::text as code_challenge_method,
                provider_type, provider_access_token, provider_refresh_token, authentication_method,
                auth_code_issued_at, coalesce(created_at, 'epoch') as created_at
         from auth.flow_state
         where auth_code = $1 and code_challenge is not null",
    )
    .bind(code)
    .fetch_optional(conn)
    .await
}

/// Uses one up; false when somebody else was faster.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("delete from auth.flow_state where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}
