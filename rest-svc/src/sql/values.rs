//! The values of a JSON body one by one: bound as parameters they are visible to the planner, and Postgres has no
//! JSON to take apart.

use std::collections::HashMap;

use bytes::Bytes;
use serde_json::value::RawValue;

use crate::{
    parse::{Payload, PayloadKind},
    schema_cache::TypeName,
};

/// The values of an object as texts, if `json_to_record` would do nothing else to them: a string is the text of any
/// type but JSON, a number or a boolean is its own text for a plain type, and JSON stays JSON. A key that is not
/// there is null.
pub(super) fn values_of<'a>(
    payload: &Payload,
    names: impl ExactSizeIterator<Item = (&'a str, &'a TypeName)>,
) -> Option<Vec<Option<Bytes>>> {
    if payload.kind != PayloadKind::Object || names.len() == 0 {
        return None;
    }
    let object: HashMap<&str, &RawValue> = serde_json::from_slice(&payload.text).ok()?;
    names
        .map(|(name, kind)| match object.get(name) {
            Some(value) if value.get() != "null" => text_of(value, &kind.0).map(Some),
            _ => Some(None),
        })
        .collect()
}

fn text_of(value: &RawValue, kind: &str) -> Option<Bytes> {
    let text = value.get().trim();
    let bytes = |text: &str| Some(Bytes::copy_from_slice(text.as_bytes()));
    match (text.as_bytes().first()?, kind) {
        (_, "json" | "jsonb") => bytes(text),
        (b'"', kind) if is_plain(kind) => {
            let string: String = serde_json::from_str(text).ok()?;
            (!string.contains('\0')).then(|| string.into())
        }
        (b'{' | b'[', _) => None,
        (_, kind) if is_plain(kind) => bytes(text),
        _ => None,
    }
}

/// Types whose values are their texts; of others, and of those with a length, only the database knows.
fn is_plain(kind: &str) -> bool {
    matches!(
        kind,
        "text"
            | "character varying"
            | "smallint"
            | "integer"
            | "bigint"
            | "numeric"
            | "real"
            | "double precision"
            | "boolean"
            | "uuid"
            | "date"
            | "time without time zone"
            | "time with time zone"
            | "timestamp without time zone"
            | "timestamp with time zone"
            | "interval"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::parse_payload;

    fn values(body: &'static str, kinds: &[(&str, &str)]) -> Option<Vec<Option<String>>> {
        let body = Bytes::from_static(body.as_bytes());
        let payload = parse_payload("application/json", body, None, false).unwrap();
        let kinds: Vec<(&str, TypeName)> = kinds
            .iter()
            .map(|(name, kind)| (*name, TypeName((*kind).to_owned())))
            .collect();
        let values = values_of(&payload, kinds.iter().map(|(name, kind)| (*name, kind)))?;
        let text = |value: Bytes| String::from_utf8(value.to_vec()).unwrap();
        Some(values.into_iter().map(|value| value.map(text)).collect())
    }

    #[test]
    fn plain_values_are_their_texts() {
        let found = values(
            r#"{"a": "x\ny", "b": 1.50, "c": true, "d": null, "e": {"k": [1]}, "f": "s"}"#,
            &[
                ("a", "text"),
                ("b", "numeric"),
                ("c", "boolean"),
                ("d", "integer"),
                ("e", "jsonb"),
                ("f", "json"),
                ("g", "text"),
            ],
        );
        let text = |text: &str| Some(text.to_owned());
        let expected = vec![
            text("x\ny"),
            text("1.50"),
            text("true"),
            None,
            text(r#"{"k": [1]}"#),
            text(r#""s""#),
            None,
        ];
        assert_eq!(found, Some(expected));
    }

    #[test]
    fn what_only_postgres_can_convert_is_left_to_it() {
        assert_eq!(values(r#"{"a": [1, 2]}"#, &[("a", "integer[]")]), None);
        assert_eq!(
            values(r#"{"a": "abc"}"#, &[("a", "character varying(2)")]),
            None
        );
        assert_eq!(values(r#"{"a": {"b": 1}}"#, &[("a", "text")]), None);
        assert_eq!(values(r#"[{"a": 1}]"#, &[("a", "integer")]), None);
    }
}
