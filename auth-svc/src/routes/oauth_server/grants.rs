//! What a user granted to clients, and what a client may know about its user.

use axum::{Json, extract::State};
use http::StatusCode;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Enabled, shown};
use crate::{
    app::App,
    domain::{
        account::time,
        audit::{self, Action, Actor},
        oauth_server::{has_scope, profile, scopes},
    },
    error::{Code, Error},
    routes::{caller::SignedIn, extract::Query},
    store::{oauth_clients, oauth_grants, sessions},
};

pub(super) async fn list(
    State(app): State<App>,
    user: SignedIn,
    _: Enabled,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    let consents = oauth_grants::consents(&mut conn, user.account.user.id, None)
        .await
        .map_err(Error::database("Error fetching OAuth grants"))?;
    let mut grants = Vec::with_capacity(consents.len());
    for consent in consents {
        // A client that was deleted is no longer shown.
        let Some(client) = oauth_clients::find(&mut conn, consent.client_id).await? else {
            continue;
        };
        grants.push(json!({
            "client": shown(&client),
            "scopes": scopes(&consent.scopes).collect::<Vec<_>>(),
            "granted_at": time(consent.granted_at),
        }));
    }
    Ok(Json(grants.into()))
}

pub(super) async fn revoke(
    State(app): State<App>,
    user: SignedIn,
    _: Enabled,
    query: Query,
) -> Result<StatusCode, Error> {
    let client = query.get("client_id");
    if client.is_empty() {
        return Err(Error::invalid("client_id query parameter is required"));
    }
    let client: Uuid = client
        .parse()
        .map_err(|_| Error::invalid("invalid client_id format"))?;
    let (caller, user) = (&user.caller, &user.account.user);
    let failed = Error::database("Error revoking grant");
    let mut tx = app.begin().await?;
    let consents = oauth_grants::consents(&mut tx, user.id, Some(client)).await?;
    if consents.is_empty() {
        return Err(Error::refused(
            404,
            Code::OAuthConsentNotFound,
            "No active grant found for this client",
        ));
    }
    oauth_grants::revoke(&mut tx, user.id, client, app.now())
        .await
        .map_err(&failed)?;
    sessions::delete_of_client(&mut tx, user.id, client)
        .await
        .map_err(&failed)?;
    let traits = json!({ "oauth_client_id": client, "action": "revoke_oauth_grant" });
    let (actor, action) = (Actor::User(user), Action::TokenRevoked);
    audit::record(&app, &mut tx, caller, actor, action, Some(traits)).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// The claims that the scopes of the session allow (`OpenID Connect` Core, section 5.3).
pub(super) async fn user_info(_: Enabled, user: SignedIn) -> Json<Value> {
    let scopes = user
        .session
        .and_then(|session| session.scopes)
        .unwrap_or_default();
    let user = user.account.user;
    let mut claims = Map::new();
    let mut put = |name: &str, value: Value| {
        claims.insert(name.to_owned(), value);
    };
    put("sub", user.id.to_string().into());
    if has_scope(&scopes, "email") {
        if !user.email.is_empty() {
            put("email", user.email.as_str().into());
        }
        if user.email_confirmed_at.is_some() {
            put("email_verified", true.into());
        }
    }
    if has_scope(&scopes, "profile") {
        for (name, value) in profile(&user) {
            put(name, value);
        }
        put(
            "user_metadata",
            Value::Object(user.raw_user_meta_data.0.clone()),
        );
    }
    if has_scope(&scopes, "phone") {
        if !user.phone.is_empty() {
            put("phone", user.phone.as_str().into());
        }
        if user.phone_confirmed_at.is_some() {
            put("phone_verified", true.into());
        }
    }
    Json(Value::Object(claims))
}
