//! Values as Elixir prints them. Clients have seen these texts for years, and some look for them.

use std::fmt::Write as _;

use serde_json::Value;

pub(super) fn inspect(value: &Value) -> String {
    match value {
        Value::Null => "nil".to_owned(),
        Value::Bool(_) | Value::Number(_) => value.to_string(),
        Value::String(text) => inspect_string(text),
        Value::Array(items) => match charlist(items) {
            Some(text) => text,
            None => joined("[", items.iter().map(inspect), "]"),
        },
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.sort_unstable_by_key(|(name, _)| *name);
            let members = members
                .into_iter()
                .map(|(name, value)| format!("{} => {}", inspect_string(name), inspect(value)));
            joined("%{", members, "}")
        }
    }
}

pub(super) fn inspect_list(items: &[&str]) -> String {
    joined("[", items.iter().map(|item| inspect_string(item)), "]")
}

pub(super) fn inspect_string(text: &str) -> String {
    format!("\"{}\"", escaped(text, '"'))
}

fn joined(open: &str, items: impl Iterator<Item = String>, close: &str) -> String {
    let items: Vec<_> = items.collect();
    format!("{open}{}{close}", items.join(", "))
}

/// A list of numbers that could all be letters is taken for a text.
fn charlist(items: &[Value]) -> Option<String> {
    let letter = |item: &Value| {
        let code = u8::try_from(item.as_u64()?).ok()?;
        matches!(code, 7..=13 | 27 | 32..=126).then_some(char::from(code))
    };
    let text: String = items.iter().map(letter).collect::<Option<_>>()?;
    (!text.is_empty()).then(|| format!("~c\"{}\"", escaped(&text, '"')))
}

fn escaped(text: &str, quote: char) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.push_str("\\\\"),
            c if c == quote => {
                out.push('\\');
                out.push(c);
            }
            '#' if characters.peek() == Some(&'{') => out.push_str("\\#"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\t' => out.push_str("\\t"),
            '\n' => out.push_str("\\n"),
            '\u{b}' => out.push_str("\\v"),
            '\u{c}' => out.push_str("\\f"),
            '\r' => out.push_str("\\r"),
            '\u{1b}' => out.push_str("\\e"),
            '\0' => out.push_str("\\0"),
            '\u{7f}' => out.push_str("\\d"),
            c if c.is_control() => {
                let _ = write!(out, "\\x{:02X}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out
}
