//! From the attributes of an assertion to claims, as an administrator wished.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::assertion::Assertion;
use crate::{
    domain::external::Profile,
    error::{Code, Error},
};

/// Claims that are texts.
const TEXTS: [&str; 20] = [
    "iss",
    "sub",
    "name",
    "family_name",
    "given_name",
    "middle_name",
    "nickname",
    "preferred_username",
    "profile",
    "picture",
    "website",
    "gender",
    "birthdate",
    "zoneinfo",
    "locale",
    "email",
    "phone",
    "avatar_url",
    "full_name",
    "provider_id",
];
/// More of them, which the original keeps for old clients.
const OLD_TEXTS: [&str; 2] = ["slug", "user_name"];

/// What makes the claims.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mapping {
    /// By claim.
    #[serde(skip_serializing_if = "is_nothing")]
    pub keys: Option<BTreeMap<String, Source>>,
}

/// Where one claim comes from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Source {
    /// The attribute.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Others; the first with a value counts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<String>,
    /// What is taken if there is none.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub default: Value,
    /// All values instead of the first.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub array: bool,
}

fn is_nothing(keys: &Option<BTreeMap<String, Source>>) -> bool {
    keys.as_ref().is_none_or(BTreeMap::is_empty)
}

impl Mapping {
    fn claims(&self, assertion: &Assertion) -> Map<String, Value> {
        let mut claims = Map::new();
        for (claim, source) in self.keys.iter().flatten() {
            let names = std::iter::once(&source.name)
                .filter(|name| !name.is_empty())
                .chain(&source.names);
            let values = names
                .map(|name| {
                    let values = assertion.values(name);
                    values.filter(|value| !value.is_empty()).collect::<Vec<_>>()
                })
                .find(|values| !values.is_empty());
            let value = match values {
                Some(values) if source.array => json!(values),
                Some(values) => json!(values.first()),
                None => source.default.clone(),
            };
            if !value.is_null() {
                claims.insert(claim.clone(), value);
            }
        }
        claims
    }
}

/// Who an assertion of a provider is about.
pub(super) fn profile(
    mapping: &Mapping,
    issuer: &str,
    assertion: &Assertion,
) -> Result<Profile, Error> {
    let subject = assertion.subject().ok_or_else(|| {
        let message = "SAML Assertion did not contain a persistent Subject Identifier attribute or Subject NameID uniquely identifying this user";
        Error::bad_request(Code::SamlAssertionNoUserId, message)
    })?;
    let mut claims = mapping.claims(assertion);
    let mapped = claims.get("email").and_then(Value::as_str);
    let email = mapped
        .filter(|email| !email.is_empty())
        .or_else(|| assertion.email())
        .map(str::to_owned)
        .ok_or_else(|| {
            let message = "SAML Assertion does not contain an email address";
            Error::bad_request(Code::SamlAssertionNoEmail, message)
        })?;
    for own in ["iss", "sub", "email", "email_verified"] {
        claims.remove(own);
    }
    let mut profile = Profile::of(issuer, &subject)
        .unwrap_or_default()
        .mailed(&email, true);
    let mut custom = Map::new();
    for (claim, value) in claims {
        match standard(&claim, &value) {
            Standard::Fits => profile = profile.with(&claim, value),
            Standard::Unknown => {
                custom.insert(claim, value);
            }
            Standard::Misfits => {
                return Err(Error::refused(
                    500,
                    Code::UnexpectedFailure,
                    "Mapped claims from provider could not be deserialized from JSON",
                ));
            }
        }
    }
    Ok(profile.with_custom(Value::Object(custom)))
}

enum Standard {
    Fits,
    Misfits,
    Unknown,
}

/// Whether a claim is one of those with a meaning and a type.
fn standard(claim: &str, value: &Value) -> Standard {
    let fits = match claim {
        _ if TEXTS.contains(&claim) || OLD_TEXTS.contains(&claim) => value.is_string(),
        "iat" | "exp" => value.is_number(),
        "email_verified" | "phone_verified" => value.is_boolean(),
        "aud" => value.is_string() || value.is_array(),
        "updated_at" => value.is_string() || value.is_number(),
        "custom_claims" => value.is_object(),
        _ => return Standard::Unknown,
    };
    if fits {
        Standard::Fits
    } else {
        Standard::Misfits
    }
}

#[cfg(test)]
mod tests {
    use super::{super::assertion::Attribute, *};

    fn assertion() -> Assertion {
        let attribute = |name: &str, values: &[&str]| Attribute {
            name: name.into(),
            values: values.iter().map(|one| (*one).to_owned()).collect(),
            ..Attribute::default()
        };
        Assertion {
            name_id: "ada".into(),
            attributes: vec![
                attribute("mail", &["Ada@Example.com"]),
                attribute("groups", &["", "admins", "staff"]),
                attribute("displayName", &["Ada"]),
            ],
            ..Assertion::default()
        }
    }

    fn mapping(keys: Value) -> Mapping {
        serde_json::from_value(json!({ "keys": keys })).unwrap()
    }

    #[test]
    fn claims_come_from_attributes_or_defaults() {
        let mapping = mapping(json!({
            "name": { "names": ["nobody", "DISPLAYNAME"] },
            "roles": { "name": "groups", "array": true },
            "first": { "name": "groups" },
            "tier": { "name": "nobody", "default": { "level": 1 } },
            "absent": { "name": "nobody" },
            "sub": { "name": "displayName" },
        }));
        let profile = profile(&mapping, "https://idp.test", &assertion()).unwrap();
        assert_eq!(
            Value::Object(profile.identity_data()),
            json!({
                "iss": "https://idp.test",
                "sub": "ada",
                "name": "Ada",
                "email": "ada@example.com",
                "email_verified": true,
                "phone_verified": false,
                "custom_claims": {
                    "roles": ["admins", "staff"],
                    "first": "admins",
                    "tier": { "level": 1 },
                },
            })
        );
    }

    #[test]
    fn a_claim_with_a_type_cannot_have_another() {
        let mapping = mapping(json!({ "name": { "name": "groups", "array": true } }));
        let error = profile(&mapping, "https://idp.test", &assertion()).unwrap_err();
        assert_eq!(error.wire().status, 500);
    }

    #[test]
    fn a_user_has_an_id_and_an_address() {
        let mut nobody = assertion();
        nobody.name_id.clear();
        let error = profile(&Mapping::default(), "i", &nobody).unwrap_err();
        assert_eq!(error.wire().code, Code::SamlAssertionNoUserId);
        let mut silent = assertion();
        silent.attributes.clear();
        let error = profile(&Mapping::default(), "i", &silent).unwrap_err();
        assert_eq!(error.wire().code, Code::SamlAssertionNoEmail);
    }

    #[test]
    fn what_is_not_set_is_not_written() {
        let text = serde_json::to_string(&Mapping::default()).unwrap();
        assert_eq!(text, "{}");
        let mapping = mapping(json!({ "a": { "name": "b" } }));
        let text = serde_json::to_string(&mapping).unwrap();
        assert_eq!(text, r#"{"keys":{"a":{"name":"b"}}}"#);
    }
}
