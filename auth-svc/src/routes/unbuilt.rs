//! Routes of the contract that this service does not serve: SCIM, which GoTrue has behind an experimental setting.

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
    routing::any,
};

use crate::{app::App, error::Error};

pub(super) fn router() -> Router<App> {
    Router::new().route("/scim/v2/{*rest}", any(refuse))
}

async fn refuse(request: Request) -> Response {
    let path = request.uri().path();
    Error::disabled(format!("{path} is not available on this server")).into_response()
}
