//! What verifiers look up.

use axum::{Json, extract::State, response::IntoResponse};
use http::header;
use serde_json::json;

use crate::app::App;

pub(super) async fn jwks(State(app): State<App>) -> impl IntoResponse {
    let keys = json!({ "keys": app.config().jwt.keys.published() });
    ([(header::CACHE_CONTROL, "public, max-age=600")], Json(keys))
}

/// The metadata of `OpenID Connect` Discovery, of which RFC 8414's are a part.
pub(super) async fn openid_configuration(State(app): State<App>) -> impl IntoResponse {
    let config = app.config();
    let issuer = if config.jwt.issuer.is_empty() {
        config.api.external_url.as_str().trim_end_matches('/')
    } else {
        config.jwt.issuer.trim_end_matches('/')
    };
    let at = |path: &str| format!("{issuer}{path}");
    let mut metadata = json!({
        "issuer": issuer,
        "authorization_endpoint": at("/oauth/authorize"),
        "token_endpoint": at("/oauth/token"),
        "jwks_uri": at("/.well-known/jwks.json"),
        "userinfo_endpoint": at("/oauth/userinfo"),
        "scopes_supported": ["openid", "profile", "email", "phone", "offline_access"],
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["RS256", "HS256", "ES256"],
        "token_endpoint_auth_methods_supported":
            ["client_secret_basic", "client_secret_post", "none"],
        "code_challenge_methods_supported": ["S256", "plain"],
        "claims_supported": [
            "sub", "aud", "iss", "exp", "iat", "auth_time", "nonce", "email", "email_verified",
            "phone_number", "phone_number_verified", "name", "picture", "preferred_username",
            "updated_at",
        ],
    });
    if config.oauth_server.enabled && config.oauth_server.allow_dynamic_registration {
        metadata["registration_endpoint"] = at("/oauth/clients/register").into();
    }
    (
        [(header::CACHE_CONTROL, "public, max-age=600")],
        Json(metadata),
    )
}
