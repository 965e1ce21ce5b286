use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{Method, StatusCode};
use serde_json::json;

/// Everything the service refuses; the text is what the caller reads.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Error {
    #[error("headers must have required property 'authorization'")]
    NoAuthorization,
    #[error("{0}")]
    AccessDenied(&'static str),
    #[error("Bucket not found")]
    NoSuchBucket,
    #[error("{0}")]
    InvalidRequest(String),
    #[error("Route {0}:{1} not found")]
    NoRoute(Method, String),
    #[error("{0} {1} is not implemented yet")]
    NotImplemented(Method, String),
    #[error("database error, code: {}", sqlstate(.0))]
    Database(#[from] sqlx::Error),
}

/// The code that Postgres gave, or nothing for an error before Postgres.
fn sqlstate(error: &sqlx::Error) -> String {
    error
        .as_database_error()
        .and_then(sqlx::error::DatabaseError::code)
        .unwrap_or_default()
        .into_owned()
}

/// HTTP status, and then `statusCode`, `error` and `code` of the body.
struct Wire(u16, &'static str, &'static str, &'static str);

impl Error {
    /// Clients look into the body: most refusals travel as 400, whatever `statusCode` says.
    fn wire(&self) -> Wire {
        match self {
            Self::NoAuthorization | Self::InvalidRequest(_) => {
                Wire(400, "400", "Error", "InvalidRequest")
            }
            Self::AccessDenied(_) => Wire(400, "403", "Unauthorized", "AccessDenied"),
            Self::NoSuchBucket => Wire(400, "404", "Bucket not found", "NoSuchBucket"),
            Self::NoRoute(..) => Wire(404, "404", "Not Found", ""),
            Self::NotImplemented(..) => Wire(501, "501", "NotImplemented", "NotImplemented"),
            Self::Database(sqlx::Error::PoolTimedOut) => {
                Wire(429, "429", "too_many_connections", "SlowDown")
            }
            Self::Database(_) => Wire(500, "500", "DatabaseError", "DatabaseError"),
        }
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let Wire(status, status_code, name, code) = self.wire();
        if let Self::Database(error) = &self {
            tracing::error!(%error, "database");
        }
        let message = self.to_string();
        let body = if let Self::NoRoute(..) = self {
            // The framework's own body: its number is a number, and there is no code.
            json!({ "message": message, "error": name, "statusCode": status })
        } else {
            json!({ "statusCode": status_code, "error": name, "message": message, "code": code })
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        (status, Json(body)).into_response()
    }
}
