//! `POST /magiclink`: sign in with a link, or with the code beside it.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{extract::Body, signup};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        limiter::Route,
        password,
        pkce::Challenge,
        send::{self, Mail},
        session::{Caller, Method},
        signup::{Address, Signup, sign_up},
    },
    error::{Code, Error},
    store::users,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    data: Map<String, Value>,
    code_challenge: String,
    code_challenge_method: String,
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    app.limiter()
        .check(Route::MagicLink, caller.limited_as.as_deref(), app.now())
        .await?;
    let challenge = Challenge::read(&params.code_challenge, &params.code_challenge_method)?;
    send(&app, &params.email, params.data, challenge, &caller).await
}

/// Mails the link. Unknown addresses sign up on the way.
pub(super) async fn send(
    app: &App,
    email: &str,
    data: Map<String, Value>,
    challenge: Option<Challenge>,
    caller: &Caller,
) -> Result<Json<Value>, Error> {
    let external = &app.config().external;
    let disabled = |message| Error::unprocessable(Code::EmailProviderDisabled, message);
    if !external.email_enabled {
        return Err(disabled("Email logins are disabled"));
    }
    if !external.magic_link_enabled {
        return Err(disabled("Login with magic link is disabled"));
    }
    if email.is_empty() {
        return Err(Error::unprocessable(
            Code::ValidationFailed,
            "Password recovery requires an email",
        ));
    }
    let email = address::email(email)?;
    let known = {
        let mut conn = app.connection().await?;
        users::find_by_email(&mut conn, &email, &caller.aud).await?
    };
    if known.is_none_or(|user| user.email_confirmed_at.is_none()) {
        signup::check_open(app)?;
        let unknown = password::generate(app.random(), &app.config().password);
        let signup = Signup {
            address: Address::Email(email.clone()),
            password: &unknown,
            data,
            challenge: challenge.clone(),
        };
        sign_up(app, &signup, caller).await?;
        if !app.config().mailer.autoconfirm {
            return Ok(Json(json!({})));
        }
    }
    let mut tx = app.begin().await?;
    let user = users::find_by_email(&mut tx, &email, &caller.aud)
        .await?
        .ok_or_else(Error::link_expired)?;
    let account = Account::of(&mut tx, user).await?;
    send::begin_flow(
        app,
        &mut tx,
        &account,
        challenge.as_ref(),
        Method::MagicLink,
    )
    .await?;
    let actor = Actor::User(&account.user);
    let action = Action::UserRecoveryRequested;
    audit::record(app, &mut tx, caller, actor, action, None).await?;
    let pkce = challenge.is_some();
    send::mail(app, &mut tx, &account, Mail::MagicLink, pkce, caller).await?;
    tx.commit().await?;
    Ok(Json(json!({})))
}
