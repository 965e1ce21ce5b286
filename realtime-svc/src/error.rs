use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::StatusCode;
use serde_json::json;

use crate::token::TokenError;

/// What the handshake of a socket is refused for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Refusal {
    #[error("API key is missing")]
    KeyMissing,
    #[error("{}", token_text(.0))]
    Token(#[from] TokenError),
    #[error("Too many connected users")]
    TooManyUsers,
    #[error("Too many joins per second")]
    TooManyJoins,
}

/// The handshake does not say how long ago a token expired.
fn token_text(error: &TokenError) -> String {
    match error {
        TokenError::Expired(_) => "Token has expired".to_owned(),
        TokenError::Claim => "Error connecting to Realtime".to_owned(),
        error => error.to_string(),
    }
}

impl Refusal {
    fn status(&self) -> StatusCode {
        match self {
            Self::Token(TokenError::Claim) => StatusCode::INTERNAL_SERVER_ERROR,
            Self::KeyMissing | Self::Token(_) => StatusCode::UNAUTHORIZED,
            Self::TooManyUsers | Self::TooManyJoins => StatusCode::TOO_MANY_REQUESTS,
        }
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        (self.status(), Json(json!({ "error": self.to_string() }))).into_response()
    }
}

/// What a request of the REST routes is refused for.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Error {
    #[error("Unauthorized")]
    Unauthorized,
    /// A private message without the permission to send it.
    #[error("Unauthorized")]
    Forbidden,
    /// A token of the admin routes or of the metrics; the answer has no body.
    #[error("forbidden")]
    AdminForbidden,
    #[error("not found")]
    NotFound,
    /// No such route.
    #[error("Not Found")]
    NoRoute,
    #[error("Too many requests")]
    TooManyRequests,
    #[error("Too many messages to broadcast, please reduce the batch size")]
    BatchTooLarge,
    /// `application/json` and `application/octet-stream` are understood.
    #[error("{0}")]
    MediaType(&'static str),
    /// What is wrong with which field, as JSON.
    #[error("unprocessable")]
    Invalid(serde_json::Value),
    #[error("{0}")]
    Unprocessable(&'static str),
    #[error("Connection pool exhausted")]
    PoolExhausted,
    #[error("Bad Request")]
    BadRequest,
    #[error("Request Entity Too Large")]
    BodyTooLarge,
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let status = match &self {
            Self::Unauthorized => StatusCode::UNAUTHORIZED,
            Self::Forbidden | Self::AdminForbidden => StatusCode::FORBIDDEN,
            Self::NotFound | Self::NoRoute => StatusCode::NOT_FOUND,
            Self::TooManyRequests | Self::BatchTooLarge | Self::PoolExhausted => {
                StatusCode::TOO_MANY_REQUESTS
            }
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::Invalid(_) | Self::Unprocessable(_) => StatusCode::UNPROCESSABLE_ENTITY,
            Self::BadRequest => StatusCode::BAD_REQUEST,
            Self::BodyTooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        };
        match self {
            Self::AdminForbidden => status.into_response(),
            Self::NoRoute | Self::BadRequest | Self::BodyTooLarge => {
                (status, Json(json!(self.to_string()))).into_response()
            }
            Self::Invalid(errors) => (status, Json(json!({ "errors": errors }))).into_response(),
            Self::MediaType(text) => (status, Json(json!({ "error": text }))).into_response(),
            error => (status, Json(json!({ "message": error.to_string() }))).into_response(),
        }
    }
}
