//! Everything the service refuses, and how each of its surfaces says so.

use std::borrow::Cow;

use axum::{
    Json,
    response::{IntoResponse, Response},
};
use http::{HeaderValue, Method, StatusCode, header};
use serde_json::json;
use svc_kit::wire::{DbError, Failure, PoolError};

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

/// A refusal. The REST surface wraps it into the original's body, S3 into XML, resumable uploads into text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Error {
    /// The original's code, such as `NoSuchKey`.
    pub(crate) code: &'static str,
    /// The true status, which REST answers only name in the body.
    pub(crate) status: u16,
    /// What the caller reads.
    pub(crate) message: Cow<'static, str>,
    /// What it is about, for S3.
    pub(crate) resource: Option<String>,
    /// The word in `error`, where it is not the code.
    name: Option<&'static str>,
    /// The HTTP status of the REST surface, where it is neither 400 nor 500.
    rest_status: Option<u16>,
    /// Part of the request's body was not read.
    closes: bool,
    /// Answers that no cache may keep.
    no_store: bool,
    /// Whose form the body has.
    form: Form,
}

/// The forms of bodies on the REST surface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Of a route that refuses.
    Refusal,
    /// Of a family that has no such route: the same without a charset.
    NoRoute,
    /// Of the framework, where there is no such family: its number is a number, and there is no code.
    NoFamily,
    /// Of the router, for a path that it cannot read.
    Path,
}

impl Error {
    pub(crate) fn new(
        code: &'static str,
        status: u16,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self {
            code,
            status,
            message: message.into(),
            resource: None,
            name: None,
            rest_status: None,
            closes: false,
            no_store: false,
            form: Form::Refusal,
        }
    }

    fn named(mut self, name: &'static str) -> Self {
        self.name = Some(name);
        self
    }

    /// Travels with this HTTP status on the REST surface.
    pub(crate) fn with_rest_status(mut self, status: u16) -> Self {
        self.rest_status = Some(status);
        self
    }

    /// The connection cannot be used again: part of the body was not read.
    pub(crate) fn closing(mut self) -> Self {
        self.closes = true;
        self
    }

    /// Whether the connection cannot be used again.
    pub(crate) fn closes(&self) -> bool {
        self.closes
    }

    fn about(mut self, resource: &str) -> Self {
        self.resource = Some(resource.to_owned());
        self
    }

    pub(crate) fn no_such_bucket(bucket: &str) -> Self {
        Self::new("NoSuchBucket", 404, "Bucket not found")
            .named("Bucket not found")
            .about(bucket)
    }

    pub(crate) fn no_such_key(key: &str) -> Self {
        Self::new("NoSuchKey", 404, "Object not found")
            .named("not_found")
            .about(key)
    }

    /// There is a row, but its blob is gone.
    pub(crate) fn blob_gone(key: &str) -> Self {
        let mut error = Self::new("NoSuchKey", 404, "The resource was not found")
            .named("Not found")
            .about(key);
        error.no_store = true;
        error
    }

    pub(crate) fn no_such_upload(id: &str) -> Self {
        Self::new("NoSuchUpload", 404, "Upload not found").about(id)
    }

    pub(crate) fn bucket_exists(bucket: &str) -> Self {
        Self::new("BucketAlreadyExists", 409, "The resource already exists")
            .named("Duplicate")
            .about(bucket)
    }

    pub(crate) fn key_exists(key: &str) -> Self {
        Self::new("KeyAlreadyExists", 409, "The resource already exists")
            .named("Duplicate")
            .about(key)
    }

    pub(crate) fn bucket_not_empty(bucket: &str) -> Self {
        Self::new(
            "ResourceNotEmpty",
            409,
            "The bucket you tried to delete is not empty",
        )
        .about(bucket)
    }

    pub(crate) fn access_denied(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("AccessDenied", 403, message).named("Unauthorized")
    }

    pub(crate) fn invalid_key(key: &str) -> Self {
        Self::new("InvalidKey", 400, format!("Invalid key: {key}")).about(key)
    }

    pub(crate) fn invalid_bucket_name(name: &str) -> Self {
        Self::new("InvalidBucketName", 400, "Bucket name invalid")
            .named("Invalid Input")
            .about(name)
    }

    pub(crate) fn too_large() -> Self {
        Self::entity_too_large("object")
    }

    pub(crate) fn entity_too_large(what: &str) -> Self {
        let message = format!("The {what} exceeded the maximum allowed size");
        Self::new("EntityTooLarge", 413, message).named("Payload too large")
    }

    pub(crate) fn invalid_mime_type(mime: &str) -> Self {
        let message = format!("mime type {mime} is not supported");
        Self::new("InvalidMimeType", 415, message).named("invalid_mime_type")
    }

    pub(crate) fn invalid_jwt(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("InvalidJWT", 400, message)
    }

    pub(crate) fn invalid_signature(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("InvalidSignature", 400, message)
    }

    /// A request that does not fit the schema of its route, in the validator's words.
    pub(crate) fn schema(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("InvalidRequest", 400, message).named("Error")
    }

    pub(crate) fn invalid_request(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new("InvalidRequest", 400, message)
    }

    pub(crate) fn invalid_robots_tag(message: &str) -> Self {
        Self::invalid_request(format!("Invalid X-Robots-Tag header: {message}"))
            .named("invalid_x_robots_tag")
    }

    pub(crate) fn invalid_header(name: &str, value: &str) -> Self {
        let shown: String = value.chars().take(50).collect();
        Self::invalid_request(format!(
            "Invalid character in response header \"{name}\": {shown}"
        ))
        .named("invalid_header_char")
    }

    pub(crate) fn no_content() -> Self {
        Self::invalid_request("No content provided")
    }

    pub(crate) fn invalid_range() -> Self {
        Self::new("InvalidRange", 416, "invalid range provided")
            .named("invalid_range")
            .with_rest_status(416)
    }

    pub(crate) fn invalid_parameter(name: &str) -> Self {
        Self::new("InvalidParameter", 400, format!("Invalid Parameter {name}"))
    }

    /// User metadata that is JSON but no object, in the database's words.
    pub(crate) fn no_json_object() -> Self {
        Self::new(
            "InvalidParameter",
            400,
            "invalid input syntax for type json",
        )
    }

    pub(crate) fn missing_parameter(name: &str) -> Self {
        Self::new(
            "MissingParameter",
            400,
            format!("Missing Required Parameter {name}"),
        )
    }

    pub(crate) fn feature_not_enabled(feature: &str) -> Self {
        Self::new(
            "FeatureNotEnabled",
            409,
            format!("The feature {feature} is not enabled for this resource"),
        )
    }

    pub(crate) fn lock_timeout() -> Self {
        Self::new("LockTimeout", 503, "acquiring lock timeout").named("acquiring_lock_timeout")
    }

    pub(crate) fn internal() -> Self {
        Self::new("InternalError", 500, "Internal Server Error").named("Internal")
    }

    /// An error of the framework in front of the routes, which keeps its status.
    pub(crate) fn framework(
        code: &'static str,
        status: u16,
        name: &'static str,
        message: impl Into<Cow<'static, str>>,
    ) -> Self {
        Self::new(code, status, message)
            .named(name)
            .with_rest_status(status)
    }

    /// No such route in a family of routes that exists.
    pub(crate) fn no_route(method: &Method, path: &str) -> Self {
        let message = format!("Route {method}:{path} not found");
        let mut error = Self::framework("InvalidRequest", 404, "Not Found", message);
        error.form = Form::NoRoute;
        error
    }

    /// A path with a percent sign that encodes nothing.
    pub(crate) fn bad_url(path: &str) -> Self {
        let message = format!("'{path}' is not a valid url component");
        let mut error = Self::framework("FST_ERR_BAD_URL", 400, "Bad Request", message);
        error.form = Form::Path;
        error
    }

    /// A part of a path that is longer than any may be.
    pub(crate) fn long_url(path: &str) -> Self {
        let message = format!("'{path}' is exceeding the max param length");
        let mut error = Self::framework("FST_ERR_MAX_PARAM_LENGTH", 414, "Bad Request", message);
        error.form = Form::Path;
        error
    }

    /// A header that is no media type.
    pub(crate) fn invalid_content_type() -> Self {
        Self::new("InvalidMimeType", 415, "Invalid Content-Type header").named("invalid_mime_type")
    }

    /// No such family of routes.
    pub(crate) fn no_family(method: &Method, path: &str) -> Self {
        let mut error = Self::no_route(method, path);
        error.form = Form::NoFamily;
        error
    }

    /// What stood in the database's way, without what only operators may read.
    pub(crate) fn from_database(error: &DbError) -> Self {
        const SLOW_DOWN: [&str; 7] = [
            "Authentication error",
            "Max client connections reached",
            "remaining connection slots are reserved",
            "no more connections allowed",
            "sorry, too many clients already",
            "server login has been failing, try again later",
            "server login has been failing, cached error",
        ];
        if SLOW_DOWN.iter().any(|text| error.message.contains(text)) {
            return Self::slow_down();
        }
        match error.code.as_str() {
            "42501" if error.message.contains("row-level security") => {
                Self::access_denied("new row violates row-level security policy")
            }
            "42501" => Self::access_denied(error.message.clone()),
            "23505" => Self::new("ResourceAlreadyExists", 409, "The resource already exists")
                .named("Duplicate"),
            "23503" => Self::foreign_key(error),
            "55P03" => Self::new("ResourceLocked", 423, "The resource is locked"),
            "57014" => Self::database_timeout(),
            "25006" => Self::new(
                "DatabaseReadOnly",
                503,
                "The database is currently in read-only mode. Please try again later.",
            ),
            "42P17" => Self::new(
                "DatabaseInvalidObjectDefinition",
                503,
                "The database schema is invalid or incompatible.",
            ),
            "42703" | "42P01" => Self::new(
                "DatabaseSchemaMismatch",
                503,
                "The database schema is out of sync. Please run migrations or contact support.",
            ),
            "22P02" => Self::new("InvalidParameter", 400, error.message.clone()),
            code => Self::new(
                "DatabaseError",
                500,
                format!("database error, code: {code}"),
            ),
        }
    }

    fn foreign_key(error: &DbError) -> Self {
        let detail = error.detail.as_deref().unwrap_or_default();
        if !detail.contains("is still referenced from table") {
            return Self::invalid_request("The related resource does not exist").with_status(404);
        }
        let message = if error.message.contains("s3_multipart_uploads") {
            "The bucket could not be updated because it is referenced by a pending multipart upload."
        } else {
            "The resource could not be updated or removed due to a foreign key constraint"
        };
        Self::new("ResourceReferenced", 409, message)
    }

    fn with_status(mut self, status: u16) -> Self {
        self.status = status;
        self
    }

    pub(crate) fn slow_down() -> Self {
        Self::new(
            "SlowDown",
            429,
            "Too many connections issued to the database",
        )
        .named("too_many_connections")
        .with_rest_status(429)
    }

    pub(crate) fn database_timeout() -> Self {
        Self::new(
            "DatabaseTimeout",
            544,
            "The connection to the database timed out",
        )
        .with_rest_status(544)
    }

    /// True if the key or bucket was there already.
    pub(crate) fn is_duplicate(&self) -> bool {
        matches!(
            self.code,
            "ResourceAlreadyExists" | "KeyAlreadyExists" | "BucketAlreadyExists"
        )
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        match failure {
            Failure::Database(error) => {
                let mapped = Self::from_database(&error);
                if mapped.status >= 500 {
                    tracing::error!(code = error.code, %error, "database");
                }
                mapped
            }
            // A zero in a text is the caller's, and nothing that Postgres could keep.
            Failure::Unsendable(error) => Self::new("InvalidParameter", 400, error.to_string()),
            Failure::Connection(error) => {
                tracing::error!(%error, "the database's connection broke");
                Self::internal()
            }
        }
    }
}

impl From<PoolError> for Error {
    fn from(error: PoolError) -> Self {
        match error {
            PoolError::Timeout(_) => Self::database_timeout(),
            PoolError::Backend(error) => {
                tracing::error!(%error, "no connection to the database");
                let text = error.to_string();
                let mapped = Self::from_database(&DbError {
                    code: error.code().unwrap_or_default().to_owned(),
                    message: text,
                    detail: None,
                    hint: None,
                });
                if mapped.code == "SlowDown" {
                    mapped
                } else {
                    Self::internal()
                }
            }
            other => {
                tracing::error!(error = %other, "no connection to the database");
                Self::internal()
            }
        }
    }
}

impl IntoResponse for Error {
    /// The REST surface: clients look into the body, and most refusals travel as 400 whatever `statusCode` says.
    fn into_response(self) -> Response {
        let name = self.name.unwrap_or(self.code);
        let status = self
            .rest_status
            .unwrap_or(if self.status == 500 { 500 } else { 400 });
        let body = match self.form {
            Form::NoFamily => {
                json!({ "message": self.message, "error": name, "statusCode": status })
            }
            Form::Path => json!({
                "error": name,
                "code": self.code,
                "message": self.message,
                "statusCode": status,
            }),
            Form::Refusal | Form::NoRoute => json!({
                "statusCode": self.status.to_string(),
                "error": name,
                "message": self.message,
                "code": self.code,
            }),
        };
        let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(body)).into_response();
        let headers = response.headers_mut();
        if matches!(self.form, Form::Refusal | Form::NoFamily) {
            let kind = HeaderValue::from_static("application/json; charset=utf-8");
            headers.insert(header::CONTENT_TYPE, kind);
        }
        if self.closes {
            headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
        }
        if self.no_store {
            headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        response
    }
}
