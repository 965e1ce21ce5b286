//! Routes of the contract that this service does not serve yet.
//!
//! What the settings switch off is answered as the original answers it. What they switch on is refused in
//! plain words, so that a client fails at once and for the right reason. Callers are checked first.

use axum::{
    Router,
    extract::{Request, State},
    response::{IntoResponse as _, Response},
    routing::{any, post},
};

use super::caller::Admin;
use crate::{
    app::App,
    error::{Code, Error},
};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/sso", post(sso))
        .route("/sso/saml/{*rest}", any(sso))
        .route("/admin/sso/{*rest}", any(as_admin))
        .route("/scim/v2/{*rest}", any(refuse))
}

fn unavailable(request: &Request) -> Error {
    let path = request.uri().path();
    Error::disabled(format!("{path} is not available on this server"))
}

async fn refuse(request: Request) -> Response {
    unavailable(&request).into_response()
}

async fn as_admin(_: Admin, request: Request) -> Response {
    unavailable(&request).into_response()
}

async fn sso(State(app): State<App>, request: Request) -> Response {
    if !app.config().saml_enabled {
        return Error::refused(404, Code::SamlProviderDisabled, "SAML 2.0 is disabled")
            .into_response();
    }
    unavailable(&request).into_response()
}
