//! The bodies that callers send, checked.

use http::{HeaderMap, Method, header};
use serde_json::Value;

use crate::error::Error;
use crate::s3::xml::read::{self, Element};

/// A part as the caller lists it to complete an upload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CompletedPart {
    pub(crate) number: i32,
    /// Without quotes.
    pub(crate) etag: String,
}

/// A key that is to be deleted, of whatever version there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deletion {
    pub(crate) key: String,
    /// Whether a certain version was meant.
    pub(crate) versioned: bool,
}

/// Part numbers that there are.
pub(crate) const PART_NUMBERS: std::ops::RangeInclusive<i32> = 1..=10_000;

/// Reads a document, in XML or, by its content type, in JSON. `None`: the body is empty.
pub(crate) fn document(headers: &HeaderMap, body: &[u8]) -> Result<Option<Element>, Error> {
    if is_json(headers) {
        return json(body).map(Some);
    }
    if body.is_empty() {
        return Ok(None);
    }
    read::tree(body).map(Some)
}

/// Refuses what says to be JSON and is nothing, before it is looked for what it may be for.
pub(crate) fn check_empty_json(method: &Method, headers: &HeaderMap) -> Result<(), Error> {
    let is_empty = headers
        .get(header::CONTENT_LENGTH)
        .is_none_or(|length| length.as_bytes() == b"0");
    if *method == Method::POST && is_empty && is_json(headers) {
        return Err(empty_json());
    }
    Ok(())
}

fn is_json(headers: &HeaderMap) -> bool {
    headers
        .get(header::CONTENT_TYPE)
        .is_some_and(|value| value.as_bytes().starts_with(b"application/json"))
}

fn empty_json() -> Error {
    Error::invalid_request("Body cannot be empty when content-type is set to 'application/json'")
}

fn json(body: &[u8]) -> Result<Element, Error> {
    if body.is_empty() {
        return Err(empty_json());
    }
    let value: Value = serde_json::from_slice(body).map_err(|_| {
        Error::invalid_request(
            "Body is not valid JSON but content-type is set to 'application/json'",
        )
    })?;
    match value {
        Value::Object(object) => Ok(object
            .into_iter()
            .next()
            .map(|(name, value)| element(name, value))
            .unwrap_or_default()),
        _ => Err(Error::invalid_request("Body must be object")),
    }
}

/// JSON as XML would say it. The depth is bounded by the parser.
fn element(name: String, value: Value) -> Element {
    let mut result = Element {
        name,
        ..Element::default()
    };
    match value {
        Value::Object(object) => {
            for (name, value) in object {
                match value {
                    Value::Array(items) => result
                        .children
                        .extend(items.into_iter().map(|item| element(name.clone(), item))),
                    value => result.children.push(element(name, value)),
                }
            }
        }
        Value::String(text) => result.text = text,
        Value::Null | Value::Array(_) => {}
        other => result.text = other.to_string(),
    }
    result
}

/// The parts that are to become the object. Empty: all there are.
pub(crate) fn completed_parts(document: Option<&Element>) -> Result<Vec<CompletedPart>, Error> {
    let Some(root) = document.filter(|root| root.name == "CompleteMultipartUpload") else {
        return Ok(Vec::new());
    };
    if root.children.is_empty() && !root.attributes {
        return Err(Error::invalid_request(
            "Body, CompleteMultipartUpload must be object",
        ));
    }
    root.all("Part")
        .enumerate()
        .map(|(index, part)| {
            let place = format!("Body, CompleteMultipartUpload, Part, {index}");
            let number = part
                .text_of("PartNumber")
                .ok_or_else(|| missing(&place, "PartNumber"))?;
            let etag = part
                .text_of("ETag")
                .ok_or_else(|| missing(&place, "ETag"))?;
            Ok(CompletedPart {
                number: part_number(number, &format!("{place}, PartNumber"))?,
                etag: etag.trim_matches('"').to_owned(),
            })
        })
        .collect()
}

/// The keys that are to be deleted.
pub(crate) fn deletions(document: Option<&Element>) -> Result<Vec<Deletion>, Error> {
    let Some(root) = document.filter(|root| root.name == "Delete") else {
        return Err(missing("Body", "Delete"));
    };
    if root.child("Object").is_none() {
        return Err(missing("Body, Delete", "Object"));
    }
    root.all("Object")
        .enumerate()
        .map(|(index, object)| {
            let key = object
                .text_of("Key")
                .ok_or_else(|| missing(&format!("Body, Delete, Object, {index}"), "Key"))?;
            Ok(Deletion {
                key: key.to_owned(),
                versioned: object
                    .text_of("VersionId")
                    .is_some_and(|version| !matches!(version, "" | "null")),
            })
        })
        .collect()
}

fn missing(place: &str, name: &str) -> Error {
    Error::invalid_request(format!("{place} must have required property '{name}'"))
}

/// A part number; `place` is what the error calls it.
pub(crate) fn part_number(text: &str, place: &str) -> Result<i32, Error> {
    integer(text, place, *PART_NUMBERS.start(), *PART_NUMBERS.end())
}

/// A whole number between two others.
pub(crate) fn integer(text: &str, place: &str, min: i32, max: i32) -> Result<i32, Error> {
    let refused = |what: String| Error::invalid_request(format!("{place} {what}"));
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(refused("must be integer".into()));
    }
    // What does not fit is beyond either end.
    let number: i32 = text.parse().unwrap_or(if digits.len() == text.len() {
        i32::MAX
    } else {
        i32::MIN
    });
    if number < min {
        return Err(refused(format!("must be >= {min}")));
    }
    if number > max {
        return Err(refused(format!("must be <= {max}")));
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xml(body: &str) -> Option<Element> {
        document(&HeaderMap::new(), body.as_bytes()).unwrap()
    }

    fn json_headers() -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert("content-type", "application/json".parse().unwrap());
        headers
    }

    fn part(number: i32, etag: &str) -> CompletedPart {
        CompletedPart {
            number,
            etag: etag.into(),
        }
    }

    #[test]
    fn parts_are_read_from_either_form() {
        let body = "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>\"a\"</ETag></Part>\
                    <Part><ETag>&quot;b&quot;</ETag><PartNumber>10000</PartNumber></Part></CompleteMultipartUpload>";
        let expected = [part(1, "a"), part(10_000, "b")];
        assert_eq!(completed_parts(xml(body).as_ref()).unwrap(), expected);
        let body = br#"{"CompleteMultipartUpload":{"Part":[{"PartNumber":1,"ETag":"a"},{"PartNumber":"10000","ETag":"\"b\""}]}}"#;
        let json = document(&json_headers(), body).unwrap();
        assert_eq!(completed_parts(json.as_ref()).unwrap(), expected);
        assert_eq!(completed_parts(xml("").as_ref()), Ok(vec![]));
        for all in ["<CompleteMultipartUpload xmlns=\"x\"/>", "<Other/>"] {
            assert_eq!(completed_parts(xml(all).as_ref()), Ok(vec![]), "{all}");
        }
        let json = document(&json_headers(), b"{}").unwrap();
        assert_eq!(completed_parts(json.as_ref()), Ok(vec![]));
    }

    #[test]
    fn what_is_wrong_with_a_part_is_named() {
        let long = "9".repeat(400);
        for (part, message) in [
            ("<PartNumber/><ETag/>", "0, PartNumber must be integer"),
            (
                "<PartNumber> </PartNumber><ETag/>",
                "0, PartNumber must be integer",
            ),
            (
                "<PartNumber>Infinity</PartNumber><ETag/>",
                "0, PartNumber must be integer",
            ),
            (
                "<PartNumber>1.5</PartNumber><ETag/>",
                "0, PartNumber must be integer",
            ),
            (
                "<PartNumber>0</PartNumber><ETag/>",
                "0, PartNumber must be >= 1",
            ),
            (
                "<PartNumber>-9999999999</PartNumber><ETag/>",
                "0, PartNumber must be >= 1",
            ),
            (
                "<PartNumber>10001</PartNumber><ETag/>",
                "0, PartNumber must be <= 10000",
            ),
            (
                &format!("<PartNumber>{long}</PartNumber><ETag/>"),
                "0, PartNumber must be <= 10000",
            ),
            (
                "<PartNumber>1</PartNumber>",
                "0 must have required property 'ETag'",
            ),
            ("<ETag/>", "0 must have required property 'PartNumber'"),
        ] {
            let body =
                format!("<CompleteMultipartUpload><Part>{part}</Part></CompleteMultipartUpload>");
            let error = completed_parts(xml(&body).as_ref()).unwrap_err();
            assert_eq!(
                error.message,
                format!("Body, CompleteMultipartUpload, Part, {message}")
            );
            assert_eq!((error.status, error.code), (400, "InvalidRequest"));
        }
        let empty = completed_parts(xml("<CompleteMultipartUpload/>").as_ref()).unwrap_err();
        assert_eq!(
            empty.message,
            "Body, CompleteMultipartUpload must be object"
        );
    }

    #[test]
    fn keys_are_read_as_they_are() {
        let body = "<Delete><Quiet>true</Quiet><Object><Key>   </Key></Object><Object><Key>007</Key>\
                    <VersionId>null</VersionId></Object><Object><Key>a</Key><VersionId>1</VersionId></Object></Delete>";
        let deletions = deletions(xml(body).as_ref()).unwrap();
        let keys: Vec<_> = deletions
            .iter()
            .map(|deletion| (&*deletion.key, deletion.versioned))
            .collect();
        assert_eq!(keys, [("   ", false), ("007", false), ("a", true)]);
    }

    #[test]
    fn a_deletion_needs_keys() {
        for (body, message) in [
            ("", "Body must have required property 'Delete'"),
            ("<X/>", "Body must have required property 'Delete'"),
            (
                "<Delete/>",
                "Body, Delete must have required property 'Object'",
            ),
            (
                "<Delete><Object/></Delete>",
                "Body, Delete, Object, 0 must have required property 'Key'",
            ),
        ] {
            assert_eq!(deletions(xml(body).as_ref()).unwrap_err().message, message);
        }
    }

    #[test]
    fn json_has_to_be_json() {
        let message = |body: &[u8]| document(&json_headers(), body).unwrap_err().message;
        assert!(message(b"").starts_with("Body cannot be empty"));
        assert!(message(b"{").starts_with("Body is not valid JSON"));
        assert_eq!(message(b"[]"), "Body must be object");
    }
}
