//! `POST /signup`.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::{extract::Body, token};
use crate::{
    app::App,
    domain::{
        address,
        limiter::Route,
        password,
        pkce::Challenge,
        session::Caller,
        signup::{self, Address, Outcome, Signup},
    },
    error::{Code, Error},
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    phone: String,
    password: String,
    data: Map<String, Value>,
    channel: String,
    code_challenge: String,
    code_challenge_method: String,
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<Params>,
) -> Result<Response, Error> {
    let client = caller.limited_as.as_deref();
    if params.email.is_empty() && params.phone.is_empty() {
        return anonymous(&app, params, &caller).await;
    }
    app.limiter()
        .check(Route::Signup, client, app.now())
        .await?;
    let signup = checked(&app, &params)?;
    Ok(answer(signup::sign_up(&app, &signup, &caller).await?))
}

fn answer(outcome: Outcome) -> Response {
    match outcome {
        Outcome::Session(issued) => token::issued(&issued, None),
        Outcome::User(user) => Json(user).into_response(),
    }
}

async fn anonymous(app: &App, params: Params, caller: &Caller) -> Result<Response, Error> {
    if !app.config().external.anonymous_enabled {
        return Err(Error::unprocessable(
            Code::AnonymousProviderDisabled,
            "Anonymous sign-ins are disabled",
        ));
    }
    app.limiter()
        .check(Route::Anonymous, caller.limited_as.as_deref(), app.now())
        .await?;
    check_open(app)?;
    let issued = signup::sign_up_anonymously(app, params.data, caller).await?;
    Ok(token::issued(&issued, None))
}

/// Fails while nobody may sign up.
pub(super) fn check_open(app: &App) -> Result<(), Error> {
    if app.config().disable_signup {
        return Err(Error::unprocessable(
            Code::SignupDisabled,
            "Signups not allowed for this instance",
        ));
    }
    Ok(())
}

/// Fails for a channel that no message can take.
pub(super) fn check_channel(channel: &str) -> Result<(), Error> {
    match channel {
        "" | "sms" | "whatsapp" => Ok(()),
        _ => Err(Error::invalid(
            "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
        )),
    }
}

fn checked<'a>(app: &App, params: &'a Params) -> Result<Signup<'a>, Error> {
    check_open(app)?;
    if params.password.is_empty() {
        return Err(Error::invalid("Signup requires a valid password"));
    }
    password::check_strength(&params.password, &app.config().password)?;
    if !params.email.is_empty() && !params.phone.is_empty() {
        return Err(Error::invalid(
            "Only an email address or phone number should be provided on signup.",
        ));
    }
    if params.email.is_empty() {
        check_channel(&params.channel)?;
        if !params.code_challenge.is_empty() {
            return Err(Error::invalid("PKCE not supported for phone signups"));
        }
    }
    Ok(Signup {
        address: open_address(app, &params.email, &params.phone)?,
        password: &params.password,
        data: params.data.clone(),
        challenge: Challenge::read(&params.code_challenge, &params.code_challenge_method)?,
    })
}

/// The address, if its provider is enabled and it looks like one.
pub(super) fn open_address(app: &App, email: &str, phone: &str) -> Result<Address, Error> {
    let external = &app.config().external;
    if !email.is_empty() {
        if !external.email_enabled {
            return Err(Error::bad_request(
                Code::EmailProviderDisabled,
                "Email signups are disabled",
            ));
        }
        return Ok(Address::Email(address::email(email)?));
    }
    if !external.phone_enabled {
        return Err(Error::bad_request(
            Code::PhoneProviderDisabled,
            "Phone signups are disabled",
        ));
    }
    Ok(Address::Phone(address::phone(phone)?))
}
