//! What requests say: path parameters, query strings, JSON bodies.

use axum::body::Body;
use http::{header, request::Parts};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::{
    error::{Error, Result},
    schema::Shape,
};

/// The most bytes of a JSON body.
const MAX_JSON: usize = 1024 * 1024;

/// Percent-decodes a parameter.
pub(crate) fn decode(raw: &str) -> Result<String> {
    let is_complete = raw.split('%').skip(1).all(|rest| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    let decoded = percent_decode_str(raw).decode_utf8();
    match decoded {
        Ok(text) if is_complete => Ok(text.into_owned()),
        _ => {
            let message = format!("'{raw}' is not a valid url component");
            Err(Error::framework(
                "InternalError",
                400,
                "FastifyError",
                message,
            ))
        }
    }
}

/// A bucket and the key that follows it: `bucket/key…`, both decoded. Nothing without a slash.
pub(crate) fn bucket_and_key(raw: &str) -> Result<Option<(String, String)>> {
    let Some((bucket, key)) = raw.split_once('/') else {
        return Ok(None);
    };
    Ok(Some((decode(bucket)?, decode(key)?)))
}

/// The query string as names and values; the last of one name counts.
pub(crate) fn query(parts: &Parts) -> Map<String, Value> {
    let raw = parts.uri.query().unwrap_or_default();
    url::form_urlencoded::parse(raw.as_bytes())
        .map(|(name, value)| (name.into_owned(), Value::String(value.into_owned())))
        .collect()
}

/// One value of the query string.
pub(crate) fn query_value(parts: &Parts, name: &str) -> Option<String> {
    let raw = parts.uri.query().unwrap_or_default();
    url::form_urlencoded::parse(raw.as_bytes())
        .find(|(found, _)| found == name)
        .map(|(_, value)| value.into_owned())
}

fn framework(code: &'static str, status: u16, message: &'static str) -> Error {
    Error::framework(code, status, "FastifyError", message)
}

/// A JSON body of this shape. Bodies of other types count as none.
pub(crate) async fn json(parts: &Parts, body: Body, shape: &Shape) -> Result<Map<String, Value>> {
    let kind = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return shape.check(Value::Null);
    }
    let limited = Limited::new(body, MAX_JSON).collect().await;
    let bytes = limited.map_err(|error| {
        if error.is::<LengthLimitError>() {
            framework("EntityTooLarge", 413, "Request body is too large")
        } else {
            framework("InvalidRequest", 400, "Request body was interrupted")
        }
    })?;
    let bytes = bytes.to_bytes();
    if bytes.is_empty() {
        return Err(framework(
            "InvalidRequest",
            400,
            "Body cannot be empty when content-type is set to 'application/json'",
        ));
    }
    let value = serde_json::from_slice(&bytes).map_err(|_| {
        framework(
            "InvalidRequest",
            400,
            "Body is not valid JSON but content-type is set to 'application/json'",
        )
    })?;
    shape.check(value)
}

/// Text of a checked body.
pub(crate) fn text<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    map.get(name)?.as_str()
}

/// Texts of a checked body.
pub(crate) fn texts(map: &Map<String, Value>, name: &str) -> Option<Vec<String>> {
    let items = map.get(name)?.as_array()?;
    let texts = items.iter().filter_map(|item| item.as_str());
    Some(texts.map(str::to_owned).collect())
}

/// User metadata in a header: JSON in base64. What is neither is nobody's.
pub(crate) fn metadata_header(parts: &Parts) -> Option<Map<String, Value>> {
    use base64::{
        Engine as _, alphabet,
        engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
    };
    const LENIENT: GeneralPurpose = GeneralPurpose::new(
        &alphabet::STANDARD,
        GeneralPurposeConfig::new()
            .with_decode_padding_mode(DecodePaddingMode::Indifferent)
            .with_decode_allow_trailing_bits(true),
    );
    let text = parts.headers.get("x-metadata")?.to_str().ok()?;
    let text = text.replace('-', "+").replace('_', "/");
    serde_json::from_slice(&LENIENT.decode(text).ok()?).ok()
}

/// The length that a request announces.
pub(crate) fn content_length(parts: &Parts) -> Option<u64> {
    let text = parts.headers.get(header::CONTENT_LENGTH)?.to_str().ok()?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_decoded_or_refused() {
        assert_eq!(decode("a%2Fb%20c").unwrap(), "a/b c");
        assert_eq!(decode("a+b").unwrap(), "a+b");
        for raw in ["%", "%z1", "a%2", "%ff"] {
            assert_eq!(decode(raw).unwrap_err().status, 400, "{raw}");
        }
        let (bucket, key) = bucket_and_key("b//k/").unwrap().unwrap();
        assert_eq!((bucket.as_str(), key.as_str()), ("b", "/k/"));
        assert!(bucket_and_key("b").unwrap().is_none());
    }
}
