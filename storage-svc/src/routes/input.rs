//! What requests say: path parameters, query strings, JSON bodies.

use axum::body::Body;
use http::{header, request::Parts};
use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};

use crate::{
    domain::upload::user_metadata,
    error::{Error, Result},
    schema::Shape,
};

/// The most bytes of a JSON body.
const MAX_JSON: usize = 1024 * 1024;

/// The longest parameter of a path.
const MAX_PARAMETER: usize = 2500;

/// Refuses a path that cannot be read.
pub(crate) fn check_path(parts: &Parts) -> Result<()> {
    let path = parts.uri.path();
    let shown = super::shown(parts);
    decode(path).map_err(|_| Error::bad_url(shown))?;
    // Keys are no parameters; what stands behind the name of a bucket is.
    let mut names = path.split('/').skip(1);
    let is_bucket = names.next() == Some("bucket");
    if is_bucket && names.any(|name| name.len() > MAX_PARAMETER) {
        return Err(Error::long_url(shown));
    }
    Ok(())
}

/// Percent-decodes a parameter.
pub(crate) fn decode(raw: &str) -> Result<String> {
    let is_complete = raw.split('%').skip(1).all(|rest| {
        let digits = rest.as_bytes().get(..2);
        digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
    });
    let decoded = percent_decode_str(raw).decode_utf8();
    match decoded {
        Ok(text) if is_complete => Ok(text.into_owned()),
        _ => Err(Error::bad_url(raw)),
    }
}

/// A bucket and the key that follows it: `bucket/key…`, both decoded. Nothing without a slash.
pub(crate) fn bucket_and_key(raw: &str) -> Result<Option<(String, String)>> {
    let Some((bucket, key)) = raw.split_once('/') else {
        return Ok(None);
    };
    Ok(Some((decode(bucket)?, decode(key)?)))
}

/// A name or a value of a query string. What encodes no text stands for itself, as the original has it.
fn query_text(raw: &str) -> String {
    let spaced = raw.replace('+', " ");
    decode(&spaced).unwrap_or(spaced)
}

/// The query string as names and values; what is said more than once is an array.
pub(crate) fn query(parts: &Parts) -> Map<String, Value> {
    let raw = parts.uri.query().unwrap_or_default();
    let mut map = Map::new();
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let (name, value) = (query_text(name), Value::String(query_text(value)));
        match map.get_mut(&name) {
            None => {
                map.insert(name, value);
            }
            Some(Value::Array(values)) => values.push(value),
            Some(first) => {
                let first_value = first.take();
                *first = Value::Array(vec![first_value, value]);
            }
        }
    }
    map
}

/// One value of the query string, which is text.
pub(crate) fn query_value(parts: &Parts, name: &str) -> Result<Option<String>> {
    if parts.uri.query().is_none() {
        return Ok(None);
    }
    match query(parts).remove(name) {
        None => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(Error::schema(format!("querystring/{name} must be string"))),
    }
}

/// The same; its absence is an error.
pub(crate) fn required_query_value(parts: &Parts, name: &str) -> Result<String> {
    query_value(parts, name)?
        .ok_or_else(|| Error::schema(format!("querystring must have required property '{name}'")))
}

/// Refuses a header that is no media type.
pub(crate) fn check_content_type(parts: &Parts) -> Result<()> {
    let is_token = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
        !part.is_empty() && part.bytes().all(fits)
    };
    let Some(value) = parts.headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let kind = value.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    match kind.split_once('/') {
        Some((kind, sub)) if is_token(kind) && is_token(sub) => Ok(()),
        _ => Err(Error::invalid_content_type()),
    }
}

/// Reads a body that the route has no use for, and refuses JSON that is none.
pub(crate) async fn unused_json(parts: &Parts, body: Body, may_be_empty: bool) -> Result<()> {
    check_content_type(parts)?;
    if is_json(parts) {
        read_json(body, may_be_empty).await?;
    }
    Ok(())
}

fn is_json(parts: &Parts) -> bool {
    let kind = parts.headers.get(header::CONTENT_TYPE);
    let kind = kind
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default().trim();
    kind.eq_ignore_ascii_case("application/json")
}

fn framework(code: &'static str, status: u16, message: &'static str) -> Error {
    Error::framework(code, status, "FastifyError", message)
}

/// A JSON body of this shape. Bodies of other types count as none.
pub(crate) async fn json(parts: &Parts, body: Body, shape: &Shape) -> Result<Map<String, Value>> {
    check_content_type(parts)?;
    if !is_json(parts) {
        return shape.check(Value::Null);
    }
    shape.check(read_json(body, false).await?)
}

async fn read_json(body: Body, may_be_empty: bool) -> Result<Value> {
    let limited = Limited::new(body, MAX_JSON).collect().await;
    let bytes = limited.map_err(|error| {
        if error.is::<LengthLimitError>() {
            framework("EntityTooLarge", 413, "Request body is too large")
        } else {
            framework("InvalidRequest", 400, "Request body was interrupted")
        }
    })?;
    let bytes = bytes.to_bytes();
    if bytes.is_empty() && may_be_empty {
        return Ok(Value::Null);
    }
    if bytes.is_empty() {
        return Err(framework(
            "InvalidRequest",
            400,
            "Body cannot be empty when content-type is set to 'application/json'",
        ));
    }
    let text = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&bytes);
    // What is no UTF-8 becomes U+FFFD, as in Node.js, and is no name or key then.
    serde_json::from_str(&String::from_utf8_lossy(text)).map_err(|_| {
        framework(
            "InvalidRequest",
            400,
            "Body is not valid JSON but content-type is set to 'application/json'",
        )
    })
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
pub(crate) fn metadata_header(parts: &Parts) -> Result<Option<Map<String, Value>>> {
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
    let Some(text) = super::header_text(parts, "x-metadata") else {
        return Ok(None);
    };
    let text = text.replace('-', "+").replace('_', "/");
    match LENIENT.decode(text) {
        Ok(json) => user_metadata(&json),
        Err(_) => Ok(None),
    }
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

    #[test]
    fn of_a_query_what_encodes_no_text_stands_for_itself() {
        for (raw, text) in [
            ("a+b%20c", "a b c"),
            ("%C3%A9", "é"),
            ("%FF", "%FF"),
            ("5%", "5%"),
        ] {
            assert_eq!(query_text(raw), text);
        }
    }
}
