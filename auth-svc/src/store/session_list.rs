//! The sessions of a user as people see them: with where they are used, and by what.

use std::time::Duration;

use chrono::{DateTime, NaiveDateTime, Utc};
use sqlx::{FromRow, PgConnection, types::Json, types::ipnetwork::IpNetwork};
use uuid::Uuid;

/// One session.
#[derive(Clone, Debug, FromRow)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Listed {
    pub id: Uuid,
    pub created_at: Option<DateTime<Utc>>,
    pub updated_at: Option<DateTime<Utc>>,
    /// UTC, in a column without a zone.
    pub refreshed_at: Option<NaiveDateTime>,
    /// The end that was set, or that of the longest time that any session may last.
    pub not_after: Option<DateTime<Utc>>,
    pub user_agent: Option<String>,
    pub ip: Option<IpNetwork>,
    pub aal: String,
    pub tag: Option<String>,
    pub scopes: Option<String>,
    pub oauth_client_id: Option<Uuid>,
    pub client_name: Option<String>,
    /// The proofs, newest first.
    pub methods: Json<Vec<Proof>>,
    /// How many there are on all pages.
    pub total: i64,
}

/// One proof of who the user is.
#[derive(Clone, Debug, serde::Deserialize)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Proof {
    pub method: String,
    pub timestamp: i64,
}

/// How long sessions last, and now.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the settings of these names")]
pub struct Lifetimes {
    pub timebox: Option<Duration>,
    pub inactivity_timeout: Option<Duration>,
    pub now: DateTime<Utc>,
}

/// One page of a user's sessions that can still be refreshed, the latest sign of life first.
pub async fn page(
    conn: &mut PgConnection,
    user: Uuid,
    lifetimes: Lifetimes,
    (limit, offset): (i64, i64),
) -> Result<Vec<Listed>, sqlx::Error> {
    let seconds = |time: Option<Duration>| time.map(|time| time.as_secs_f64());
    sqlx::query_as(
        "with live as (
             select s.*,
                    least(s.not_after, s.created_at + make_interval(secs => $2)) as ends_at,
                    coalesce(s.refreshed_at at time zone 'UTC', s.created_at) as seen_at
             from auth.sessions s
             where s.user_id = $1
         )
         select l.id, l.created_at, l.updated_at, l.refreshed_at, l.ends_at as not_after,
                l.user_agent, l.ip, coalesce(l.aal::text, 'aal1') as aal, l.tag, l.scopes,
                l.oauth_client_id, c.client_name, count(*) over () as total,
                coalesce(
                    (select json_agg(
                         json_build_object(
                             'method', a.authentication_method,
                             'timestamp', floor(extract(epoch from a.updated_at))::bigint)
                         order by a.updated_at desc)
                     from auth.mfa_amr_claims a where a.session_id = l.id),
                    '[]') as methods
         from live l
         left join auth.oauth_clients c on c.id = l.oauth_client_id
         where (l.ends_at is null or l.ends_at > $4)
           and ($3::float8 is null or l.seen_at is null
                or l.seen_at + make_interval(secs => $3) > $4)
         order by l.seen_at desc nulls last, l.id
         limit $5 offset $6",
    )
    .bind(user)
    .bind(seconds(lifetimes.timebox))
    .bind(seconds(lifetimes.inactivity_timeout))
    .bind(lifetimes.now)
    .bind(limit)
    .bind(offset)
    .fetch_all(conn)
    .await
}

/// Ends a session if it is this user's; tells whether it was.
pub async fn delete(conn: &mut PgConnection, user: Uuid, id: Uuid) -> Result<bool, sqlx::Error> {
    let done = sqlx::query("delete from auth.sessions where user_id = $1 and id = $2")
        .bind(user)
        .bind(id)
        .execute(conn)
        .await?;
    Ok(done.rows_affected() == 1)
}
