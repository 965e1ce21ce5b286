//! A session's life in as few statements as it takes: beginning it, reading and locking all that a refresh looks at,
//! and writing all that a refresh changes.

use std::sync::{Arc, LazyLock};

use chrono::{DateTime, Utc};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, types::Json};
use uuid::Uuid;

use super::{
    accounts::{self, Account},
    audit::NewEntry,
    refresh_tokens::{self, RefreshToken},
    sessions::{self, Claim, Origin, Session},
    users,
};

/// What a session begins with.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the tables")]
pub struct NewSession<'a> {
    pub id: Uuid,
    pub user_id: Uuid,
    pub origin: Origin,
    /// A client of the OAuth server, and the scopes that it was given.
    pub client: Option<(Uuid, &'a str)>,
    /// The opaque refresh token that it begins with.
    pub token: Option<&'a str>,
    /// The key that signs its refresh tokens, as it is stored.
    pub hmac_key: Option<&'a str>,
    /// How the user proved who they are, and the id of that proof.
    pub proof: (Uuid, &'a str),
}

/// Begins a session: the row, its token, its first proof, and the note of the sign-in.
pub async fn begin(
    conn: &mut PgConnection,
    new: &NewSession<'_>,
    now: DateTime<Utc>,
) -> Result<(Session, Account), sqlx::Error> {
    #[derive(FromRow)]
    struct Begun {
        session: Json<Session>,
        #[sqlx(flatten)]
        account: accounts::Row,
    }
    static SQL: LazyLock<Arc<str>> = LazyLock::new(|| {
        format!(
        "with session as (
             insert into auth.sessions (
                 id, user_id, created_at, updated_at, aal, user_agent, ip, oauth_client_id, scopes,
                 refresh_token_hmac_key, refresh_token_counter)
             values ($1, $2, $3, $3, 'aal1', $4, $5, $6, $7, $8, case when $8::text is not null then 0 end)
             returning {sessions}
         ), token as (
             insert into auth.refresh_tokens (
                 instance_id, token, user_id, revoked, created_at, updated_at, session_id)
             select '00000000-0000-0000-0000-000000000000', $9, $2::uuid::text, false, $3, $3, $1
             where $9::text is not null
         ), claim as (
             insert into auth.mfa_amr_claims (
                 id, session_id, created_at, updated_at, authentication_method)
             values ($10, $1, $3, $3, $11)
         ), u as (
             update auth.users set last_sign_in_at = $3, updated_at = $3
             where {ours} and id = $2
             returning {users}
         )
         select row_to_json(session) as session, {account} from session, u",
        sessions = sessions::COLUMNS,
        ours = users::OURS,
        users = users::COLUMNS,
        account = accounts::columns(),
        )
        .into()
    });
    let begun: Begun = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(new.id)
        .bind(new.user_id)
        .bind(now)
        .bind(&new.origin.user_agent)
        .bind(new.origin.ip)
        .bind(new.client.map(|(id, _)| id))
        .bind(new.client.map(|(_, scopes)| scopes))
        .bind(new.hmac_key)
        .bind(new.token)
        .bind(new.proof.0)
        .bind(new.proof.1)
        .fetch_one(conn)
        .await?;
    Ok((begun.session.0, begun.account.into()))
}

/// All that a refresh looks at.
#[derive(Clone, Debug)]
pub struct Held {
    /// The opaque token that was asked about, locked.
    pub token: Option<RefreshToken>,
    /// The session, locked; nothing when there is none or somebody else holds it.
    pub session: Option<Session>,
    /// The user.
    pub account: Account,
    /// How the session was proved, newest first.
    pub proofs: Vec<Claim>,
}

#[derive(FromRow)]
struct HeldRow {
    token: Option<Json<RefreshToken>>,
    session: Option<Json<Session>>,
    #[sqlx(flatten)]
    account: accounts::Row,
    proofs: Json<Vec<Claim>>,
}

impl From<HeldRow> for Held {
    fn from(row: HeldRow) -> Self {
        Self {
            token: row.token.map(|Json(token)| token),
            session: row.session.map(|Json(session)| session),
            account: row.account.into(),
            proofs: row.proofs.0,
        }
    }
}

/// Whose a token is. The column is a text in which people have written other things than ids.
const TOKEN_USER: &str = "\
    case when presented.user_id ~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$' \
    then presented.user_id::uuid end";

/// The rest of both statements, after the locks.
fn look(from: &str, user: &str, token: &str) -> String {
    format!(
        "select {token} as token, (select row_to_json(session) from session) as session, {account},
             (select coalesce(json_agg(c), '[]') from (
                 select authentication_method, updated_at from auth.mfa_amr_claims
                 where session_id = (select id from session) order by updated_at desc
             ) as c) as proofs
         from {from}, lateral ({user}) as u",
        account = accounts::columns(),
        user = accounts::user(user),
    )
}

/// Locks an opaque token and its session. Nothing when there is no such token, when somebody else holds it, or when
/// its user is gone.
pub async fn hold_by_token(
    conn: &mut PgConnection,
    token: &str,
) -> Result<Option<Held>, sqlx::Error> {
    static SQL: LazyLock<Arc<str>> = LazyLock::new(|| {
        format!(
            "with presented as materialized (
             select {tokens} from auth.refresh_tokens where token = $1 for update skip locked
         ), session as materialized (
             select {sessions} from auth.sessions where id = (select session_id from presented)
             for update skip locked
         )
         {look}",
            tokens = refresh_tokens::COLUMNS,
            sessions = sessions::COLUMNS,
            look = look("presented", TOKEN_USER, "row_to_json(presented)"),
        )
        .into()
    });
    let row: Option<HeldRow> = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(token)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(Held::from))
}

/// Locks a session. Nothing when there is none or somebody else holds it.
pub async fn hold_by_session(
    conn: &mut PgConnection,
    session: Uuid,
) -> Result<Option<Held>, sqlx::Error> {
    static SQL: LazyLock<Arc<str>> = LazyLock::new(|| {
        format!(
            "with session as materialized (
             select {sessions} from auth.sessions where id = $1 for update skip locked
         )
         {look}",
            sessions = sessions::COLUMNS,
            look = look("session", "session.user_id", "null::json"),
        )
        .into()
    });
    let row: Option<HeldRow> = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(session)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(Held::from))
}

/// All that a refresh changes.
#[derive(Clone, Debug, Default)]
pub struct Refresh<'a> {
    /// The session.
    pub session: Uuid,
    /// Its user.
    pub user: Uuid,
    /// Where the request came from.
    pub origin: Origin,
    /// The opaque token that ends.
    pub revoke: Option<i64>,
    /// The opaque token that is added, and the one that it was exchanged for. A sign-in is noted with it.
    pub add: Option<(String, &'a str)>,
    /// True when the added token is only there for its successors' sake.
    pub added_is_revoked: bool,
    /// The number of the signed token that is good now.
    pub counter: Option<i64>,
    /// The key of signed tokens, as it is stored.
    pub hmac_key: Option<String>,
    /// What is recorded.
    pub events: Vec<NewEntry>,
}

/// Writes it. Gives the user again when a sign-in was noted.
pub async fn write(
    conn: &mut PgConnection,
    refresh: &Refresh<'_>,
    now: DateTime<Utc>,
) -> Result<Option<Account>, sqlx::Error> {
    static SQL: LazyLock<Arc<str>> = LazyLock::new(|| {
        format!(
        "with revoked as (
             update auth.refresh_tokens set revoked = true, updated_at = $4 where id = $5
         ), added as (
             insert into auth.refresh_tokens (
                 instance_id, token, user_id, revoked, created_at, updated_at, parent, session_id)
             select '00000000-0000-0000-0000-000000000000', $6, $2::uuid::text, $7, $4, $4, $8, $1
             where $6::text is not null
         ), refreshed as (
             update auth.sessions
             set refreshed_at = $4::timestamptz at time zone 'utc', updated_at = $4, user_agent = $9, ip = $10,
                 refresh_token_counter = coalesce($11, refresh_token_counter),
                 refresh_token_hmac_key = coalesce($12, refresh_token_hmac_key)
             where id = $1
         ), events as (
             insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
             select '00000000-0000-0000-0000-000000000000', id, payload::json, $4, $3
             from unnest($13::uuid[], $14::text[]) as event (id, payload)
         ), u as (
             update auth.users set last_sign_in_at = $4, updated_at = $4
             where {ours} and id = $2 and $6::text is not null
             returning {users}
         )
         select {account} from u",
        ours = users::OURS,
        users = users::COLUMNS,
        account = accounts::columns(),
        )
        .into()
    });
    let ip_address = refresh
        .events
        .first()
        .map(|event| event.ip_address.as_str());
    let (ids, payloads): (Vec<_>, Vec<_>) = refresh
        .events
        .iter()
        .map(|event| (event.id, event.payload.to_string()))
        .unzip();
    let row: Option<accounts::Row> = sqlx::query_as(AssertSqlSafe(Arc::clone(&SQL)))
        .bind(refresh.session)
        .bind(refresh.user)
        .bind(ip_address.unwrap_or_default())
        .bind(now)
        .bind(refresh.revoke)
        .bind(refresh.add.as_ref().map(|(token, _)| token))
        .bind(refresh.added_is_revoked)
        .bind(refresh.add.as_ref().map(|(_, parent)| parent))
        .bind(&refresh.origin.user_agent)
        .bind(refresh.origin.ip)
        .bind(refresh.counter)
        .bind(&refresh.hmac_key)
        .bind(ids)
        .bind(payloads)
        .fetch_optional(conn)
        .await?;
    Ok(row.map(Account::from))
}
