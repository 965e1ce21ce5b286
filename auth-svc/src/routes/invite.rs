//! `POST /invite`.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{admin, caller::Admin, extract::Body};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        send::{self, Mail},
        signup,
    },
    error::Error,
    store::users,
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    email: String,
    data: Map<String, Value>,
}

pub(super) async fn post(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    let email = address::email(&params.email)?;
    let mut tx = app.begin().await?;
    let found = users::find_duplicate_email(
        &mut tx,
        &email,
        &caller.aud,
        None,
        &app.config().experimental.linking_domains.apart(),
    )
    .await
    .map_err(Error::database("Database error finding user"))?;
    let is_new = found.is_none();
    let account = match found {
        Some(user) if user.email_confirmed_at.is_some() => return Err(Error::email_exists()),
        Some(user) => Account::of(&mut tx, user).await?,
        None => admin::without_password(&app, &mut tx, &email, params.data, &caller).await?,
    };
    let traits = Some(json!({
        "user_id": account.user.id,
        "user_email": account.user.email,
    }));
    let actor = Actor::Admin(&role);
    audit::record(&app, &mut tx, &caller, actor, Action::UserInvited, traits).await?;
    send::mail(&app, &mut tx, &account, Mail::Invite, false, &caller).await?;
    let account = account.reload(&mut tx).await?;
    tx.commit().await?;
    if is_new {
        signup::after_created(&app, &account, &caller).await?;
    }
    Ok(Json(account.to_json()))
}
