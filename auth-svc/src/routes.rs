//! The routes: requests in, domain functions, responses out.

mod admin;
mod audit_log;
mod authorize;
mod callback;
mod caller;
mod captcha;
mod cors;
mod custom_providers;
mod extract;
mod factors;
mod fallback;
mod generate_link;
mod health;
mod id_token;
mod invite;
mod keyset;
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
mod scim;
mod sessions;
mod settings;
mod signup;
mod sso;
mod target;
mod token;
mod user;
mod verify;
mod web3;
mod well_known;

use crate::{app::App, error};
use axum::{
    Router,
    extract::DefaultBodyLimit,
    middleware::{from_fn, from_fn_with_state},
    routing::{delete, get, patch, post, put},
};
use svc_kit::observe::ObserveLayer;

/// What `/health` and `version` say.
pub const VERSION: &str = concat!("v", env!("CARGO_PKG_VERSION"));
/// The largest body of a request.
const MAX_BODY: usize = 1 << 20;

/// All routes, with the layers around them.
pub fn router(app: &App) -> Router {
    let routes = Router::new()
        .route("/health", get(health::get))
        .route("/settings", get(settings::get))
        .route("/.well-known/jwks.json", get(well_known::jwks))
        .route(
            "/.well-known/openid-configuration",
            get(well_known::openid_configuration),
        )
        .merge(for_persons(app))
        .route(
            "/verify",
            get(verify::get).head(verify::head).post(verify::post),
        )
        .route("/authorize", get(authorize::get))
        .route("/callback", get(callback::get).post(callback::post))
        .route("/logout", post(logout::post))
        .route("/reauthenticate", get(reauthenticate::get))
        .route("/user", get(user::get).put(user::put))
        .route("/user/sessions", get(sessions::list))
        .route("/user/sessions/{id}", delete(sessions::end))
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
        .route("/admin/users/{id}/sessions", get(sessions::list_of_user))
        .route(
            "/admin/users/{id}/sessions/{session}",
            delete(sessions::end_of_user),
        )
        .route("/admin/generate_link", post(generate_link::post))
        .route("/admin/audit", get(audit_log::get))
        .merge(custom_providers::router())
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
        .merge(scim::router())
        .fallback(fallback::not_found)
        .method_not_allowed_fallback(fallback::method_not_allowed)
        .layer(DefaultBodyLimit::max(MAX_BODY))
        .layer(from_fn_with_state(app.clone(), layers::timeout))
        .layer(from_fn(error::render))
        .layer(from_fn_with_state(
            cors::allowed(&app.config().api.cors_allowed_headers),
            cors::layer,
        ))
        .layer(from_fn(svc_kit::http::request_id_layer))
        .layer(ObserveLayer::new(app.metrics().requests().clone()).routine(&["/health"]))
        .with_state(app.clone());
    // Before any route is chosen.
    Router::new()
        .fallback_service(routes)
        .layer(from_fn(fallback::without_slash))
}

/// What the captcha guards, where one is set up.
fn for_persons(app: &App) -> Router<App> {
    Router::new()
        .route("/signup", post(signup::post))
        .route("/token", post(token::post))
        .route("/otp", post(otp::post))
        .route("/magiclink", post(magic_link::post))
        .route("/recover", post(recover::post))
        .route("/resend", post(resend::post))
        .route("/sso", post(sso::begin))
        .route(
            "/passkeys/authentication/options",
            post(passkeys::begin_authentication),
        )
        .route_layer(from_fn_with_state(app.clone(), captcha::layer))
}

fn passkey_routes() -> Router<App> {
    Router::new()
        .route("/passkeys", get(passkeys::list))
        .route(
            "/passkeys/{id}",
            patch(passkeys::rename).delete(passkeys::delete),
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
