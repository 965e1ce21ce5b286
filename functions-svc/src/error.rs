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
    #[error("Running edge functions is not implemented yet")]
    NotImplemented,
}

impl Error {
    fn wire(self) -> (StatusCode, Option<&'static str>) {
        match self {
            Self::NoAuthHeader => (
                StatusCode::UNAUTHORIZED,
                Some("UNAUTHORIZED_NO_AUTH_HEADER"),
            ),
            Self::InvalidJwtFormat => (
                StatusCode::UNAUTHORIZED,
                Some("UNAUTHORIZED_INVALID_JWT_FORMAT"),
            ),
            Self::UnsupportedAlgorithm => (
                StatusCode::UNAUTHORIZED,
                Some("UNAUTHORIZED_UNSUPPORTED_TOKEN_ALGORITHM"),
            ),
            Self::InvalidSharedSecretJwt => {
                (StatusCode::UNAUTHORIZED, Some("UNAUTHORIZED_LEGACY_JWT"))
            }
            Self::InvalidAsymmetricJwt => (
                StatusCode::UNAUTHORIZED,
                Some("UNAUTHORIZED_ASYMMETRIC_JWT"),
            ),
            Self::MissingName => (StatusCode::BAD_REQUEST, None),
            Self::NotImplemented => (StatusCode::NOT_IMPLEMENTED, Some("NOT_IMPLEMENTED")),
        }
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
