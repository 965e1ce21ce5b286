//! One line of the log per request. It has the path without its query: tokens, keys and codes are in queries, headers and
//! bodies, none of which is ever written.

use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use tracing::Level;

use super::requests::GONE;
use crate::http::REQUEST_ID;

/// The target of the lines, for filters: `LOG_LEVEL=info,http=off`.
pub const TARGET: &str = "http";

const OTHER_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
const TRACE_PARENT: HeaderName = HeaderName::from_static("traceparent");
/// Auth's and storage's own codes of errors, which are the same in every answer of a kind.
const ERROR_CODE: HeaderName = HeaderName::from_static("x-sb-error-code");
/// Longer paths are cut off.
const MAX_PATH: usize = 1024;
/// Longer ids are not repeated.
const MAX_ID: usize = 64;

/// How a line is weighed: as the originals do it, by the answer's status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// Asked for by machines all the time.
    Debug,
    /// An answer.
    Info,
    /// The client was refused, or went away.
    Warn,
    /// The service failed.
    Error,
}

impl Severity {
    fn of(status: u16, is_routine: bool) -> Self {
        match status {
            500.. => Self::Error,
            400.. => Self::Warn,
            _ if is_routine => Self::Debug,
            _ => Self::Info,
        }
    }
}

/// What a line says of a request; taken from it before the service has it.
#[derive(Debug)]
pub(super) struct Line {
    method: Method,
    path: String,
    request_id: Option<HeaderValue>,
    trace_id: Option<String>,
    is_routine: bool,
}

impl Line {
    /// Nothing if no line would be written whatever the answer is, which costs no more than looking.
    pub(super) fn of<B>(request: &Request<B>, is_routine: bool) -> Option<Self> {
        if !tracing::enabled!(target: TARGET, Level::ERROR) {
            return None;
        }
        let headers = request.headers();
        let path = request.uri().path();
        Some(Self {
            method: request.method().clone(),
            path: path[..path.floor_char_boundary(MAX_PATH)].to_owned(),
            request_id: request_id(headers),
            trace_id: trace_id(headers),
            is_routine,
        })
    }

    /// Writes the line. Without an answer the client went away.
    pub(super) fn write(&self, answer: Option<(StatusCode, &HeaderMap)>, took: Duration) {
        let status = answer.map_or(GONE, |(status, _)| status.as_u16());
        let headers = answer.map(|(_, headers)| headers);
        let request_id = self.request_id.clone();
        let request_id = request_id.or_else(|| headers.and_then(request_id_of_answer));
        let error_code = headers.and_then(|headers| headers.get(&ERROR_CODE));
        #[expect(clippy::cast_precision_loss, reason = "exact for centuries")]
        let duration_ms = took.as_micros() as f64 / 1e3;
        macro_rules! write_line {
            ($level:expr) => {
                tracing::event!(
                    target: TARGET,
                    $level,
                    method = self.method.as_str(),
                    path = self.path.as_str(),
                    status,
                    duration_ms,
                    request_id = text(request_id.as_ref()),
                    trace_id = self.trace_id.as_deref(),
                    error_code = text(error_code),
                    "request"
                )
            };
        }
        match Severity::of(status, self.is_routine) {
            Severity::Debug => write_line!(Level::DEBUG),
            Severity::Info => write_line!(Level::INFO),
            Severity::Warn => write_line!(Level::WARN),
            Severity::Error => write_line!(Level::ERROR),
        }
    }
}

fn text(value: Option<&HeaderValue>) -> Option<&str> {
    value.and_then(|value| value.to_str().ok())
}

/// The gateway's id, or that of whoever else stands before the service; only if it is short and plain, because it is
/// the client's where there is no gateway.
fn request_id(headers: &HeaderMap) -> Option<HeaderValue> {
    [&REQUEST_ID, &OTHER_REQUEST_ID]
        .into_iter()
        .filter_map(|name| headers.get(name))
        .find(|id| is_plain(id.as_bytes()))
        .cloned()
}

/// The id that the service gave a request without one.
fn request_id_of_answer(headers: &HeaderMap) -> Option<HeaderValue> {
    headers.get(&REQUEST_ID).cloned()
}

fn is_plain(id: &[u8]) -> bool {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'-';
    (1..=MAX_ID).contains(&id.len()) && id.iter().all(plain)
}

/// The trace's id of a well-formed `traceparent` (W3C Trace Context): version, trace, span and flags.
fn trace_id(headers: &HeaderMap) -> Option<String> {
    let value = headers.get(&TRACE_PARENT)?.to_str().ok()?;
    let mut parts = value.split('-');
    let (version, trace, span) = (parts.next()?, parts.next()?, parts.next()?);
    let is_hex = |text: &str, length| {
        let hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        text.len() == length && text.bytes().all(hex)
    };
    let is_known = is_hex(version, 2) && version != "ff";
    let is_set = trace.bytes().any(|byte| byte != b'0');
    (is_known && is_hex(trace, 32) && is_hex(span, 16) && is_set).then(|| trace.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        let value = value.parse::<HeaderValue>().unwrap();
        HeaderMap::from_iter([(HeaderName::from_static(name), value)])
    }

    #[test]
    fn the_trace_is_named_if_the_header_is_well_formed() {
        let id = "4bf92f3577b34da6a3ce929d0e0e4736";
        for (value, expected) in [
            (format!("00-{id}-00f067aa0ba902b7-01"), Some(id)),
            (format!("01-{id}-00f067aa0ba902b7-01-later"), Some(id)),
            (format!("ff-{id}-00f067aa0ba902b7-01"), None),
            (format!("00-{id}-00f067aa0ba902b7x-01"), None),
            (
                format!("00-{}-00f067aa0ba902b7-01", id.to_uppercase()),
                None,
            ),
            (format!("00-{}-00f067aa0ba902b7-01", "0".repeat(32)), None),
            (id.to_owned(), None),
        ] {
            let found = trace_id(&headers("traceparent", &value));
            assert_eq!(found.as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn only_short_and_plain_ids_are_repeated() {
        let long = "a".repeat(65);
        for (name, value, expected) in [
            ("sb-request-id", "019b-7", true),
            ("x-request-id", "019b-7", true),
            ("x-request-id", "a b", false),
            ("x-request-id", "", false),
            ("sb-request-id", long.as_str(), false),
        ] {
            let found = request_id(&headers(name, value)).is_some();
            assert_eq!(found, expected, "{name}: {value}");
        }
    }

    #[test]
    fn health_checks_weigh_less_unless_they_fail() {
        for (status, is_routine, expected) in [
            (200, false, Severity::Info),
            (302, false, Severity::Info),
            (200, true, Severity::Debug),
            (404, false, Severity::Warn),
            (GONE, false, Severity::Warn),
            (503, true, Severity::Error),
        ] {
            assert_eq!(Severity::of(status, is_routine), expected, "{status}");
        }
    }
}
