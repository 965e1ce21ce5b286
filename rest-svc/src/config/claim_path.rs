//! The path of the role in a token's claims, as `jwt-role-claim-key` gives it.

use serde_json::{Map, Value};

/// One step of the path.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    /// `.key` or `."any key"`
    Key(String),
    /// `[0]`
    Index(usize),
    /// `[?(@ == "x")]`: the first text of an array that fits.
    Search(Comparison, String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Comparison {
    Equals,
    Differs,
    StartsWith,
    EndsWith,
    Contains,
}

/// Longer signs before their beginnings.
const COMPARISONS: [(&str, Comparison); 5] = [
    ("==^", Comparison::EndsWith),
    ("==", Comparison::Equals),
    ("!=", Comparison::Differs),
    ("^==", Comparison::StartsWith),
    ("*==", Comparison::Contains),
];

/// A path such as `.realm_access.roles[?(@ ^== "app_")]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimPath(Vec<Step>);

impl Default for ClaimPath {
    fn default() -> Self {
        Self(vec![Step::Key("role".to_owned())])
    }
}

impl ClaimPath {
    /// Reads a path.
    pub fn parse(text: &str) -> Result<Self, String> {
        let failed = || {
            format!(
                "failed to parse role-claim-key value ({text}): expected a path such as .role or .\"https://x/role\"[0]"
            )
        };
        let mut rest = text;
        let mut steps = Vec::new();
        while !rest.is_empty() {
            let (step, tail) = step(rest).ok_or_else(failed)?;
            let ends = matches!(step, Step::Search(..));
            steps.push(step);
            rest = tail;
            if ends && !rest.is_empty() {
                return Err(failed());
            }
        }
        if steps.is_empty() {
            Err(failed())
        } else {
            Ok(Self(steps))
        }
    }

    /// The text that the path leads to; other values than text are shown as JSON.
    pub fn find(&self, claims: &Map<String, Value>) -> Option<String> {
        let (first, rest) = self.0.split_first()?;
        let Step::Key(key) = first else { return None };
        let mut value = claims.get(key)?;
        for step in rest {
            value = match (step, value) {
                (Step::Key(key), Value::Object(map)) => map.get(key)?,
                (Step::Index(index), Value::Array(list)) => list.get(*index)?,
                (Step::Search(comparison, wanted), Value::Array(list)) => {
                    list.iter().find(|value| {
                        value
                            .as_str()
                            .is_some_and(|text| comparison.holds(text, wanted))
                    })?
                }
                _ => return None,
            };
        }
        match value {
            Value::String(role) => Some(role.clone()),
            Value::Null => None,
            other => Some(other.to_string()),
        }
    }
}

impl Comparison {
    fn holds(self, text: &str, wanted: &str) -> bool {
        match self {
            Self::Equals => text == wanted,
            Self::Differs => text != wanted,
            Self::StartsWith => text.starts_with(wanted),
            Self::EndsWith => text.ends_with(wanted),
            Self::Contains => text.contains(wanted),
        }
    }
}

fn step(text: &str) -> Option<(Step, &str)> {
    if let Some(inner) = text.strip_prefix("[?(@") {
        let inner = inner.trim_start();
        let (sign, comparison) = COMPARISONS
            .into_iter()
            .find(|(sign, _)| inner.starts_with(sign))?;
        let (value, rest) = quoted(inner[sign.len()..].trim_start())?;
        return Some((
            Step::Search(comparison, value.to_owned()),
            rest.strip_prefix(")]")?,
        ));
    }
    if let Some(inner) = text.strip_prefix('[') {
        let (digits, rest) = inner.split_once(']')?;
        return Some((Step::Index(digits.parse().ok()?), rest));
    }
    let after = text.strip_prefix('.')?;
    if let Some((key, rest)) = quoted(after) {
        return Some((Step::Key(key.to_owned()), rest));
    }
    let end = after
        .find(|c: char| !c.is_alphanumeric() && !"_$@".contains(c))
        .unwrap_or(after.len());
    (end > 0).then(|| (Step::Key(after[..end].to_owned()), &after[end..]))
}

fn quoted(text: &str) -> Option<(&str, &str)> {
    text.strip_prefix('"')?.split_once('"')
}

impl std::fmt::Display for ClaimPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for step in &self.0 {
            match step {
                Step::Key(key) => write!(f, ".{key:?}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
                Step::Search(comparison, value) => {
                    let sign = COMPARISONS.iter().find(|(_, known)| known == comparison);
                    write!(
                        f,
                        "[?(@ {} {value:?})]",
                        sign.map_or("==", |(sign, _)| sign)
                    )?;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn find(path: &str, claims: &Value) -> Option<String> {
        ClaimPath::parse(path).ok()?.find(claims.as_object()?)
    }

    #[test]
    fn a_role_is_found_by_key_index_and_comparison() {
        let claims = json!({"role": "a", "user": [{"real-role": "b"}], "roles": ["x_one", "y_two", 3], "x/y": {"z": null}, "n": 5});
        for (path, found) in [
            (".role", Some("a")),
            (".user[0].\"real-role\"", Some("b")),
            (".roles[?(@ == \"y_two\")]", Some("y_two")),
            (".roles[?(@ != \"x_one\")]", Some("y_two")),
            (".roles[?(@ ^== \"y\")]", Some("y_two")),
            (".roles[?(@ ==^ \"one\")]", Some("x_one")),
            (".roles[?(@ *== \"_t\")]", Some("y_two")),
            (".roles[?(@ == \"none\")]", None),
            (".\"x/y\".z", None),
            (".n", Some("5")),
            (".role.deeper", None),
            (".user.role", None),
        ] {
            assert_eq!(find(path, &claims).as_deref(), found, "{path}");
        }
    }

    #[test]
    fn other_texts_are_no_paths() {
        for text in [
            "",
            "role",
            ".",
            ".a b",
            ".a[",
            ".a[x]",
            ".a[?(@ ~ \"x\")]",
            ".a[?(@ == \"x\")].b",
        ] {
            assert!(ClaimPath::parse(text).is_err(), "{text}");
        }
    }
}
