//! Headers of objects: what uploaders said, what readers ask, what answers tell.

use std::ops::Range;

use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::{Map, Value};

use crate::{
    error::{Error, Result},
    s3::{error, query::Query},
};

const META: &str = "x-amz-meta-";
const LONGEST_VALUE: usize = 8 << 10;

/// All values of a header as one text, the way Node.js joins them.
pub(super) fn joined(headers: &HeaderMap, name: &HeaderName) -> String {
    let values: Vec<_> = headers
        .get_all(name)
        .iter()
        .map(|value| String::from_utf8_lossy(value.as_bytes()))
        .collect();
    values.join(", ")
}

/// What an uploader says of an object in `x-amz-meta-…`.
pub(super) fn user_metadata(headers: &HeaderMap) -> Option<Map<String, Value>> {
    let map: Map<String, Value> = headers
        .keys()
        .filter_map(|name| {
            let key = name.as_str().strip_prefix(META)?;
            Some((key.to_owned(), joined(headers, name).into()))
        })
        .collect();
    (!map.is_empty()).then_some(map)
}

/// The same, from the fields of a form.
pub(super) fn user_metadata_of_fields<'a>(
    fields: impl Iterator<Item = (&'a str, &'a str)>,
) -> Option<Map<String, Value>> {
    let map: Map<String, Value> = fields
        .filter_map(|(name, value)| Some((name.strip_prefix(META)?.to_owned(), value.into())))
        .collect();
    (!map.is_empty()).then_some(map)
}

/// Tells what an uploader said. What no header can hold is counted.
pub(super) fn tell_user_metadata(headers: &mut HeaderMap, json: Option<&str>) {
    let map: Map<String, Value> = json
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_default();
    let mut missing = 0_u32;
    for (key, value) in &map {
        let name = HeaderName::from_bytes(format!("{META}{}", key.to_lowercase()).as_bytes());
        let value = value
            .as_str()
            .filter(|value| value.is_ascii() && value.len() <= LONGEST_VALUE)
            .and_then(|value| HeaderValue::from_str(value).ok());
        match (name, value) {
            (Ok(name), Some(value)) if !key.is_empty() => {
                headers.insert(name, value);
            }
            _ => missing = missing.saturating_add(1),
        }
    }
    if missing > 0 {
        headers.insert("x-amz-missing-meta", missing.into());
    }
}

/// Adds a header whose text comes from outside. One that is empty or that no header can hold is left out.
pub(super) fn tell(headers: &mut HeaderMap, name: HeaderName, text: Option<&str>) {
    if let Some(value) = text.and_then(value) {
        headers.insert(name, value);
    }
}

/// A text as a header's value, in Latin-1.
fn value(text: &str) -> Option<HeaderValue> {
    if text.is_empty() || text.len() > LONGEST_VALUE {
        return None;
    }
    let bytes: Option<Vec<u8>> = text
        .chars()
        .map(|character| u8::try_from(u32::from(character)).ok())
        .collect();
    HeaderValue::from_bytes(&bytes?).ok()
}

/// A time as headers tell it.
pub(super) fn http_date(time: DateTime<Utc>) -> String {
    time.format("%a, %d %b %Y %H:%M:%S GMT").to_string()
}

/// A time as JavaScript's `Date` prints itself, which the original tells when an object was made.
pub(super) fn javascript_date(time: DateTime<Utc>) -> String {
    time.format("%a %b %d %Y %H:%M:%S GMT+0000 (Coordinated Universal Time)")
        .to_string()
}

/// Reads a time, in the form of headers or in ISO 8601.
pub(super) fn parse_date(text: &str) -> Option<DateTime<Utc>> {
    httpdate::parse_http_date(text)
        .map(DateTime::<Utc>::from)
        .ok()
        .or_else(|| {
            DateTime::parse_from_rfc3339(text)
                .ok()
                .map(|time| time.to_utc())
        })
        .or_else(|| {
            DateTime::parse_from_rfc2822(text)
                .ok()
                .map(|time| time.to_utc())
        })
}

/// What a presigned URL may change in the headers of an answer.
pub(super) fn tell_overrides(headers: &mut HeaderMap, query: &Query) -> Result<()> {
    for (parameter, name) in [
        (
            "response-content-disposition",
            http::header::CONTENT_DISPOSITION,
        ),
        ("response-content-type", http::header::CONTENT_TYPE),
        ("response-cache-control", http::header::CACHE_CONTROL),
        ("response-content-encoding", http::header::CONTENT_ENCODING),
        ("response-content-language", http::header::CONTENT_LANGUAGE),
    ] {
        tell(headers, name, query.get(parameter));
    }
    if let Some(text) = query.non_empty("response-expires") {
        let time = parse_date(text).ok_or_else(|| Error::invalid_parameter("response-expires"))?;
        tell(headers, http::header::EXPIRES, Some(&http_date(time)));
    }
    Ok(())
}

/// One range of the bytes of an object: `bytes=a-b`, `bytes=a-` or `bytes=-n`.
pub(super) fn range(text: &str, size: u64) -> Result<Range<u64>> {
    let range = text.strip_prefix("bytes=").and_then(|range| {
        let (from, to) = range.split_once('-')?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| text.parse().unwrap_or(u64::MAX))
        };
        match (from, to) {
            ("", length) => {
                let length = number(length).filter(|&length| length > 0)?;
                Some(size.saturating_sub(length)..size)
            }
            (from, "") => Some(number(from)?..size),
            (from, to) => {
                let (from, to) = (number(from)?, number(to)?);
                (from <= to).then(|| from..to.saturating_add(1).min(size))
            }
        }
    });
    range
        .filter(|range| range.start < range.end)
        .ok_or_else(Error::invalid_range)
}

/// The range of a source that becomes a part: both ends are told, and lie within.
pub(super) fn copy_range(text: &str, size: u64) -> Result<Range<u64>> {
    let invalid = || Error::new("InvalidRange", 400, "invalid range provided");
    let open = text.ends_with('-') || text.contains("=-");
    let parsed = range(text, u64::MAX).map_err(|_| invalid())?;
    if open || parsed.end > size {
        return Err(invalid());
    }
    Ok(parsed)
}

/// Where a copy comes from: `bucket/key`, with or without a slash in front, percent-encoded or not. Either may be
/// empty.
pub(super) fn copy_source(text: &str) -> Result<(String, String)> {
    let text = match text.rsplit_once('?') {
        Some((path, version)) if version.starts_with("versionId=") => {
            if version != "versionId=null" {
                return Err(error::not_implemented("Copying a version"));
            }
            path
        }
        _ => text,
    };
    let decoded = percent_encoding::percent_decode_str(text)
        .decode_utf8()
        .map_err(|_| Error::invalid_parameter("CopySource"))?;
    if decoded.is_empty() {
        return Err(Error::missing_parameter("CopySource"));
    }
    let path = decoded.strip_prefix('/').unwrap_or(&decoded);
    let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
    Ok((bucket.to_owned(), key.to_owned()))
}

/// The conditions of a copy, on its source.
pub(super) fn check_copy_conditions(
    headers: &HeaderMap,
    etag: Option<&str>,
    modified: Option<DateTime<Utc>>,
) -> Result<()> {
    let text = |name: &str| {
        headers
            .get(format!("x-amz-copy-source-{name}"))
            .and_then(|value| value.to_str().ok())
    };
    let bare = |tag: &str| tag.trim().trim_matches('"').to_owned();
    let is_tag =
        |wanted: &str| wanted == "*" || etag.is_some_and(|etag| bare(etag) == bare(wanted));
    let is_newer = |text: &str| Some(modified?.timestamp() > parse_date(text)?.timestamp());
    let failed = match (text("if-match"), text("if-unmodified-since")) {
        (Some(tag), _) => !is_tag(tag),
        (None, Some(time)) => is_newer(time).unwrap_or_default(),
        (None, None) => false,
    } || match (text("if-none-match"), text("if-modified-since")) {
        (Some(tag), _) => is_tag(tag),
        (None, Some(time)) => !is_newer(time).unwrap_or(true),
        (None, None) => false,
    };
    if failed {
        return Err(error::precondition_failed());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_cut_to_the_object() {
        for (text, size, expected) in [
            ("bytes=0-4", 10, Some(0..5)),
            ("bytes=5-", 10, Some(5..10)),
            ("bytes=-3", 10, Some(7..10)),
            ("bytes=-30", 10, Some(0..10)),
            ("bytes=5-99999999999999999999", 10, Some(5..10)),
            ("bytes=10-", 10, None),
            ("bytes=4-3", 10, None),
            ("bytes=-0", 10, None),
            ("bytes=0-0", 0, None),
            ("bytes=-1", 0, None),
            ("bytes=0-1,3-4", 10, None),
            ("bytes=+1-2", 10, None),
            ("bytes=-", 10, None),
            ("0-1", 10, None),
        ] {
            assert_eq!(range(text, size).ok(), expected, "{text}");
        }
    }

    #[test]
    fn the_range_of_a_part_lies_within_its_source() {
        assert_eq!(copy_range("bytes=0-9", 10).unwrap(), 0..10);
        for text in ["bytes=0-10", "bytes=1-", "bytes=-1", "bytes=2-1", "x"] {
            assert_eq!(copy_range(text, 10).unwrap_err().status, 400, "{text}");
        }
    }

    #[test]
    fn a_copy_source_is_decoded() {
        let source = |bucket: &str, key: &str| Some((bucket.to_owned(), key.to_owned()));
        assert_eq!(copy_source("b/k").ok(), source("b", "k"));
        assert_eq!(copy_source("/b/a/k").ok(), source("b", "a/k"));
        assert_eq!(copy_source("b/a%20b+c").ok(), source("b", "a b+c"));
        assert_eq!(copy_source("b/a?b").ok(), source("b", "a?b"));
        assert_eq!(copy_source("b/a?versionId=null").ok(), source("b", "a"));
        assert_eq!(
            copy_source("b/a?versionId=1").unwrap_err().code,
            "NotImplemented"
        );
        assert_eq!(copy_source("b").ok(), source("b", ""));
        assert_eq!(copy_source("/").ok(), source("", ""));
        assert_eq!(copy_source("").unwrap_err().code, "MissingParameter");
    }

    #[test]
    fn metadata_travels_in_headers_as_far_as_they_can_hold_it() {
        let mut headers = HeaderMap::new();
        let json = r#"{"A":"x y","empty":"","é":"1","b":"é","n":5,"":"x","c":"\u0001"}"#;
        tell_user_metadata(&mut headers, Some(json));
        assert_eq!(headers["x-amz-meta-a"], "x y");
        assert_eq!(headers["x-amz-meta-empty"], "");
        assert_eq!(headers["x-amz-missing-meta"], "5");
        let back = user_metadata(&headers).unwrap();
        assert_eq!(
            Value::Object(back),
            serde_json::json!({ "a": "x y", "empty": "" })
        );
        assert_eq!(user_metadata(&HeaderMap::new()), None);
    }

    #[test]
    fn overrides_that_no_header_can_hold_are_left_out() {
        let mut headers = HeaderMap::new();
        let query = Query::parse(
            "response-content-disposition=attachment%0d%0ax&response-content-type=a/b&response-content-language=%E2%82%AC\
             &response-cache-control=%C3%A9&response-expires=2026-01-02T03:04:05Z",
        );
        tell_overrides(&mut headers, &query).unwrap();
        assert_eq!(headers.len(), 3);
        assert_eq!(headers["content-type"], "a/b");
        assert_eq!(headers["cache-control"].as_bytes(), b"\xe9");
        assert_eq!(headers["expires"], "Fri, 02 Jan 2026 03:04:05 GMT");
        let wrong = Query::parse("response-expires=soon");
        assert_eq!(
            tell_overrides(&mut headers, &wrong).unwrap_err().message,
            "Invalid Parameter response-expires"
        );
    }

    #[test]
    fn a_copy_may_depend_on_its_source() {
        let check = |name: &'static str, value: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, value.parse().unwrap());
            check_copy_conditions(
                &headers,
                Some("\"e\""),
                parse_date("2026-01-02T03:04:05.9Z"),
            )
            .is_ok()
        };
        assert!(
            check("x-amz-copy-source-if-match", "\"e\"")
                && check("x-amz-copy-source-if-match", "e")
        );
        assert!(!check("x-amz-copy-source-if-match", "\"f\""));
        assert!(!check("x-amz-copy-source-if-none-match", "\"e\""));
        assert!(check("x-amz-copy-source-if-none-match", "\"f\""));
        assert!(check(
            "x-amz-copy-source-if-modified-since",
            "Fri, 02 Jan 2026 03:04:04 GMT"
        ));
        assert!(!check(
            "x-amz-copy-source-if-modified-since",
            "Fri, 02 Jan 2026 03:04:05 GMT"
        ));
        assert!(check(
            "x-amz-copy-source-if-unmodified-since",
            "Fri, 02 Jan 2026 03:04:05 GMT"
        ));
        assert!(!check(
            "x-amz-copy-source-if-unmodified-since",
            "Fri, 02 Jan 2026 03:04:04 GMT"
        ));
    }
}
