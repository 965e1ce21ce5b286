//! What is known here of Postgres's own types, so that not every value has to be sent back to the database.
//!
//! Only what is certain is answered; for the rest the database is asked.

use std::{borrow::Cow, cmp::Ordering};

pub(super) const BOOL: u32 = 16;
pub(super) const BYTEA: u32 = 17;
const INT8: u32 = 20;
const INT2: u32 = 21;
const INT4: u32 = 23;
const TEXT: u32 = 25;
pub(super) const JSON: u32 = 114;
const CIDR: u32 = 650;
const FLOAT4: u32 = 700;
const FLOAT8: u32 = 701;
const MACADDR8: u32 = 774;
const MACADDR: u32 = 829;
const INET: u32 = 869;
const VARCHAR: u32 = 1043;
const DATE: u32 = 1082;
const TIME: u32 = 1083;
const TIMESTAMP: u32 = 1114;
const TIMESTAMPTZ: u32 = 1184;
const INTERVAL: u32 = 1186;
const TIMETZ: u32 = 1266;
const NUMERIC: u32 = 1700;
const UUID: u32 = 2950;
pub(super) const JSONB: u32 = 3802;

/// The JSON text of a value that Postgres wrote as text, as `to_jsonb` would make it; none if it has to be asked.
pub(super) fn to_json(type_oid: u32, text: &str) -> Option<String> {
    let quoted = |text: &str| Some(quoted(text));
    match type_oid {
        INT2 | INT4 | INT8 | JSONB => Some(text.to_owned()),
        NUMERIC if is_digits(text) => Some(text.to_owned()),
        FLOAT4 | FLOAT8 if is_digits(text) && text != "-0" && !text.contains('e') => {
            Some(text.to_owned())
        }
        FLOAT4 | FLOAT8 if text.contains('e') || text == "-0" => None,
        BOOL => Some(if text == "t" { "true" } else { "false" }.to_owned()),
        BYTEA => quoted(text.strip_prefix("\\x")?),
        TIMESTAMP | TIMESTAMPTZ if text.ends_with("infinity") => quoted(text),
        TIMESTAMP if !text.ends_with("BC") => quoted(&text.replacen(' ', "T", 1)),
        TIMESTAMPTZ => {
            let moment = text.strip_suffix("+00")?.replacen(' ', "T", 1);
            quoted(&format!("{moment}+00:00"))
        }
        TEXT | VARCHAR | UUID | DATE | TIME | TIMETZ | INTERVAL | INET | CIDR | MACADDR
        | MACADDR8 | NUMERIC | FLOAT4 | FLOAT8 => quoted(text),
        _ => None,
    }
}

/// A text as a JSON string.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

fn is_digits(text: &str) -> bool {
    let text = text.strip_prefix('-').unwrap_or(text);
    text.starts_with(|c: char| c.is_ascii_digit())
}

/// A type whose values can be compared here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Bool,
    Integer,
    Numeric,
    Float4,
    Float8,
    /// Equal if the bytes are; which is greater depends on the collation.
    Text,
    /// Equal if the text is, and ordered as the text is.
    Ordered,
    Date,
    Timestamp,
    Timestamptz,
}

impl Kind {
    pub(super) fn of(type_oid: u32, is_enum: bool) -> Option<Self> {
        Some(match type_oid {
            BOOL => Self::Bool,
            INT2 | INT4 | INT8 => Self::Integer,
            NUMERIC => Self::Numeric,
            FLOAT4 => Self::Float4,
            FLOAT8 => Self::Float8,
            TEXT | VARCHAR => Self::Text,
            UUID => Self::Ordered,
            DATE => Self::Date,
            TIMESTAMP => Self::Timestamp,
            TIMESTAMPTZ => Self::Timestamptz,
            _ if is_enum => Self::Text,
            _ => return None,
        })
    }

    /// A text that two values share if and only if they are equal, made from what Postgres writes for the value
    /// or for its JSON; none if that cannot be told.
    pub(super) fn key(self, text: &str) -> Option<Cow<'_, str>> {
        Some(match self {
            Self::Integer | Self::Text | Self::Ordered | Self::Date => Cow::Borrowed(text),
            Self::Bool => Cow::Borrowed(match text {
                "t" | "true" => "true",
                "f" | "false" => "false",
                _ => return None,
            }),
            Self::Timestamp => match text.split_once('T') {
                Some((day, time)) => Cow::Owned(format!("{day} {time}")),
                None => Cow::Borrowed(text),
            },
            Self::Timestamptz => {
                if text.ends_with("infinity") {
                    return Some(Cow::Borrowed(text));
                }
                // The service's sessions run in UTC.
                let moment = text.strip_suffix("+00:00").or(text.strip_suffix("+00"))?;
                match moment.split_once('T') {
                    Some((day, time)) => Cow::Owned(format!("{day} {time}")),
                    None => Cow::Borrowed(moment),
                }
            }
            Self::Numeric => numeric_key(text)?,
            Self::Float4 => float_key(f64::from(text.parse::<f32>().ok()?)),
            Self::Float8 => float_key(text.parse().ok()?),
        })
    }

    /// The order of two keys; none if it cannot be told.
    pub(super) fn compare(self, one: &str, other: &str) -> Option<Ordering> {
        if one == other {
            return Some(Ordering::Equal);
        }
        match self {
            Self::Bool | Self::Ordered => Some(one.cmp(other)),
            Self::Integer => Some(one.parse::<i64>().ok()?.cmp(&other.parse().ok()?)),
            Self::Float4 | Self::Float8 => float_order(one.parse().ok()?, other.parse().ok()?),
            Self::Numeric => numeric_order(one, other),
            Self::Date | Self::Timestamp | Self::Timestamptz => {
                let is_plain = |text: &str| {
                    let bytes = text.as_bytes();
                    bytes.len() >= 10
                        && bytes[..4].iter().all(u8::is_ascii_digit)
                        && bytes[4] == b'-'
                        && !text.ends_with("BC")
                };
                (is_plain(one) && is_plain(other)).then(|| one.cmp(other))
            }
            Self::Text => None,
        }
    }
}

/// Postgres takes NaN for equal to itself and for greater than the rest, and both zeros for one.
fn float_order(one: f64, other: f64) -> Option<Ordering> {
    match (one.is_nan(), other.is_nan()) {
        (true, true) => Some(Ordering::Equal),
        (true, false) => Some(Ordering::Greater),
        (false, true) => Some(Ordering::Less),
        (false, false) => one.partial_cmp(&other),
    }
}

fn float_key(value: f64) -> Cow<'static, str> {
    // Rust's shortest form is unique for a value, but for the sign of zero.
    let value = if value == 0.0 { 0.0 } else { value };
    Cow::Owned(value.to_string())
}

/// Without zeros that mean nothing.
fn numeric_key(text: &str) -> Option<Cow<'_, str>> {
    if !is_digits(text) {
        return matches!(text, "NaN" | "Infinity" | "-Infinity").then_some(Cow::Borrowed(text));
    }
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    if !digits
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'.')
    {
        return None;
    }
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let whole = whole.trim_start_matches('0');
    let fraction = fraction.trim_end_matches('0');
    if whole.is_empty() && fraction.is_empty() {
        return Some(Cow::Borrowed("0"));
    }
    let point = if fraction.is_empty() { "" } else { "." };
    Some(Cow::Owned(format!("{sign}{whole}{point}{fraction}")))
}

/// The order of two different keys.
fn numeric_order(one: &str, other: &str) -> Option<Ordering> {
    let is_special = |text: &str| text.ends_with('N') || text.ends_with('y');
    if is_special(one) || is_special(other) {
        return None;
    }
    let parts = |text: &str| -> (bool, String, String) {
        let is_negative = text.starts_with('-');
        let digits = text.trim_start_matches('-');
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        (
            is_negative,
            whole.trim_start_matches('0').to_owned(),
            fraction.to_owned(),
        )
    };
    let (one, other) = (parts(one), parts(other));
    if one.0 != other.0 {
        return Some(other.0.cmp(&one.0));
    }
    let size = |parts: &(bool, String, String)| parts.1.len();
    let order = size(&one)
        .cmp(&size(&other))
        .then_with(|| one.1.cmp(&other.1))
        .then_with(|| one.2.cmp(&other.2));
    Some(if one.0 { order.reverse() } else { order })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_ordered_by_value() {
        let order = |kind: Kind, one: &str, other: &str| {
            kind.compare(&kind.key(one).unwrap(), &kind.key(other).unwrap())
        };
        for (one, other, expected) in [
            ("1.50", "1.5", Ordering::Equal),
            ("-0.00", "0", Ordering::Equal),
            ("0.5", "0.25", Ordering::Greater),
            ("10", "9.99", Ordering::Greater),
            ("-10", "-9.99", Ordering::Less),
            ("-1", "0", Ordering::Less),
            ("0", "0.001", Ordering::Less),
            (
                "123456789012345678901234567890",
                "123456789012345678901234567891",
                Ordering::Less,
            ),
        ] {
            assert_eq!(
                order(Kind::Numeric, one, other),
                Some(expected),
                "{one} {other}"
            );
        }
        assert_eq!(order(Kind::Numeric, "NaN", "1"), None);
        assert_eq!(order(Kind::Integer, "10", "9"), Some(Ordering::Greater));
        assert_eq!(
            order(Kind::Float8, "NaN", "Infinity"),
            Some(Ordering::Greater)
        );
        assert_eq!(order(Kind::Float8, "-0", "0"), Some(Ordering::Equal));
        assert_eq!(
            order(Kind::Float8, "1e+20", "100000000000000000000"),
            Some(Ordering::Equal)
        );
    }

    #[test]
    fn a_moment_is_the_same_in_json() {
        let kind = Kind::Timestamptz;
        assert_eq!(
            kind.key("2025-11-03 09:32:55.5+00"),
            kind.key("2025-11-03T09:32:55.5+00:00")
        );
        let order = |one, other| kind.compare(&kind.key(one).unwrap(), &kind.key(other).unwrap());
        assert_eq!(
            order("2025-11-03 09:32:55.5+00", "2025-11-03 09:32:55.45+00"),
            Some(Ordering::Greater)
        );
        assert_eq!(
            order("10000-01-01 00:00:00+00", "2025-11-03 09:32:55+00"),
            None
        );
        assert_eq!(kind.key("2025-11-03 09:32:55+02"), None);
    }

    #[test]
    fn what_is_uncertain_is_left_to_the_database() {
        assert_eq!(to_json(FLOAT8, "1e+20"), None);
        assert_eq!(to_json(JSON, "{}"), None);
        assert_eq!(to_json(1042, "x"), None);
        assert_eq!(to_json(TIMESTAMPTZ, "2025-01-01 00:00:00+02"), None);
        assert_eq!(to_json(NUMERIC, "NaN").as_deref(), Some(r#""NaN""#));
        assert_eq!(to_json(BYTEA, "\\x0102").as_deref(), Some(r#""0102""#));
    }
}
