//! What a provider says about its user, when only the standard tells how to read it.

use chrono::{DateTime, SecondsFormat};
use serde_json::{Map, Value};

use crate::domain::external::Problem;

type Claims = Map<String, Value>;

/// The claims that are kept, and what each of them is.
const KNOWN: [(&str, Kind); 29] = [
    ("iss", Kind::Text),
    ("sub", Kind::Text),
    ("aud", Kind::Audience),
    ("iat", Kind::Number),
    ("exp", Kind::Number),
    ("name", Kind::Text),
    ("family_name", Kind::Text),
    ("given_name", Kind::Text),
    ("middle_name", Kind::Text),
    ("nickname", Kind::Text),
    ("preferred_username", Kind::Text),
    ("profile", Kind::Text),
    ("picture", Kind::Text),
    ("website", Kind::Text),
    ("gender", Kind::Text),
    ("birthdate", Kind::Text),
    ("zoneinfo", Kind::Text),
    ("locale", Kind::Text),
    ("updated_at", Kind::Time),
    ("email", Kind::Text),
    ("email_verified", Kind::Flag),
    ("phone", Kind::Text),
    ("phone_verified", Kind::Flag),
    ("custom_claims", Kind::Object),
    ("full_name", Kind::Text),
    ("avatar_url", Kind::Text),
    ("slug", Kind::Text),
    ("provider_id", Kind::Text),
    ("user_name", Kind::Text),
];

#[derive(Clone, Copy)]
enum Kind {
    Text,
    Number,
    Flag,
    Audience,
    Time,
    Object,
}

impl Kind {
    /// The value as it is kept; nothing inside when it is empty, nothing at all when it is of another kind.
    fn read(self, value: &Value) -> Option<Option<Value>> {
        let kept = match (self, value) {
            (_, Value::Null) => None,
            (Self::Text, Value::String(text)) => (!text.is_empty()).then(|| value.clone()),
            (Self::Number, Value::Number(number)) => {
                (number.as_f64() != Some(0.0)).then(|| value.clone())
            }
            (Self::Flag, Value::Bool(flag)) => flag.then_some(Value::Bool(true)),
            (Self::Audience, Value::String(one)) => Some(Value::from(vec![one.as_str()])),
            (Self::Audience, Value::Array(all)) if all.iter().all(Value::is_string) => {
                (!all.is_empty()).then(|| value.clone())
            }
            (Self::Object, Value::Object(map)) => (!map.is_empty()).then(|| value.clone()),
            (Self::Time, Value::Number(seconds)) => {
                #[expect(
                    clippy::cast_possible_truncation,
                    reason = "beyond all times that matter"
                )]
                let seconds = seconds.as_f64()? as i64;
                let time = DateTime::from_timestamp(seconds, 0)?;
                Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true).into())
            }
            (Self::Time, Value::String(text)) if text.is_empty() => None,
            (Self::Time, Value::String(text)) => {
                let time = DateTime::parse_from_rfc3339(text).ok()?.to_utc();
                Some(time.to_rfc3339_opts(SecondsFormat::AutoSi, true).into())
            }
            _ => return None,
        };
        Some(kept)
    }
}

/// The known claims of an answer. One of the wrong kind spoils it, because what it means is unknown.
pub(super) fn typed(raw: &Claims) -> Result<Claims, Problem> {
    let mut claims = Claims::new();
    for (name, kind) in KNOWN {
        let Some(value) = raw.get(name) else { continue };
        let kept = kind.read(value).ok_or(Problem::Answer(
            "a claim is of another kind than the standard says",
        ))?;
        if let Some(kept) = kept {
            claims.insert(name.to_owned(), kept);
        }
    }
    Ok(claims)
}

/// Copies what the administrator wants to keep of the answer, as it is.
pub(super) fn capture(raw: &Claims, allowed: &[String], claims: &mut Claims) {
    let wanted: Vec<_> = allowed
        .iter()
        .filter_map(|name| Some((name.clone(), raw.get(name)?.clone())))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let custom = claims
        .entry("custom_claims")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(custom) = custom {
        custom.extend(wanted);
    }
}

/// Fills claims from others, by name, or with fixed values that are no texts. A mapping that leads to
/// nonsense changes nothing.
pub(super) fn mapped(claims: Claims, mapping: &Claims) -> Claims {
    if mapping.is_empty() {
        return claims;
    }
    let mut changed = claims.clone();
    for (target, source) in mapping {
        match source {
            Value::String(source) => {
                if let Some(value) = claims.get(source) {
                    changed.insert(target.clone(), value.clone());
                }
            }
            fixed => {
                changed.insert(target.clone(), fixed.clone());
            }
        }
    }
    typed(&changed).unwrap_or(claims)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn object(value: Value) -> Claims {
        match value {
            Value::Object(map) => map,
            other => panic!("{other} is no object"),
        }
    }

    #[test]
    fn known_claims_are_kept_and_have_to_be_what_they_are() {
        let raw = object(json!({
            "sub": "1", "aud": "client", "iat": 5, "exp": 0, "name": "", "updated_at": 1_700_000_000,
            "email_verified": false, "role": "admin", "locale": null,
        }));
        let expected = json!({
            "sub": "1", "aud": ["client"], "iat": 5, "updated_at": "2023-11-14T22:13:20Z",
        });
        assert_eq!(Value::Object(typed(&raw).unwrap()), expected);
        for wrong in [
            json!({ "sub": 1 }),
            json!({ "email_verified": "true" }),
            json!({ "updated_at": "yesterday" }),
            json!({ "aud": [1] }),
        ] {
            assert!(typed(&object(wrong)).is_err());
        }
    }

    #[test]
    fn a_mapping_copies_claims_and_sets_values() {
        let claims = object(json!({ "sub": "1", "nickname": "ada", "name": "Ada" }));
        for (mapping, expected) in [
            (
                json!({ "user_name": "nickname", "name": "missing" }),
                json!({ "sub": "1", "name": "Ada", "nickname": "ada", "user_name": "ada" }),
            ),
            (
                json!({ "custom_claims": { "team": 7 }, "unknown": "name" }),
                json!({ "sub": "1", "name": "Ada", "nickname": "ada", "custom_claims": { "team": 7 } }),
            ),
            // A number is no name, so nothing changes.
            (
                json!({ "name": 7, "user_name": "nickname" }),
                json!({ "sub": "1", "nickname": "ada", "name": "Ada" }),
            ),
        ] {
            let changed = mapped(claims.clone(), &object(mapping));
            assert_eq!(Value::Object(changed), expected);
        }
    }

    #[test]
    fn only_what_was_asked_for_is_captured() {
        let raw = object(json!({ "sub": "1", "groups": ["a"], "secret": "x" }));
        let mut claims = object(json!({ "sub": "1" }));
        let allowed = ["groups".to_owned(), "missing".to_owned()];
        capture(&raw, &allowed, &mut claims);
        let expected = json!({ "sub": "1", "custom_claims": { "groups": ["a"] } });
        assert_eq!(Value::Object(claims), expected);
    }
}
