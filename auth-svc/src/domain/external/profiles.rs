//! How the answers of the providers read. Each function gets the address of the API, which stands in for
//! an issuer, and the pages that its spec names, in their order.

mod code;
mod social;
mod work;

pub(super) use code::{bitbucket, figma, fly, github, gitlab};
pub(super) use social::{discord, facebook, kakao, snapchat, spotify, twitch, x};
pub(super) use work::{keycloak, linkedin, notion, slack, slack_oidc, workos, zoom};

use serde_json::Value;

/// The text at a JSON pointer, or the empty one.
fn text<'a>(value: &'a Value, pointer: &str) -> &'a str {
    value
        .pointer(pointer)
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// An id, which some write as a number.
fn id(value: &Value, pointer: &str) -> String {
    match value.pointer(pointer) {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Number(number)) if number.as_i64() != Some(0) => number.to_string(),
        _ => String::new(),
    }
}

/// True only for a plain true.
fn flag(value: &Value, pointer: &str) -> bool {
    value.pointer(pointer) == Some(&Value::Bool(true))
}

/// Two names as one.
pub(super) fn joined(first: &str, last: &str) -> String {
    format!("{first} {last}").trim().to_owned()
}

/// The items of a list, or none.
fn items<'a>(value: &'a Value, pointer: &str) -> impl Iterator<Item = &'a Value> {
    value
        .pointer(pointer)
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
}

#[cfg(test)]
mod tests;
