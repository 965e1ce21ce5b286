//! `auth.saml_relay_states`: sign-ins that were begun here and go on at an identity provider, and the
//! assertions that were used.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

use crate::domain::pkce::Challenge;

/// One begun sign-in.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct RelayState {
    pub id: Uuid,
    pub sso_provider_id: Uuid,
    pub request_id: String,
    pub redirect_to: String,
    pub flow_state_id: Uuid,
    pub created_at: DateTime<Utc>,
    /// Whether the app sent a challenge and so gets a code instead of tokens.
    pub is_pkce: bool,
}

/// Begins one, together with the flow that the app may want a code of.
pub async fn insert(
    conn: &mut PgConnection,
    new: &RelayState,
    pkce: Option<(&Challenge, Uuid)>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.flow_state
            (id, auth_code, code_challenge, code_challenge_method, provider_type,
             authentication_method, referrer, provider_access_token, provider_refresh_token,
             created_at, updated_at)
         values ($1, $2, $3, $4::auth.code_challenge_method, 'sso/saml', 'sso/saml', $5, '', '',
                 $6, $6)",
    )
    .bind(new.flow_state_id)
    .bind(pkce.map(|(_, code)| code.to_string()))
    .bind(pkce.map(|(challenge, _)| challenge.value.as_str()))
    .bind(pkce.map(|(challenge, _)| challenge.method.as_str()))
    .bind(Some(&new.redirect_to).filter(|place| !place.is_empty()))
    .bind(new.created_at)
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "insert into auth.saml_relay_states
            (id, sso_provider_id, request_id, redirect_to, flow_state_id, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6)",
    )
    .bind(new.id)
    .bind(new.sso_provider_id)
    .bind(&new.request_id)
    .bind(&new.redirect_to)
    .bind(new.flow_state_id)
    .bind(new.created_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// By id. Used assertions are not among them: those have no flow.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<RelayState>, sqlx::Error> {
    sqlx::query_as(
        "select r.id, r.sso_provider_id, r.request_id, coalesce(r.redirect_to, '') as redirect_to,
                f.id as flow_state_id, coalesce(r.created_at, 'epoch') as created_at,
                coalesce(f.code_challenge, '') <> '' as is_pkce
         from auth.saml_relay_states r
         join auth.flow_state f on f.id = r.flow_state_id
         where r.id = $1",
    )
    .bind(id)
    .fetch_optional(conn)
    .await
}

/// Uses one up; false when somebody else was faster.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("delete from auth.saml_relay_states where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}

/// Notes that an assertion was used, under an id made of its own; false when it was before.
pub async fn use_assertion(
    conn: &mut PgConnection,
    mark: Uuid,
    provider: Uuid,
    now: DateTime<Utc>,
) -> Result<bool, sqlx::Error> {
    let done = sqlx::query(
        "insert into auth.saml_relay_states
            (id, sso_provider_id, request_id, redirect_to, created_at, updated_at)
         values ($1, $2, 'used assertion', '', $3, $3)
         on conflict (id) do nothing",
    )
    .bind(mark)
    .bind(provider)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(done.rows_affected() == 1)
}
