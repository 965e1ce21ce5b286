//! `auth.identities`: the ways in which a user can sign in.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One way to sign in.
#[derive(Clone, Debug, Deserialize, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Identity {
    pub id: Uuid,
    pub provider_id: String,
    pub user_id: Uuid,
    pub identity_data: Json<Map<String, Value>>,
    pub provider: String,
    pub last_sign_in_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub email: String,
}

/// What an [`Identity`] is read from.
pub(super) const COLUMNS: &str = "\
    id, provider_id, user_id, identity_data, provider, last_sign_in_at, \
    coalesce(created_at, 'epoch') as created_at, coalesce(updated_at, 'epoch') as updated_at, \
    coalesce(email, '') as email";

/// All of a user's.
pub async fn of_user(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Identity>, sqlx::Error> {
    sqlx::query_as(AssertSqlSafe(format!(
        "select {COLUMNS} from auth.identities where user_id = $1 order by created_at"
    )))
    .bind(user)
    .fetch_all(conn)
    .await
}

/// The user's own for this provider, whose id there is the user's.
pub async fn has_own(
    conn: &mut PgConnection,
    user: Uuid,
    provider: &str,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select from auth.identities where provider_id = $1 and provider = $2)",
    )
    .bind(user.to_string())
    .bind(provider)
    .fetch_one(conn)
    .await
}

/// Adds one.
pub async fn insert(
    conn: &mut PgConnection,
    id: Uuid,
    user: Uuid,
    provider: &str,
    data: &Map<String, Value>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.identities
            (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6, $6)",
    )
    .bind(id)
    .bind(user.to_string())
    .bind(user)
    .bind(Json(data))
    .bind(provider)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Merges into the data of the user's own identity of this provider.
pub async fn merge_own(
    conn: &mut PgConnection,
    user: Uuid,
    provider: &str,
    changes: &Map<String, Value>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.identities set identity_data = identity_data || $3, updated_at = $4
         where provider_id = $1 and provider = $2",
    )
    .bind(user.to_string())
    .bind(provider)
    .bind(Json(changes))
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Notes that the address, which is confirmed now, is verified wherever it is the identity's.
pub async fn verify_email(
    conn: &mut PgConnection,
    user: Uuid,
    email: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.identities
         set identity_data = identity_data || '{\"email_verified\": true}', updated_at = $3
         where user_id = $1 and email = $2 and $2 <> ''",
    )
    .bind(user)
    .bind(email)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// Removes all but the one of this provider.
pub async fn keep_only(
    conn: &mut PgConnection,
    user: Uuid,
    provider: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.identities where user_id = $1 and provider <> $2")
        .bind(user)
        .bind(provider)
        .execute(conn)
        .await?;
    Ok(())
}

/// Removes one.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.identities where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Takes everything personal out of one.
pub async fn obfuscate(
    conn: &mut PgConnection,
    id: Uuid,
    provider_id: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.identities set identity_data = '{}', provider_id = $2, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(provider_id)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// An identity at an external provider.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewIdentity<'a> {
    pub id: Uuid,
    pub user_id: Uuid,
    pub provider: &'a str,
    pub provider_id: &'a str,
    pub data: &'a Map<String, Value>,
}

/// Adds one.
pub async fn insert_external(
    conn: &mut PgConnection,
    new: &NewIdentity<'_>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.identities
            (id, provider_id, user_id, identity_data, provider, last_sign_in_at, created_at, updated_at)
         values ($1, $2, $3, $4, $5, $6, $6, $6)",
    )
    .bind(new.id)
    .bind(new.provider_id)
    .bind(new.user_id)
    .bind(Json(new.data))
    .bind(new.provider)
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// By the provider's id of the user: the identity and whose it is.
pub async fn find_external(
    conn: &mut PgConnection,
    provider: &str,
    provider_id: &str,
) -> Result<Option<(Uuid, Uuid)>, sqlx::Error> {
    sqlx::query_as(
        "select id, user_id from auth.identities where provider = $1 and provider_id = $2",
    )
    .bind(provider)
    .bind(provider_id)
    .fetch_optional(conn)
    .await
}

/// Replaces what the provider says, at a sign-in.
pub async fn refresh_external(
    conn: &mut PgConnection,
    id: Uuid,
    data: &Map<String, Value>,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update auth.identities set identity_data = $2, last_sign_in_at = $3, updated_at = $3
         where id = $1",
    )
    .bind(id)
    .bind(Json(data))
    .bind(now)
    .execute(conn)
    .await?;
    Ok(())
}

/// The users who have one of these addresses, first as an identity, then as account. Users of single
/// sign-on keep to themselves. An identity whose provider does not vouch for the address does not count,
/// or whoever links one could collect the sign-ins of the address's owner; old rows say nothing about it.
pub async fn users_with_email(
    conn: &mut PgConnection,
    emails: &[String],
) -> Result<(Vec<Uuid>, Vec<Uuid>), sqlx::Error> {
    let by_identity = sqlx::query_scalar(
        "select distinct user_id from auth.identities
         where email = any($1) and provider not like 'sso:%'
           and coalesce(identity_data->>'email_verified', 'true') <> 'false'",
    )
    .bind(emails)
    .fetch_all(&mut *conn)
    .await?;
    let by_account = sqlx::query_scalar(
        "select id from auth.users where email = any($1) and is_sso_user = false",
    )
    .bind(emails)
    .fetch_all(conn)
    .await?;
    Ok((by_identity, by_account))
}

/// The users who have one of these addresses at this one provider, which is a linking domain of its own.
pub async fn users_with_email_at(
    conn: &mut PgConnection,
    emails: &[String],
    provider: &str,
) -> Result<Vec<Uuid>, sqlx::Error> {
    sqlx::query_scalar(
        "select distinct user_id from auth.identities where email = any($1) and provider = $2",
    )
    .bind(emails)
    .bind(provider)
    .fetch_all(conn)
    .await
}

/// Removes all of a user's but one.
pub async fn keep_one(conn: &mut PgConnection, user: Uuid, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.identities where user_id = $1 and id <> $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}
