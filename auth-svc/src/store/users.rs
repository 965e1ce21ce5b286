//! `auth.users`.

mod changes;
mod codes;
mod linked;

pub use changes::*;
pub use codes::*;
pub use linked::*;

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

/// What a [`User`] is read from.
pub(super) const COLUMNS: &str = "\
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
pub(super) const OURS: &str = "instance_id = '00000000-0000-0000-0000-000000000000'";

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
    pub is_sso_user: bool,
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
            phone_change, phone_change_token, reauthentication_token, is_sso_user)
         values ('00000000-0000-0000-0000-000000000000', $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $10,
            '', '', '', '', '', '', '', '', $11)",
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
    .bind(new.is_sso_user)
    .execute(&mut *conn)
    .await?;
    find(conn, new.id).await?.ok_or(sqlx::Error::RowNotFound)
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
