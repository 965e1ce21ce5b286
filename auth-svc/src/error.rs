//! The one error type of the service and its wire format.
//!
//! A handler only knows what went wrong. Which of the body shapes goes out depends on a header of the
//! request, so [`IntoResponse`] leaves the error in the response's extensions and [`render`], a layer
//! around all routes, writes the body.

mod codes;

pub use codes::Code;

use std::{borrow::Cow, time::Duration};

use axum::{
    Json,
    extract::Request,
    middleware::Next,
    response::{IntoResponse, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use serde_json::{Map, Value, json};

const API_VERSION: HeaderName = HeaderName::from_static("x-supabase-api-version");
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");
const NAMED_CODES_SINCE: &str = "2024-01-01";

/// The text of a failure that is none of the client's business.
pub(crate) const UNEXPECTED: &str =
    "Unexpected failure, please check server logs for more information";

/// Everything a request can end in, other than success.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request was understood and refused.
    #[error("{message}")]
    Refused {
        /// The HTTP status.
        status: StatusCode,
        /// The code that clients branch on.
        code: Code,
        /// The text for people.
        message: Cow<'static, str>,
    },
    /// The password is not strong enough; `reasons` are machine-readable.
    #[error("{message}")]
    WeakPassword {
        /// What is missing.
        message: String,
        /// `length`, `characters` or `pwned`.
        reasons: Vec<&'static str>,
    },
    /// Somebody asks too often.
    #[error("{message}")]
    TooMany {
        /// The code that clients branch on.
        code: Code,
        /// The text for people.
        message: Cow<'static, str>,
        /// Seconds after which it makes sense to ask again.
        retry_after: u64,
    },
    /// An error in the form that OAuth defines.
    #[error("{description}")]
    OAuth {
        /// The registered name of the error.
        error: &'static str,
        /// The text for people.
        description: Cow<'static, str>,
    },
    /// A hook refused the request, with a status of its own choice.
    #[error("{message}")]
    Hook {
        /// What the hook asked for.
        status: StatusCode,
        /// The hook's words.
        message: String,
    },
    /// The database failed, or refused a statement.
    #[error("{context}")]
    Database {
        /// What was being done, in words that a client may see.
        context: &'static str,
        /// What Postgres said.
        #[source]
        source: sqlx::Error,
    },
    /// Something of ours failed.
    #[error("{context}")]
    Internal {
        /// What was being done, in words that a client may see.
        context: &'static str,
        /// The reason.
        #[source]
        source: anyhow::Error,
    },
}

impl From<sqlx::Error> for Error {
    fn from(source: sqlx::Error) -> Self {
        Self::Database {
            context: UNEXPECTED,
            source,
        }
    }
}

/// What the wire needs of an error.
pub struct Wire {
    /// The HTTP status.
    pub status: StatusCode,
    /// The code.
    pub code: Code,
    /// The text.
    pub message: String,
}

impl Error {
    /// A refusal with any status.
    pub fn refused(status: u16, code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::Refused {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST),
            code,
            message: message.into(),
        }
    }

    /// 400.
    pub fn bad_request(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(400, code, message)
    }

    /// 400 `validation_failed`.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::bad_request(Code::ValidationFailed, message)
    }

    /// 403.
    pub fn forbidden(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(403, code, message)
    }

    /// 422.
    pub fn unprocessable(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(422, code, message)
    }

    /// 429, to be asked again after `wait`, which is rounded up to seconds.
    pub fn too_many(code: Code, message: impl Into<Cow<'static, str>>, wait: Duration) -> Self {
        Self::TooMany {
            code,
            message: message.into(),
            retry_after: wait.as_secs() + u64::from(wait.subsec_nanos() > 0),
        }
    }

    /// 404 `feature_disabled`: known to the contract, absent here.
    pub fn disabled(message: impl Into<Cow<'static, str>>) -> Self {
        Self::refused(404, Code::FeatureDisabled, message)
    }

    /// A wrong address or password; the two are not told apart.
    pub fn invalid_credentials() -> Self {
        Self::bad_request(Code::InvalidCredentials, "Invalid login credentials")
    }

    /// 400 in OAuth's own form.
    pub fn oauth(error: &'static str, description: impl Into<Cow<'static, str>>) -> Self {
        Self::OAuth {
            error,
            description: description.into(),
        }
    }

    /// A code that is wrong, used up or too old; the three are not told apart.
    pub fn code_expired() -> Self {
        Self::forbidden(Code::OtpExpired, "Token has expired or is invalid")
    }

    /// A link that is wrong, used up or too old.
    pub fn link_expired() -> Self {
        Self::forbidden(Code::OtpExpired, "Email link is invalid or has expired")
    }

    /// The address belongs to somebody.
    pub fn email_exists() -> Self {
        Self::unprocessable(
            Code::EmailExists,
            "A user with this email address has already been registered",
        )
    }

    /// The number belongs to somebody.
    pub fn phone_exists() -> Self {
        Self::unprocessable(
            Code::PhoneExists,
            "A user with this phone number has already been registered",
        )
    }

    /// Something of ours failed.
    pub fn internal(context: &'static str, source: impl Into<anyhow::Error>) -> Self {
        Self::Internal {
            context,
            source: source.into(),
        }
    }

    /// Names a failed statement in words that a client may see.
    pub fn database(context: &'static str) -> impl Fn(sqlx::Error) -> Self {
        move |source| Self::Database { context, source }
    }

    /// The status, code and text of the wire.
    pub fn wire(&self) -> Wire {
        let (status, code) = match self {
            Self::Refused { status, code, .. } => (*status, *code),
            Self::TooMany { code, .. } => (StatusCode::TOO_MANY_REQUESTS, *code),
            Self::WeakPassword { .. } => (StatusCode::UNPROCESSABLE_ENTITY, Code::WeakPassword),
            Self::OAuth { .. } => (StatusCode::BAD_REQUEST, Code::Unknown),
            Self::Hook { status, .. } if *status == StatusCode::INTERNAL_SERVER_ERROR => {
                (*status, Code::UnexpectedFailure)
            }
            Self::Hook { status, .. } => (*status, Code::Unknown),
            Self::Database { .. } | Self::Internal { .. } => {
                (StatusCode::INTERNAL_SERVER_ERROR, Code::UnexpectedFailure)
            }
        };
        Wire {
            status,
            code,
            message: self.to_string(),
        }
    }

    /// The body for a client that knows named codes, or for one that does not.
    fn body(&self, named_codes: bool, request_id: Option<&str>) -> (StatusCode, Value) {
        if let Self::OAuth { error, description } = self {
            let body = json!({ "error": error, "error_description": description });
            return (StatusCode::BAD_REQUEST, body);
        }
        if let (false, Self::Database { source, .. }) = (named_codes, self)
            && let Some(raised) = raised_by_the_schema(source)
        {
            return raised;
        }
        let wire = self.wire();
        let mut body = Map::new();
        if named_codes {
            body.insert("code".into(), wire.code.as_str().into());
            body.insert("message".into(), wire.message.into());
        } else {
            body.insert("code".into(), wire.status.as_u16().into());
            body.insert("error_code".into(), wire.code.as_str().into());
            body.insert("msg".into(), wire.message.into());
            if let (true, Some(id)) = (wire.status.is_server_error(), request_id) {
                body.insert("error_id".into(), id.into());
            }
        }
        if let Self::WeakPassword { reasons, .. } = self {
            body.insert("weak_password".into(), json!({ "reasons": reasons }));
        }
        (wire.status, Value::Object(body))
    }
}

/// What a trigger or constraint of the project raised goes out as it is, which projects rely on.
fn raised_by_the_schema(error: &sqlx::Error) -> Option<(StatusCode, Value)> {
    let raised = error
        .as_database_error()?
        .try_downcast_ref::<sqlx::postgres::PgDatabaseError>()?;
    let state = raised.code();
    let status = if let Some(number) = state.strip_prefix("PT") {
        StatusCode::from_bytes(number.as_bytes()).ok()?
    } else if state == "P0001" || state.starts_with("23") {
        StatusCode::INTERNAL_SERVER_ERROR
    } else {
        return None;
    };
    let mut body = Map::new();
    body.insert("code".into(), state.into());
    body.insert("message".into(), raised.message().into());
    for (name, value) in [("hint", raised.hint()), ("detail", raised.detail())] {
        if let Some(value) = value {
            body.insert(name.into(), value.into());
        }
    }
    Some((status, Value::Object(body)))
}

#[derive(Clone)]
struct Carried(std::sync::Arc<Error>);

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = self.wire().status.into_response();
        response
            .extensions_mut()
            .insert(Carried(std::sync::Arc::new(self)));
        response
    }
}

/// Writes the body of an error in the shape that the request asked for, and logs what is our own fault.
pub async fn render(request: Request, next: Next) -> Response {
    let named_codes = wants_named_codes(request.headers());
    let request_id = request
        .headers()
        .get(svc_kit::http::REQUEST_ID)
        .and_then(|id| id.to_str().ok())
        .map(str::to_owned);
    let response = next.run(request).await;
    let Some(Carried(error)) = response.extensions().get::<Carried>().cloned() else {
        return response;
    };
    let (status, body) = error.body(named_codes, request_id.as_deref());
    if status.is_server_error() {
        let cause = std::error::Error::source(&*error).map(ToString::to_string);
        tracing::error!(error = %error, cause, "request failed");
    }
    let mut rendered = (status, Json(body)).into_response();
    // Headers that the handler set before it failed stay.
    for (name, value) in response.headers() {
        if *name != http::header::CONTENT_LENGTH {
            rendered.headers_mut().insert(name, value.clone());
        }
    }
    let headers = rendered.headers_mut();
    if !matches!(*error, Error::OAuth { .. } | Error::Hook { .. }) {
        let code = HeaderValue::from_static(error.wire().code.as_str());
        headers.insert(ERROR_CODE, code);
    }
    if let Error::TooMany { retry_after, .. } = &*error {
        headers.insert(http::header::RETRY_AFTER, HeaderValue::from(*retry_after));
    }
    if named_codes {
        // Clients trust the code only if the version comes back.
        let version = HeaderValue::from_static(NAMED_CODES_SINCE);
        headers.insert(API_VERSION, version);
    }
    rendered
}

/// True for a well-formed version from the one on that has named codes.
fn wants_named_codes(headers: &HeaderMap) -> bool {
    headers
        .get(API_VERSION)
        .and_then(|value| value.to_str().ok())
        .filter(|text| chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok())
        .is_some_and(|text| text.len() == 10 && text >= NAMED_CODES_SINCE)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(version: &str) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(API_VERSION, version.parse().unwrap());
        headers
    }

    #[test]
    fn only_a_well_formed_version_from_2024_on_has_named_codes() {
        for (version, expected) in [
            ("2024-01-01", true),
            ("2025-12-31", true),
            ("2023-12-31", false),
            ("2024-13-01", false),
            ("latest", false),
        ] {
            assert_eq!(wants_named_codes(&headers(version)), expected, "{version}");
        }
        assert!(!wants_named_codes(&HeaderMap::new()));
    }

    #[test]
    fn each_shape_has_its_fields() {
        let error = Error::code_expired();
        let (status, named) = error.body(true, None);
        assert_eq!(status, 403);
        assert_eq!(
            named,
            json!({"code": "otp_expired", "message": "Token has expired or is invalid"})
        );
        let (_, numbered) = error.body(false, Some("id"));
        assert_eq!(
            numbered,
            json!({"code": 403, "error_code": "otp_expired", "msg": "Token has expired or is invalid"})
        );
        let weak = Error::WeakPassword {
            message: "short".into(),
            reasons: vec!["length"],
        };
        let (status, body) = weak.body(true, None);
        assert_eq!(status, 422);
        assert_eq!(body["weak_password"], json!({"reasons": ["length"]}));
    }

    #[test]
    fn an_unexpected_failure_names_the_request_and_hides_the_cause() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        let (status, body) = error.body(false, Some("r1"));
        assert_eq!(status, 500);
        assert_eq!(body["error_id"], "r1");
        assert_eq!(body["msg"], UNEXPECTED);
    }
}
