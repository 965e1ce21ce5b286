//! `auth.oauth_clients`: applications that sign users in through this service.

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, FromRow, PgConnection};
use uuid::Uuid;

/// One client. Redirect URIs and grant types are lists with commas between, as the original stores them.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Client {
    pub id: Uuid,
    /// base64url of the SHA-256 of the secret; empty for public clients.
    pub client_secret_hash: String,
    pub registration_type: String,
    pub client_type: String,
    pub token_endpoint_auth_method: String,
    pub redirect_uris: String,
    pub grant_types: String,
    pub client_name: String,
    pub client_uri: String,
    pub logo_uri: String,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl Client {
    /// The URIs that a user may be sent back to.
    pub fn redirect_uris(&self) -> impl Iterator<Item = &str> {
        self.redirect_uris.split(',').filter(|uri| !uri.is_empty())
    }

    /// What the client may ask for.
    pub fn grant_types(&self) -> impl Iterator<Item = &str> {
        self.grant_types.split(',').map(str::trim)
    }

    /// True for a client that can keep a secret.
    pub fn is_confidential(&self) -> bool {
        self.client_type == "confidential"
    }
}

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select id, coalesce(client_secret_hash, '') as client_secret_hash,
                registration_type::text as registration_type, client_type::text as client_type,
                token_endpoint_auth_method, redirect_uris, grant_types,
                coalesce(client_name, '') as client_name, coalesce(client_uri, '') as client_uri,
                coalesce(logo_uri, '') as logo_uri, created_at, updated_at
         from auth.oauth_clients where deleted_at is null and {condition}"
    ))
}

/// By id.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Client>, sqlx::Error> {
    sqlx::query_as(select("id = $1"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// All of them, newest first.
pub async fn all(conn: &mut PgConnection) -> Result<Vec<Client>, sqlx::Error> {
    sqlx::query_as(select("true order by created_at desc"))
        .fetch_all(conn)
        .await
}

/// Adds a client, or writes what changed of one; `now` becomes its time of change.
pub async fn save(
    conn: &mut PgConnection,
    client: &Client,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.oauth_clients
            (id, client_secret_hash, registration_type, client_type, token_endpoint_auth_method,
             redirect_uris, grant_types, client_name, client_uri, logo_uri, created_at, updated_at)
         values ($1, nullif($2, ''), $3::auth.oauth_registration_type, $4::auth.oauth_client_type, $5,
                 $6, $7, nullif($8, ''), nullif($9, ''), nullif($10, ''), $11, $12)
         on conflict (id) do update
         set client_secret_hash = excluded.client_secret_hash,
             token_endpoint_auth_method = excluded.token_endpoint_auth_method,
             redirect_uris = excluded.redirect_uris, grant_types = excluded.grant_types,
             client_name = excluded.client_name, client_uri = excluded.client_uri,
             logo_uri = excluded.logo_uri, updated_at = excluded.updated_at",
    )
    .bind(client.id)
    .bind(&client.client_secret_hash)
    .bind(&client.registration_type)
    .bind(&client.client_type)
    .bind(&client.token_endpoint_auth_method)
    .bind(&client.redirect_uris)
    .bind(&client.grant_types)
    .bind(&client.client_name)
    .bind(&client.client_uri)
    .bind(&client.logo_uri)
    .bind(client.created_at)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Hides a client; what users granted to it stays on record.
pub async fn delete(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.oauth_clients set deleted_at = $2, updated_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}
