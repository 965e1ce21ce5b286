//! What a token must still say after a hook changed it.

use serde_json::{Map, Value};

const REQUIRED: [&str; 10] = [
    "aud",
    "exp",
    "iat",
    "sub",
    "email",
    "phone",
    "role",
    "aal",
    "session_id",
    "is_anonymous",
];
/// The claims that have one type, and its name.
const TYPES: [(&str, &str); 16] = [
    ("exp", "integer"),
    ("jti", "string"),
    ("iat", "integer"),
    ("iss", "string"),
    ("nbf", "integer"),
    ("sub", "string"),
    ("email", "string"),
    ("phone", "string"),
    ("app_metadata", "object"),
    ("user_metadata", "object"),
    ("role", "string"),
    ("aal", "string"),
    ("amr", "array"),
    ("session_id", "string"),
    ("client_id", "string"),
    ("aud", "string/array"),
];

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(number) if number.as_f64().is_some_and(|n| n.fract() == 0.0) => "integer",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}

/// What is missing or of another type, one line each; nothing when a client can read the claims.
pub(super) fn faults(claims: &Map<String, Value>) -> Option<String> {
    let missing = REQUIRED
        .iter()
        .filter(|name| !claims.contains_key(**name))
        .map(|name| format!("- (root): {name} is required\n"));
    let wrong = TYPES.iter().filter_map(|(name, expected)| {
        let given = type_of(claims.get(*name)?);
        let fits = expected.split('/').any(|each| each == given);
        (!fits).then(|| format!("- {name}: Invalid type. Expected: {expected}, given: {given}\n"))
    });
    let lines: String = missing.chain(wrong).collect();
    (!lines.is_empty()).then_some(lines)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn claims(changes: &Value) -> Map<String, Value> {
        let mut claims = json!({
            "aud": ["a"], "exp": 1, "iat": 1, "sub": "s", "email": "", "phone": "", "role": "r",
            "aal": "aal1", "session_id": "s", "is_anonymous": false,
        });
        for (name, value) in changes.as_object().unwrap() {
            claims[name] = value.clone();
        }
        claims.as_object().unwrap().clone()
    }

    #[test]
    fn every_fault_has_a_line() {
        assert_eq!(faults(&claims(&json!({}))), None);
        let mut broken = claims(&json!({"exp": "soon", "role": 7}));
        broken.remove("aal");
        assert_eq!(
            faults(&broken).unwrap(),
            "- (root): aal is required\n\
             - exp: Invalid type. Expected: integer, given: string\n\
             - role: Invalid type. Expected: string, given: integer\n"
        );
    }
}
