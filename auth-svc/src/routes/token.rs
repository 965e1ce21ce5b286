//! `POST /token`: the grants.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderName, HeaderValue, request::Parts};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{
    extract::{Body, Query},
    id_token, web3,
};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        hooks,
        limiter::Route,
        password,
        pkce::{Challenge, Method as ChallengeMethod},
        refresh::{self, Outcome},
        session::{self, Caller, Issued, Method},
        stored_password, web3 as domain_web3,
    },
    error::{Code, Error},
    store::{
        flow_state, password_hashes, sessions,
        users::{self, User},
    },
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PasswordParams {
    email: String,
    phone: String,
    password: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct RefreshParams {
    refresh_token: String,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct PkceParams {
    auth_code: String,
    code_verifier: String,
}

fn read<T: serde::de::DeserializeOwned>(params: Map<String, Value>) -> Result<T, Error> {
    serde_json::from_value(Value::Object(params)).map_err(|error| {
        Error::bad_request(
            Code::BadJson,
            format!("Could not parse request body as JSON: {error}"),
        )
    })
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    parts: Parts,
    body: Result<Body<Map<String, Value>>, Error>,
) -> Result<Response, Error> {
    let grant = query.get("grant_type");
    if !["password", "refresh_token", "pkce", "id_token", "web3"].contains(&grant) {
        return Err(Error::bad_request(
            Code::InvalidCredentials,
            "unsupported_grant_type",
        ));
    }
    let limit = if grant == "web3" {
        Route::Web3
    } else {
        Route::Token
    };
    app.limiter()
        .check(limit, caller.limited_as.as_deref(), app.now())
        .await?;
    if grant == "web3" {
        domain_web3::check_enabled(&app.config().external.web3)?;
    }
    let Body(params) = body?;
    let (method, outcome) = match grant {
        // Counts for itself: clients of the OAuth server come by another way.
        "refresh_token" => return refresh_token(&app, &read(params)?, &caller).await,
        "password" => ("password", password(&app, &read(params)?, &caller).await),
        "pkce" => ("pkce", pkce(&app, &read(params)?, &caller).await),
        "web3" => ("web3", web3::grant(&app, &read(params)?, &caller).await),
        _ => {
            let outcome = id_token::grant(&app, &read(params)?, parts, &caller).await;
            ("oauth", outcome)
        }
    };
    if let Err(error) = &outcome {
        app.metrics().not_signed_in(method, error);
    }
    outcome
}

/// The session as a response, with the headers that say whose it is.
pub(super) fn issued(issued: &Issued, outcome: Option<Outcome>) -> Response {
    let mut response = Json(issued.to_json()).into_response();
    name_session(&mut response, issued);
    if let Some(outcome) = outcome {
        note_outcome(&mut response, issued, &outcome);
    }
    response
}

fn put(response: &mut Response, name: &'static str, value: &str) {
    if let Ok(value) = HeaderValue::from_str(value) {
        let name = HeaderName::from_static(name);
        response.headers_mut().insert(name, value);
    }
}

/// Says what became of the token that was exchanged.
pub(super) fn note_outcome(response: &mut Response, issued: &Issued, outcome: &Outcome) {
    if outcome.upgraded {
        put_prefix(response, issued);
    }
    if let Some(reused) = outcome.reused {
        let value = if reused { "true" } else { "false" };
        put(response, "sb-auth-refresh-token-reuse", value);
    }
    if !outcome.causes.is_empty() {
        let causes = outcome.causes.join(",");
        put(response, "sb-auth-refresh-token-reuse-cause", &causes);
    }
}

/// Adds the headers that say whose session an answer gives.
pub(super) fn name_session(response: &mut Response, issued: &Issued) {
    let user = issued.account.user.id.to_string();
    put(response, "sb-auth-user-id", &user);
    put(
        response,
        "sb-auth-session-id",
        &issued.session_id.to_string(),
    );
    match issued.refresh_token_counter {
        Some(counter) => put(
            response,
            "sb-auth-refresh-token-counter",
            &counter.to_string(),
        ),
        None => put_prefix(response, issued),
    }
}

fn put_prefix(response: &mut Response, issued: &Issued) {
    if let Some(prefix) = issued.refresh_token.get(..5) {
        put(response, "sb-auth-refresh-token-prefix", prefix);
    }
}

async fn password(app: &App, params: &PasswordParams, caller: &Caller) -> Result<Response, Error> {
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(Error::invalid(
            "Only an email address or phone number should be provided on login.",
        ));
    }
    let external = &app.config().external;
    let failed = Error::database("Database error querying schema");
    let mut conn = app.connection().await?;
    let (provider, found) = if !params.email.is_empty() {
        if !external.email_enabled {
            return Err(Error::unprocessable(
                Code::EmailProviderDisabled,
                "Email logins are disabled",
            ));
        }
        let found = users::find_by_email(&mut conn, &params.email, &caller.aud).await;
        ("email", found.map_err(failed)?)
    } else if !params.phone.is_empty() {
        if !external.phone_enabled {
            return Err(Error::unprocessable(
                Code::PhoneProviderDisabled,
                "Phone logins are disabled",
            ));
        }
        let phone = address::normalise_phone(&params.phone);
        let found = users::find_by_phone(&mut conn, &phone, &caller.aud).await;
        ("phone", found.map_err(failed)?)
    } else {
        return Err(Error::invalid("missing email or phone"));
    };
    // No connection is held while the password is compared, which takes long.
    drop(conn);
    if let Some(user) = &found
        && user.has_password()
        && user.is_banned(app.now())
    {
        return Err(Error::bad_request(Code::UserBanned, "User is banned"));
    }
    let compared = stored_password::compare(app, found.as_ref(), &params.password).await?;
    let valid = compared.matches;
    let user = found.ok_or_else(Error::invalid_credentials)?;
    if !user.has_password() {
        return Err(Error::invalid_credentials());
    }
    check_verdict(app, user.id, valid, caller).await?;
    if !valid {
        return Err(Error::invalid_credentials());
    }
    if provider == "email" && user.email_confirmed_at.is_none() {
        return Err(Error::bad_request(
            Code::EmailNotConfirmed,
            "Email not confirmed",
        ));
    }
    if provider == "phone" && user.phone_confirmed_at.is_none() {
        return Err(Error::bad_request(
            Code::PhoneNotConfirmed,
            "Phone not confirmed",
        ));
    }
    let mut tx = app.begin().await?;
    let traits = Some(json!({ "provider": provider }));
    let actor = Actor::User(&user);
    audit::record(app, &mut tx, caller, actor, Action::Login, traits).await?;
    let mut new = session::begin_for(app, &mut tx, user.id, Method::Password, None, caller).await?;
    tx.commit().await?;
    if compared.is_outdated {
        store_again(app, &user, &params.password).await;
    }
    // Present even when there is nothing to say: clients of the original know it so.
    new.weak_password = Some(Value::Null);
    match password::check_strength(app, &params.password).await {
        Ok(()) => {}
        Err(Error::WeakPassword { message, reasons }) => {
            new.weak_password = Some(json!({ "message": message, "reasons": reasons }));
        }
        // The password is the right one, whatever is thought of it.
        Err(error) => tracing::warn!(%error, "the password of a sign-in was not checked"),
    }
    Ok(issued(&new, None))
}

/// Stores a password as new ones are, while it is known. The sign-in is good without that.
async fn store_again(app: &App, user: &User, password: &str) {
    // Of a longer password bcrypt saw the beginning only.
    if password.len() > password::MAX_BYTES {
        return;
    }
    let old = user.encrypted_password.as_deref().unwrap_or_default();
    let replaced = async {
        let new = stored_password::make(app, user.id, password).await?;
        let mut conn = app.connection().await?;
        password_hashes::replace(&mut conn, user.id, (old, &new)).await?;
        Ok::<_, Error>(())
    };
    if let Err(error) = replaced.await {
        tracing::warn!(%error, "a password was not stored again");
    }
}

/// Asks the project's hook, which may refuse even a right password.
async fn check_verdict(
    app: &App,
    user: uuid::Uuid,
    valid: bool,
    caller: &Caller,
) -> Result<(), Error> {
    let Some(hook) = &app.config().hooks.password_verification_attempt else {
        return Ok(());
    };
    let mut tx = app.begin().await?;
    let verdict = hooks::password_attempt(app, &mut tx, hook, user, valid, caller).await?;
    if verdict.should_logout_user {
        sessions::delete_of_user(&mut tx, user, None).await?;
    }
    tx.commit().await?;
    match verdict.rejection {
        Some(reason) => Err(Error::bad_request(Code::InvalidCredentials, reason)),
        None => Ok(()),
    }
}

async fn refresh_token(
    app: &App,
    params: &RefreshParams,
    caller: &Caller,
) -> Result<Response, Error> {
    let refreshed = refresh::exchange(app, &params.refresh_token, None, caller).await?;
    Ok(issued(&refreshed.issued, Some(refreshed.outcome)))
}

async fn pkce(app: &App, params: &PkceParams, caller: &Caller) -> Result<Response, Error> {
    if params.auth_code.is_empty() || params.code_verifier.is_empty() {
        return Err(Error::invalid(
            "invalid request: both auth code and code verifier should be non-empty",
        ));
    }
    let unknown = || {
        Error::refused(
            404,
            Code::FlowStateNotFound,
            "invalid flow state, no valid flow state found",
        )
    };
    let mut tx = app.begin().await?;
    let flow = flow_state::find_by_code(&mut tx, &params.auth_code)
        .await?
        .ok_or_else(unknown)?;
    let user = flow.user_id.ok_or_else(unknown)?;
    // A link may be opened long after it was asked for, so its time begins with the code. For all
    // other kinds it begins with the request, as in the original.
    let began = match flow.auth_code_issued_at {
        Some(issued_at) if flow.authentication_method == "magiclink" => issued_at,
        _ => flow.created_at,
    };
    if app.now() > began + app.config().external.flow_state_expiry {
        return Err(Error::unprocessable(
            Code::FlowStateExpired,
            "invalid flow state, flow state has expired",
        ));
    }
    let challenge = Challenge {
        value: flow.code_challenge.clone(),
        method: ChallengeMethod::parse(&flow.code_challenge_method).ok_or_else(unknown)?,
    };
    challenge.verify(&params.code_verifier)?;
    let account = Account::find(&mut tx, user).await?.ok_or_else(unknown)?;
    if account.user.is_banned(app.now()) {
        return Err(Error::forbidden(Code::UserBanned, "User is banned"));
    }
    let method = Method::parse(&flow.authentication_method).ok_or_else(unknown)?;
    if !flow_state::delete(&mut tx, flow.id).await? {
        return Err(unknown());
    }
    let traits = Some(json!({ "provider_type": flow.provider_type }));
    let actor = Actor::User(&account.user);
    audit::record(app, &mut tx, caller, actor, Action::Login, traits).await?;
    let mut new = session::begin(app, &mut tx, &account, method, caller).await?;
    tx.commit().await?;
    new.provider_token = flow.provider_access_token;
    new.provider_refresh_token = flow.provider_refresh_token;
    Ok(issued(&new, None))
}
