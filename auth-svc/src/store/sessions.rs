//! `auth.sessions` and the methods that a session was proved with.

use chrono::{DateTime, NaiveDateTime, Utc};
use serde::Deserialize;
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::ipnetwork::IpNetwork};
use uuid::Uuid;

/// One session.
#[derive(Clone, Debug, Deserialize, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Session {
    pub id: Uuid,
    pub user_id: Uuid,
    pub created_at: DateTime<Utc>,
    pub aal: String,
    pub not_after: Option<DateTime<Utc>>,
    /// UTC, in a column without a zone.
    pub refreshed_at: Option<NaiveDateTime>,
    pub oauth_client_id: Option<Uuid>,
    pub scopes: Option<String>,
    pub tag: Option<String>,
    /// What signs its refresh tokens when they are signed; may be encrypted.
    pub refresh_token_hmac_key: Option<String>,
    /// The number of the signed token that is good now.
    pub refresh_token_counter: Option<i64>,
}

impl Session {
    /// True when a second factor was proved.
    pub fn is_aal2(&self) -> bool {
        self.aal == "aal2"
    }

    /// The last sign of life: of the session, or before its first refresh of its token.
    pub fn last_refreshed_at(&self, token_updated_at: Option<DateTime<Utc>>) -> DateTime<Utc> {
        let refreshed = self.refreshed_at.map(|naive| naive.and_utc());
        refreshed.unwrap_or_else(|| token_updated_at.unwrap_or_default().max(self.created_at))
    }
}

/// One proof of who the user is.
#[derive(Clone, Debug, Deserialize, FromRow)]
pub struct Claim {
    /// How.
    pub authentication_method: String,
    /// When, last.
    pub updated_at: DateTime<Utc>,
}

/// What a [`Session`] is read from.
pub(super) const COLUMNS: &str = "\
    id, user_id, coalesce(created_at, 'epoch') as created_at, coalesce(aal::text, 'aal1') as aal, \
    not_after, refreshed_at, oauth_client_id, scopes, tag, refresh_token_hmac_key, \
    refresh_token_counter";

fn select(condition: &str) -> AssertSqlSafe<String> {
    AssertSqlSafe(format!(
        "select {COLUMNS} from auth.sessions where {condition}"
    ))
}

/// By id.
pub async fn find(conn: &mut PgConnection, id: Uuid) -> Result<Option<Session>, sqlx::Error> {
    sqlx::query_as(select("id = $1"))
        .bind(id)
        .fetch_optional(conn)
        .await
}

/// All of a user's.
pub async fn of_user(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Session>, sqlx::Error> {
    sqlx::query_as(select("user_id = $1"))
        .bind(user)
        .fetch_all(conn)
        .await
}

/// Who asks, from where.
#[derive(Clone, Debug, Default)]
pub struct Origin {
    /// The client's name of itself.
    pub user_agent: Option<String>,
    /// Its address.
    pub ip: Option<IpNetwork>,
}

/// Sets when a session ends at the latest.
pub async fn end_at(
    conn: &mut PgConnection,
    id: Uuid,
    end: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.sessions set not_after = $2 where id = $1")
        .bind(id)
        .bind(end)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends all sessions that a user gave to a client.
pub async fn delete_of_client(
    conn: &mut PgConnection,
    user: Uuid,
    client: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sessions where user_id = $1 and oauth_client_id = $2")
        .bind(user)
        .bind(client)
        .execute(conn)
        .await?;
    Ok(())
}

/// Adds a proof, or notes that it was given again.
pub async fn add_claim(
    conn: &mut PgConnection,
    id: Uuid,
    session: Uuid,
    method: &str,
    now: DateTime<Utc>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.mfa_amr_claims (id, session_id, created_at, updated_at, authentication_method)
         values ($1, $2, $3, $3, $4)
         on conflict on constraint mfa_amr_claims_session_id_authentication_method_pkey
         do update set updated_at = excluded.updated_at",
    )
    .bind(id)
    .bind(session)
    .bind(now)
    .bind(method)
    .execute(conn)
    .await?;
    Ok(())
}

/// The proofs of a session, newest first.
pub async fn claims(conn: &mut PgConnection, session: Uuid) -> Result<Vec<Claim>, sqlx::Error> {
    sqlx::query_as(
        "select authentication_method, updated_at
         from auth.mfa_amr_claims
         where session_id = $1
         order by updated_at desc",
    )
    .bind(session)
    .fetch_all(conn)
    .await
}

/// Ends one session.
pub async fn delete(conn: &mut PgConnection, id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sessions where id = $1")
        .bind(id)
        .execute(conn)
        .await?;
    Ok(())
}

/// Ends all sessions of a user, or all but one.
pub async fn delete_of_user(
    conn: &mut PgConnection,
    user: Uuid,
    except: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sessions where user_id = $1 and id is distinct from $2")
        .bind(user)
        .bind(except)
        .execute(conn)
        .await?;
    Ok(())
}

/// True when the user has a second factor that is verified.
pub async fn has_verified_factor(conn: &mut PgConnection, user: Uuid) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select from auth.mfa_factors where user_id = $1 and status = 'verified')",
    )
    .bind(user)
    .fetch_one(conn)
    .await
}

/// Notes that a second factor was proved in a session.
pub async fn step_up(conn: &mut PgConnection, id: Uuid, factor: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.sessions set aal = 'aal2', factor_id = $2 where id = $1")
        .bind(id)
        .bind(factor)
        .execute(conn)
        .await?;
    Ok(())
}

/// Sets the number of the signed refresh token that is good now.
pub async fn set_counter(
    conn: &mut PgConnection,
    id: Uuid,
    counter: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("update auth.sessions set refresh_token_counter = $2 where id = $1")
        .bind(id)
        .bind(counter)
        .execute(conn)
        .await?;
    Ok(())
}

/// Takes back what a second factor proved, in all sessions where it was the last one.
pub async fn step_down(
    conn: &mut PgConnection,
    user: Uuid,
    factor: Uuid,
    method: &str,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from auth.mfa_amr_claims
         where authentication_method = $2
           and session_id in (select id from auth.sessions where factor_id = $1)",
    )
    .bind(factor)
    .bind(method)
    .execute(&mut *conn)
    .await?;
    sqlx::query(
        "update auth.sessions set aal = 'aal1', factor_id = null
         where user_id = $1 and factor_id = $2",
    )
    .bind(user)
    .bind(factor)
    .execute(conn)
    .await?;
    Ok(())
}

/// Ends the sessions of a user in which no second factor was proved.
pub async fn delete_below_aal2(conn: &mut PgConnection, user: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.sessions where user_id = $1 and aal < 'aal2'")
        .bind(user)
        .execute(conn)
        .await?;
    Ok(())
}
