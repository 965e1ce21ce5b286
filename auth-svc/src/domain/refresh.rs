//! Exchanging a refresh token for the next one.
//!
//! Every token is good once. A client that lost the answer may ask again with the same token and gets
//! the token that it lost; anybody else who comes with a used token gives away that it was stolen, and
//! the session ends. There are two kinds of tokens: opaque ones, a row each, and [`signed`] ones, which only
//! count in the session's row.

mod queues;
mod rules;
pub mod signed;

pub use queues::Queues;

use std::time::Duration;

use sqlx::PgConnection;
use uuid::Uuid;

use self::signed::{SessionKey, SignedToken};
use super::{
    audit::{self, Action, Actor},
    clock::{self, Random},
    encryption,
    session::{self, Caller, Grant, Issued, Method},
};
use crate::{
    app::App,
    error::{Code, Error},
    store::{
        refresh_tokens::{self, RefreshToken},
        rotation::{self, Held, Refresh},
        sessions::{self, Session},
    },
};

/// How long a request waits for another one with the same token.
const PATIENCE: Duration = Duration::from_secs(5);
/// The lower-case letters and digits of base32.
const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
const LENGTH: usize = 12;

/// A new opaque token.
pub fn generate(random: &dyn Random) -> String {
    clock::text(random, ALPHABET, LENGTH)
}

/// What a client came with.
#[derive(Debug)]
enum Presented {
    Opaque(String),
    Signed(SignedToken),
}

impl Presented {
    /// Nothing for what could not be a token of ours.
    fn parse(text: &str) -> Option<Self> {
        if text.len() == LENGTH {
            let is_plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit();
            return text
                .bytes()
                .all(is_plain)
                .then(|| Self::Opaque(text.to_owned()));
        }
        SignedToken::parse(text).map(Self::Signed)
    }
}

/// What happened to the token, for the response headers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// False when a token was issued that nobody had before, absent when it is not said.
    pub reused: Option<bool>,
    /// Why a used token was accepted.
    pub causes: Vec<&'static str>,
    /// True when an opaque token was exchanged for a signed one.
    pub upgraded: bool,
}

/// A new session state, and what happened.
#[derive(Debug)]
pub struct Refreshed {
    /// What the client gets.
    pub issued: Issued,
    /// What happened.
    pub outcome: Outcome,
}

/// The token that the client gets, and what it takes.
struct Next<'a> {
    token: String,
    counter: Option<i64>,
    outcome: Outcome,
    write: Refresh<'a>,
}

fn not_found() -> Error {
    Error::bad_request(
        Code::RefreshTokenNotFound,
        "Invalid Refresh Token: Refresh Token Not Found",
    )
}

fn already_used() -> Error {
    Error::bad_request(
        Code::RefreshTokenAlreadyUsed,
        "Invalid Refresh Token: Already Used",
    )
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
    let method = Method::TokenRefresh.as_str();
    let exchanged = exchange_in_turn(app, token, client, caller).await;
    match &exchanged {
        Ok(_) => app.metrics().signed_in(method),
        Err(error) => app.metrics().not_signed_in(method, error),
    }
    exchanged
}

async fn exchange_in_turn(
    app: &App,
    token: &str,
    client: Option<Uuid>,
    caller: &Caller,
) -> Result<Refreshed, Error> {
    let presented =
        Presented::parse(token).ok_or_else(|| Error::invalid("Refresh token is not valid"))?;
    let too_many = || {
        Error::refused(
            409,
            Code::Conflict,
            "Too many concurrent token refresh requests on the same session or refresh token",
        )
    };
    let started = std::time::Instant::now();
    // Those of this process come one after the other; those of other copies are asked for again and again.
    let turn = tokio::time::timeout(PATIENCE, app.refreshes().turn(&presented));
    let _turn = turn.await.map_err(|_| too_many())?;
    loop {
        if let Some(refreshed) = attempt(app, &presented, client, caller).await? {
            return Ok(refreshed);
        }
        if started.elapsed() >= PATIENCE {
            return Err(too_many());
        }
        let wait = 10 + clock::below(app.random(), 20);
        tokio::time::sleep(Duration::from_millis(wait)).await;
    }
}

/// One attempt; nothing when somebody else holds the token.
async fn attempt(
    app: &App,
    presented: &Presented,
    client: Option<Uuid>,
    caller: &Caller,
) -> Result<Option<Refreshed>, Error> {
    let mut tx = app.begin().await?;
    let held = match presented {
        Presented::Opaque(text) => rotation::hold_by_token(&mut tx, text).await?,
        Presented::Signed(token) => rotation::hold_by_session(&mut tx, token.session).await?,
    };
    let Some(held) = held else {
        let is_busy = is_busy(app, &mut tx, presented).await?;
        return if is_busy { Ok(None) } else { Err(not_found()) };
    };
    let key = match (presented, &held.session) {
        (Presented::Signed(token), Some(session)) => {
            Some(key_of(app, session, token)?.ok_or_else(not_found)?)
        }
        _ => None,
    };
    if held.account.user.is_banned(app.now()) {
        return Err(Error::bad_request(
            Code::UserBanned,
            "Invalid Refresh Token: User Banned",
        ));
    }
    let Some(session) = &held.session else {
        if let Some(token) = &held.token {
            if let Some(id) = token.session_id
                && sessions::find(&mut tx, id).await?.is_some()
            {
                return Ok(None);
            }
            refresh_tokens::delete(&mut tx, token.id).await?;
            tx.commit().await?;
        }
        return Err(Error::bad_request(
            Code::SessionNotFound,
            "Invalid Refresh Token: No Valid Session Found",
        ));
    };
    rules::check(app, &mut tx, &held, session, client).await?;
    let next = match (presented, &held.token, &key) {
        (Presented::Signed(token), _, Some(key)) => count(app, session, token, key)?,
        (_, Some(token), _) => rotate(app, &mut tx, session, token).await?,
        _ => return Err(not_found()),
    };
    let Some(mut next) = next else {
        end(app, &mut tx, session, presented).await?;
        // What was ended must stay so although the request fails.
        tx.commit().await?;
        return Err(already_used());
    };
    finish(app, &held, session, &mut next, caller)?;
    let now = app.now();
    let written = rotation::write(&mut tx, &next.write, now)
        .await
        .map_err(Error::database("failed to update session information"))?;
    let grant = Grant {
        account: written.unwrap_or_else(|| held.account.clone()),
        session,
        proofs: &held.proofs,
        refresh_token: next.token,
        counter: next.counter,
    };
    let issued = session::issue(app, &mut tx, grant, Method::TokenRefresh, caller).await?;
    tx.commit().await?;
    Ok(Some(Refreshed {
        issued,
        outcome: next.outcome,
    }))
}

/// True when the token is there, and only somebody else's for the moment.
async fn is_busy(app: &App, conn: &mut PgConnection, presented: &Presented) -> Result<bool, Error> {
    match presented {
        Presented::Opaque(text) => {
            let Some(token) = refresh_tokens::find(conn, text).await? else {
                return Ok(false);
            };
            let Ok(user) = token.user_id.parse() else {
                return Ok(false);
            };
            Ok(super::account::Account::find(conn, user).await?.is_some())
        }
        Presented::Signed(token) => {
            let Some(session) = sessions::find(conn, token.session).await? else {
                return Ok(false);
            };
            // Nobody is kept waiting for a session that they do not have.
            Ok(key_of(app, &session, token)?.is_some())
        }
    }
}

/// The session's key, if it signed the token.
fn key_of(app: &App, session: &Session, token: &SignedToken) -> Result<Option<SessionKey>, Error> {
    if session.refresh_token_counter.is_none() {
        return Ok(None);
    }
    let key = session_key(app, session)?;
    Ok(key.filter(|key| token.is_signed_by(key)))
}

/// The key that signs a session's refresh tokens; nothing when they are opaque.
pub(super) fn session_key(app: &App, session: &Session) -> Result<Option<SessionKey>, Error> {
    let Some(stored) = &session.refresh_token_hmac_key else {
        return Ok(None);
    };
    let opened = encryption::open(&app.config().security.encryption, session.id, stored)?;
    Ok(SessionKey::parse(&opened.text))
}

/// A new key, and how it is stored.
pub(super) fn new_session_key(app: &App, session: Uuid) -> Result<(SessionKey, String), Error> {
    let key = SessionKey::generate(app.random());
    let rules = &app.config().security.encryption;
    let stored = encryption::seal(rules, app.random(), session, &key.to_text())?;
    Ok((key, stored))
}

/// The next of a session's signed tokens, or nothing when the one given was stolen.
fn count<'a>(
    app: &App,
    session: &Session,
    token: &SignedToken,
    key: &SessionKey,
) -> Result<Option<Next<'a>>, Error> {
    let security = &app.config().security;
    let mut counter = session.refresh_token_counter.unwrap_or_default();
    let mut outcome = Outcome::default();
    let behind = counter.saturating_sub(token.counter);
    if behind < 0 {
        return Err(Error::invalid(
            "Invalid Refresh Token: Not Issued By This Server",
        ));
    }
    if behind == 0 {
        counter = counter.saturating_add(1);
        outcome.reused = Some(false);
    } else {
        let since = (app.now() - session.last_refreshed_at(None)).abs();
        // Several tabs that wake up together refresh together.
        if since
            .to_std()
            .is_ok_and(|since| since < security.reuse_interval)
        {
            outcome.causes.push("concurrent-refresh");
        }
        if behind == 1 {
            outcome.causes.push("fail-to-save");
        }
        if security.allow_refresh_token_reuse {
            outcome.causes.push("always-allow");
        }
        if outcome.causes.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(Next {
        token: key.token(session.id, counter),
        counter: Some(counter),
        outcome,
        write: Refresh {
            counter: Some(counter),
            ..Refresh::default()
        },
    }))
}

/// The token after an opaque one, or nothing when that was stolen.
async fn rotate<'a>(
    app: &App,
    conn: &mut PgConnection,
    session: &Session,
    token: &'a RefreshToken,
) -> Result<Option<Next<'a>>, Error> {
    let mut write = Refresh::default();
    if token.revoked {
        let active = refresh_tokens::active(conn, session.id).await?;
        if let Some(active) = active.filter(|active| active.parent == token.token) {
            return Ok(Some(Next {
                token: active.token,
                counter: None,
                outcome: Outcome::default(),
                write,
            }));
        }
        if app.now() > token.updated_at + app.config().security.reuse_interval {
            return Ok(None);
        }
    } else {
        // The interval counts from the first use, or repeated use would prolong it for ever.
        write.revoke = Some(token.id);
    }
    let next = generate(app.random());
    write.add = Some((next.clone(), &token.token));
    let outcome = Outcome {
        reused: Some(false),
        ..Outcome::default()
    };
    Ok(Some(Next {
        token: next,
        counter: None,
        outcome,
        write,
    }))
}

/// Goes over to signed tokens where that is wished, and adds what every refresh writes.
fn finish(
    app: &App,
    held: &Held,
    session: &Session,
    next: &mut Next<'_>,
    caller: &Caller,
) -> Result<(), Error> {
    let write = &mut next.write;
    let mut actions = vec![Action::TokenRefreshed];
    if write.add.is_some() {
        actions.push(Action::TokenRevoked);
        if is_upgraded(app, session) {
            let key = session_key(app, session)?;
            let known = key.zip(session.refresh_token_counter);
            let (key, counter) = if let Some((key, counter)) = known {
                (key, counter.saturating_add(1))
            } else {
                let (key, stored) = new_session_key(app, session.id)?;
                write.hmac_key = Some(stored);
                (key, 0)
            };
            write.counter = Some(counter);
            write.added_is_revoked = true;
            next.counter = Some(counter);
            next.token = key.token(session.id, counter);
            next.outcome.upgraded = true;
        }
    }
    if write.hmac_key.is_none()
        && next.counter.is_some()
        && let Some(stored) = &session.refresh_token_hmac_key
    {
        let rules = &app.config().security.encryption;
        let opened = encryption::open(rules, session.id, stored)?;
        if opened.is_outdated {
            let sealed = encryption::seal(rules, app.random(), session.id, &opened.text)?;
            write.hmac_key = Some(sealed);
        }
    }
    let actor = Actor::User(&held.account.user);
    write.session = session.id;
    write.user = held.account.user.id;
    write.origin = caller.origin();
    write.events = actions
        .into_iter()
        .filter_map(|action| audit::entry(app, caller, actor, action, None))
        .collect();
    Ok(())
}

/// True for the share of the sessions that is to go over; always the same ones.
fn is_upgraded(app: &App, session: &Session) -> bool {
    let security = &app.config().security;
    security.signed_refresh_tokens
        && session.id.as_u128() % 100 < u128::from(security.refresh_token_upgrade_percentage)
}

/// Ends what a stolen token belongs to, unless that is switched off.
async fn end(
    app: &App,
    conn: &mut PgConnection,
    session: &Session,
    presented: &Presented,
) -> Result<(), Error> {
    tracing::warn!(session.id = %session.id, "a used refresh token came back");
    if !app.config().security.rotation_enabled {
        return Ok(());
    }
    match presented {
        Presented::Opaque(_) => {
            refresh_tokens::revoke_family(conn, session.id, app.now()).await?;
        }
        Presented::Signed(_) => sessions::delete(conn, session.id).await?,
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn tokens_look_like_tokens() {
        for _ in 0..50 {
            let token = generate(&SystemRandom);
            assert!(matches!(
                Presented::parse(&token),
                Some(Presented::Opaque(_))
            ));
        }
        let signed = SessionKey::generate(&SystemRandom).token(Uuid::from_u128(1), 7);
        assert!(matches!(
            Presented::parse(&signed),
            Some(Presented::Signed(_))
        ));
        for wrong in ["", "short", "UPPERCASE123", "with space 1", "abcdefghijklm"] {
            assert!(Presented::parse(wrong).is_none(), "{wrong}");
        }
    }
}
