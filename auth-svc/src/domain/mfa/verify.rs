//! Proving a factor, and what a session gains by it.

use serde_json::{Value, json};
use sqlx::PgConnection;
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use super::{Acting, FactorType, credentials, factor_not_found, totp};
use crate::{
    app::App,
    domain::{
        account::{self, Account},
        audit::{self, Action, Actor},
        clock, encryption, hooks, refresh,
        session::{self, Caller, Grant, Issued, Method},
        webauthn::{self, Credential, Session as Ceremony},
    },
    error::{Code, Error},
    store::{
        challenges::{self, Challenge},
        factors::{self, Factor},
        refresh_tokens, sessions,
    },
};

/// What somebody answers to a challenge.
#[derive(Clone, Copy, Debug)]
pub enum Answer<'a> {
    /// The code of an app or text message.
    Code(&'a str),
    /// What a browser made of a WebAuthn challenge.
    WebAuthn {
        /// `create` or `request`.
        kind: &'a str,
        /// `PublicKeyCredential.toJSON()`.
        response: &'a Value,
    },
}

/// Checks the answer to a challenge; when it is right, the session has `aal2` from now on.
pub async fn verify(
    app: &App,
    who: Acting<'_>,
    factor: &Factor,
    challenge: Uuid,
    answer: Answer<'_>,
) -> Result<Issued, Error> {
    let factor_type = FactorType::parse(&factor.factor_type)?;
    factor_type.check_verify(app)?;
    let Acting {
        account,
        session,
        caller,
    } = who;
    let user = account.user.id;
    let mut tx = app.begin().await?;
    // Locked, so that a challenge is good once, and a factor is verified once.
    let factor = factors::lock(&mut tx, user, factor.id)
        .await?
        .ok_or_else(factor_not_found)?;
    let challenge = challenges::lock(&mut tx, factor.id, challenge)
        .await?
        .ok_or_else(|| {
            Error::unprocessable(
                Code::MfaFactorNotFound,
                "MFA factor with the provided challenge ID not found",
            )
        })?;
    if let Err(error) = check_challenge(app, &mut tx, &challenge, caller).await? {
        tx.commit().await?;
        return Err(error);
    }
    match answer {
        Answer::Code(code) => {
            let subject = factor.id.to_string();
            app.limiter().check_guesses(&subject, app.now()).await?;
            let valid = is_right(app, &mut tx, &factor, &challenge, code).await?;
            if !valid {
                app.limiter().note_wrong_guess(&subject, app.now()).await;
            }
            if let Err(error) = ask_hook(app, &mut tx, who, &factor, valid).await? {
                tx.commit().await?;
                return Err(error);
            }
            if !valid {
                // What a hook in the database noted of the attempt must last.
                tx.commit().await?;
                return Err(wrong_code(factor_type));
            }
            challenges::set_verified(&mut tx, challenge.id, app.now()).await?;
        }
        Answer::WebAuthn { kind, response } => {
            prove(app, &mut tx, account, &factor, &challenge, kind, response).await?;
            challenges::delete(&mut tx, challenge.id).await?;
        }
    }
    let traits = json!({
        "factor_id": factor.id,
        "challenge_id": challenge.id,
        "factor_type": factor.factor_type,
    });
    let actor = Actor::User(&account.user);
    let action = Action::VerificationAttempted;
    audit::record(app, &mut tx, caller, actor, action, Some(traits)).await?;
    if !factor.is_verified() {
        factors::set_verified(&mut tx, factor.id, app.now()).await?;
    }
    factors::delete_unverified(&mut tx, user, &factor.factor_type).await?;
    let method = factor_type.method();
    let issued = step_up(app, &mut tx, account, session.id, factor.id, method, caller).await?;
    sessions::delete_below_aal2(&mut tx, user).await?;
    tx.commit().await?;
    Ok(issued)
}

/// The inner error is for a challenge that is removed, which must last although the request fails.
async fn check_challenge(
    app: &App,
    conn: &mut PgConnection,
    challenge: &Challenge,
    caller: &Caller,
) -> Result<Result<(), Error>, Error> {
    if challenge.verified_at.is_some() || challenge.ip_address.ip() != caller.address().ip() {
        return Err(Error::unprocessable(
            Code::MfaIpAddressMismatch,
            "Challenge and verify IP addresses mismatch.",
        ));
    }
    if app.now() > challenge.created_at + app.config().mfa.challenge_expiry {
        challenges::delete(conn, challenge.id).await?;
        return Ok(Err(Error::unprocessable(
            Code::MfaChallengeExpired,
            format!(
                "MFA challenge {} has expired, verify against another challenge or create a new challenge.",
                challenge.id
            ),
        )));
    }
    Ok(Ok(()))
}

async fn is_right(
    app: &App,
    conn: &mut PgConnection,
    factor: &Factor,
    challenge: &Challenge,
    code: &str,
) -> Result<bool, Error> {
    let rules = &app.config().security.encryption;
    if factor.factor_type == "totp" {
        let stored = factors::secret(conn, factor.id).await?;
        let secret = encryption::open(rules, factor.id, &stored)?;
        let valid = totp::is_valid(code, &secret.text, app.now().timestamp());
        if valid && secret.is_outdated {
            let sealed = encryption::seal(rules, app.random(), factor.id, &secret.text)?;
            factors::set_secret(conn, factor.id, &sealed).await?;
        }
        return Ok(valid);
    }
    let stored = challenge.otp_code.as_deref().unwrap_or_default();
    let sent = encryption::open(rules, challenge.id, stored)?.text;
    Ok(!sent.is_empty() && bool::from(sent.as_bytes().ct_eq(code.as_bytes())))
}

fn wrong_code(factor_type: FactorType) -> Error {
    let message = match factor_type {
        FactorType::Totp => "Invalid TOTP code entered",
        FactorType::Phone | FactorType::WebAuthn => "Invalid MFA Phone code entered",
    };
    Error::unprocessable(Code::MfaVerificationFailed, message)
}

/// Asks the project's hook, which may refuse even a right code. The inner error is its refusal, which also
/// ends all of the user's sessions; that must last.
async fn ask_hook(
    app: &App,
    conn: &mut PgConnection,
    who: Acting<'_>,
    factor: &Factor,
    valid: bool,
) -> Result<Result<(), Error>, Error> {
    let Some(hook) = &app.config().hooks.mfa_verification_attempt else {
        return Ok(Ok(()));
    };
    let user = who.account.user.id;
    let rejection = hooks::mfa_attempt(app, conn, hook, (user, factor), valid, who.caller).await?;
    let Some(reason) = rejection else {
        return Ok(Ok(()));
    };
    sessions::delete_of_user(conn, user, None).await?;
    Ok(Err(Error::forbidden(Code::MfaVerificationRejected, reason)))
}

/// Finishes a WebAuthn ceremony.
async fn prove(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    factor: &Factor,
    challenge: &Challenge,
    kind: &str,
    response: &Value,
) -> Result<(), Error> {
    let party = app.relying_party()?;
    let failed = |reason: webauthn::Failure| {
        tracing::info!(%reason, "a WebAuthn factor was not proved");
        match reason {
            webauthn::Failure::Malformed(_) => Error::invalid("Invalid credential_response"),
            webauthn::Failure::Refused(_) => Error::unprocessable(
                Code::MfaVerificationFailed,
                "Failed to validate WebAuthn MFA response",
            ),
        }
    };
    let ceremony: Ceremony = challenge
        .web_authn_session_data
        .as_ref()
        .and_then(|data| serde_json::from_value(data.0.clone()).ok())
        .ok_or_else(|| failed(webauthn::Failure::Refused("there is no ceremony")))?;
    let (user, now) = (account.user.id.to_string(), app.now());
    // Whoever has only the first factor must not put a new authenticator in the place of a verified one.
    if (kind == "create") == factor.is_verified() {
        return Err(failed(webauthn::Failure::Refused(
            "the ceremony is another one",
        )));
    }
    if kind == "create" {
        let made = webauthn::finish_creation(party, &ceremony, &user, response).map_err(failed)?;
        let stored = serde_json::to_value(&made)
            .map_err(|error| Error::internal("WebAuthn credential", error))?;
        factors::set_credential(conn, factor.id, &stored, made.aaguid(), now).await?;
    } else {
        let known: Vec<Credential> = credentials(conn, account).await?;
        let answer = webauthn::Answer::read(response).map_err(failed)?;
        webauthn::finish_assertion(party, &ceremony, &user, &known, &answer).map_err(failed)?;
    }
    let last = json!({
        "challenge": {
            "challenge_id": challenge.id,
            "factor_id": factor.id,
            "created_at": account::time(challenge.created_at),
            "ip_address": challenge.ip_address.ip().to_string(),
        },
        "type": kind,
        "credential_response": response,
    });
    factors::set_last_ceremony(conn, factor.id, &last, now).await?;
    Ok(())
}

/// Lifts a session, with new tokens.
async fn step_up(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: Uuid,
    factor: Uuid,
    method: Method,
    caller: &Caller,
) -> Result<Issued, Error> {
    let now = app.now();
    let claim = clock::id(app.random());
    sessions::add_claim(conn, claim, session, method.as_str(), now).await?;
    sessions::step_up(conn, session, factor).await?;
    let session = sessions::find(conn, session)
        .await?
        .ok_or(sqlx::Error::RowNotFound)?;
    let (refresh_token, counter) = match (
        refresh::session_key(app, &session)?,
        session.refresh_token_counter,
    ) {
        (Some(key), Some(counter)) => {
            // One further, and the token from before the second factor would pass for one whose answer was lost.
            let counter = counter.saturating_add(2);
            sessions::set_counter(conn, session.id, counter).await?;
            (key.token(session.id, counter), Some(counter))
        }
        _ => (swap(app, conn, account, session.id, caller).await?, None),
    };
    let account = account.reload(conn).await?;
    let grant = Grant {
        account,
        proofs: &sessions::claims(conn, session.id).await?,
        session: &session,
        refresh_token,
        counter,
    };
    session::issue(app, conn, grant, method, caller).await
}

/// Exchanges the session's opaque token.
async fn swap(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: Uuid,
    caller: &Caller,
) -> Result<String, Error> {
    let now = app.now();
    let active = refresh_tokens::active(conn, session).await?;
    if let Some(active) = &active {
        refresh_tokens::revoke(conn, active.id, now).await?;
        let actor = Actor::User(&account.user);
        audit::record(app, conn, caller, actor, Action::TokenRevoked, None).await?;
    }
    let next = refresh::generate(app.random());
    let parent = active.as_ref().map(|token| token.token.as_str());
    refresh_tokens::insert(conn, &next, account.user.id, session, parent, now).await?;
    Ok(next)
}
