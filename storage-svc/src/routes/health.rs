use axum::response::{IntoResponse as _, Response};
use http::StatusCode;
use serde_json::json;

use super::{Routed, is_get, metrics, output, shown};
use crate::{
    App,
    error::{Error, Result},
    store,
};

pub(super) async fn route(app: &App, routed: Routed) -> Result<Response> {
    let path = routed.path();
    if !is_get(&routed.parts.method) {
        return Err(Error::no_family(&routed.parts.method, shown(&routed.parts)));
    }
    match path {
        "/status" => Ok(StatusCode::OK.into_response()),
        "/version" => Ok(app.config().version.clone().into_response()),
        "/metrics" if app.config().metrics => Ok(metrics::show(app)),
        "/health" | "/health/" => {
            // Any valid token may ask.
            app.authenticate_or_refuse(&routed.parts)?;
            let healthy = store::buckets::touch(app.db()).await;
            Ok(output::json(&json!({ "healthy": healthy.is_ok() })))
        }

        _ => Err(Error::no_family(&routed.parts.method, shown(&routed.parts))),
    }
}
