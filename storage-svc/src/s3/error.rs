//! What only this protocol refuses, and how it says so: the real status and a small XML document.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderValue, StatusCode, header};

use crate::{error::Error, s3::xml};

const MISMATCH: &str =
    "The request signature we calculated does not match the signature you provided";

/// The signature can be read and is not ours.
pub(crate) fn signature_mismatch() -> Error {
    let message = format!("{MISMATCH}. Check your key and signing method.");
    Error::new("SignatureDoesNotMatch", 403, message)
}

/// As [`signature_mismatch`], for callers that brought a session token.
pub(crate) fn session_mismatch() -> Error {
    let message = format!(
        "{MISMATCH}, Check your credentials. The session token should be a valid JWT token"
    );
    Error::new("SignatureDoesNotMatch", 403, message)
}

pub(crate) fn expired() -> Error {
    Error::new("ExpiredToken", 400, "The provided token has expired.")
}

pub(crate) fn malformed_xml(detail: impl std::fmt::Display) -> Error {
    Error::new(
        "MalformedXML",
        400,
        format!("Invalid XML payload: {detail}"),
    )
}

/// `what` is longer than `limit` says.
pub(crate) fn too_large(what: &str, limit: &str) -> Error {
    Error::new(
        "EntityTooLarge",
        413,
        format!("The {what} exceeded {limit}"),
    )
}

/// The file of a form is shorter than its policy asks for.
pub(crate) fn too_small() -> Error {
    Error::new(
        "EntityTooSmall",
        400,
        "Your proposed upload is smaller than the minimum allowed size",
    )
}

/// The body is not the one that was signed for.
pub(crate) fn content_mismatch() -> Error {
    Error::new(
        "XAmzContentSHA256Mismatch",
        400,
        "The provided 'x-amz-content-sha256' header does not match what was computed.",
    )
}

/// The body is longer or shorter than announced.
pub(crate) fn incomplete_body() -> Error {
    Error::new(
        "IncompleteBody",
        400,
        "You did not provide the number of bytes specified by the Content-Length HTTP header",
    )
}

pub(crate) fn missing_content_length() -> Error {
    Error::new(
        "MissingContentLength",
        400,
        "You must provide the Content-Length HTTP header.",
    )
}

pub(crate) fn not_implemented(what: &str) -> Error {
    Error::new("NotImplemented", 501, format!("{what} is not implemented"))
}

/// A condition of the request does not hold.
pub(crate) fn precondition_failed() -> Error {
    Error::new(
        "PreconditionFailed",
        412,
        "At least one of the pre-conditions you specified did not hold",
    )
}

/// Whether the client is one of Python's: botocore finds the code of an error only where the document has no
/// namespace, as Amazon's have none.
fn reads_no_namespace(headers: &HeaderMap) -> bool {
    headers
        .get(header::USER_AGENT)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|agent| agent.to_ascii_lowercase().contains("botocore"))
}

/// The answer to a request with these headers; `resource` is the path below the mount point.
pub(crate) fn respond(error: &Error, resource: &str, headers: &HeaderMap) -> Response {
    let document = if reads_no_namespace(headers) {
        xml::Document::without_namespace("Error")
    } else {
        xml::Document::new("Error")
    };
    let mut response = document
        .text("Resource", resource)
        .text("Code", error.code)
        .text("Message", &error.message)
        .into_response();
    *response.status_mut() =
        StatusCode::from_u16(error.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    if error.closes() {
        response
            .headers_mut()
            .insert(header::CONNECTION, HeaderValue::from_static("close"));
    }
    response
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn an_error_is_a_document_with_its_real_status() {
        let response = respond(
            &Error::access_denied("no <way> & \"out\""),
            "a/b c",
            &HeaderMap::new(),
        );
        assert_eq!(response.status(), 403);
        assert_eq!(
            response.headers()["content-type"],
            "application/xml; charset=utf-8"
        );
        assert!(!response.headers().contains_key("connection"));
        let body = response.into_body().collect().await.unwrap().to_bytes();
        assert_eq!(
            body,
            "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\
             <Error xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Resource>a/b c</Resource>\
             <Code>AccessDenied</Code><Message>no &lt;way&gt; &amp; \"out\"</Message></Error>"
        );
    }

    #[tokio::test]
    async fn pythons_clients_get_no_namespace() {
        let mut headers = HeaderMap::new();
        let agent = HeaderValue::from_static("Boto3/1.44 md/Botocore#1.44 ua/2.1");
        headers.insert(header::USER_AGENT, agent);
        let response = respond(&Error::no_such_key("a"), "a", &headers);
        let body = response.into_body().collect().await.unwrap().to_bytes();
        let text = String::from_utf8(body.to_vec()).unwrap();
        assert!(
            text.contains("?><Error><Resource>a</Resource><Code>NoSuchKey</Code>"),
            "{text}"
        );
    }

    #[test]
    fn closing_says_so_in_a_header() {
        let response = respond(&content_mismatch().closing(), "a", &HeaderMap::new());
        assert_eq!(response.headers()["connection"], "close");
    }
}
