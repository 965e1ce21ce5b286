//! `auth.one_time_tokens`: the hashes of codes that were sent, one of a kind per user.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// Replaces the user's token of this kind.
pub async fn put(
    conn: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    kind: &str,
    hash: &str,
    relates_to: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.one_time_tokens
            (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
         values ($1, $2, $3::auth.one_time_token_type, $4, $5, $6, $6)
         on conflict (user_id, token_type) do update
         set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
             created_at = excluded.created_at, updated_at = excluded.updated_at",
    )
    .bind(id)
    .bind(user)
    .bind(kind)
    .bind(hash)
    .bind(relates_to.to_lowercase())
    .bind(now.naive_utc())
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes the user's token of one kind.
pub async fn clear_kind(
    conn: &mut PgConnection,
    user: Uuid,
    kind: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from auth.one_time_tokens
         where user_id = $1 and token_type = $2::auth.one_time_token_type",
    )
    .bind(user)
    .bind(kind)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes all of the user's: one confirmation uses up the others.
pub async fn clear(conn: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.one_time_tokens where user_id = $1")
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}
