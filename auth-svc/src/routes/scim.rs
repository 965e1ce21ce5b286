//! SCIM 2.0 as far as GoTrue 2.196 has it: what a client may ask before it sends anybody (RFC 7644, section 4).
//! No resource can be provisioned there yet, and none here.

use axum::{
    Router,
    extract::{FromRequestParts, State},
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use http::{StatusCode, header, request::Parts};
use serde_json::{Value, json};

use crate::{app::App, error::Error};

/// The media type of RFC 7644, section 8.1.
const MEDIA_TYPE: &str = "application/scim+json";

pub(super) fn router() -> Router<App> {
    Router::new()
        .route(
            "/scim/v2/ServiceProviderConfig",
            get(service_provider_config),
        )
        .route("/scim/v2/ResourceTypes", get(nothing_yet))
        .route("/scim/v2/Schemas", get(nothing_yet))
        .route("/scim/v2", any(not_found))
        .route("/scim/v2/", any(not_found))
        .route("/scim/v2/{*rest}", any(not_found))
}

/// Fails while SCIM is switched off.
pub(super) fn check_enabled(app: &App) -> Result<(), Error> {
    if app.config().experimental.scim {
        Ok(())
    } else {
        Err(Error::disabled("SCIM server is disabled"))
    }
}

/// Only where SCIM is switched on.
struct Enabled;

impl FromRequestParts<App> for Enabled {
    type Rejection = Error;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Error> {
        check_enabled(app).map(|()| Self)
    }
}

/// RFC 7643, section 5: nothing of what may be left out is there.
async fn service_provider_config(_: Enabled, State(app): State<App>) -> Response {
    let base = app.config().api.external_url.as_str().trim_end_matches('/');
    let no = json!({ "supported": false });
    let config = json!({
        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"],
        "patch": no,
        "bulk": { "supported": false, "maxOperations": 0, "maxPayloadSize": 0 },
        "filter": { "supported": false, "maxResults": 0 },
        "changePassword": no,
        "sort": no,
        "etag": no,
        "authenticationSchemes": [{
            "type": "oauthbearertoken",
            "name": "OAuth Bearer Token",
            "description": "Authentication scheme using the OAuth Bearer Token Standard",
            "specUri": "http://www.rfc-editor.org/info/rfc6750",
            "primary": true,
        }],
        "meta": {
            "resourceType": "ServiceProviderConfig",
            "location": format!("{base}/scim/v2/ServiceProviderConfig"),
        },
    });
    answer(StatusCode::OK, &config)
}

/// The list of resource types and that of schemas, which RFC 7644 does not let anybody filter.
async fn nothing_yet(_: Enabled, uri: http::Uri) -> Response {
    let filtered = url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
        .any(|(name, _)| name == "filter");
    if filtered {
        return error(
            StatusCode::FORBIDDEN,
            "Filtering is not supported on this endpoint",
        );
    }
    let list = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
        "totalResults": 0,
        "startIndex": 1,
        "itemsPerPage": 0,
        "Resources": [],
    });
    answer(StatusCode::OK, &list)
}

async fn not_found(_: Enabled) -> Response {
    error(StatusCode::NOT_FOUND, "Endpoint or resource does not exist")
}

/// An error in the form of RFC 7644, section 3.12.
fn error(status: StatusCode, detail: &str) -> Response {
    let body = json!({
        "schemas": ["urn:ietf:params:scim:api:messages:2.0:Error"],
        "detail": detail,
        "status": status.as_str(),
    });
    answer(status, &body)
}

fn answer(status: StatusCode, body: &Value) -> Response {
    let headers = [(header::CONTENT_TYPE, MEDIA_TYPE)];
    (status, headers, body.to_string()).into_response()
}
