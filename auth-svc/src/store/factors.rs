//! `auth.mfa_factors`, as far as a user's own picture shows them.

use chrono::{DateTime, Utc};
use sqlx::{FromRow, PgConnection};
use uuid::Uuid;

/// One second factor.
#[derive(Clone, Debug, FromRow)]
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
}

/// All of a user's.
pub async fn of_user(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Factor>, sqlx::Error> {
    sqlx::query_as(
        "select id, coalesce(friendly_name, '') as friendly_name, factor_type::text as factor_type,
                status::text as status, coalesce(phone, '') as phone, created_at, updated_at,
                last_challenged_at
         from auth.mfa_factors
         where user_id = $1
         order by created_at",
    )
    .bind(user)
    .fetch_all(conn)
    .await
}

/// Removes all of a user's.
pub async fn delete_of_user(conn: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.mfa_factors where user_id = $1")
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}
