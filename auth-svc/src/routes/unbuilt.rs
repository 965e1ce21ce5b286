//! Routes of the contract that this service does not serve yet. Each answers so in plain words, so that
//! a client fails at once and for the right reason.

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
    routing::{any, delete, get, patch, post},
};

use crate::{app::App, error::Error};

pub(super) fn router() -> Router<App> {
    let closed = any(refuse);
    Router::new()
        .route("/.well-known/oauth-authorization-server", get(refuse))
        .route("/authorize", get(refuse))
        .route("/callback", get(refuse).post(refuse))
        .route("/user/identities/authorize", get(refuse))
        .route("/user/oauth/grants", get(refuse).delete(refuse))
        .route("/factors", post(refuse))
        .route("/factors/{id}", delete(refuse))
        .route("/factors/{id}/challenge", post(refuse))
        .route("/factors/{id}/verify", post(refuse))
        .route("/passkeys", get(refuse))
        .route("/passkeys/{id}", patch(refuse).delete(refuse))
        .route("/passkeys/{id}/options", post(refuse))
        .route("/passkeys/{id}/verify", post(refuse))
        .route("/sso", post(refuse))
        .route("/sso/saml/{*rest}", closed.clone())
        .route("/admin/users/{id}/factors", get(refuse))
        .route("/admin/users/{id}/factors/{factor}", closed.clone())
        .route("/admin/users/{id}/passkeys", get(refuse))
        .route("/admin/users/{id}/passkeys/{passkey}", delete(refuse))
        .route("/admin/sso/{*rest}", closed.clone())
        .route("/admin/oauth/{*rest}", closed.clone())
        .route("/admin/custom-providers", get(refuse).post(refuse))
        .route("/admin/custom-providers/{id}", closed.clone())
        .route("/oauth/{*rest}", closed.clone())
        .route("/scim/v2/{*rest}", closed)
}

async fn refuse(request: Request) -> Response {
    let path = request.uri().path();
    Error::disabled(format!("{path} is not available on this server")).into_response()
}
