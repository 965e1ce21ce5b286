//! The OAuth 2.1 server: clients, authorization, tokens and what users granted.

mod authorize;
mod clients;
mod consent;
mod grants;
mod token;

use axum::{
    Router,
    extract::FromRequestParts,
    routing::{get, post},
};
use http::request::Parts;
use serde_json::{Map, Value};

use crate::{app::App, error::Error, store::oauth_clients::Client};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route(
            "/.well-known/oauth-authorization-server",
            get(async |_: Enabled, state| super::well_known::openid_configuration(state).await),
        )
        .route(
            "/admin/oauth/clients",
            get(clients::list).post(clients::create),
        )
        .route(
            "/admin/oauth/clients/{id}",
            get(clients::get)
                .put(clients::update)
                .delete(clients::delete),
        )
        .route(
            "/admin/oauth/clients/{id}/regenerate_secret",
            post(clients::regenerate_secret),
        )
        .route("/oauth/clients/register", post(clients::register))
        .route("/oauth/authorize", get(authorize::get))
        .route("/oauth/authorizations/{id}", get(consent::get))
        .route("/oauth/authorizations/{id}/consent", post(consent::post))
        .route("/oauth/token", post(token::post))
        .route("/oauth/userinfo", get(grants::user_info))
        .route(
            "/user/oauth/grants",
            get(grants::list).delete(grants::revoke),
        )
}

/// Lets a request through if the server is switched on.
struct Enabled;

impl FromRequestParts<App> for Enabled {
    type Rejection = Error;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Error> {
        check_enabled(app).map(|()| Self)
    }
}

/// Fails while the server is switched off.
pub(super) fn check_enabled(app: &App) -> Result<(), Error> {
    if app.config().oauth_server.enabled {
        Ok(())
    } else {
        Err(Error::disabled("OAuth server is disabled"))
    }
}

/// A client as users see it; what it did not say is left out.
fn shown(client: &Client) -> Value {
    let mut value = Map::new();
    value.insert("id".to_owned(), client.id.to_string().into());
    for (name, text) in [
        ("name", &client.client_name),
        ("uri", &client.client_uri),
        ("logo_uri", &client.logo_uri),
    ] {
        if !text.is_empty() {
            value.insert(name.to_owned(), text.as_str().into());
        }
    }
    Value::Object(value)
}
