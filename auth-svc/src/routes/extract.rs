//! Reading bodies and queries, as leniently as clients expect.

use axum::{
    body::Bytes,
    extract::{FromRequest, FromRequestParts, Request},
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, request::Parts};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::error::{Code, Error};

/// A JSON body of whatever content type. Fields that are null count as absent, which is what clients
/// mean that send all fields.
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        parse(&read(request, state).await?).map(Self)
    }
}

/// A JSON body that may be missing.
pub(super) struct OptionalBody<T>(pub(super) T);

impl<T: DeserializeOwned + Default, S: Send + Sync> FromRequest<S> for OptionalBody<T> {
    type Rejection = Error;

    async fn from_request(request: Request, state: &S) -> Result<Self, Error> {
        let bytes = read(request, state).await?;
        if bytes.is_empty() {
            return Ok(Self(T::default()));
        }
        parse(&bytes).map(Self)
    }
}

/// A whole body.
pub(super) async fn read<S: Send + Sync>(request: Request, state: &S) -> Result<Bytes, Error> {
    Bytes::from_request(request, state)
        .await
        .map_err(|rejection| {
            let response: Response = rejection.into_response();
            if response.status() == StatusCode::PAYLOAD_TOO_LARGE {
                Error::refused(
                    413,
                    Code::RequestEntityTooLarge,
                    "Request body too large (max 1048576 bytes)",
                )
            } else {
                Error::bad_request(Code::BadJson, "Could not read the request body")
            }
        })
}

/// The fields of a JSON body.
pub(super) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let bad = |reason: String| {
        Error::bad_request(
            Code::BadJson,
            format!("Could not parse request body as JSON: {reason}"),
        )
    };
    if bytes.is_empty() {
        return Err(bad("unexpected end of JSON input".to_owned()));
    }
    let fields: Option<Map<String, Value>> =
        serde_json::from_slice(bytes).map_err(|error| bad(error.to_string()))?;
    let fields: Map<String, Value> = fields
        .unwrap_or_default()
        .into_iter()
        .filter(|(_, value)| !value.is_null())
        // Some clients write the names of fields in another case; the original takes them, too.
        .map(|(name, value)| (name.to_ascii_lowercase(), value))
        .collect();
    // The database keeps no such text, so nobody could ever have it back. Addresses have words of their own for it.
    let is_checked = |name: &str| !["email", "phone"].contains(&name);
    let mut kept = fields.iter().filter(|(name, _)| is_checked(name));
    if is_escaped_null(bytes) && kept.any(|(_, value)| has_null(value)) {
        return Err(Error::invalid("Text cannot contain null characters"));
    }
    serde_json::from_value(Value::Object(fields)).map_err(|error| bad(error.to_string()))
}

/// True for what may have a null character in it, which JSON can only have escaped.
fn is_escaped_null(bytes: &[u8]) -> bool {
    bytes.windows(6).any(|six| six == br"\u0000")
}

/// True for a value with a null character in a text or in a name.
fn has_null(value: &Value) -> bool {
    match value {
        Value::String(text) => text.contains('\0'),
        Value::Array(list) => list.iter().any(has_null),
        Value::Object(map) => map
            .iter()
            .any(|(name, value)| name.contains('\0') || has_null(value)),
        _ => false,
    }
}

/// The parameters of the query; the first of each name counts.
pub(super) struct Query(Vec<(String, String)>);

impl Query {
    /// One parameter, or the empty text.
    pub(super) fn get(&self, name: &str) -> &str {
        self.0
            .iter()
            .find(|(key, _)| key == name)
            .map_or("", |(_, value)| value)
    }

    /// Parameters that came in another way.
    pub(super) fn of_pairs(pairs: Vec<(String, String)>) -> Self {
        Self(pairs)
    }

    /// All of them, in their order.
    pub(super) fn into_pairs(self) -> Vec<(String, String)> {
        self.0
    }

    pub(super) fn of(parts: &Parts) -> Self {
        let query = parts.uri.query().unwrap_or_default();
        Self(
            url::form_urlencoded::parse(query.as_bytes())
                .into_owned()
                .collect(),
        )
    }
}

impl<S: Send + Sync> FromRequestParts<S> for Query {
    type Rejection = std::convert::Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Self::Rejection> {
        Ok(Self::of(parts))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(default)]
    struct Fields {
        email: String,
        data: Map<String, Value>,
    }

    #[test]
    fn null_counts_as_absent_at_the_top_only() {
        let fields: Fields = parse(br#"{"email": null, "data": {"a": null}, "more": 1}"#).unwrap();
        assert_eq!(fields.email, "");
        assert!(fields.data["a"].is_null());
        assert_eq!(parse::<Fields>(b"null").unwrap(), Fields::default());
    }

    #[test]
    fn names_of_fields_may_be_in_any_case() {
        let fields: Fields = parse(br#"{"Email": "a@b.c", "DATA": {"Key": 1}}"#).unwrap();
        assert_eq!(fields.email, "a@b.c");
        assert_eq!(fields.data["Key"], 1, "what is the user's own stays");
    }

    #[test]
    fn what_is_no_object_is_bad_json() {
        for body in ["", "[", "[]", "1", r#"{"email": 1}"#] {
            let error = parse::<Fields>(body.as_bytes()).unwrap_err();
            assert_eq!(error.wire().code, Code::BadJson, "{body}");
        }
    }
}
