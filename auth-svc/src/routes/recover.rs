//! `POST /recover`: a link that leads to a new password.

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
        send::{self, Mail},
        session::{Caller, Method},
    },
    error::Error,
    store::users,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    code_challenge: String,
    code_challenge_method: String,
}

pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    app.limiter()
        .check(Route::Recover, caller.limited_as.as_deref(), app.now())
        .await?;
    if params.email.is_empty() {
        return Err(Error::invalid("Password recovery requires an email"));
    }
    let email = address::email(&params.email)?;
    let challenge = Challenge::read(&params.code_challenge, &params.code_challenge_method)?;
    let mut tx = app.begin().await?;
    let found = users::find_by_email(&mut tx, &email, &caller.aud)
        .await
        .map_err(Error::database("Unable to process request"))?;
    // The same answer, whether or not the address is known.
    let Some(user) = found else {
        drop(tx);
        app.send_time().pretend(app.random()).await;
        return Ok(Json(json!({})));
    };
    let account = Account::of(&mut tx, user).await?;
    send::begin_flow(
        &app,
        &mut tx,
        &account,
        challenge.as_ref(),
        Method::Recovery,
    )
    .await?;
    let actor = Actor::User(&account.user);
    let action = Action::UserRecoveryRequested;
    audit::record(&app, &mut tx, &caller, actor, action, None).await?;
    let pkce = challenge.is_some();
    send::mail(&app, &mut tx, &account, Mail::Recovery, pkce, &caller).await?;
    tx.commit().await?;
    Ok(Json(json!({})))
}
