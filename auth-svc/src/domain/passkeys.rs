//! Passkeys: credentials that find the user by themselves, and sign in without anything else.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};
use sqlx::{PgConnection, types::Json};
use uuid::Uuid;

use super::{
    account::{self, Account},
    audit::{self, Action, Actor},
    clock,
    session::{self, Caller, Issued, Method},
    webauthn::{self, Answer, Credential, Failure, Purpose, Session as Ceremony, UserEntity},
};
use crate::{
    app::App,
    config::RelyingParty,
    error::{Code, Error},
    store::{
        passkeys::{self, Passkey},
        sessions::Session,
        users::User,
    },
};

const REGISTRATION: &str = "registration";
const AUTHENTICATION: &str = "authentication";

/// A passkey as clients see it.
pub fn passkey_json(passkey: &Passkey) -> Value {
    let mut value = json!({ "id": passkey.id });
    if !passkey.friendly_name.is_empty() {
        value["friendly_name"] = passkey.friendly_name.as_str().into();
    }
    value["created_at"] = account::time(passkey.created_at).into();
    if let Some(moment) = passkey.last_used_at {
        value["last_used_at"] = account::time(moment).into();
    }
    value
}

/// Fails for a user with a second factor who did not prove it.
pub fn check_assurance(account: &Account, session: Option<&Session>) -> Result<(), Error> {
    if account.has_verified_factor() && !session.is_some_and(Session::is_aal2) {
        return Err(Error::forbidden(
            Code::InsufficientAal,
            "AAL2 session is required to manage passkeys when MFA is enabled",
        ));
    }
    Ok(())
}

/// Fails for a user who may not add passkeys.
pub fn check_may_register(account: &Account, session: Option<&Session>) -> Result<(), Error> {
    if account.user.is_sso_user {
        return Err(Error::unprocessable(
            Code::ValidationFailed,
            "SSO users cannot register passkeys",
        ));
    }
    check_assurance(account, session)
}

fn check_room(app: &App, count: i64) -> Result<(), Error> {
    if count >= app.config().max_passkeys {
        return Err(Error::unprocessable(
            Code::TooManyPasskeys,
            "Maximum number of passkeys reached",
        ));
    }
    Ok(())
}

/// The account, to tell it from others, and the person.
fn names(user: &User) -> (&str, &str) {
    let name = if user.email.is_empty() {
        user.phone.as_str()
    } else {
        user.email.as_str()
    };
    let person = user.raw_user_meta_data.get("name").and_then(Value::as_str);
    (name, person.filter(|text| !text.is_empty()).unwrap_or(name))
}

/// Begins to add a passkey; gives the answer for the browser.
pub async fn begin_registration(app: &App, account: &Account) -> Result<Value, Error> {
    let party = app.relying_party()?;
    let mut tx = app.begin().await?;
    let user = account.user.id;
    check_room(app, passkeys::count_locked(&mut tx, user).await?)?;
    let existing = credentials(&mut tx, user).await?;
    let (name, display_name) = names(&account.user);
    let entity = UserEntity {
        handle: &user.to_string(),
        name,
        display_name,
    };
    let purpose = Purpose::Passkey;
    let begun = webauthn::begin_creation(party, app.random(), purpose, entity, &existing);
    let answer = remember(app, &mut tx, party, REGISTRATION, Some(user), begun).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Begins to sign in; gives the answer for the browser.
pub async fn begin_authentication(app: &App) -> Result<Value, Error> {
    let party = app.relying_party()?;
    let begun = webauthn::begin_assertion(party, app.random(), Purpose::Passkey, None);
    let mut conn = app.connection().await?;
    remember(app, &mut conn, party, AUTHENTICATION, None, begun).await
}

async fn remember(
    app: &App,
    conn: &mut PgConnection,
    party: &RelyingParty,
    kind: &str,
    user: Option<Uuid>,
    (options, session): (Value, Ceremony),
) -> Result<Value, Error> {
    let now = app.now();
    let ceremony = passkeys::Ceremony {
        id: clock::id(app.random()),
        user_id: user,
        challenge_type: kind.to_owned(),
        session_data: Json(
            serde_json::to_value(session)
                .map_err(|error| Error::internal("WebAuthn session data", error))?,
        ),
        expires_at: now + party.challenge_expiry,
    };
    passkeys::begin(conn, &ceremony, now)
        .await
        .map_err(Error::database("Database error storing challenge"))?;
    Ok(json!({
        "challenge_id": ceremony.id,
        "options": options,
        "expires_at": ceremony.expires_at.timestamp(),
    }))
}

async fn credentials(conn: &mut PgConnection, user: Uuid) -> Result<Vec<Credential>, sqlx::Error> {
    let rows = passkeys::of_user(conn, user).await?;
    Ok(rows.iter().map(Credential::of_passkey).collect())
}

/// Takes away the ceremony that a response belongs to. Committed at once, so that even a wrong response
/// uses it up.
async fn consume(
    app: &App,
    id: Uuid,
    kind: &str,
    user: Option<Uuid>,
    now: DateTime<Utc>,
) -> Result<Ceremony, Error> {
    let mut conn = app.connection().await?;
    let ceremony = passkeys::consume(&mut conn, id, kind, user)
        .await
        .map_err(Error::database("Database error consuming challenge"))?
        .ok_or_else(|| {
            Error::bad_request(
                Code::WebAuthnChallengeNotFound,
                "Challenge not found or already used",
            )
        })?;
    if now > ceremony.expires_at {
        return Err(Error::bad_request(
            Code::WebAuthnChallengeExpired,
            "Challenge has expired",
        ));
    }
    serde_json::from_value(ceremony.session_data.0)
        .map_err(|error| Error::internal("WebAuthn session data", error))
}

fn failed(reason: Failure) -> Error {
    tracing::info!(%reason, "a passkey was not proved");
    let message = match reason {
        Failure::Malformed(_) => "Invalid credential response",
        Failure::Refused(_) => "Credential verification failed",
    };
    Error::bad_request(Code::WebAuthnVerificationFailed, message)
}

/// Adds the passkey that a browser made.
pub async fn finish_registration(
    app: &App,
    account: &Account,
    challenge: Uuid,
    response: &Value,
    caller: &Caller,
) -> Result<Passkey, Error> {
    let party = app.relying_party()?;
    let (user, now) = (account.user.id, app.now());
    let ceremony = consume(app, challenge, REGISTRATION, Some(user), now).await?;
    let made =
        webauthn::finish_creation(party, &ceremony, &user.to_string(), response).map_err(failed)?;
    let aaguid = made.aaguid();
    let passkey = Passkey {
        id: clock::id(app.random()),
        user_id: user,
        credential_id: made.id.0,
        public_key: made.public_key.0,
        attestation_type: made.attestation_type,
        aaguid: Some(aaguid),
        sign_count: made.authenticator.sign_count.into(),
        transports: Json(made.transport.unwrap_or_default()),
        backup_eligible: made.flags.backup_eligible,
        backed_up: made.flags.backup_state,
        friendly_name: webauthn::friendly_name(aaguid).to_owned(),
        created_at: now,
        last_used_at: None,
    };
    let mut tx = app.begin().await?;
    check_room(app, passkeys::count_locked(&mut tx, user).await?)?;
    passkeys::insert(&mut tx, &passkey)
        .await
        .map_err(|source| {
            let taken = source
                .as_database_error()
                .is_some_and(sqlx::error::DatabaseError::is_unique_violation);
            if taken {
                return Error::unprocessable(
                    Code::WebAuthnCredentialExists,
                    "This credential is already registered",
                );
            }
            Error::database("Database error creating passkey")(source)
        })?;
    let action = Action::PasskeyCreated;
    note(app, &mut tx, account, action, &passkey, caller).await?;
    tx.commit().await?;
    Ok(passkey)
}

async fn note(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    action: Action,
    passkey: &Passkey,
    caller: &Caller,
) -> Result<(), sqlx::Error> {
    let traits = json!({ "passkey_id": passkey.id });
    let actor = Actor::User(&account.user);
    audit::record(app, conn, caller, actor, action, Some(traits)).await
}

/// Signs in whomever a passkey belongs to.
pub async fn authenticate(
    app: &App,
    challenge: Uuid,
    response: &Value,
    caller: &Caller,
) -> Result<Issued, Error> {
    let party = app.relying_party()?;
    let ceremony = consume(app, challenge, AUTHENTICATION, None, app.now()).await?;
    let answer = Answer::read(response).map_err(failed)?;
    let handle = answer
        .user_handle()
        .ok_or_else(|| failed(Failure::Refused("no user handle")))?;
    let mut tx = app.begin().await?;
    let unknown = || failed(Failure::Refused("an unknown user handle"));
    let user: Uuid = handle.parse().map_err(|_| unknown())?;
    let account = Account::find(&mut tx, user).await?.ok_or_else(unknown)?;
    let rows = passkeys::of_user(&mut tx, user).await?;
    let known: Vec<Credential> = rows.iter().map(Credential::of_passkey).collect();
    let used = webauthn::finish_assertion(party, &ceremony, &user.to_string(), &known, &answer)
        .map_err(failed)?;
    check_may_sign_in(app, &account.user)?;
    let passkey = rows
        .iter()
        .find(|row| row.credential_id == used.id.0)
        .ok_or_else(unknown)?;
    let count = used.authenticator.sign_count.into();
    passkeys::record_use(&mut tx, passkey.id, count, app.now()).await?;
    note(app, &mut tx, &account, Action::Login, passkey, caller).await?;
    let issued = session::begin(app, &mut tx, &account, Method::Passkey, caller).await?;
    tx.commit().await?;
    Ok(issued)
}

fn check_may_sign_in(app: &App, user: &User) -> Result<(), Error> {
    if !user.email.is_empty() && user.email_confirmed_at.is_none() {
        return Err(Error::forbidden(
            Code::EmailNotConfirmed,
            "Email not confirmed",
        ));
    }
    if !user.phone.is_empty() && user.phone_confirmed_at.is_none() {
        return Err(Error::forbidden(
            Code::PhoneNotConfirmed,
            "Phone not confirmed",
        ));
    }
    if user.is_banned(app.now()) {
        return Err(Error::forbidden(Code::UserBanned, "User is banned"));
    }
    Ok(())
}

/// There is none, or it is somebody else's.
pub fn not_found() -> Error {
    Error::refused(404, Code::ValidationFailed, "Passkey not found")
}

/// The id in a path.
pub fn read_id(id: &str) -> Result<Uuid, Error> {
    id.parse().map_err(|_| not_found())
}

/// One of a user's, by the id of a path.
pub async fn find(conn: &mut PgConnection, user: Uuid, id: &str) -> Result<Passkey, Error> {
    let id = read_id(id)?;
    passkeys::find(conn, user, id)
        .await
        .map_err(Error::database("Database error loading passkey"))?
        .ok_or_else(not_found)
}

/// Gives a passkey another name.
pub async fn rename(
    app: &App,
    account: &Account,
    id: &str,
    name: &str,
    caller: &Caller,
) -> Result<Passkey, Error> {
    let failed = Error::database("Database error updating passkey");
    let mut tx = app.begin().await?;
    let mut passkey = find(&mut tx, account.user.id, id).await?;
    passkeys::rename(&mut tx, passkey.id, name, app.now())
        .await
        .map_err(&failed)?;
    name.clone_into(&mut passkey.friendly_name);
    let action = Action::PasskeyUpdated;
    note(app, &mut tx, account, action, &passkey, caller)
        .await
        .map_err(&failed)?;
    tx.commit().await?;
    Ok(passkey)
}

/// Removes a passkey of the user's own.
pub async fn delete(app: &App, account: &Account, id: &str, caller: &Caller) -> Result<(), Error> {
    let failed = Error::database("Database error deleting passkey");
    let mut tx = app.begin().await?;
    let passkey = find(&mut tx, account.user.id, id).await?;
    passkeys::delete(&mut tx, passkey.id)
        .await
        .map_err(&failed)?;
    let action = Action::PasskeyDeleted;
    note(app, &mut tx, account, action, &passkey, caller)
        .await
        .map_err(&failed)?;
    tx.commit().await?;
    Ok(())
}
