//! `POST /resend`: the last code again.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Value, json};

use super::extract::Body;
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        limiter::Route,
        pkce::Challenge,
        send::{self, Mail, Text},
        session::{Caller, Method},
    },
    error::{Code, Error},
    store::users,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    #[serde(rename = "type")]
    kind: String,
    email: String,
    phone: String,
    code_challenge: String,
    code_challenge_method: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Signup,
    EmailChange,
    Sms,
    PhoneChange,
}

fn kind(params: &Params) -> Result<Kind, Error> {
    let kind = match params.kind.as_str() {
        "signup" => Kind::Signup,
        "email_change" => Kind::EmailChange,
        "sms" => Kind::Sms,
        "phone_change" => Kind::PhoneChange,
        _ => {
            return Err(Error::invalid(
                "Missing one of these types: signup, email_change, sms, phone_change",
            ));
        }
    };
    if params.email.is_empty() && kind == Kind::Signup {
        return Err(Error::invalid("Type provided requires an email address"));
    }
    if params.phone.is_empty() && kind == Kind::Sms {
        return Err(Error::invalid("Type provided requires a phone number"));
    }
    Ok(kind)
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    app.limiter()
        .check(Route::Resend, caller.limited_as.as_deref(), app.now())
        .await?;
    let kind = kind(&params)?;
    let challenge = match kind {
        Kind::Signup | Kind::EmailChange => {
            Challenge::read(&params.code_challenge, &params.code_challenge_method)?
        }
        Kind::Sms | Kind::PhoneChange => None,
    };
    let mut tx = app.begin().await?;
    let found = match (params.email.is_empty(), params.phone.is_empty()) {
        (false, false) => {
            return Err(Error::invalid(
                "Only an email address or phone number should be provided.",
            ));
        }
        (true, true) => return Err(Error::invalid("Missing email address or phone number")),
        (false, true) => {
            if !app.config().external.email_enabled {
                return Err(Error::bad_request(
                    Code::EmailProviderDisabled,
                    "Email logins are disabled",
                ));
            }
            let email = address::email(&params.email)?;
            users::find_by_email(&mut tx, &email, &caller.aud).await
        }
        (true, false) => {
            if !app.config().external.phone_enabled {
                return Err(Error::bad_request(
                    Code::PhoneProviderDisabled,
                    "Phone logins are disabled",
                ));
            }
            let phone = address::phone(&params.phone)?;
            users::find_by_phone(&mut tx, &phone, &caller.aud).await
        }
    }
    .map_err(Error::database("Unable to process request"))?;
    // The same answer, whether or not there is anything to send.
    let waiting = found.filter(|user| match kind {
        Kind::Signup => user.email_confirmed_at.is_none(),
        Kind::Sms => user.phone_confirmed_at.is_none(),
        Kind::EmailChange => !user.email_change.is_empty(),
        Kind::PhoneChange => !user.phone_change.is_empty(),
    });
    let Some(user) = waiting else {
        drop(tx);
        app.send_time().pretend(app.random()).await;
        return Ok(Json(json!({})));
    };
    let account = Account::of(&mut tx, user).await?;
    let user = &account.user;
    let actor = Actor::User(user);
    let mut message_id = None;
    match kind {
        Kind::Signup => {
            let action = Action::UserConfirmationRequested;
            audit::record(&app, &mut tx, &caller, actor, action, None).await?;
            let (begun, pkce) = (challenge.as_ref(), challenge.is_some());
            send::begin_flow(&app, &mut tx, &account, begun, Method::EmailSignup).await?;
            send::mail(&app, &mut tx, &account, Mail::Confirmation, pkce, &caller).await?;
        }
        Kind::EmailChange => {
            let (begun, pkce) = (challenge.as_ref(), challenge.is_some());
            send::begin_flow(&app, &mut tx, &account, begun, Method::EmailChange).await?;
            let email = &user.email_change;
            send::email_change(&app, &mut tx, &account, email, pkce, &caller).await?;
        }
        Kind::Sms => {
            let action = Action::UserRecoveryRequested;
            audit::record(&app, &mut tx, &caller, actor, action, None).await?;
            let text = Text::Confirmation;
            message_id = send::text(&app, &mut tx, &account, &user.phone, text, &caller).await?;
        }
        Kind::PhoneChange => {
            let (phone, text) = (&user.phone_change, Text::PhoneChange);
            message_id = send::text(&app, &mut tx, &account, phone, text, &caller).await?;
        }
    }
    tx.commit().await?;
    Ok(Json(match message_id {
        Some(id) => json!({ "message_id": id }),
        None => json!({}),
    }))
}
