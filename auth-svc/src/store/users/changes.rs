//! What users, administrators and the service itself change in a row.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::{PgConnection, types::Json};
use uuid::Uuid;

/// Sets a new password; codes that were sent before it are no longer trusted.
pub async fn set_password(
    conn: &mut PgConnection,
    id: Uuid,
    hash: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set encrypted_password = $2, confirmation_token = '', confirmation_sent_at = null,
             recovery_token = '', recovery_sent_at = null, email_change_token_current = '',
             email_change_token_new = '', email_change_sent_at = null, phone_change_token = '',
             phone_change_sent_at = null, reauthentication_token = '',
             reauthentication_sent_at = null, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(hash)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Gives a user who never had a password one that nobody knows.
pub async fn fill_password(
    conn: &mut PgConnection,
    id: Uuid,
    hash: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users set encrypted_password = $2, confirmation_sent_at = null where id = $1",
    )
    .bind(id)
    .bind(hash)
    .execute(conn)
    .await?;
    Ok(())
}

/// Which metadata.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Metadata {
    /// What the user may write.
    User,
    /// What only administrators and the service write.
    App,
}

/// Merges at the top level; a key set to null goes away.
pub async fn merge_metadata(
    conn: &mut PgConnection,
    id: Uuid,
    which: Metadata,
    changes: &Map<String, Value>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    let (removed, set): (Vec<_>, Vec<_>) = changes.iter().partition(|(_, value)| value.is_null());
    let removed: Vec<&String> = removed.into_iter().map(|(key, _)| key).collect();
    let set: Map<String, Value> = set
        .into_iter()
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    let sql = match which {
        Metadata::User => {
            "update auth.users
             set raw_user_meta_data =
                     (coalesce(nullif(raw_user_meta_data, 'null'), '{}') - $2::text[]) || $3,
                 updated_at = $4
             where id = $1"
        }
        Metadata::App => {
            "update auth.users
             set raw_app_meta_data =
                     (coalesce(nullif(raw_app_meta_data, 'null'), '{}') - $2::text[]) || $3,
                 updated_at = $4
             where id = $1"
        }
    };
    sqlx::query(sql)
        .bind(id)
        .bind(removed)
        .bind(Json(set))
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// Replaces the user's own metadata.
pub async fn replace_user_metadata(
    conn: &mut PgConnection,
    id: Uuid,
    metadata: &Map<String, Value>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set raw_user_meta_data = $2 where id = $1")
        .bind(id)
        .bind(Json(metadata))
        .execute(conn)
        .await?;
    Ok(())
}

/// Notes a sign-in.
pub async fn record_sign_in(
    conn: &mut PgConnection,
    id: Uuid,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set last_sign_in_at = $2, updated_at = $2 where id = $1")
        .bind(id)
        .bind(now)
        .execute(conn)
        .await?;
    Ok(())
}

/// What happens to a user's ban.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ban {
    /// Nothing.
    #[default]
    Unchanged,
    /// It ends now.
    Lifted,
    /// It lasts until then.
    Until(DateTime<Utc>),
}

/// What an administrator may set directly.
#[derive(Clone, Debug, Default)]
pub struct AdminChange<'a> {
    /// The role.
    pub role: Option<&'a str>,
    /// The address.
    pub email: Option<&'a str>,
    /// The number.
    pub phone: Option<&'a str>,
    /// What happens to a ban.
    pub ban: Ban,
}

/// Sets what an administrator asks for and leaves the rest.
pub async fn change(
    conn: &mut PgConnection,
    id: Uuid,
    change: &AdminChange<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set role = coalesce($2, role), email = coalesce($3, email), phone = coalesce($4, phone),
             banned_until = case when $5 then $6 else banned_until end, updated_at = $7
         where id = $1",
    )
    .bind(id)
    .bind(change.role)
    .bind(change.email)
    .bind(change.phone)
    .bind(change.ban != Ban::Unchanged)
    .bind(match change.ban {
        Ban::Until(end) => Some(end),
        Ban::Unchanged | Ban::Lifted => None,
    })
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends an account's anonymity.
pub async fn set_permanent(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.users set is_anonymous = false where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Deletes the user and, by cascade, everything that hangs on it.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.users where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// What remains of a user who was deleted softly.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Obfuscated {
    pub email: String,
    pub phone: String,
    pub email_change: String,
    pub phone_change: String,
}

/// Takes everything personal out of the row and keeps it.
pub async fn obfuscate(
    conn: &mut PgConnection,
    id: Uuid,
    remains: &Obfuscated,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.users
         set email = $2, phone = $3, email_change = $4, phone_change = $5, encrypted_password = null,
             confirmation_token = '', recovery_token = '', email_change_token_current = '',
             email_change_token_new = '', phone_change_token = '', raw_user_meta_data = '{}',
             raw_app_meta_data = '{}', deleted_at = $6, updated_at = $6
         where id = $1",
    )
    .bind(id)
    .bind(&remains.email)
    .bind(&remains.phone)
    .bind(&remains.email_change)
    .bind(&remains.phone_change)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}
