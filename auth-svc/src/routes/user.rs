//! `GET` and `PUT /user`, and the user's identities.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{caller::SignedIn, extract::Body, signup};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        confirm,
        external::linking,
        limiter::Route,
        otp, password,
        pkce::Challenge,
        send::{self, Text},
        session::{Caller, Method},
    },
    error::{Code, Error},
    store::{
        identities, sessions,
        sessions::Session,
        users::{self, Metadata},
    },
};

/// After so long, a session counts as not recent enough to set a password.
const RECENT: chrono::Duration = chrono::Duration::hours(24);

pub(super) async fn get(
    SignedIn {
        account,
        caller,
        token_aud,
        ..
    }: SignedIn,
) -> Result<Json<Value>, Error> {
    if caller.aud != token_aud {
        return Err(Error::invalid(
            "Token audience doesn't match request audience",
        ));
    }
    Ok(Json(account.to_json()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    phone: String,
    password: Option<String>,
    current_password: String,
    nonce: String,
    data: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    channel: String,
    code_challenge: String,
    code_challenge_method: String,
}

/// What a request asks for, after the request alone was checked.
struct Wish {
    email: Option<String>,
    phone: Option<String>,
    /// Present but empty is a wish that the original accepts and that changes nothing here.
    password: Option<String>,
    challenge: Option<Challenge>,
}

fn read(app: &App, params: &Params, account: &Account) -> Result<Wish, Error> {
    let mut wish = Wish {
        email: None,
        phone: None,
        password: None,
        challenge: Challenge::read(&params.code_challenge, &params.code_challenge_method)?,
    };
    if !params.email.is_empty() {
        let email = address::email(&params.email)?;
        wish.email = Some(email).filter(|email| *email != account.user.email);
    }
    if !params.phone.is_empty() {
        let phone = address::phone(&params.phone)?;
        signup::check_channel(&params.channel)?;
        wish.phone = Some(phone).filter(|phone| *phone != account.user.phone);
    }
    if let Some(password) = &params.password {
        password::check_strength(password, &app.config().password)?;
        wish.password = Some(password.clone());
    }
    Ok(wish)
}

fn check_allowed(
    app: &App,
    params: &Params,
    wish: &Wish,
    account: &Account,
    session: Option<&Session>,
) -> Result<(), Error> {
    let user = &account.user;
    let config = app.config();
    let is_admin = user.aud == config.jwt.aud && user.role == config.jwt.admin_group_name;
    if params.app_metadata.is_some() && !is_admin {
        return Err(Error::forbidden(
            Code::NotAdmin,
            "Updating app_metadata requires admin privileges",
        ));
    }
    let credentials = wish.password.is_some() || wish.email.is_some() || wish.phone.is_some();
    let is_aal2 = session.is_some_and(Session::is_aal2);
    if credentials && account.has_verified_factor() && !is_aal2 {
        return Err(Error::refused(
            401,
            Code::InsufficientAal,
            "AAL2 session is required to update email or password when MFA is enabled.",
        ));
    }
    let has_address = !params.email.is_empty() || !params.phone.is_empty();
    if user.is_anonymous && wish.password.is_some() && !has_address {
        return Err(Error::unprocessable(
            Code::ValidationFailed,
            "Updating password of an anonymous user without an email or phone is not allowed",
        ));
    }
    if user.is_sso_user && (credentials || !params.nonce.is_empty()) {
        return Err(Error::unprocessable(
            Code::UserSsoManaged,
            "Updating email, phone, password of a SSO account only possible via SSO",
        ));
    }
    Ok(())
}

pub(super) async fn put(
    State(app): State<App>,
    SignedIn {
        account,
        session,
        caller,
        ..
    }: SignedIn,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    app.limiter()
        .check(Route::User, caller.limited_as.as_deref(), app.now())
        .await?;
    let wish = read(&app, &params, &account)?;
    let session = session.as_ref();
    check_allowed(&app, &params, &wish, &account, session)?;
    check_free(&app, &wish, &account, &caller).await?;
    let hash = match &wish.password {
        Some(new) => Some(new_password(&app, &params, new, &account, session).await?),
        None => None,
    };
    let mut tx = app.begin().await?;
    if let Some(hash) = hash {
        let keep = session.map(|session| session.id);
        confirm::change_password(&app, &mut tx, &account, &hash, keep).await?;
        let actor = Actor::User(&account.user);
        let action = Action::UserUpdatedPassword;
        audit::record(&app, &mut tx, &caller, actor, action, None).await?;
    }
    let failed = Error::database("Error updating user");
    let (user, now) = (account.user.id, app.now());
    if let Some(data) = &params.data {
        users::merge_metadata(&mut tx, user, Metadata::User, data, now)
            .await
            .map_err(&failed)?;
    }
    if let Some(data) = &params.app_metadata {
        users::merge_metadata(&mut tx, user, Metadata::App, data, now)
            .await
            .map_err(&failed)?;
    }
    let account = account.reload(&mut tx).await?;
    if let Some(email) = &wish.email {
        change_email(
            &app,
            &mut tx,
            &account,
            email,
            wish.challenge.as_ref(),
            &caller,
        )
        .await?;
    }
    if let Some(phone) = &wish.phone {
        if app.config().sms.autoconfirm {
            confirm::change_phone(&app, &mut tx, &account, phone, &caller).await?;
        } else {
            let text = Text::PhoneChange;
            send::text(&app, &mut tx, &account, phone, text, &caller).await?;
        }
    }
    let actor = Actor::User(&account.user);
    audit::record(&app, &mut tx, &caller, actor, Action::UserModified, None).await?;
    let account = account.reload(&mut tx).await?;
    tx.commit().await?;
    Ok(Json(account.to_json()))
}

/// Fails when a wished address is somebody else's.
async fn check_free(
    app: &App,
    wish: &Wish,
    account: &Account,
    caller: &Caller,
) -> Result<(), Error> {
    let mut conn = app.connection().await?;
    if let Some(email) = &wish.email {
        let except = Some(account.user.id);
        let taken = users::find_duplicate_email(&mut conn, email, &caller.aud, except)
            .await
            .map_err(Error::database("Database error checking email"))?;
        if taken.is_some() {
            return Err(Error::email_exists());
        }
    }
    if let Some(phone) = &wish.phone {
        let taken = users::find_by_phone(&mut conn, phone, &caller.aud)
            .await
            .map_err(Error::database("Database error checking phone"))?;
        if taken.is_some() {
            return Err(Error::phone_exists());
        }
    }
    Ok(())
}

async fn change_email(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    email: &str,
    challenge: Option<&Challenge>,
    caller: &Caller,
) -> Result<(), Error> {
    if account.user.is_anonymous && app.config().mailer.autoconfirm {
        // For somebody without any address this is a sign-up; everybody else has to confirm.
        confirm::change_email(app, conn, account, email, caller).await?;
        return confirm::update_providers(app, conn, account).await;
    }
    send::begin_flow(app, conn, account, challenge, Method::EmailChange).await?;
    send::email_change(app, conn, account, email, challenge.is_some(), caller).await
}

/// The hash of a new password, once everything that has to be proved before was.
async fn new_password(
    app: &App,
    params: &Params,
    new: &str,
    account: &Account,
    session: Option<&Session>,
) -> Result<String, Error> {
    let user = &account.user;
    let security = &app.config().security;
    let recent = session.is_some_and(|session| app.now() <= session.created_at + RECENT);
    if security.password_requires_reauthentication && !recent {
        reauthenticate(app, &params.nonce, account).await?;
    }
    if user.has_password() {
        let old = user.encrypted_password.as_deref();
        if security.password_requires_current && !is_recovery(app, session).await? {
            let message = "Current password required when setting new password.";
            if params.current_password.is_empty() {
                return Err(Error::bad_request(Code::CurrentPasswordRequired, message));
            }
            if !app.hasher().matches(&params.current_password, old).await? {
                return Err(Error::bad_request(Code::CurrentPasswordInvalid, message));
            }
        }
        if app.hasher().matches(new, old).await? {
            return Err(Error::unprocessable(
                Code::SamePassword,
                "New password should be different from the old password.",
            ));
        }
    }
    app.hasher().hash(new).await
}

/// True for sessions that began with a code, whose user may have forgotten the password.
async fn is_recovery(app: &App, session: Option<&Session>) -> Result<bool, Error> {
    let Some(session) = session else {
        return Ok(false);
    };
    let mut conn = app.connection().await?;
    let claims = sessions::claims(&mut conn, session.id).await?;
    let by_code = ["otp", "magiclink", "recovery"];
    Ok(claims
        .iter()
        .any(|claim| by_code.contains(&claim.authentication_method.as_str())))
}

async fn reauthenticate(app: &App, nonce: &str, account: &Account) -> Result<(), Error> {
    if nonce.is_empty() {
        return Err(Error::bad_request(
            Code::ReauthenticationNeeded,
            "Password update requires reauthentication",
        ));
    }
    let user = &account.user;
    let config = app.config();
    let (address, lifetime) = if user.email.is_empty() {
        (&user.phone, config.sms.otp_exp)
    } else {
        (&user.email, config.mailer.otp_exp)
    };
    let subject = user.id.to_string();
    app.limiter().check_guesses(&subject, app.now()).await?;
    let hash = otp::hash(address, nonce);
    let (stored, sent_at) = (&user.reauthentication_token, user.reauthentication_sent_at);
    if !otp::is_valid(&hash, stored, sent_at, lifetime, app.now()) {
        app.limiter().note_wrong_guess(&subject, app.now()).await;
        return Err(Error::unprocessable(
            Code::ReauthenticationNotValid,
            "Nonce has expired or is invalid",
        ));
    }
    let mut conn = app.connection().await?;
    users::clear_reauthentication(&mut conn, user.id).await?;
    Ok(())
}

pub(super) async fn unlink(
    State(app): State<App>,
    Path(id): Path<String>,
    SignedIn {
        account,
        caller,
        token_aud,
        ..
    }: SignedIn,
) -> Result<Json<Value>, Error> {
    if !app.config().security.manual_linking_enabled {
        return Err(Error::refused(
            404,
            Code::ManualLinkingDisabled,
            "Manual linking is disabled",
        ));
    }
    let id: Uuid = id
        .parse()
        .map_err(|_| Error::refused(404, Code::ValidationFailed, "identity_id must be an UUID"))?;
    if caller.aud != token_aud {
        return Err(Error::forbidden(
            Code::UnexpectedAudience,
            "Token audience doesn't match request audience",
        ));
    }
    if account.identities.len() <= 1 {
        return Err(Error::unprocessable(
            Code::SingleIdentityNotDeletable,
            "User must have at least 1 identity after unlinking",
        ));
    }
    let identity = account
        .identities
        .iter()
        .find(|identity| identity.id == id)
        .ok_or_else(|| Error::unprocessable(Code::IdentityNotFound, "Identity doesn't exist"))?;
    let mut tx = app.begin().await?;
    identities::delete(&mut tx, id).await?;
    if identity.provider == "phone" {
        users::drop_phone(&mut tx, account.user.id, app.now()).await?;
    } else if !account.user.email.is_empty() {
        let conflict = || {
            Error::unprocessable(
                Code::EmailConflictIdentityNotDeletable,
                "Unable to unlink identity due to email conflict",
            )
        };
        let moved = linking::move_email(&app, &mut tx, &account).await?;
        moved.ok_or_else(conflict)?;
    }
    confirm::update_providers(&app, &mut tx, &account).await?;
    let traits = Some(json!({
        "identity_id": identity.id,
        "provider": identity.provider,
        "provider_id": identity.provider_id,
    }));
    let actor = Actor::User(&account.user);
    let action = Action::IdentityUnlinked;
    audit::record(&app, &mut tx, &caller, actor, action, traits).await?;
    tx.commit().await?;
    Ok(Json(json!({})))
}
