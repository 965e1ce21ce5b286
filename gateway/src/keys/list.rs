//! Several keys in one variable.

use std::collections::BTreeMap;

use serde::Deserialize;
use svc_kit::env::Reader;

/// The forms that a list may have in JSON; the names of an object are for people.
#[derive(Deserialize)]
#[serde(untagged)]
enum Listed {
    One(String),
    Several(Vec<String>),
    Named(BTreeMap<String, String>),
}

/// The keys in the first of the variables that is set: one, several behind commas, or JSON.
///
/// In an object the one named `default` is the first.
pub(super) fn read(reader: &mut Reader<'_>, names: &[&str]) -> Vec<String> {
    reader.parse_with(names, parse).unwrap_or_default()
}

fn parse(text: &str) -> Result<Vec<String>, String> {
    let text = text.trim();
    let keys = if text.starts_with(['{', '[', '"']) {
        // The parser's own words could repeat a piece of a key.
        let listed = serde_json::from_str(text).map_err(|_| {
            "expected keys behind commas, or as a list or object of JSON".to_owned()
        })?;
        match listed {
            Listed::One(key) => vec![key],
            Listed::Several(keys) => keys,
            Listed::Named(mut keys) => {
                let first = keys.remove("default");
                first.into_iter().chain(keys.into_values()).collect()
            }
        }
    } else {
        text.split(',').map(str::to_owned).collect()
    };
    let keys = keys.into_iter().map(|key| key.trim().to_owned());
    Ok(keys.filter(|key| !key.is_empty()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_keys_fit_in_one_variable() {
        for (text, expected) in [
            ("a", vec!["a"]),
            (" a , b ,", vec!["a", "b"]),
            (r#"["a", "b"]"#, vec!["a", "b"]),
            (
                r#"{"b": "second", "default": "first"}"#,
                vec!["first", "second"],
            ),
            (r#""a""#, vec!["a"]),
        ] {
            assert_eq!(parse(text).unwrap(), expected, "{text}");
        }
        let reason = parse(r#"["sb_secret_x", 7]"#).unwrap_err();
        assert!(!reason.contains("sb_secret"), "{reason}");
    }
}
