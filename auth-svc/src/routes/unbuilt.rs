//! Routes of the contract that this service does not serve yet.
//!
//! What the settings switch off is answered as the original answers it. What they switch on is refused in
//! plain words, so that a client fails at once and for the right reason. Callers are checked first.

use axum::{
    Router,
    extract::Request,
    response::{IntoResponse as _, Response},
    routing::{any, get},
};
use serde_json::{Map, Value};

use super::caller::Admin;
use crate::{
    app::App,
    error::{Code, Error},
};

pub(super) fn router() -> Router<App> {
    Router::new()
        .route("/admin/custom-providers", get(as_admin).post(as_admin))
        .route("/admin/custom-providers/{id}", any(as_admin))
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

/// Why the grant `web3` is refused.
pub(super) fn web3(app: &App, params: &Map<String, Value>) -> Error {
    let external = &app.config().external;
    let disabled = |message| Error::unprocessable(Code::Web3ProviderDisabled, message);
    if !external.web3_solana_enabled && !external.web3_ethereum_enabled {
        return disabled("Web3 provider is disabled");
    }
    match params.get("chain").and_then(Value::as_str) {
        Some("solana") if !external.web3_solana_enabled => {
            disabled("Solana Web3 provider is disabled")
        }
        Some("ethereum") if !external.web3_ethereum_enabled => {
            disabled("Ethereum Web3 provider is disabled")
        }
        Some("solana" | "ethereum") => {
            Error::disabled("The grant web3 is not available on this server")
        }
        _ => Error::bad_request(Code::Web3UnsupportedChain, "Unsupported chain"),
    }
}
