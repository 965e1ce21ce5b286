//! The policy of an upload by form: until when it is valid, and what the form's fields may be.

use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use chrono::{DateTime, NaiveDateTime, Utc};
use serde::Deserialize;
use serde_json::Value;

use crate::{error::Error, s3::error};

const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Fields that carry the signature itself.
const EXEMPT: [&str; 6] = [
    "policy",
    "x-amz-signature",
    "x-amz-algorithm",
    "x-amz-credential",
    "x-amz-date",
    "x-amz-security-token",
];

/// How many bytes the file may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LengthRange {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl LengthRange {
    const ANY: Self = Self {
        min: 0,
        max: u64::MAX,
    };
}

/// A policy after its signature was verified.
#[derive(Debug, Deserialize)]
pub(super) struct Policy {
    #[serde(default)]
    expiration: Option<String>,
    #[serde(default)]
    conditions: Value,
}

impl Policy {
    pub(super) fn parse(encoded: &str) -> Result<Self, Error> {
        let encoded: String = encoded.split_ascii_whitespace().collect();
        BASE64
            .decode(encoded)
            .ok()
            .and_then(|json| serde_json::from_slice(&json).ok())
            .ok_or_else(|| Error::invalid_signature("Invalid POST policy"))
    }

    /// Whether the policy is valid now and covers every field; how long the file may be.
    pub(super) fn allows(
        &self,
        fields: &[(String, String)],
        bucket: &str,
        now: DateTime<Utc>,
    ) -> Result<LengthRange, Error> {
        self.check_expiry(now)?;
        let Value::Array(conditions) = &self.conditions else {
            return Err(Error::invalid_signature("Invalid policy conditions"));
        };
        let submitted = |name: &str| {
            // The bucket stands in the path. A field of that name cannot speak for another.
            if name == "bucket" {
                return Some(bucket);
            }
            fields
                .iter()
                .find_map(|(other, value)| (other == name).then_some(value.as_str()))
        };
        let mut range = LengthRange::ANY;
        let mut covered = Vec::with_capacity(conditions.len());
        for condition in conditions {
            match Condition::read(condition)? {
                Condition::Equals(name, expected) => {
                    if submitted(&name) != Some(expected.as_str()) {
                        return Err(failed(&format!("\"{name}\" does not match")));
                    }
                    covered.push(name);
                }
                Condition::StartsWith(name, prefix) => {
                    if !submitted(&name).is_some_and(|value| value.starts_with(&prefix)) {
                        return Err(failed(&format!(
                            "\"{name}\" does not start with \"{prefix}\""
                        )));
                    }
                    covered.push(name);
                }
                Condition::Length(wanted) => {
                    range.min = range.min.max(wanted.min);
                    range.max = range.max.min(wanted.max);
                }
            }
        }
        let names = fields.iter().map(|(name, _)| name.as_str());
        for name in names.chain(["bucket"]) {
            let exempt = EXEMPT.contains(&name) || name.starts_with("x-ignore-");
            if !exempt && !covered.iter().any(|other| other == name) {
                return Err(failed(&format!(
                    "field \"{name}\" is not covered by the policy"
                )));
            }
        }
        Ok(range)
    }

    fn check_expiry(&self, now: DateTime<Utc>) -> Result<(), Error> {
        let Some(text) = self.expiration.as_deref().filter(|text| !text.is_empty()) else {
            return Err(Error::invalid_signature("Missing policy expiration"));
        };
        let expiration = DateTime::parse_from_rfc3339(text)
            .map(|time| time.to_utc())
            .or_else(|_| {
                NaiveDateTime::parse_from_str(text, "%Y-%m-%dT%H:%M:%S%.f")
                    .map(|time| time.and_utc())
            })
            .map_err(|_| Error::invalid_signature("Invalid policy expiration"))?;
        if expiration < now {
            return Err(error::expired());
        }
        Ok(())
    }
}

fn failed(what: &str) -> Error {
    Error::access_denied(format!("Policy condition failed: {what}"))
}

enum Condition {
    Equals(String, String),
    StartsWith(String, String),
    Length(LengthRange),
}

impl Condition {
    fn read(condition: &Value) -> Result<Self, Error> {
        let invalid = || Error::invalid_signature("Invalid policy condition");
        let unsupported = || Error::invalid_signature("Unsupported policy condition");
        match condition {
            Value::Object(object) => {
                let mut entries = object.iter();
                let (Some((name, value)), None) = (entries.next(), entries.next()) else {
                    return Err(invalid());
                };
                Ok(Self::Equals(name.to_ascii_lowercase(), plain(value)))
            }
            Value::Array(parts) => {
                let [Value::String(operator), target, value] = &parts[..] else {
                    return Err(unsupported());
                };
                if operator == "content-length-range" {
                    let (Some(min), Some(max)) = (number(target), number(value)) else {
                        return Err(invalid());
                    };
                    return Ok(Self::Length(LengthRange { min, max }));
                }
                let Value::String(target) = target else {
                    return Err(unsupported());
                };
                let name = || {
                    let name = target.strip_prefix('$').ok_or_else(invalid)?;
                    Ok::<_, Error>(name.to_ascii_lowercase())
                };
                match operator.as_str() {
                    "eq" => Ok(Self::Equals(name()?, plain(value))),
                    "starts-with" => Ok(Self::StartsWith(name()?, plain(value))),
                    _ => Err(unsupported()),
                }
            }
            _ => Err(unsupported()),
        }
    }
}

/// Form fields are text; a policy may say the same thing as a number.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::String(text) => text.parse().ok(),
        other => other.as_u64(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: &str = "2026-01-01T00:00:00Z";

    fn judge(conditions: &Value, fields: &[(&str, &str)]) -> Result<LengthRange, Error> {
        let policy = json!({ "expiration": "2026-01-01T00:00:01.000Z", "conditions": conditions });
        let fields: Vec<_> = fields
            .iter()
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Policy::parse(&BASE64.encode(policy.to_string()))?.allows(
            &fields,
            "b",
            NOW.parse().unwrap(),
        )
    }

    #[test]
    fn fields_meet_their_conditions() {
        let conditions = json!([
            { "bucket": "b" },
            ["starts-with", "$Key", "user/"],
            ["eq", "$Content-Type", "image/png"],
            ["starts-with", "$x-amz-meta-any", ""],
            { "x-amz-meta-n": 5 },
            ["content-length-range", 1, "10"],
        ]);
        let fields = [
            ("key", "user/a"),
            ("content-type", "image/png"),
            ("x-amz-meta-any", "x"),
            ("x-amz-meta-n", "5"),
            ("policy", "p"),
            ("x-amz-date", "d"),
            ("x-ignore-this", "i"),
        ];
        assert_eq!(
            judge(&conditions, &fields),
            Ok(LengthRange { min: 1, max: 10 })
        );
        let error = judge(&conditions, &[&fields[..], &[("acl", "x")]].concat()).unwrap_err();
        assert_eq!(
            error.message,
            "Policy condition failed: field \"acl\" is not covered by the policy"
        );
        let error =
            judge(&conditions, &[&[("key", "other/a")], &fields[1..]].concat()).unwrap_err();
        assert_eq!(
            error.message,
            "Policy condition failed: \"key\" does not start with \"user/\""
        );
        let error = judge(&conditions, &[&fields[..1], &fields[2..]].concat()).unwrap_err();
        assert_eq!(
            error.message,
            "Policy condition failed: \"content-type\" does not match"
        );
        assert_eq!((error.status, error.code), (403, "AccessDenied"));
    }

    #[test]
    fn the_bucket_is_the_one_of_the_path() {
        assert_eq!(
            judge(&json!([{ "bucket": "b" }]), &[]),
            Ok(LengthRange::ANY)
        );
        for (conditions, fields) in [
            (json!([{ "bucket": "other" }]), &[("bucket", "other")][..]),
            (json!([]), &[]),
        ] {
            assert_eq!(judge(&conditions, fields).unwrap_err().code, "AccessDenied");
        }
    }

    #[test]
    fn nonsense_is_an_invalid_signature() {
        for conditions in [
            json!(null),
            json!("x"),
            json!(["x"]),
            json!([["x", "$key", ""]]),
            json!([["eq", "key", ""]]),
            json!([["eq", 1, ""]]),
            json!([["eq", "$key"]]),
            json!([{ "a": "b", "c": "d" }]),
            json!([{}]),
            json!([["content-length-range", -1, 5]]),
        ] {
            let error = judge(&conditions, &[]).unwrap_err();
            assert_eq!(
                (error.status, error.code),
                (400, "InvalidSignature"),
                "{conditions}"
            );
        }
        for text in ["", "%", "bnVsbA=="] {
            assert!(Policy::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_policy_has_to_end() {
        let verdict = |expiration: Value| {
            let policy: Policy = serde_json::from_value(
                json!({ "expiration": expiration, "conditions": [{ "bucket": "b" }] }),
            )
            .unwrap();
            policy
                .allows(&[], "b", NOW.parse().unwrap())
                .map_err(|error| error.message.into_owned())
        };
        assert!(verdict(json!(NOW)).is_ok());
        assert_eq!(
            verdict(json!("2025-12-31T23:59:59.999Z")).unwrap_err(),
            "The provided token has expired."
        );
        assert_eq!(
            verdict(json!("soon")).unwrap_err(),
            "Invalid policy expiration"
        );
        assert_eq!(
            verdict(json!(null)).unwrap_err(),
            "Missing policy expiration"
        );
    }
}
