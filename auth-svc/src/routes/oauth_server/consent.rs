//! `/oauth/authorizations`: what the page shows that asks a user for consent, and what the user said.

use axum::{
    Json,
    extract::{Path, State},
};
use http::{HeaderMap, header};
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::{Postgres, Transaction};

use super::{Enabled, shown};
use crate::{
    app::App,
    domain::{
        clock,
        oauth_server::{has_scope, scopes, with_parameters},
    },
    error::{Code, Error},
    routes::{caller::SignedIn, extract::Body},
    store::{
        oauth_clients,
        oauth_grants::{self, Authorization},
    },
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Decision {
    action: String,
}

fn not_found() -> Error {
    Error::refused(
        404,
        Code::OAuthAuthorizationNotFound,
        "authorization not found",
    )
}

/// A page of another site may not decide for the user. What is no browser sends no origin.
fn check_origin(app: &App, headers: &HeaderMap) -> Result<(), Error> {
    let origin = headers.get(header::ORIGIN);
    let origin = origin.map_or(Ok(""), |value| value.to_str().map_err(|_| ()));
    match origin {
        Ok("") => Ok(()),
        Ok(origin) if app.config().allow_list.allows(origin) => Ok(()),
        _ => Err(Error::invalid("unauthorized request origin")),
    }
}

/// The request, if it still waits; `why` is what a request is told that does not.
async fn waiting(
    app: &App,
    mut tx: Transaction<'static, Postgres>,
    id: &str,
    why: &'static str,
) -> Result<(Transaction<'static, Postgres>, Authorization), Error> {
    let authorization = oauth_grants::lock(&mut tx, id)
        .await
        .map_err(Error::database("error finding authorization"))?
        .ok_or_else(not_found)?;
    let is_pending = authorization.status == "pending";
    if app.now() > authorization.expires_at {
        if is_pending {
            oauth_grants::set_status(&mut tx, authorization.id, "expired").await?;
            tx.commit().await?;
        }
        return Err(not_found());
    }
    if !is_pending {
        return Err(Error::invalid(why));
    }
    Ok((tx, authorization))
}

/// Approves a request, and says where its client waits.
async fn approve(
    app: &App,
    tx: &mut Transaction<'static, Postgres>,
    authorization: &Authorization,
) -> Result<String, Error> {
    let code = clock::id(app.random()).to_string();
    oauth_grants::approve(tx, authorization.id, &code, app.now())
        .await
        .map_err(Error::database("error approving authorization"))?;
    let parameters = [("code", code.as_str()), ("state", &authorization.state)];
    Ok(with_parameters(&authorization.redirect_uri, &parameters))
}

pub(super) async fn get(
    State(app): State<App>,
    _: Enabled,
    user: SignedIn,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    check_origin(&app, &headers)?;
    let user = &user.account.user;
    let why = "authorization request cannot be processed";
    let (mut tx, authorization) = waiting(&app, app.begin().await?, &id, why).await?;
    match authorization.user_id {
        Some(owner) if owner != user.id => return Err(not_found()),
        Some(_) => {}
        None => {
            oauth_grants::set_user(&mut tx, authorization.id, user.id).await?;
            let client = Some(authorization.client_id);
            let consents = oauth_grants::consents(&mut tx, user.id, client).await?;
            let covers = |given: &oauth_grants::Consent| {
                scopes(&authorization.scope).all(|scope| has_scope(&given.scopes, scope))
            };
            if consents.iter().any(covers) {
                let url = approve(&app, &mut tx, &authorization).await?;
                tx.commit().await?;
                return Ok(Json(json!({ "redirect_url": url })));
            }
        }
    }
    let client = oauth_clients::find(&mut tx, authorization.client_id)
        .await
        .map_err(Error::database("error finding client"))?;
    tx.commit().await?;
    let client = client.ok_or_else(not_found)?;
    let mut person = json!({ "id": user.id });
    if !user.email.is_empty() {
        person["email"] = user.email.as_str().into();
    }
    Ok(Json(json!({
        "authorization_id": authorization.authorization_id,
        "redirect_uri": authorization.redirect_uri,
        "client": shown(&client),
        "user": person,
        "scope": authorization.scope,
    })))
}

pub(super) async fn post(
    State(app): State<App>,
    _: Enabled,
    user: SignedIn,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Result<Body<Decision>, Error>,
) -> Result<Json<Value>, Error> {
    check_origin(&app, &headers)?;
    let user = &user.account.user;
    let Body(decision) =
        body.map_err(|_| Error::bad_request(Code::BadJson, "invalid JSON body"))?;
    let approves = match decision.action.as_str() {
        "approve" => true,
        "deny" => false,
        _ => return Err(Error::invalid("action must be 'approve' or 'deny'")),
    };
    let why = "authorization request is no longer pending";
    let (mut tx, authorization) = waiting(&app, app.begin().await?, &id, why).await?;
    // Only who was shown what it is about can decide.
    if authorization.user_id != Some(user.id) {
        return Err(not_found());
    }
    let url = if approves {
        let granted: Vec<&str> = scopes(&authorization.scope).collect();
        let (consent, now) = (clock::id(app.random()), app.now());
        let client = authorization.client_id;
        oauth_grants::consent(&mut tx, consent, user.id, client, &granted.join(" "), now)
            .await
            .map_err(Error::database("error storing consent"))?;
        approve(&app, &mut tx, &authorization).await?
    } else {
        oauth_grants::set_status(&mut tx, authorization.id, "denied")
            .await
            .map_err(Error::database("error denying authorization"))?;
        let parameters = [
            ("error", "access_denied"),
            ("error_description", "User denied the request"),
            ("state", &authorization.state),
        ];
        with_parameters(&authorization.redirect_uri, &parameters)
    };
    tx.commit().await?;
    Ok(Json(json!({ "redirect_url": url })))
}
