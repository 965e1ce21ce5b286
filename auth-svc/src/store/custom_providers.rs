//! `auth.custom_oauth_providers`: providers that administrators added.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One of them.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct CustomProvider {
    pub id: Uuid,
    /// `oauth2` or `oidc`.
    pub provider_type: String,
    pub identifier: String,
    pub name: String,
    pub client_id: String,
    /// As it is stored: see `domain::encryption`.
    pub client_secret: String,
    pub acceptable_client_ids: Vec<String>,
    pub scopes: Vec<String>,
    pub pkce_enabled: bool,
    pub attribute_mapping: Json<Map<String, Value>>,
    pub custom_claims_allowlist: Vec<String>,
    pub authorization_params: Json<Map<String, Value>>,
    pub enabled: bool,
    pub email_optional: bool,
    pub issuer: Option<String>,
    pub discovery_url: Option<String>,
    pub skip_nonce_check: bool,
    pub cached_discovery: Option<Json<Value>>,
    pub discovery_cached_at: Option<DateTime<Utc>>,
    pub authorization_url: Option<String>,
    pub token_url: Option<String>,
    pub userinfo_url: Option<String>,
    pub jwks_uri: Option<String>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl CustomProvider {
    /// True for OpenID Connect, false for plain OAuth 2.0.
    pub fn is_oidc(&self) -> bool {
        self.provider_type == "oidc"
    }

    /// Where the issuer publishes what it is.
    pub fn discovery_url(&self) -> String {
        match (&self.discovery_url, &self.issuer) {
            (Some(url), _) if !url.is_empty() => url.clone(),
            (_, issuer) => {
                let issuer = issuer.as_deref().unwrap_or_default().trim_end_matches('/');
                format!("{issuer}/.well-known/openid-configuration")
            }
        }
    }
}

fn select(rest: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select id, provider_type, identifier, name, client_id, client_secret,
                acceptable_client_ids, scopes, pkce_enabled, attribute_mapping,
                custom_claims_allowlist, authorization_params, enabled, email_optional, issuer,
                discovery_url, skip_nonce_check, cached_discovery, discovery_cached_at,
                authorization_url, token_url, userinfo_url, jwks_uri, created_at, updated_at
         from auth.custom_oauth_providers {rest}"
    ))
}

/// By identifier, which begins with `custom:`.
pub async fn find(
    conn: &mut PgConnection,
    identifier: &str,
) -> Result<Option<CustomProvider>, sqlx::Error> {
    sqlx::query_as(select("where identifier = $1"))
        .bind(identifier)
        .fetch_optional(conn)
        .await
}

/// All of them, or those of a type, newest first.
pub async fn all(
    conn: &mut PgConnection,
    provider_type: Option<&str>,
) -> Result<Vec<CustomProvider>, sqlx::Error> {
    sqlx::query_as(select(
        "where $1::text is null or provider_type = $1 order by created_at desc, id",
    ))
    .bind(provider_type)
    .fetch_all(conn)
    .await
}

/// How many there are.
pub async fn count(conn: &mut PgConnection) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("select count(*) from auth.custom_oauth_providers")
        .fetch_one(conn)
        .await
}

/// Adds one, or writes what changed of one.
pub async fn save(conn: &mut PgConnection, provider: &CustomProvider) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.custom_oauth_providers
            (id, provider_type, identifier, name, client_id, client_secret, acceptable_client_ids,
             scopes, pkce_enabled, attribute_mapping, custom_claims_allowlist, authorization_params,
             enabled, email_optional, issuer, discovery_url, skip_nonce_check, cached_discovery,
             discovery_cached_at, authorization_url, token_url, userinfo_url, jwks_uri, created_at,
             updated_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25)
         on conflict (id) do update set
            name = excluded.name,
            client_id = excluded.client_id,
            client_secret = excluded.client_secret,
            acceptable_client_ids = excluded.acceptable_client_ids,
            scopes = excluded.scopes,
            pkce_enabled = excluded.pkce_enabled,
            attribute_mapping = excluded.attribute_mapping,
            custom_claims_allowlist = excluded.custom_claims_allowlist,
            authorization_params = excluded.authorization_params,
            enabled = excluded.enabled,
            email_optional = excluded.email_optional,
            issuer = excluded.issuer,
            discovery_url = excluded.discovery_url,
            skip_nonce_check = excluded.skip_nonce_check,
            cached_discovery = excluded.cached_discovery,
            discovery_cached_at = excluded.discovery_cached_at,
            authorization_url = excluded.authorization_url,
            token_url = excluded.token_url,
            userinfo_url = excluded.userinfo_url,
            jwks_uri = excluded.jwks_uri,
            updated_at = excluded.updated_at",
    )
    .bind(provider.id)
    .bind(&provider.provider_type)
    .bind(&provider.identifier)
    .bind(&provider.name)
    .bind(&provider.client_id)
    .bind(&provider.client_secret)
    .bind(&provider.acceptable_client_ids)
    .bind(&provider.scopes)
    .bind(provider.pkce_enabled)
    .bind(&provider.attribute_mapping)
    .bind(&provider.custom_claims_allowlist)
    .bind(&provider.authorization_params)
    .bind(provider.enabled)
    .bind(provider.email_optional)
    .bind(&provider.issuer)
    .bind(&provider.discovery_url)
    .bind(provider.skip_nonce_check)
    .bind(&provider.cached_discovery)
    .bind(provider.discovery_cached_at)
    .bind(&provider.authorization_url)
    .bind(&provider.token_url)
    .bind(&provider.userinfo_url)
    .bind(&provider.jwks_uri)
    .bind(provider.created_at)
    .bind(provider.updated_at)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes one; false when there was none.
pub async fn delete(conn: &mut PgConnection, identifier: &str) -> Result<bool, sqlx::Error> {
    let deleted = sqlx::query("delete from auth.custom_oauth_providers where identifier = $1")
        .bind(identifier)
        .execute(conn)
        .await?;
    Ok(deleted.rows_affected() > 0)
}
