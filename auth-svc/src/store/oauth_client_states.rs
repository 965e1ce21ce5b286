//! `auth.oauth_client_states`: the verifiers of challenges between us and a provider.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// One verifier.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct ClientState {
    pub provider_type: String,
    pub code_verifier: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// Keeps one until the user comes back.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    provider: &str,
    verifier: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.oauth_client_states (id, provider_type, code_verifier, created_at)
         values ($1, $2, $3, $4)",
    )
    .bind(id)
    .bind(provider)
    .bind(verifier)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes one away; each serves once.
pub async fn take(conn: &mut PgConnection, id: Uuid) -> Result<Option<ClientState>, sqlx::Error> {
    sqlx::query_as(
        "delete from auth.oauth_client_states where id = $1
         returning provider_type, code_verifier, created_at",
    )
    .bind(id)
    .fetch_optional(conn)
    .await
}
