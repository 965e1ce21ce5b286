use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use serde_json::json;

/// What the service refuses over plain HTTP, which includes the handshake of a socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("API key is missing")]
    KeyMissing,
    #[error("Token has expired")]
    KeyExpired,
    #[error("Fields `role` and `exp` are required in JWT")]
    ClaimsMissing,
    #[error("The token provided is not a valid JWT")]
    KeyMalformed,
    #[error("Failed to validate JWT signature")]
    KeySignature,
    #[error("Failed to generate JWT signer")]
    KeyAlgorithm,
    #[error("Realtime is not implemented yet")]
    NotImplemented,
}

impl Error {
    fn status(self) -> StatusCode {
        match self {
            Self::NotImplemented => StatusCode::NOT_IMPLEMENTED,
            _ => StatusCode::UNAUTHORIZED,
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        (self.status(), Json(json!({ "error": self.to_string() }))).into_response()
    }
}
