//! Which sessions may go on.

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use crate::{
    app::App,
    config,
    domain::{account::Account, session},
    error::{Code, Error},
    store::{
        rotation::Held,
        sessions::{self, Session},
    },
};

fn expired(message: &'static str) -> Error {
    Error::bad_request(Code::SessionExpired, message)
}

/// Fails when the session may not go on, or not for whoever asks.
pub(super) async fn check(
    app: &App,
    conn: &mut PgConnection,
    held: &Held,
    session: &Session,
    client: Option<Uuid>,
) -> Result<(), Error> {
    let token_time = held.token.as_ref().map(|token| token.updated_at);
    check_lifetime(app, &held.account, session, token_time, app.now())?;
    check_client(session, client)?;
    if app.config().sessions.single_per_user
        && !is_newest(app, conn, &held.account, session, token_time).await?
    {
        return Err(expired(
            "Invalid Refresh Token: Session Expired (Revoked by Newer Login)",
        ));
    }
    Ok(())
}

/// A session of a client of the OAuth server goes on for that client alone, and no client gets at another one.
fn check_client(session: &Session, client: Option<Uuid>) -> Result<(), Error> {
    let why = match (session.oauth_client_id, client) {
        (Some(_), None) => "Client authentication required for OAuth session",
        (Some(owner), Some(client)) if owner != client => {
            "Client does not match the session's OAuth client"
        }
        (None, Some(_)) => "Client authentication not allowed for non-OAuth session",
        _ => return Ok(()),
    };
    Err(Error::oauth("invalid_client", why))
}

fn check_lifetime(
    app: &App,
    account: &Account,
    session: &Session,
    token_time: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let rules = &app.config().sessions;
    if is_over(rules, session, now) {
        return Err(expired("Invalid Refresh Token: Session Expired"));
    }
    let last = session.last_refreshed_at(token_time);
    if rules
        .inactivity_timeout
        .is_some_and(|timeout| now > last + timeout)
    {
        return Err(expired(
            "Invalid Refresh Token: Session Expired (Inactivity)",
        ));
    }
    if session::low_aal_end(app, account, session).is_some_and(|end| now > end) {
        return Err(expired(
            "Invalid Refresh Token: Session Expired (Low AAL: User Needs MFA Verification)",
        ));
    }
    Ok(())
}

fn is_over(rules: &config::Sessions, session: &Session, now: DateTime<Utc>) -> bool {
    let end = rules.timebox.map(|timebox| session.created_at + timebox);
    [session.not_after, end]
        .into_iter()
        .flatten()
        .any(|end| now > end)
}

/// The kind of session, as far as only one of each kind may live.
fn tag<'a>(rules: &'a config::Sessions, session: &'a Session) -> &'a str {
    let known = session.tag.as_ref().filter(|tag| rules.tags.contains(tag));
    known.or(rules.tags.first()).map_or("", String::as_str)
}

/// True when no other session of the user with the same tag was refreshed later.
async fn is_newest(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: &Session,
    token_time: Option<DateTime<Utc>>,
) -> Result<bool, Error> {
    let own = session.last_refreshed_at(token_time);
    let rules = &app.config().sessions;
    let now = app.now();
    let others = sessions::of_user(conn, session.user_id).await?;
    Ok(!others.iter().any(|other| {
        let last = other.last_refreshed_at(None);
        let over = is_over(rules, other, now)
            || rules
                .inactivity_timeout
                .is_some_and(|timeout| now > last + timeout)
            || session::low_aal_end(app, account, other).is_some_and(|end| now > end);
        other.id != session.id && !over && tag(rules, other) == tag(rules, session) && last > own
    }))
}
