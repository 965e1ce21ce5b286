//! The grammar of `X-Robots-Tag`, which an upload may set.

use crate::error::{Error, Result};

const SIMPLE: [&str; 8] = [
    "all",
    "noindex",
    "nofollow",
    "none",
    "nosnippet",
    "indexifembedded",
    "notranslate",
    "noimageindex",
];
const PREVIEWS: [&str; 3] = ["none", "standard", "large"];
const UNAVAILABLE_AFTER: &str = "unavailable_after";
/// User agents in front of user agents.
const DEPTH: usize = 8;

fn is_parametric(name: &str) -> bool {
    matches!(
        name,
        "max-snippet" | "max-image-preview" | "max-video-preview" | UNAVAILABLE_AFTER
    )
}

/// Refuses a value that search engines would not understand.
pub(crate) fn check(value: &str) -> Result<()> {
    check_at(value, DEPTH)
}

fn refuse(text: &str) -> Error {
    Error::invalid_robots_tag(text)
}

fn check_at(value: &str, depth: usize) -> Result<()> {
    let value = value.trim();
    if value.is_empty() || depth == 0 {
        return Err(refuse(
            "X-Robots-Tag header value must be a non-empty string",
        ));
    }
    for rule in split(value) {
        if rule.is_empty() {
            return Err(refuse("X-Robots-Tag header contains empty rule"));
        }
        match rule.split_once(':') {
            Some((name, value)) if is_parametric(name) => parametric(name, value.trim())?,
            _ if SIMPLE.contains(&rule) => {}
            Some((agent, rules)) if rules.trim().is_empty() => {
                let agent = agent.trim();
                return Err(refuse(&format!(
                    "X-Robots-Tag user agent \"{agent}\" has no rules specified"
                )));
            }
            Some((_, rules)) => check_at(rules, depth - 1)?,
            None => return Err(refuse(&format!("Invalid X-Robots-Tag rule: \"{rule}\""))),
        }
    }
    Ok(())
}

/// Rules are separated by commas, but a date may have one.
fn split(value: &str) -> Vec<&str> {
    let mut rules = Vec::new();
    let mut rest = value.trim();
    while !rest.is_empty() {
        let is_date = rest
            .strip_prefix(UNAVAILABLE_AFTER)
            .is_some_and(|rest| rest.starts_with(':'));
        let mut commas = rest.match_indices(',').map(|(at, _)| at);
        let end = if is_date {
            commas.find(|at| begins_rule(rest[at + 1..].trim_start()))
        } else {
            commas.next()
        };
        let Some(end) = end else {
            rules.push(rest.trim());
            break;
        };
        rules.push(rest[..end].trim());
        rest = rest[end + 1..].trim();
    }
    rules
}

/// True if a rule or a user agent begins here.
fn begins_rule(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    let word = text.split(|c| !is_word(c)).next().unwrap_or_default();
    let is_agent = !word.is_empty() && text[word.len()..].starts_with(':');
    let is_rule = SIMPLE.iter().any(|rule| text.starts_with(rule))
        || [
            "max-snippet",
            "max-image-preview",
            "max-video-preview",
            UNAVAILABLE_AFTER,
        ]
        .iter()
        .any(|rule| text.starts_with(rule));
    is_agent || is_rule
}

fn parametric(name: &str, value: &str) -> Result<()> {
    if value.is_empty() {
        return Err(refuse(&format!(
            "X-Robots-Tag rule \"{name}\" requires a value"
        )));
    }
    let fits = match name {
        "max-snippet" | "max-video-preview" => value
            .parse::<i64>()
            .is_ok_and(|number| number >= -1 && !value.starts_with('+')),
        "max-image-preview" => PREVIEWS.contains(&value),
        _ => is_date(value),
    };
    if fits {
        return Ok(());
    }
    Err(refuse(&match name {
        "max-image-preview" => format!(
            "X-Robots-Tag \"max-image-preview\" value must be one of: none, standard, large, got: \"{value}\""
        ),
        UNAVAILABLE_AFTER => format!(
            "X-Robots-Tag \"unavailable_after\" value must be a valid date, got: \"{value}\""
        ),
        _ => format!("X-Robots-Tag \"{name}\" value must be an integer >= -1, got: \"{value}\""),
    }))
}

/// The forms of RFC 822, RFC 850 and ISO 8601, which search engines read.
fn is_date(value: &str) -> bool {
    use chrono::{DateTime, NaiveDate, NaiveDateTime};
    httpdate::parse_http_date(value).is_ok()
        || DateTime::parse_from_rfc2822(value).is_ok()
        || DateTime::parse_from_rfc3339(value).is_ok()
        || NaiveDate::parse_from_str(value, "%Y-%m-%d").is_ok()
        || [
            "%d %b %Y %H:%M:%S",
            "%d-%b-%Y %H:%M:%S",
            "%Y-%m-%dT%H:%M:%S",
        ]
        .iter()
        .any(|format| {
            let text = value
                .trim_end_matches(|c: char| c.is_ascii_uppercase())
                .trim();
            NaiveDateTime::parse_from_str(text, format).is_ok()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_known_or_refused() {
        for value in [
            "noindex",
            "noindex, nofollow",
            "googlebot: noindex, otherbot: nofollow",
            "max-snippet: -1, max-image-preview: large",
            "unavailable_after: Thu, 25 Jun 2026 15:00:00 GMT, noindex",
            "unavailable_after: 2026-06-25",
        ] {
            assert!(
                check(value).is_ok(),
                "{value}: {}",
                check(value).unwrap_err()
            );
        }
        for (value, text) in [
            (
                " ",
                "Invalid X-Robots-Tag header: X-Robots-Tag header value must be a non-empty string",
            ),
            (
                "foo",
                "Invalid X-Robots-Tag header: Invalid X-Robots-Tag rule: \"foo\"",
            ),
            (
                "bot:",
                "Invalid X-Robots-Tag header: X-Robots-Tag user agent \"bot\" has no rules specified",
            ),
            (
                "noindex,,nofollow",
                "Invalid X-Robots-Tag header: X-Robots-Tag header contains empty rule",
            ),
            (
                "max-snippet:",
                "Invalid X-Robots-Tag header: X-Robots-Tag rule \"max-snippet\" requires a value",
            ),
        ] {
            assert_eq!(check(value).unwrap_err().message, text);
        }
        assert!(check(&"a:".repeat(5000)).is_err());
    }
}
