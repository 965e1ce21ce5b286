//! `auth.oauth_authorizations` and `auth.oauth_consents`: what clients asked for, and what users agreed to.

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, FromRow, PgConnection};
use uuid::Uuid;

/// One request of a client, from its arrival to the exchange of its code.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Authorization {
    pub id: Uuid,
    /// What the consent page is told.
    pub authorization_id: String,
    pub client_id: Uuid,
    pub user_id: Option<Uuid>,
    pub redirect_uri: String,
    pub scope: String,
    pub state: String,
    pub resource: String,
    pub code_challenge: String,
    pub code_challenge_method: String,
    pub status: String,
    pub authorization_code: Option<String>,
    pub created_at: DateTime<Utc>,
    pub expires_at: DateTime<Utc>,
    pub nonce: String,
}

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select id, authorization_id, client_id, user_id, redirect_uri, scope,
                coalesce(state, '') as state, coalesce(resource, '') as resource,
                coalesce(code_challenge, '') as code_challenge,
                coalesce(code_challenge_method::text, '') as code_challenge_method,
                status::text as status, authorization_code, created_at, expires_at,
                coalesce(nonce, '') as nonce
         from auth.oauth_authorizations where {condition}"
    ))
}

/// Adds a request that waits for a user.
pub async fn insert(conn: &mut PgConnection, new: &Authorization) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.oauth_authorizations
            (id, authorization_id, client_id, redirect_uri, scope, state, resource, code_challenge,
             code_challenge_method, nonce, created_at, expires_at)
         values ($1, $2, $3, $4, $5, nullif($6, ''), nullif($7, ''), nullif($8, ''),
                 nullif($9, '')::auth.code_challenge_method, nullif($10, ''), $11, $12)",
    )
    .bind(new.id)
    .bind(&new.authorization_id)
    .bind(new.client_id)
    .bind(&new.redirect_uri)
    .bind(&new.scope)
    .bind(&new.state)
    .bind(&new.resource)
    .bind(&new.code_challenge)
    .bind(&new.code_challenge_method)
    .bind(&new.nonce)
    .bind(new.created_at)
    .bind(new.expires_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// By the id of the consent page, locked until the transaction ends. Whoever comes meanwhile waits, and sees what came
/// of it.
pub async fn lock(
    conn: &mut PgConnection,
    authorization_id: &str,
) -> Result<Option<Authorization>, sqlx::Error> {
    sqlx::query_as(select("authorization_id = $1 for update"))
        .bind(authorization_id)
        .fetch_optional(conn)
        .await
}

/// By the code that was given out for it, locked like [`lock`].
pub async fn lock_by_code(
    conn: &mut PgConnection,
    code: &str,
) -> Result<Option<Authorization>, sqlx::Error> {
    sqlx::query_as(select(
        "authorization_code = $1 and status = 'approved' for update",
    ))
    .bind(code)
    .fetch_optional(conn)
    .await
}

/// Binds a request to the user who opened it first.
pub async fn set_user(conn: &mut PgConnection, id: Uuid, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.oauth_authorizations set user_id = $2 where id = $1")
        .bind(id)
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends a request as `denied` or `expired`.
pub async fn set_status(
    conn: &mut PgConnection,
    id: Uuid,
    status: &'static str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.oauth_authorizations set status = $2::auth.oauth_authorization_status where id = $1",
    )
    .bind(id)
    .bind(status)
    .execute(conn)
    .await?;
    Ok(())
}

/// Approves a request, with the code that its client may exchange.
pub async fn approve(
    conn: &mut PgConnection,
    id: Uuid,
    code: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.oauth_authorizations
         set status = 'approved', approved_at = $3, authorization_code = $2
         where id = $1",
    )
    .bind(id)
    .bind(code)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes a request whose code was exchanged.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.oauth_authorizations where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// What a user agreed to.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Consent {
    pub client_id: Uuid,
    pub scopes: String,
    pub granted_at: DateTime<Utc>,
}

/// The consents of a user that were not revoked, newest first; with a client, its alone.
pub async fn consents(
    conn: &mut PgConnection,
    user: Uuid,
    client: Option<Uuid>,
) -> Result<Vec<Consent>, sqlx::Error> {
    sqlx::query_as(
        "select client_id, scopes, granted_at
         from auth.oauth_consents
         where user_id = $1 and revoked_at is null and ($2::uuid is null or client_id = $2)
         order by granted_at desc",
    )
    .bind(user)
    .bind(client)
    .fetch_all(conn)
    .await
}

/// Notes a consent, in place of an earlier one to the same client.
pub async fn consent(
    conn: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    client: Uuid,
    scopes: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.oauth_consents (id, user_id, client_id, scopes, granted_at)
         values ($1, $2, $3, $4, $5)
         on conflict (user_id, client_id) do update
         set scopes = excluded.scopes, granted_at = excluded.granted_at, revoked_at = null",
    )
    .bind(id)
    .bind(user)
    .bind(client)
    .bind(scopes)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes a consent back.
pub async fn revoke(
    conn: &mut PgConnection,
    user: Uuid,
    client: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.oauth_consents set revoked_at = $3
         where user_id = $1 and client_id = $2 and revoked_at is null",
    )
    .bind(user)
    .bind(client)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}
