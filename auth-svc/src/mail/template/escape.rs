//! What a value turns into depends on where it stands.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};

/// What Go writes instead of an address with a dangerous scheme.
const UNSAFE_URL: &str = "#ZgotmplZ";
/// What cannot stand in an address as it is.
const NOT_IN_URL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'\'');
const NOT_IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
    /// The whole address, or its beginning.
    Url,
    /// Inside an address, before its query.
    UrlPart,
    /// Inside the query.
    Query,
    /// A script or a style, where nothing from outside belongs.
    Code,
}

/// A value as it may stand in its place.
pub(super) fn fill(value: &str, place: Place) -> String {
    match place {
        Place::Text | Place::Attribute => escape(value),
        Place::Url if !has_safe_scheme(value) => UNSAFE_URL.to_owned(),
        Place::Url | Place::UrlPart => escape(&utf8_percent_encode(value, NOT_IN_URL).to_string()),
        Place::Query => utf8_percent_encode(value, NOT_IN_QUERY).to_string(),
        Place::Code => String::new(),
    }
}

/// Where a value stands that follows this part of a template.
pub(super) fn place(before: &str) -> Place {
    let lower = before.to_ascii_lowercase();
    for code in ["script", "style"] {
        let opened = lower.rfind(&format!("<{code}"));
        if opened > lower.rfind(&format!("</{code}")) {
            return Place::Code;
        }
    }
    let Some(tag) = before.rfind('<').map(|start| &before[start..]) else {
        return Place::Text;
    };
    let mut quote = None;
    let mut value_start = 0;
    for (index, c) in tag.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                value_start = index + 1;
            }
            None if c == '>' => return Place::Text,
            Some(_) | None => {}
        }
    }
    if quote.is_none() {
        return Place::Attribute;
    }
    let name = tag[..value_start - 1]
        .trim_end()
        .trim_end_matches('=')
        .trim_end()
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let value = &tag[value_start..];
    match name.as_str() {
        "href" | "src" | "action" | "formaction" | "background" | "cite" | "poster"
        | "xlink:href" => {
            if value.trim().is_empty() {
                Place::Url
            } else if value.contains(['?', '#']) {
                Place::Query
            } else {
                Place::UrlPart
            }
        }
        "style" => Place::Code,
        name if name.starts_with("on") => Place::Code,
        _ => Place::Attribute,
    }
}

fn has_safe_scheme(url: &str) -> bool {
    match url.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].contains(&scheme.trim().to_ascii_lowercase().as_str())
        }
        _ => true,
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '+' => out.push_str("&#43;"),
            '\0' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}
