//! What changes in a row when ways to sign in come and go.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// Takes the password away.
pub async fn drop_password(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set encrypted_password = null where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Gives the user another address, or none. Codes and wishes that were about the old one are void.
pub async fn move_to_email(
    conn: &mut PgConnection,
    id: Uuid,
    email: Option<&str>,
    confirmed: bool,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set email = $2, confirmation_token = '', confirmation_sent_at = null, recovery_token = '',
             recovery_sent_at = null, email_change = '', email_change_token_current = '',
             email_change_token_new = '', email_change_sent_at = null,
             email_change_confirm_status = 0, phone_change = '', phone_change_token = '',
             phone_change_sent_at = null, reauthentication_token = '',
             reauthentication_sent_at = null,
             email_confirmed_at = case when $3 then email_confirmed_at end,
             raw_user_meta_data = case when $3 then raw_user_meta_data
                 else coalesce(nullif(raw_user_meta_data, 'null'), '{}') || '{\"email_verified\": false}' end,
             updated_at = $4
         where id = $1",
    )
    .bind(id)
    .bind(email)
    .bind(confirmed)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Takes the phone number away.
pub async fn drop_phone(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users set phone = null, phone_confirmed_at = null, updated_at = $2 where id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}
