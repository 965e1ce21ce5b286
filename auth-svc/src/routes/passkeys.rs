//! `/passkeys`: making, using and keeping passkeys.

use axum::{
    Json,
    extract::{FromRequestParts, Path, State},
    response::Response,
};
use http::{StatusCode, request::Parts};
use serde::Deserialize;
use serde_json::Value;
use uuid::Uuid;

use super::{caller::SignedIn, extract::Body, token};
use crate::{
    app::App,
    domain::{
        limiter::Route,
        passkeys::{self, passkey_json},
        session::{Caller, Method},
    },
    error::{Code, Error},
    store,
};

/// The longest name; bytes.
const MAX_NAME: usize = 120;

/// Passkeys are switched on. Comes first among the arguments: whether they are is no secret, and clients
/// that ask without a token want to know it.
pub(super) struct Enabled;

impl FromRequestParts<App> for Enabled {
    type Rejection = Error;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Error> {
        check_enabled(app).map(|()| Self)
    }
}

/// Fails while passkeys are switched off.
pub(super) fn check_enabled(app: &App) -> Result<(), Error> {
    if app.config().passkeys_enabled {
        return Ok(());
    }
    Err(Error::refused(
        404,
        Code::PasskeyDisabled,
        "Passkeys are disabled",
    ))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct FinishParams {
    challenge_id: String,
    credential: Option<Value>,
}

impl FinishParams {
    fn check(&self) -> Result<(Uuid, &Value), Error> {
        if self.challenge_id.is_empty() {
            return Err(Error::invalid("challenge_id is required"));
        }
        let Some(credential) = &self.credential else {
            return Err(Error::invalid("credential is required"));
        };
        let id = self
            .challenge_id
            .parse()
            .map_err(|_| Error::invalid("challenge_id must be a valid UUID"))?;
        Ok((id, credential))
    }
}

pub(super) async fn begin_authentication(
    _: Enabled,
    State(app): State<App>,
    caller: Caller,
) -> Result<Json<Value>, Error> {
    let client = caller.limited_as.as_deref();
    app.limiter()
        .check(Route::PasskeyAuthentication, client, app.now())
        .await?;
    passkeys::begin_authentication(&app).await.map(Json)
}

pub(super) async fn authenticate(
    _: Enabled,
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<FinishParams>,
) -> Result<Response, Error> {
    let (challenge, credential) = params.check()?;
    let issued = passkeys::authenticate(&app, challenge, credential, &caller).await;
    if let Err(error) = &issued {
        app.metrics().not_signed_in(Method::Passkey.as_str(), error);
    }
    Ok(token::issued(&issued?, None))
}

pub(super) async fn begin_registration(
    _: Enabled,
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, Error> {
    signed_in.check_not_anonymous()?;
    let account = &signed_in.account;
    passkeys::check_may_register(account, signed_in.session.as_ref())?;
    passkeys::begin_registration(&app, account).await.map(Json)
}

pub(super) async fn finish_registration(
    _: Enabled,
    State(app): State<App>,
    signed_in: SignedIn,
    body: Result<Body<FinishParams>, Error>,
) -> Result<Json<Value>, Error> {
    signed_in.check_not_anonymous()?;
    let (account, caller) = (&signed_in.account, &signed_in.caller);
    passkeys::check_may_register(account, signed_in.session.as_ref())?;
    let Body(params) = body?;
    let (challenge, credential) = params.check()?;
    let made = passkeys::finish_registration(&app, account, challenge, credential, caller).await?;
    Ok(Json(passkey_json(&made)))
}

pub(super) async fn list(
    _: Enabled,
    State(app): State<App>,
    signed_in: SignedIn,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let rows = store::passkeys::of_user(&mut conn, signed_in.account.user.id)
        .await
        .map_err(Error::database("Database error loading passkeys"))?;
    Ok(Json(rows.iter().map(passkey_json).collect()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct RenameParams {
    friendly_name: String,
}

pub(super) async fn rename(
    _: Enabled,
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
    Body(params): Body<RenameParams>,
) -> Result<Json<Value>, Error> {
    let (account, caller) = (&signed_in.account, &signed_in.caller);
    passkeys::read_id(&id)?;
    let name = params.friendly_name.as_str();
    if name.is_empty() {
        return Err(Error::invalid("friendly_name is required"));
    }
    if name.len() > MAX_NAME {
        return Err(Error::invalid(
            "friendly_name must be 120 characters or less",
        ));
    }
    let renamed = passkeys::rename(&app, account, &id, name, caller).await?;
    Ok(Json(passkey_json(&renamed)))
}

pub(super) async fn delete(
    _: Enabled,
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
) -> Result<StatusCode, Error> {
    let (account, caller) = (&signed_in.account, &signed_in.caller);
    passkeys::check_assurance(account, signed_in.session.as_ref())?;
    passkeys::delete(&app, account, &id, caller).await?;
    Ok(StatusCode::NO_CONTENT)
}
