//! Headers of the protocol.

use std::collections::HashSet;

use axum::{body::Body, response::Response};
use base64::{Engine as _, alphabet, engine};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, header, request::Parts};
use serde::{Deserialize, Serialize};

use super::refusal;
use crate::error::{Error, Result};

pub(super) const VERSION: &str = "1.0.0";
pub(super) const EXTENSIONS: &str =
    "creation,creation-with-upload,creation-defer-length,termination,expiration";
/// The content type of bytes.
const BYTES: &str = "application/offset+octet-stream";
const METHODS: &str = "POST, HEAD, PATCH, OPTIONS, DELETE";
const EXPOSED: &str = "Authorization, Content-Type, Location, Tus-Extension, Tus-Max-Size, Tus-Resumable, Tus-Version, \
     Upload-Concat, Upload-Defer-Length, Upload-Length, Upload-Metadata, Upload-Offset, X-HTTP-Method-Override, \
     X-Requested-With, X-Forwarded-Host, X-Forwarded-Proto, Forwarded";
const ALSO_ALLOWED: &str = "Authorization, X-Upsert, Upload-Expires, ApiKey, x-signature";
const MAX_AGE: &str = "86400";
/// Up to here every number is one of JavaScript's.
const MAX_NUMBER: u64 = (1 << 53) - 1;

/// Whether a header may have this value.
type Rule = fn(&str) -> bool;

/// Refuses headers that the protocol does not know like this. What proxies add is not looked at.
pub(super) fn check(parts: &Parts) -> Result<()> {
    let version = parts.headers.get("tus-resumable");
    if version.is_none_or(HeaderValue::is_empty) {
        return Err(refusal::version_required());
    }
    let is_patch = parts.method == Method::PATCH;
    let rules: [(&str, Rule); 8] = [
        ("content-type", |value| value == BYTES),
        ("tus-resumable", |value| value == VERSION),
        ("tus-version", |value| value == VERSION),
        ("upload-concat", |value| {
            value == "partial" || value.starts_with("final;")
        }),
        ("upload-defer-length", |value| value == "1"),
        ("upload-length", |value| number(value).is_some()),
        ("upload-metadata", |value| Metadata::parse(value).is_some()),
        ("upload-offset", |value| number(value).is_some()),
    ];
    let is_invalid = |name: &str, rule: Rule| {
        let mut values = parts.headers.get_all(name).iter();
        let Some(value) = values.next() else {
            return false;
        };
        // Two values of one name are one that is none.
        values.next().is_some() || !value.to_str().is_ok_and(rule)
    };
    let invalid: Vec<&str> = rules
        .into_iter()
        .filter(|(name, _)| is_patch || *name != "content-type")
        .filter(|(name, rule)| is_invalid(name, *rule))
        .map(|(name, _)| name)
        .collect();
    if invalid.is_empty() {
        Ok(())
    } else {
        Err(refusal::invalid_headers(&invalid))
    }
}

/// A whole number as it would be printed.
fn number(text: &str) -> Option<u64> {
    let is_plain = text == "0" || !text.starts_with(['0', '+']);
    let value = text.parse().ok().filter(|_| is_plain)?;
    (value <= MAX_NUMBER).then_some(value)
}

/// A header that is a number, and was checked.
pub(super) fn number_of(headers: &HeaderMap, name: &str) -> Option<u64> {
    number(headers.get(name)?.to_str().ok()?)
}

pub(super) fn has_bytes(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value == BYTES)
}

/// `Upload-Metadata`: names and values, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Metadata(Vec<(String, Option<String>)>);

impl Metadata {
    const BASE64: engine::GeneralPurpose = engine::GeneralPurpose::new(
        &alphabet::STANDARD,
        engine::GeneralPurposeConfig::new().with_decode_allow_trailing_bits(true),
    );

    /// Reads `name base64,name base64,name`.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut all = Vec::new();
        let mut names = HashSet::new();
        for pair in text.split(',') {
            let (name, value) = match pair.split_once(' ') {
                Some((name, value)) => (name, Some(value)),
                None => (pair, None),
            };
            if name.is_empty() || !name.is_ascii() || !names.insert(name) {
                return None;
            }
            let value = match value.filter(|value| !value.is_empty()) {
                Some(value) => {
                    let bytes = Self::BASE64.decode(value).ok()?;
                    Some(String::from_utf8_lossy(&bytes).into_owned())
                }
                None => None,
            };
            all.push((name.to_owned(), value));
        }
        Some(Self(all))
    }

    pub(super) fn of(headers: &HeaderMap) -> Option<Self> {
        Self::parse(headers.get("upload-metadata")?.to_str().ok()?)
    }

    /// A value that is there and is not empty.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(found, _)| found == name)?;
        value.as_deref().filter(|value| !value.is_empty())
    }

    pub(super) fn set(&mut self, name: &str, value: String) {
        match self.0.iter_mut().find(|(found, _)| found == name) {
            Some((_, old)) => *old = Some(value),
            None => self.0.push((name.to_owned(), Some(value))),
        }
    }

    pub(super) fn header(&self) -> String {
        let pairs = self.0.iter().map(|(name, value)| match value {
            Some(value) => format!("{name} {}", Self::BASE64.encode(value)),
            None => name.clone(),
        });
        pairs.collect::<Vec<_>>().join(",")
    }
}

/// An answer that is being put together. Browsers may read it wherever their page is from.
pub(super) struct Answer(Response);

impl Answer {
    pub(super) fn new(status: StatusCode) -> Self {
        let mut response = Response::new(Body::empty());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        let version = HeaderValue::from_static(VERSION);
        headers.insert(HeaderName::from_static("tus-resumable"), version);
        let any = HeaderValue::from_static("*");
        headers.insert(header::ACCESS_CONTROL_ALLOW_ORIGIN, any);
        let exposed = HeaderValue::from_static(EXPOSED);
        headers.insert(header::ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        if status != StatusCode::NO_CONTENT {
            let kind = HeaderValue::from_static("text/plain;charset=UTF-8");
            headers.insert(header::CONTENT_TYPE, kind);
        }
        Self(response)
    }

    /// A refusal: its true status, and its message as the body.
    pub(super) fn refusal(error: &Error) -> Self {
        let status = StatusCode::from_u16(error.status);
        let mut answer = Self::new(status.unwrap_or(StatusCode::INTERNAL_SERVER_ERROR));
        *answer.0.body_mut() = Body::from(error.message.clone().into_owned());
        answer
    }

    /// What belongs to the question of a browser.
    pub(super) fn preflight(mut self) -> Self {
        let headers = self.0.headers_mut();
        let methods = HeaderValue::from_static(METHODS);
        headers.insert(header::ACCESS_CONTROL_ALLOW_METHODS, methods);
        if let Ok(allowed) = format!("{EXPOSED}, {ALSO_ALLOWED}").parse() {
            headers.insert(header::ACCESS_CONTROL_ALLOW_HEADERS, allowed);
        }
        let age = HeaderValue::from_static(MAX_AGE);
        headers.insert(header::ACCESS_CONTROL_MAX_AGE, age);
        self
    }

    /// Sets a header; one that cannot be sent is left out.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "numbers and texts are given as they are"
    )]
    pub(super) fn with(mut self, name: &'static str, value: impl ToString) -> Self {
        if let Ok(value) = HeaderValue::try_from(value.to_string()) {
            self.0
                .headers_mut()
                .insert(HeaderName::from_static(name), value);
        }
        self
    }

    pub(super) fn with_opt(self, name: &'static str, value: Option<impl ToString>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    pub(super) fn done(self) -> Response {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::*;

    #[test]
    fn metadata_is_read_and_written() {
        let text = "bucketName Yg==,flag,objectName YS9i";
        let mut metadata = Metadata::parse(text).unwrap();
        assert_eq!(metadata.get("bucketName"), Some("b"));
        assert_eq!(metadata.get("objectName"), Some("a/b"));
        assert_eq!(metadata.get("flag"), None);
        assert_eq!(metadata.header(), text);
        metadata.set("flag", "x".to_owned());
        metadata.set("new", "y".to_owned());
        assert_eq!(
            metadata.header(),
            "bucketName Yg==,flag eA==,objectName YS9i,new eQ=="
        );
        for wrong in [
            "",
            ",",
            "a b c",
            "a Y",
            "a Yg==,a Yg==",
            "é Yg==",
            "a Yg=",
            " Yg==",
        ] {
            assert_eq!(Metadata::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn headers_are_checked_as_the_protocol_has_them() {
        let message = |method: Method, pairs: &[(&str, &str)]| {
            let mut request = Request::builder().method(method);
            for (name, value) in pairs {
                request = request.header(*name, *value);
            }
            let (parts, ()) = request.body(()).unwrap().into_parts();
            check(&parts).map_err(|error| error.message.into_owned())
        };
        let version = ("tus-resumable", "1.0.0");
        assert_eq!(message(Method::POST, &[version]), Ok(()));
        assert!(message(Method::POST, &[]).unwrap_err().contains("Required"));
        let both = [version, ("upload-offset", "-1"), ("upload-length", "01")];
        assert_eq!(
            message(Method::HEAD, &both).unwrap_err(),
            "Invalid upload-length upload-offset\n"
        );
        let kind = [version, ("content-type", "text/plain")];
        assert_eq!(message(Method::POST, &kind), Ok(()));
        assert_eq!(
            message(Method::PATCH, &kind).unwrap_err(),
            "Invalid content-type\n"
        );
        let twice = [version, ("upload-offset", "1"), ("upload-offset", "1")];
        assert!(message(Method::PATCH, &twice).is_err());
        let huge = [version, ("upload-length", "9007199254740992")];
        assert!(message(Method::POST, &huge).is_err());
        assert!(message(Method::POST, &[("tus-resumable", "0.2.2")]).is_err());
    }
}
