//! The routes: requests in, domain functions, responses out.

mod admin;
mod audit_log;
mod authorize;
mod callback;
mod caller;
mod custom_providers;
mod extract;
mod factors;
mod generate_link;
mod health;
mod id_token;
mod invite;
mod layers;
mod logout;
mod magic_link;
mod oauth_server;
mod otp;
mod paging;
mod passkeys;
mod reauthenticate;
mod recover;
mod resend;
mod settings;
mod signup;
mod sso;
mod target;
mod token;
mod unbuilt;
mod user;
mod verify;
mod web3;
mod well_known;

use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    response::{IntoResponse as _, Response},
    routing::{delete, get, patch, post, put},
};
use http::StatusCode;

use crate::{app::App, error};

/// What `/health` and `version` say.
pub const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));
/// The largest body of a request.
const MAX_BODY: usize = 1 << 20;

/// All routes, with the layers around them.
pub fn router(app: &App) -> Router {
    Router::new()
        .route("/health", get(health::get))
        .route("/settings", get(settings::get))
        .route("/.well-known/jwks.json", get(well_known::jwks))
        .route(
            "/.well-known/openid-configuration",
            get(well_known::openid_configuration),
        )
        .route("/signup", post(signup::post))
        .route("/token", post(token::post))
        .route("/otp", post(otp::post))
        .route("/magiclink", post(magic_link::post))
        .route("/recover", post(recover::post))
        .route("/resend", post(resend::post))
        .route("/verify", get(verify::get).post(verify::post))
        .route("/authorize", get(authorize::get))
        .route("/callback", get(callback::get).post(callback::post))
        .route("/logout", post(logout::post))
        .route("/reauthenticate", get(reauthenticate::get))
        .route("/user", get(user::get).put(user::put))
        .route("/user/identities/authorize", get(authorize::link))
        .route("/user/identities/{id}", delete(user::unlink))
        .route("/factors", post(factors::enroll))
        .route("/factors/{id}", delete(factors::unenroll))
        .route("/factors/{id}/challenge", post(factors::challenge))
        .route("/factors/{id}/verify", post(factors::verify))
        .merge(passkey_routes())
        .route("/invite", post(invite::post))
        .route("/admin/users", get(admin::list).post(admin::create))
        .route(
            "/admin/users/{id}",
            get(admin::get).put(admin::update).delete(admin::delete),
        )
        .route(
            "/admin/users/{id}/factors",
            get(admin::credentials::factors),
        )
        .route(
            "/admin/users/{id}/factors/{factor}",
            put(admin::credentials::update_factor).delete(admin::credentials::delete_factor),
        )
        .route(
            "/admin/users/{id}/passkeys",
            get(admin::credentials::passkeys),
        )
        .route(
            "/admin/users/{id}/passkeys/{passkey}",
            delete(admin::credentials::delete_passkey),
        )
        .route("/admin/generate_link", post(generate_link::post))
        .route("/admin/audit", get(audit_log::get))
        .merge(custom_providers::router())
        .route("/sso", post(sso::begin))
        .route("/sso/saml/metadata", get(sso::metadata))
        .route("/sso/saml/acs", post(sso::acs))
        .route(
            "/admin/sso/providers",
            get(admin::sso::list).post(admin::sso::create),
        )
        .route(
            "/admin/sso/providers/{id}",
            get(admin::sso::get)
                .put(admin::sso::update)
                .delete(admin::sso::delete),
        )
        .merge(oauth_server::router())
        .merge(unbuilt::router())
        .fallback(not_found)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), layers::timeout))
        .layer(from_fn(error::render))
        .layer(layers::cors(&app.config().api.cors_allowed_headers))
        .layer(from_fn(svc_kit::http::request_id_layer))
        .with_state(app.clone())
}

fn passkey_routes() -> Router<App> {
    Router::new()
        .route("/passkeys", get(passkeys::list))
        .route(
            "/passkeys/{id}",
            patch(passkeys::rename).delete(passkeys::delete),
        )
        .route(
            "/passkeys/authentication/options",
            post(passkeys::begin_authentication),
        )
        .route(
            "/passkeys/authentication/verify",
            post(passkeys::authenticate),
        )
        .route(
            "/passkeys/registration/options",
            post(passkeys::begin_registration),
        )
        .route(
            "/passkeys/registration/verify",
            post(passkeys::finish_registration),
        )
}

async fn not_found() -> Response {
    (StatusCode::NOT_FOUND, "404 page not found\n").into_response()
}
