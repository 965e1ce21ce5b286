use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, StatusCode};
use serde_json::json;

/// What the service itself refuses; a function's own errors are its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("Missing authorization header")]
    NoAuthHeader,
    #[error("Invalid JWT format")]
    InvalidJwtFormat,
    #[error("Unsupported JWT algorithm")]
    UnsupportedAlgorithm,
    #[error("Invalid JWT")]
    InvalidSharedSecretJwt,
    #[error("Invalid JWT")]
    InvalidAsymmetricJwt,
    #[error("missing function name in request")]
    MissingName,
    #[error("Requested function was not found")]
    NotFound,
    #[error(
        "Deno is not installed: install it (`npm install deno`) or name its binary in DENO_BIN"
    )]
    NoDeno,
    #[error("Worker failed to boot (please check logs)")]
    Boot,
    #[error("Function exited due to an error (please check logs)")]
    Worker,
    #[error("Worker failed to respond due to a resource limit (please check logs)")]
    WorkerLimit,
    #[error("The function did not answer in time (please check logs)")]
    IdleTimeout,
    #[error("All processes are busy")]
    Busy,
}

impl Error {
    fn wire(self) -> (StatusCode, Option<&'static str>) {
        let unauthorized = |code| (StatusCode::UNAUTHORIZED, Some(code));
        match self {
            Self::NoAuthHeader => unauthorized("UNAUTHORIZED_NO_AUTH_HEADER"),
            Self::InvalidJwtFormat => unauthorized("UNAUTHORIZED_INVALID_JWT_FORMAT"),
            Self::UnsupportedAlgorithm => unauthorized("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM"),
            Self::InvalidSharedSecretJwt => unauthorized("UNAUTHORIZED_LEGACY_JWT"),
            Self::InvalidAsymmetricJwt => unauthorized("UNAUTHORIZED_ASYMMETRIC_JWT"),
            Self::MissingName => (StatusCode::BAD_REQUEST, None),
            Self::NotFound => (StatusCode::NOT_FOUND, Some("NOT_FOUND")),
            Self::NoDeno | Self::Boot | Self::Busy => {
                (StatusCode::SERVICE_UNAVAILABLE, Some("BOOT_ERROR"))
            }
            Self::Worker => (StatusCode::INTERNAL_SERVER_ERROR, Some("WORKER_ERROR")),
            // A status that the original invented.
            Self::WorkerLimit => (
                StatusCode::from_u16(546).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
                Some("WORKER_LIMIT"),
            ),
            Self::IdleTimeout => (StatusCode::GATEWAY_TIMEOUT, Some("IDLE_TIMEOUT")),
        }
    }

    /// The code, as metrics count it.
    pub(crate) fn code(self) -> &'static str {
        self.wire().1.unwrap_or("BAD_REQUEST")
    }

    /// True if the caller's token is why.
    pub(crate) fn is_refused_token(self) -> bool {
        self.wire().0 == StatusCode::UNAUTHORIZED
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let (status, code) = self.wire();
        let message = self.to_string();
        let body = match (status, code) {
            (StatusCode::UNAUTHORIZED, _) => {
                json!({ "code": code, "message": message, "msg": message })
            }
            (_, Some(code)) => json!({ "code": code, "message": message }),
            (_, None) => json!({ "msg": message }),
        };
        let mut response = (status, Json(body)).into_response();
        if let Some(code) = code {
            response
                .headers_mut()
                .insert("sb-error-code", HeaderValue::from_static(code));
        }
        response
    }
}
