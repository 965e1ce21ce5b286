//! `/admin/users/{id}/factors` and `/admin/users/{id}/passkeys`.

use axum::{
    Json,
    extract::{Path, State},
};
use http::StatusCode;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::PgConnection;

use super::load;
use crate::{
    app::App,
    domain::{
        account::{Account, factor_json},
        address,
        audit::{self, Action, Actor},
        mfa,
        passkeys::{self, passkey_json},
    },
    error::Error,
    routes::{caller::Admin, extract::Body, factors::factor_id},
    store::{
        self,
        factors::{self, Factor},
    },
};

async fn load_factor(
    conn: &mut PgConnection,
    user: &str,
    factor: &str,
) -> Result<(Account, Factor), Error> {
    let account = load(conn, user).await?;
    let id = factor_id(factor)?;
    let factor = factors::lock(conn, account.user.id, id)
        .await
        .map_err(Error::database("Database error loading factor"))?
        .ok_or_else(mfa::factor_not_found)?;
    Ok((account, factor))
}

pub(in crate::routes) async fn factors(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let account = load(&mut conn, &id).await?;
    Ok(Json(account.factors.iter().map(factor_json).collect()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(in crate::routes) struct UpdateParams {
    friendly_name: String,
    phone: String,
}

/// The longest name of a factor; bytes.
const MAX_NAME: usize = 255;

pub(in crate::routes) async fn update_factor(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Path((id, factor)): Path<(String, String)>,
    body: Result<Body<UpdateParams>, Error>,
) -> Result<Json<Value>, Error> {
    let mut tx = app.begin().await?;
    let (account, factor) = load_factor(&mut tx, &id, &factor).await?;
    let Body(params) = body?;
    let now = app.now();
    let name = params.friendly_name.as_str();
    if name.len() > MAX_NAME {
        return Err(Error::invalid(format!(
            "friendly_name must be {MAX_NAME} characters or less"
        )));
    }
    if !name.is_empty() {
        factors::rename(&mut tx, factor.id, name, now)
            .await
            .map_err(mfa::conflict(name))?;
    }
    if !params.phone.is_empty() && factor.factor_type == "phone" {
        let phone = address::phone(&params.phone)?;
        factors::set_phone(&mut tx, factor.id, &phone, now)
            .await
            .map_err(mfa::conflict(name))?;
    }
    let traits = json!({
        "user_id": account.user.id,
        "factor_id": factor.id,
        "factor_type": factor.factor_type,
    });
    let actor = Actor::Admin(&role);
    let action = Action::FactorUpdated;
    audit::record(&app, &mut tx, &caller, actor, action, Some(traits)).await?;
    let changed = factors::find(&mut tx, account.user.id, factor.id)
        .await?
        .ok_or_else(mfa::factor_not_found)?;
    tx.commit().await?;
    Ok(Json(factor_json(&changed)))
}

pub(in crate::routes) async fn delete_factor(
    State(app): State<App>,
    Admin { caller, .. }: Admin,
    Path((id, factor)): Path<(String, String)>,
) -> Result<Json<Value>, Error> {
    let mut tx = app.begin().await?;
    let (account, factor) = load_factor(&mut tx, &id, &factor).await?;
    // The original names the user as the one who did it.
    let actor = Actor::User(&account.user);
    let traits = json!({ "user_id": account.user.id, "factor_id": factor.id });
    let action = Action::FactorDeleted;
    audit::record(&app, &mut tx, &caller, actor, action, Some(traits)).await?;
    mfa::remove(&mut tx, &account, &factor).await?;
    tx.commit().await?;
    Ok(Json(factor_json(&factor)))
}

pub(in crate::routes) async fn passkeys(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let account = load(&mut conn, &id).await?;
    let rows = store::passkeys::of_user(&mut conn, account.user.id)
        .await
        .map_err(Error::database("Database error loading passkeys"))?;
    Ok(Json(rows.iter().map(passkey_json).collect()))
}

pub(in crate::routes) async fn delete_passkey(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Path((id, passkey)): Path<(String, String)>,
) -> Result<StatusCode, Error> {
    let mut tx = app.begin().await?;
    let account = load(&mut tx, &id).await?;
    let passkey = passkeys::find(&mut tx, account.user.id, &passkey).await?;
    store::passkeys::delete(&mut tx, passkey.id)
        .await
        .map_err(Error::database("Database error deleting passkey"))?;
    let traits = json!({ "user_id": account.user.id, "passkey_id": passkey.id });
    let actor = Actor::Admin(&role);
    let action = Action::PasskeyDeleted;
    audit::record(&app, &mut tx, &caller, actor, action, Some(traits)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
