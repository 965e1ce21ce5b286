//! Exchanging a refresh token for the next one.
//!
//! Every token is good once. A client that lost the answer may ask again with the same token and gets
//! the token that it lost; anybody else who comes with a used token gives away that it was stolen, and
//! the whole session's tokens end.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    account::Account,
    audit::{self, Action, Actor},
    clock::{self, Random},
    session::{self, Caller, Issued, Method},
};
use crate::{
    app::App,
    error::{Code, Error},
    store::{
        refresh_tokens::{self, RefreshToken},
        sessions::{self, Session},
        users,
    },
};

/// How long a request waits for another one with the same token.
const PATIENCE: Duration = Duration::from_secs(5);
/// The lower-case letters and digits of base32.
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
const LENGTH: usize = 12;

/// A new token.
pub fn generate(random: &dyn Random) -> String {
    clock::text(random, ALPHABET, LENGTH)
}

/// True for what could be a token of ours.
pub fn is_well_formed(token: &str) -> bool {
    token.len() == LENGTH
        && token
            .bytes()
            .all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
}

/// What happened to the token, for the response headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// A new token was issued.
    Rotated,
    /// The token that the client lost was given again.
    ParentReused,
    /// A used token was accepted because it was used a moment ago.
    IntervalReused,
}

/// A new session state, and what happened.
#[derive(Debug)]
pub struct Refreshed {
    /// What the client gets.
    pub issued: Issued,
    /// What happened.
    pub outcome: Outcome,
}

/// Exchanges a token. A session that was given to a client of the OAuth server goes on for that client alone, and
/// no client gets at another session.
///
/// Requests with the same token wait here for each other, not in the database, so that a storm of them
/// cannot use up the connections.
pub async fn exchange(
    app: &App,
    token: &str,
    client: Option<Uuid>,
    caller: &Caller,
) -> Result<Refreshed, Error> {
    if !is_well_formed(token) {
        return Err(Error::invalid("Refresh token is not valid"));
    }
    let started = std::time::Instant::now();
    loop {
        if let Some(refreshed) = attempt(app, token, client, caller).await? {
            return Ok(refreshed);
        }
        if started.elapsed() >= PATIENCE {
            return Err(Error::refused(
                409,
                Code::Conflict,
                "Too many concurrent token refresh requests on the same session or refresh token",
            ));
        }
        let wait = 10 + clock::below(app.random(), 20);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

/// One attempt; nothing when somebody else holds the token.
async fn attempt(
    app: &App,
    text: &str,
    client: Option<Uuid>,
    caller: &Caller,
) -> Result<Option<Refreshed>, Error> {
    let mut tx = app.begin().await?;
    let Some(token) = refresh_tokens::lock(&mut tx, text).await? else {
        if refresh_tokens::find(&mut tx, text).await?.is_some() {
            return Ok(None);
        }
        return Err(Error::bad_request(
            Code::RefreshTokenNotFound,
            "Invalid Refresh Token: Refresh Token Not Found",
        ));
    };
    let account = match token.user_id.parse() {
        Ok(id) => Account::find(&mut tx, id).await?,
        Err(_) => None,
    };
    let Some(account) = account else {
        return Err(Error::bad_request(
            Code::RefreshTokenNotFound,
            "Invalid Refresh Token: Refresh Token Not Found",
        ));
    };
    if account.user.is_banned(app.now()) {
        return Err(Error::bad_request(
            Code::UserBanned,
            "Invalid Refresh Token: User Banned",
        ));
    }
    let session = match token.session_id {
        Some(id) => match sessions::lock(&mut tx, id).await? {
            Some(session) => Some(session),
            None if sessions::find(&mut tx, id).await?.is_some() => return Ok(None),
            None => None,
        },
        None => None,
    };
    let Some(session) = session else {
        refresh_tokens::delete(&mut tx, token.id).await?;
        tx.commit().await?;
        return Err(Error::bad_request(
            Code::SessionNotFound,
            "Invalid Refresh Token: No Valid Session Found",
        ));
    };
    check_client(&session, client)?;
    check_lifetime(app, &account, &session, &token, app.now())?;
    if app.config().sessions.single_per_user
        && !is_newest(app, &mut tx, &account, &session, &token).await?
    {
        return Err(expired(
            "Invalid Refresh Token: Session Expired (Revoked by Newer Login)",
        ));
    }
    let Some((next, outcome)) = rotate(app, &mut tx, &account, &session, &token, caller).await?
    else {
        // The revocation must last although the request fails.
        tx.commit().await?;
        return Err(Error::bad_request(
            Code::RefreshTokenAlreadyUsed,
            "Invalid Refresh Token: Already Used",
        ));
    };
    let now = app.now();
    sessions::record_refresh(&mut tx, session.id, &caller.origin(), now).await?;
    users::record_sign_in(&mut tx, account.user.id, now).await?;
    let account = account.reload(&mut tx).await?;
    let method = Method::TokenRefresh;
    let issued = session::issue(app, &mut tx, account, &session, next, method, caller).await?;
    tx.commit().await?;
    Ok(Some(Refreshed { issued, outcome }))
}

/// The next token, or nothing when the one given was stolen; the family is revoked then.
async fn rotate(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: &Session,
    token: &RefreshToken,
    caller: &Caller,
) -> Result<Option<(String, Outcome)>, Error> {
    let security = &app.config().security;
    let now = app.now();
    let actor = Actor::User(&account.user);
    let mut outcome = Outcome::Rotated;
    if token.revoked {
        let active = refresh_tokens::active(conn, session.id).await?;
        if let Some(active) = active.filter(|active| active.parent == token.token) {
            audit::record(app, conn, caller, actor, Action::TokenRefreshed, None).await?;
            return Ok(Some((active.token, Outcome::ParentReused)));
        }
        if now > token.updated_at + security.reuse_interval {
            if security.rotation_enabled {
                refresh_tokens::revoke_family(conn, session.id, now).await?;
            }
            tracing::warn!(session.id = %session.id, "a used refresh token came back");
            return Ok(None);
        }
        outcome = Outcome::IntervalReused;
    }
    audit::record(app, conn, caller, actor, Action::TokenRefreshed, None).await?;
    audit::record(app, conn, caller, actor, Action::TokenRevoked, None).await?;
    if !token.revoked {
        // The interval counts from the first use, or repeated use would prolong it for ever.
        refresh_tokens::revoke(conn, token.id, now).await?;
    }
    let next = generate(app.random());
    refresh_tokens::insert(
        conn,
        &next,
        account.user.id,
        session.id,
        Some(&token.token),
        now,
    )
    .await?;
    Ok(Some((next, outcome)))
}

fn expired(message: &'static str) -> Error {
    Error::bad_request(Code::SessionExpired, message)
}

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

/// Fails when the session may not go on.
fn check_lifetime(
    app: &App,
    account: &Account,
    session: &Session,
    token: &RefreshToken,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let rules = &app.config().sessions;
    let over = session.not_after.is_some_and(|end| now > end)
        || rules
            .timebox
            .is_some_and(|timebox| now > session.created_at + timebox);
    if over {
        return Err(expired("Invalid Refresh Token: Session Expired"));
    }
    let last = session.last_refreshed_at(Some(token.updated_at));
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

/// True when no other session of the user with the same tag was refreshed later.
async fn is_newest(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: &Session,
    token: &RefreshToken,
) -> Result<bool, Error> {
    let own = session.last_refreshed_at(Some(token.updated_at));
    let rules = &app.config().sessions;
    let now = app.now();
    let others = sessions::of_user(conn, session.user_id).await?;
    Ok(!others.iter().any(|other| {
        let over = other.not_after.is_some_and(|end| now > end)
            || rules
                .timebox
                .is_some_and(|timebox| now > other.created_at + timebox)
            || session::low_aal_end(app, account, other).is_some_and(|end| now > end);
        other.id != session.id
            && !over
            && other.tag == session.tag
            && other.last_refreshed_at(None) > own
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn tokens_look_like_tokens() {
        for _ in 0..50 {
            assert!(is_well_formed(&generate(&SystemRandom)));
        }
        for wrong in ["", "short", "UPPERCASE123", "with space 1", "abcdefghijklm"] {
            assert!(!is_well_formed(wrong), "{wrong}");
        }
    }
}
