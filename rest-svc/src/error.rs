//! Everything that can go wrong, and how PostgREST puts it on the wire.

use std::io;

use axum::{
    body::Body,
    response::{IntoResponse, Response},
};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;
use serde_json::{Value, json};

use crate::parse::ParseError;
use svc_kit::wire::{ConnectError, Failure};

/// A failed request.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    /// The status line.
    pub status: StatusCode,
    /// PGRST… or an SQLSTATE.
    pub code: String,
    /// For people.
    pub message: String,
    /// More of it: text, or an array for PGRST201.
    pub details: Value,
    /// What to do.
    pub hint: Option<String>,
    /// Headers of this kind of error.
    pub headers: Vec<(HeaderName, HeaderValue)>,
    /// The reason phrase, if the database gave one.
    pub reason: Option<String>,
}

/// A result of this crate.
pub(crate) type Result<T> = std::result::Result<T, Error>;

#[derive(Serialize)]
struct Wire<'a> {
    code: &'a str,
    details: &'a Value,
    hint: &'a Option<String>,
    message: &'a str,
}

impl Error {
    /// An error of our own: the number behind `PGRST`.
    pub fn new(status: u16, number: &str, message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code: format!("PGRST{number}"),
            message: message.into(),
            details: Value::Null,
            hint: None,
            headers: Vec::new(),
            reason: None,
        }
    }

    /// Adds details.
    #[must_use]
    pub fn details(mut self, details: impl Into<Value>) -> Self {
        self.details = details.into();
        self
    }

    /// Adds a hint.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Option<String>>) -> Self {
        self.hint = hint.into();
        self
    }

    /// A token that is not accepted.
    pub fn jwt(number: &str, message: &str, details: Option<&str>) -> Self {
        let challenge = if number == "302" {
            "Bearer".to_owned()
        } else {
            format!("Bearer error=\"invalid_token\", error_description=\"{message}\"")
        };
        let mut error = Self::new(401, number, message);
        error.details = details.map_or(Value::Null, Value::from);
        error.headers.extend(
            HeaderValue::from_str(&challenge)
                .ok()
                .map(|value| (header::WWW_AUTHENTICATE, value)),
        );
        error
    }

    /// The database cannot be reached.
    pub fn connection(reason: &str) -> Self {
        Self::new(
            503,
            "000",
            "Database connection error. Retrying the connection.",
        )
        .details(reason)
    }

    /// What went wrong beside any request, for the log.
    pub(crate) fn beside(error: &anyhow::Error) -> Self {
        if let Some(error) = error.downcast_ref::<ConnectError>() {
            return Self::connection(&error.to_string());
        }
        let database = error.downcast_ref::<tokio_postgres::Error>();
        let Some(db) = database.and_then(tokio_postgres::Error::as_db_error) else {
            return Self::connection(&format!("{error:#}"));
        };
        let mut found = Self::new(500, "", db.message());
        db.code().code().clone_into(&mut found.code);
        found.details = db.detail().map_or(Value::Null, Value::from);
        found.hint = db.hint().map(str::to_owned);
        found
    }

    /// The body of the response.
    pub(crate) fn to_json(&self) -> String {
        let wire = Wire {
            code: &self.code,
            details: &self.details,
            hint: &self.hint,
            message: &self.message,
        };
        // Text, null and arrays of text always serialise.
        serde_json::to_string(&wire).unwrap_or_default()
    }

    /// No connection became free in time.
    pub fn pool_timeout() -> Self {
        Self::new(
            504,
            "003",
            "Timed out acquiring connection from connection pool.",
        )
    }

    /// An error of the database. `is_anonymous` says whether the caller had no token's role.
    pub(crate) fn from_database(failure: &Failure, is_anonymous: bool) -> Self {
        let db = match failure {
            Failure::Database(error) => error,
            Failure::Connection(error) => {
                return Self::new(
                    503,
                    "001",
                    "Database client error. Retrying the connection.",
                )
                .details(error.to_string());
            }
            // The database's own words for a zero in a value.
            Failure::Unsendable(error) => {
                let mut found =
                    Self::new(400, "", "invalid byte sequence for encoding \"UTF8\": 0x00");
                found.code = "22021".to_owned();
                if error.kind() != io::ErrorKind::InvalidInput {
                    found.code = "54000".to_owned();
                    found.message = error.to_string();
                }
                return found;
            }
        };
        let code = db.code.as_str();
        if code == "PGRST" {
            return raised(&db.message, db.detail.as_deref());
        }
        let (status, reason) = match code.strip_prefix("PT") {
            Some(number) => (
                number
                    .parse()
                    .ok()
                    .filter(|n| (100..1000).contains(n))
                    .unwrap_or(500),
                Some(db.message.clone()),
            ),
            None => (status_of(code, &db.message, is_anonymous), None),
        };
        let mut found = Self {
            status: StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            code: code.to_owned(),
            message: db.message.clone(),
            details: db.detail.as_deref().map_or(Value::Null, Value::from),
            hint: db.hint.clone(),
            headers: Vec::new(),
            reason,
        };
        if found.status == StatusCode::UNAUTHORIZED {
            found
                .headers
                .push((header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        found
    }
}

/// `RAISE SQLSTATE 'PGRST'`: the function says the whole answer.
fn raised(message: &str, detail: Option<&str>) -> Error {
    let failed = |details: String, hint: &str| {
        Error::new(
            500,
            "121",
            "Could not parse JSON in the \"RAISE SQLSTATE 'PGRST'\" error",
        )
        .details(details)
        .hint(Some(hint.to_owned()))
    };
    let message_hint = "MESSAGE must be a JSON object with obligatory keys: 'code', 'message' and optional keys: 'details', 'hint'.";
    let detail_hint = "DETAIL must be a JSON object with obligatory keys: 'status', 'headers' and optional key: 'status_text'.";
    let body = serde_json::from_str::<Value>(message)
        .ok()
        .filter(|v| v["code"].is_string() && v["message"].is_string());
    let Some(body) = body else {
        return failed(
            format!("Invalid JSON value for MESSAGE: '{message}'"),
            message_hint,
        );
    };
    let Some(detail) = detail else {
        return failed(
            "DETAIL is missing in the RAISE statement".to_owned(),
            detail_hint,
        );
    };
    let head = serde_json::from_str::<Value>(detail)
        .ok()
        .filter(|v| v["status"].is_u64() && v["headers"].is_object());
    let Some(head) = head else {
        return failed(
            format!("Invalid JSON value for DETAIL: '{detail}'"),
            detail_hint,
        );
    };
    let headers = head["headers"].as_object().into_iter().flatten();
    Error {
        status: head["status"]
            .as_u64()
            .and_then(|n| u16::try_from(n).ok())
            .and_then(|n| StatusCode::from_u16(n).ok())
            .unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        code: body["code"].as_str().unwrap_or_default().to_owned(),
        message: body["message"].as_str().unwrap_or_default().to_owned(),
        details: body["details"].clone(),
        hint: body["hint"].as_str().map(str::to_owned),
        headers: headers
            .filter_map(|(name, value)| {
                Some((
                    name.parse().ok()?,
                    HeaderValue::from_str(value.as_str()?).ok()?,
                ))
            })
            .collect(),
        reason: head["status_text"].as_str().map(str::to_owned),
    }
}

fn status_of(code: &str, message: &str, is_anonymous: bool) -> u16 {
    match code {
        "21000" => {
            if message.ends_with("requires a WHERE clause") {
                400
            } else {
                500
            }
        }
        "22023" => {
            if message.starts_with("role \"") && message.ends_with("does not exist") {
                401
            } else {
                400
            }
        }
        "23503" | "23505" => 409,
        "25006" => 405,
        "53400" | "42P17" => 500,
        "57P01" => 503,
        "P0001" => 400,
        "42883" => {
            if message.starts_with("function xmlagg(") {
                406
            } else {
                404
            }
        }
        "42P01" => 404,
        "42501" => {
            if is_anonymous {
                401
            } else {
                403
            }
        }
        _ => match code.get(..2).unwrap_or_default() {
            "08" | "53" => 503,
            "0L" | "0P" | "28" => 403,
            "09" | "25" | "2D" | "38" | "39" | "3B" | "40" | "54" | "55" | "57" | "58" | "F0"
            | "HV" | "P0" | "XX" => 500,
            _ => 400,
        },
    }
}

impl From<ParseError> for Error {
    fn from(error: ParseError) -> Self {
        let ParseError {
            what,
            text,
            column,
            details,
        } = error;
        Self::new(
            400,
            "100",
            format!("\"failed to parse {what} ({text})\" (line 1, column {column})"),
        )
        .details(details)
    }
}

impl IntoResponse for Error {
    fn into_response(self) -> Response {
        let mut response = Response::new(Body::from(self.to_json()));
        *response.status_mut() = self.status;
        if let Some(reason) = self.reason.and_then(|reason| hyper_reason(&reason)) {
            response.extensions_mut().insert(reason);
        }
        let headers = response.headers_mut();
        headers.insert(
            header::CONTENT_TYPE,
            HeaderValue::from_static("application/json; charset=utf-8"),
        );
        if let Ok(value) = HeaderValue::from_str(&format!("PostgREST; error={}", self.code)) {
            headers.insert("proxy-status", value);
        }
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("0"));
        }
        for (name, value) in self.headers {
            headers.append(name, value);
        }
        response
    }
}

fn hyper_reason(text: &str) -> Option<hyper::ext::ReasonPhrase> {
    hyper::ext::ReasonPhrase::try_from(text.as_bytes().to_vec()).ok()
}

/// The array of PGRST201.
pub(crate) fn relationship_details(
    cardinality: &str,
    embedding: &str,
    relationship: &str,
) -> Value {
    json!({ "cardinality": cardinality, "embedding": embedding, "relationship": relationship })
}
