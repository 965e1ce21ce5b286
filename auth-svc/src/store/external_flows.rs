//! `auth.flow_state` again: sign-ins that lead through an external provider. The id of the row is the
//! `state` that the provider sends back.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// One begun sign-in.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct ExternalFlow {
    pub id: Uuid,
    pub user_id: Option<Uuid>,
    pub provider_type: String,
    pub invite_token: Option<String>,
    pub referrer: Option<String>,
    pub oauth_client_state_id: Option<Uuid>,
    pub linking_target_id: Option<Uuid>,
    pub email_optional: bool,
    pub created_at: DateTime<Utc>,
    /// Whether the app sent a challenge and so gets a code instead of tokens.
    pub is_pkce: bool,
}

/// What a new one holds.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewExternalFlow<'a> {
    pub id: Uuid,
    pub auth_code: Option<Uuid>,
    pub code_challenge: Option<&'a str>,
    pub code_challenge_method: Option<&'a str>,
    pub provider_type: &'a str,
    pub invite_token: Option<&'a str>,
    pub referrer: &'a str,
    pub oauth_client_state_id: Option<Uuid>,
    pub linking_target_id: Option<Uuid>,
    pub email_optional: bool,
}

/// Begins one.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewExternalFlow<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.flow_state
            (id, auth_code, code_challenge, code_challenge_method, provider_type, invite_token,
             referrer, oauth_client_state_id, linking_target_id, email_optional,
             authentication_method, provider_access_token, provider_refresh_token, created_at,
             updated_at)
         values ($1, $2, $3, $4::auth.code_challenge_method, $5, $6, $7, $8, $9, $10, 'oauth', '', '',
                 $11, $11)",
    )
    .bind(new.id)
    .bind(new.auth_code.map(|code| code.to_string()))
    .bind(new.code_challenge)
    .bind(new.code_challenge_method)
    .bind(new.provider_type)
    .bind(new.invite_token)
    .bind(new.referrer)
    .bind(new.oauth_client_state_id)
    .bind(new.linking_target_id)
    .bind(new.email_optional)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// By id. Flows that a mail began are not among them: their ids were never given to a provider.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<ExternalFlow>, sqlx::Error> {
    sqlx::query_as(
        "select id, user_id, provider_type, invite_token, referrer, oauth_client_state_id,
                linking_target_id, email_optional, coalesce(created_at, 'epoch') as created_at,
                coalesce(code_challenge, '') <> '' as is_pkce
         from auth.flow_state
         where id = $1 and authentication_method = 'oauth'",
    )
    .bind(id)
    .fetch_optional(conn)
    .await
}

/// What a provider gave us for the app.
#[derive(Clone, Copy)]
pub struct ProviderTokens<'a> {
    /// Opens the provider's API.
    pub access: &'a str,
    /// Gets the next one, if there is one.
    pub refresh: &'a str,
}

/// Gives the flow to a user, and its code out. Nothing when it was given before.
pub async fn claim(
    conn: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    tokens: ProviderTokens<'_>,
    now: DateTime<Utc>,
) -> Result<Option<String>, sqlx::Error> {
    sqlx::query_scalar(
        "update auth.flow_state
         set user_id = $2, provider_access_token = $3, provider_refresh_token = $4,
             auth_code_issued_at = $5, updated_at = $5
         where id = $1 and user_id is null
         returning auth_code",
    )
    .bind(id)
    .bind(user)
    .bind(tokens.access)
    .bind(tokens.refresh)
    .bind(now)
    .fetch_optional(conn)
    .await
    .map(Option::flatten)
}
