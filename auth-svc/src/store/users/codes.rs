//! Codes that were sent, and what confirming them changes.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// Columns that hold a code's hash, with the column that says when it was sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sent {
    /// Sign-up and invitation, by mail or phone.
    Confirmation,
    /// Recovery and magic link.
    Recovery,
    /// The new number.
    PhoneChange,
    /// Before a new password.
    Reauthentication,
}

impl Sent {
    /// The kind in `one_time_tokens`, which is also the name of the column.
    pub fn kind(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation_token",
            Self::Recovery => "recovery_token",
            Self::PhoneChange => "phone_change_token",
            Self::Reauthentication => "reauthentication_token",
        }
    }
}

/// Notes a code that was sent.
pub async fn record_sent(
    conn: &mut PgConnection,
    id: Uuid,
    sent: Sent,
    hash: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let sql = match sent {
        Sent::Confirmation => {
            "update auth.users set confirmation_token = $2, confirmation_sent_at = $3, updated_at = $3 where id = $1"
        }
        Sent::Recovery => {
            "update auth.users set recovery_token = $2, recovery_sent_at = $3, updated_at = $3 where id = $1"
        }
        Sent::PhoneChange => {
            "update auth.users set phone_change_token = $2, phone_change_sent_at = $3, updated_at = $3 where id = $1"
        }
        Sent::Reauthentication => {
            "update auth.users set reauthentication_token = $2, reauthentication_sent_at = $3, updated_at = $3 where id = $1"
        }
    };
    sqlx::query(sql)
        .bind(id)
        .bind(hash)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes that an invitation was sent.
pub async fn record_invited(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set invited_at = $2, updated_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Sets the number that a user wants to change to.
pub async fn set_phone_change(
    conn: &mut PgConnection,
    id: Uuid,
    phone: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set phone_change = $2 where id = $1")
        .bind(id)
        .bind(phone)
        .execute(conn)
        .await?;
    Ok(())
}

/// A wish for another mail address.
#[derive(Clone, Debug)]
pub struct EmailChange<'a> {
    /// The new address.
    pub email: &'a str,
    /// The stored hash of the code to the new address.
    pub token_new: &'a str,
    /// The stored hash of the code to the present address, or nothing.
    pub token_current: &'a str,
}

/// Notes a wish for another mail address, from its beginning.
pub async fn begin_email_change(
    conn: &mut PgConnection,
    id: Uuid,
    change: &EmailChange<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set email_change = $2, email_change_token_new = $3, email_change_token_current = $4,
             email_change_sent_at = $5, email_change_confirm_status = 0, updated_at = $5
         where id = $1",
    )
    .bind(id)
    .bind(change.email)
    .bind(change.token_new)
    .bind(change.token_current)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes the first of two confirmations of a new address.
pub async fn confirm_email_change_once(
    conn: &mut PgConnection,
    id: Uuid,
    by_current_address: bool,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set email_change_confirm_status = 1,
             email_change_token_current = case when $2 then '' else email_change_token_current end,
             email_change_token_new = case when $2 then email_change_token_new else '' end
         where id = $1",
    )
    .bind(id)
    .bind(by_current_address)
    .execute(conn)
    .await?;
    Ok(())
}

/// Makes the wished address the user's own.
pub async fn finish_email_change(
    conn: &mut PgConnection,
    id: Uuid,
    email: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set email = $2, email_change = '', email_change_token_current = '',
             email_change_token_new = '', email_change_confirm_status = 0, is_anonymous = false,
             updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(email)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Makes the wished number the user's own.
pub async fn finish_phone_change(
    conn: &mut PgConnection,
    id: Uuid,
    phone: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set phone = $2, phone_change = '', phone_change_token = '', phone_confirmed_at = $3,
             is_anonymous = false, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(phone)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Confirms the mail address.
pub async fn confirm_email(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set confirmation_token = '', email_confirmed_at = $2, updated_at = $2,
             raw_user_meta_data = coalesce(nullif(raw_user_meta_data, 'null'), '{}') || '{\"email_verified\": true}'
         where id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Confirms the phone number; a user with one is anonymous no longer.
pub async fn confirm_phone(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set confirmation_token = '', phone_confirmed_at = $2, is_anonymous = false, updated_at = $2
         where id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Uses up a recovery code.
pub async fn clear_recovery(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set recovery_token = '' where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Uses up a reauthentication code.
pub async fn clear_reauthentication(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set reauthentication_token = '' where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}
