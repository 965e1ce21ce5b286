//! `auth.users`.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _, types::Json};
use uuid::Uuid;

/// One user. Rows that people wrote by hand have nulls where the service writes empty texts; both read
/// as empty.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct User {
    pub id: Uuid,
    pub aud: String,
    pub role: String,
    pub email: String,
    pub encrypted_password: Option<String>,
    pub email_confirmed_at: Option<DateTime<Utc>>,
    pub invited_at: Option<DateTime<Utc>>,
    pub confirmation_token: String,
    pub confirmation_sent_at: Option<DateTime<Utc>>,
    pub recovery_token: String,
    pub recovery_sent_at: Option<DateTime<Utc>>,
    pub email_change_token_new: String,
    pub email_change_token_current: String,
    pub email_change: String,
    pub email_change_sent_at: Option<DateTime<Utc>>,
    pub email_change_confirm_status: i16,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub raw_app_meta_data: Json<Map<String, Value>>,
    pub raw_user_meta_data: Json<Map<String, Value>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub phone: String,
    pub phone_confirmed_at: Option<DateTime<Utc>>,
    pub phone_change: String,
    pub phone_change_token: String,
    pub phone_change_sent_at: Option<DateTime<Utc>>,
    pub confirmed_at: Option<DateTime<Utc>>,
    pub banned_until: Option<DateTime<Utc>>,
    pub reauthentication_token: String,
    pub reauthentication_sent_at: Option<DateTime<Utc>>,
    pub is_sso_user: bool,
    pub deleted_at: Option<DateTime<Utc>>,
    pub is_anonymous: bool,
}

impl User {
    /// True while a ban lasts.
    pub fn is_banned(&self, now: DateTime<Utc>) -> bool {
        self.banned_until.is_some_and(|until| now < until)
    }

    /// True when there is a password to compare with.
    pub fn has_password(&self) -> bool {
        self.encrypted_password
            .as_deref()
            .is_some_and(|hash| !hash.is_empty())
    }
}

const COLUMNS: &str = "\
    id, coalesce(aud, '') as aud, coalesce(role, '') as role, coalesce(email, '') as email, \
    encrypted_password, email_confirmed_at, invited_at, \
    coalesce(confirmation_token, '') as confirmation_token, confirmation_sent_at, \
    coalesce(recovery_token, '') as recovery_token, recovery_sent_at, \
    coalesce(email_change_token_new, '') as email_change_token_new, \
    coalesce(email_change_token_current, '') as email_change_token_current, \
    coalesce(email_change, '') as email_change, email_change_sent_at, \
    coalesce(email_change_confirm_status, 0::smallint) as email_change_confirm_status, \
    last_sign_in_at, \
    case jsonb_typeof(raw_app_meta_data) when 'object' then raw_app_meta_data else '{}' end as raw_app_meta_data, \
    case jsonb_typeof(raw_user_meta_data) when 'object' then raw_user_meta_data else '{}' end as raw_user_meta_data, \
    coalesce(created_at, 'epoch') as created_at, coalesce(updated_at, 'epoch') as updated_at, \
    coalesce(phone, '') as phone, phone_confirmed_at, coalesce(phone_change, '') as phone_change, \
    coalesce(phone_change_token, '') as phone_change_token, phone_change_sent_at, confirmed_at, \
    banned_until, coalesce(reauthentication_token, '') as reauthentication_token, \
    reauthentication_sent_at, is_sso_user, deleted_at, is_anonymous";

/// The instance that all rows belong to.
const OURS: &str = "instance_id = '00000000-0000-0000-0000-000000000000'";

type Found = Result<Option<User>, sqlx::Error>;

fn select(condition: &str) -> AssertSqlSafe<String> {
    // Only constants of this file come in here.
    AssertSqlSafe(format!(
        "select {COLUMNS} from auth.users where {OURS} and {condition}"
    ))
}

/// By id.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Found {
    sqlx::query_as(select("id = $1"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// By id, locked until the transaction ends, or nothing when somebody else holds it.
pub async fn lock(conn: &mut PgConnection, id: Uuid) -> Found {
    sqlx::query_as(select("id = $1 for update skip locked"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// By mail address, which is stored in lower case.
pub async fn find_by_email(conn: &mut PgConnection, email: &str, aud: &str) -> Found {
    sqlx::query_as(select(
        "lower(email) = $1 and coalesce(aud, '') = $2 and is_sso_user = false limit 1",
    ))
    .bind(email.to_lowercase())
    .bind(aud)
    .fetch_optional(conn)
    .await
}

/// By phone number.
pub async fn find_by_phone(conn: &mut PgConnection, phone: &str, aud: &str) -> Found {
    sqlx::query_as(select(
        "phone = $1 and coalesce(aud, '') = $2 and is_sso_user = false limit 1",
    ))
    .bind(phone)
    .bind(aud)
    .fetch_optional(conn)
    .await
}

/// By the number that a user wants to change to; the latest wish wins.
pub async fn find_by_phone_change(conn: &mut PgConnection, phone: &str, aud: &str) -> Found {
    sqlx::query_as(select(
        "phone_change = $1 and coalesce(aud, '') = $2 and is_sso_user = false \
         order by phone_change_sent_at desc nulls last limit 1",
    ))
    .bind(phone)
    .bind(aud)
    .fetch_optional(conn)
    .await
}

/// By one of the hashes in `one_time_tokens`, of any of the kinds given.
pub async fn find_by_token(conn: &mut PgConnection, hash: &str, kinds: &[&str]) -> Found {
    sqlx::query_as(select(
        "id = (select user_id from auth.one_time_tokens \
               where token_hash = $1 and token_type::text = any($2) limit 1)",
    ))
    .bind(hash)
    .bind(kinds)
    .fetch_optional(conn)
    .await
}

/// Somebody other than `except` who has this address, be it as account or as identity.
pub async fn find_duplicate_email(
    conn: &mut PgConnection,
    email: &str,
    aud: &str,
    except: Option<Uuid>,
) -> Found {
    sqlx::query_as(select(
        "coalesce(aud, '') = $2 and id is distinct from $3 and is_sso_user = false and \
         (lower(email) = $1 or id in (select user_id from auth.identities \
                                      where email = $1 and provider not like 'sso:%')) limit 1",
    ))
    .bind(email.to_lowercase())
    .bind(aud)
    .bind(except)
    .fetch_optional(conn)
    .await
}

/// What a new user starts with.
#[derive(Clone, Debug, Default)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewUser {
    pub id: Uuid,
    pub aud: String,
    pub role: String,
    pub email: Option<String>,
    pub phone: Option<String>,
    pub encrypted_password: Option<String>,
    pub app_metadata: Map<String, Value>,
    pub user_metadata: Map<String, Value>,
    pub is_anonymous: bool,
}

/// Adds a user, and reads back what triggers of the project made of it.
pub async fn insert(
    conn: &mut PgConnection,
    new: &NewUser,
    now: DateTime<Utc>,
) -> Result<User, sqlx::Error> {
    sqlx::query(
        "insert into auth.users (
            instance_id, id, aud, role, email, phone, encrypted_password, raw_app_meta_data,
            raw_user_meta_data, is_anonymous, created_at, updated_at, confirmation_token,
            recovery_token, email_change_token_new, email_change, email_change_token_current,
            phone_change, phone_change_token, reauthentication_token)
         values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10,
            '', '', '', '', '', '', '', '')",
    )
    .bind(new.id)
    .bind(&new.aud)
    .bind(&new.role)
    .bind(&new.email)
    .bind(&new.phone)
    .bind(&new.encrypted_password)
    .bind(Json(&new.app_metadata))
    .bind(Json(&new.user_metadata))
    .bind(new.is_anonymous)
    .bind(now)
    .execute(&mut *conn)
    .await?;
    find(conn, new.id).await?.ok_or(sqlx::Error::RowNotFound)
}

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
    sqlx::query("update auth.users set encrypted_password = $2 where id = $1")
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

/// One page of users, and how many there are in all.
pub async fn page(
    conn: &mut PgConnection,
    aud: &str,
    filter: &str,
    ascending: bool,
    (limit, offset): (i64, i64),
) -> Result<(Vec<User>, i64), sqlx::Error> {
    let condition = "coalesce(aud, '') = $1 and ($2 = '' or email like '%' || $2 || '%' \
                     or raw_user_meta_data->>'full_name' ilike '%' || $2 || '%')";
    let order = if ascending { "asc" } else { "desc" };
    let rows = sqlx::query_as(select(&format!(
        "{condition} order by created_at {order} limit $3 offset $4"
    )))
    .bind(aud)
    .bind(filter)
    .bind(limit)
    .bind(offset)
    .fetch_all(&mut *conn)
    .await?;
    let count = sqlx::query(AssertSqlSafe(format!(
        "select count(*) from auth.users where {OURS} and {condition}"
    )))
    .bind(aud)
    .bind(filter)
    .fetch_one(conn)
    .await?
    .try_get(0)?;
    Ok((rows, count))
}
