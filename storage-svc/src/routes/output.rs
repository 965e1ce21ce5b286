//! Answers.

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use http::{HeaderName, HeaderValue, StatusCode, header};
use serde::Serialize;

use crate::error::{Error, Result};

/// JSON text as an answer.
pub(crate) fn json_text(text: String) -> Response {
    let kind = HeaderValue::from_static("application/json; charset=utf-8");
    (StatusCode::OK, [(header::CONTENT_TYPE, kind)], text).into_response()
}

/// A value as a JSON answer.
pub(crate) fn json(value: &impl Serialize) -> Response {
    // What is answered are plain texts and maps.
    json_text(serde_json::to_string(value).unwrap_or_default())
}

/// `{"message": …}`
pub(crate) fn message(text: &str) -> Response {
    json(&serde_json::json!({ "message": text }))
}

/// Headers of an answer from stored text, which may be none.
pub(crate) struct Headers(pub(crate) http::HeaderMap);

impl Headers {
    pub(crate) fn new() -> Self {
        Self(http::HeaderMap::with_capacity(12))
    }

    /// Sets a header.
    ///
    /// # Errors
    /// A value that no header can have.
    pub(crate) fn set(&mut self, name: HeaderName, value: &str) -> Result<&mut Self> {
        // Visible characters of Latin-1, a byte each, as Node.js sends them.
        let shown = || Error::invalid_header(name.as_str(), value);
        let bytes: Option<Vec<u8>> = value.chars().map(|letter| letter.try_into().ok()).collect();
        let bytes = bytes.ok_or_else(shown)?;
        let header = HeaderValue::from_bytes(&bytes).map_err(|_| shown())?;
        self.0.insert(name, header);
        Ok(self)
    }

    pub(crate) fn answer(self, status: StatusCode, body: Body) -> Response {
        let mut response = Response::new(body);
        *response.status_mut() = status;
        *response.headers_mut() = self.0;
        response
    }
}
