//! `POST /otp`: sign in with a code.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{extract::Body, magic_link, signup};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        limiter::Route,
        password,
        pkce::Challenge,
        send::{self, Text},
        session::Caller,
        signup::{Address, Signup, sign_up},
    },
    error::{Code, Error},
    store::users,
};

#[derive(Debug, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    phone: String,
    create_user: bool,
    data: Map<String, Value>,
    channel: String,
    code_challenge: String,
    code_challenge_method: String,
}

impl Default for Params {
    fn default() -> Self {
        Self {
            email: String::new(),
            phone: String::new(),
            create_user: true,
            data: Map::new(),
            channel: String::new(),
            code_challenge: String::new(),
            code_challenge_method: String::new(),
        }
    }
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    app.limiter()
        .check(Route::Otp, caller.limited_as.as_deref(), app.now())
        .await?;
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(Error::invalid(
            "Only an email address or phone number should be provided",
        ));
    }
    if !params.email.is_empty() && !params.channel.is_empty() {
        return Err(Error::invalid(
            "Channel should only be specified with Phone OTP",
        ));
    }
    let challenge = Challenge::read(&params.code_challenge, &params.code_challenge_method)?;
    if !params.create_user && !is_known(&app, &params, &caller).await? {
        return Err(Error::unprocessable(
            Code::OtpDisabled,
            "Signups not allowed for otp",
        ));
    }
    if !params.email.is_empty() {
        return magic_link::send(&app, &params.email, params.data, challenge, &caller).await;
    }
    if !params.phone.is_empty() {
        return by_text(&app, params, &caller).await;
    }
    Err(Error::invalid("One of email or phone must be set"))
}

async fn is_known(app: &App, params: &Params, caller: &Caller) -> Result<bool, Error> {
    let mut conn = app.connection().await?;
    let found = if !params.email.is_empty() {
        let email = address::email(&params.email)?;
        users::find_by_email(&mut conn, &email, &caller.aud).await?
    } else if !params.phone.is_empty() {
        let phone = address::phone(&params.phone)?;
        users::find_by_phone(&mut conn, &phone, &caller.aud).await?
    } else {
        return Ok(true);
    };
    Ok(found.is_some())
}

async fn by_text(app: &App, params: Params, caller: &Caller) -> Result<Json<Value>, Error> {
    if !app.config().external.phone_enabled {
        return Err(Error::bad_request(
            Code::PhoneProviderDisabled,
            "Unsupported phone provider",
        ));
    }
    let phone = address::phone(&params.phone)?;
    signup::check_channel(&params.channel)?;
    let known = {
        let mut conn = app.connection().await?;
        users::find_by_phone(&mut conn, &phone, &caller.aud).await?
    };
    if known.is_none_or(|user| user.phone_confirmed_at.is_none()) {
        signup::check_open(app)?;
        let unknown = password::generate(app.random(), &app.config().password);
        let signup = Signup {
            address: Address::Phone(phone.clone()),
            password: &unknown,
            data: params.data,
            challenge: None,
        };
        sign_up(app, &signup, caller).await?;
        if !app.config().sms.autoconfirm {
            return Ok(Json(json!({})));
        }
    }
    let mut tx = app.begin().await?;
    let user = users::find_by_phone(&mut tx, &phone, &caller.aud)
        .await?
        .ok_or_else(Error::code_expired)?;
    let account = Account::of(&mut tx, user).await?;
    let channel = if params.channel.is_empty() {
        "sms"
    } else {
        &params.channel
    };
    let traits = Some(json!({ "channel": channel }));
    let actor = Actor::User(&account.user);
    let action = Action::UserRecoveryRequested;
    audit::record(app, &mut tx, caller, actor, action, traits).await?;
    let id = send::text(app, &mut tx, &account, &phone, Text::Confirmation, caller).await?;
    tx.commit().await?;
    Ok(Json(match id {
        Some(id) => json!({ "message_id": id }),
        None => json!({}),
    }))
}
