//! `GET /reauthenticate`: sends the code that a new password may need.

use axum::{Json, extract::State};
use serde_json::{Value, json};

use super::caller::SignedIn;
use crate::{
    app::App,
    domain::{
        audit::{self, Action, Actor},
        send::{self, Mail, Text},
        sms::Channel,
    },
    error::{Code, Error},
};

pub(super) async fn get(
    State(app): State<App>,
    SignedIn {
        account, caller, ..
    }: SignedIn,
) -> Result<Json<Value>, Error> {
    let user = &account.user;
    if user.email.is_empty() && user.phone.is_empty() {
        return Err(Error::invalid(
            "Reauthentication requires the user to have an email or a phone number",
        ));
    }
    if !user.email.is_empty() && user.email_confirmed_at.is_none() {
        return Err(Error::unprocessable(
            Code::EmailNotConfirmed,
            "Please verify your email first.",
        ));
    }
    if user.email.is_empty() && user.phone_confirmed_at.is_none() {
        return Err(Error::unprocessable(
            Code::PhoneNotConfirmed,
            "Please verify your phone first.",
        ));
    }
    let mut tx = app.begin().await?;
    let actor = Actor::User(user);
    let action = Action::UserReauthenticateRequested;
    audit::record(&app, &mut tx, &caller, actor, action, None).await?;
    let id = if user.email.is_empty() {
        let text = Text::Reauthentication;
        let to = (user.phone.as_str(), Channel::Sms);
        send::text(&app, &mut tx, &account, to, text, &caller).await?
    } else {
        let mail = Mail::Reauthentication;
        send::mail(&app, &mut tx, &account, mail, false, &caller).await?;
        None
    };
    tx.commit().await?;
    Ok(Json(match id {
        Some(id) => json!({ "message_id": id }),
        None => json!({}),
    }))
}
