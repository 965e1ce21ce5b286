//! Numbers as the original's schema validator and its language read them.

use serde_json::Value;

/// What a value is after coercion to a number.
pub(super) enum Number {
    Finite(f64),
    Infinite,
    Not,
}

/// Text, booleans, null and arrays of one count as numbers where the original's validator coerces them.
pub(super) fn coerce(value: &Value) -> Number {
    let number = match value {
        Value::Number(number) => number.as_f64(),
        Value::String(text) => literal(text),
        Value::Bool(given) => Some(f64::from(u8::from(*given))),
        Value::Null => Some(0.0),
        Value::Array(values) if values.len() == 1 => match &values[0] {
            Value::Array(_) => None,
            only => return coerce(only),
        },
        Value::Array(_) | Value::Object(_) => None,
    };
    match number {
        Some(number) if number.is_finite() => Number::Finite(number),
        Some(number) if number.is_infinite() => Number::Infinite,
        _ => Number::Not,
    }
}

/// A numeric literal: decimal, or prefixed and without a sign.
fn literal(text: &str) -> Option<f64> {
    let text = text.trim();
    for (prefix, radix) in [
        ("0x", 16),
        ("0X", 16),
        ("0o", 8),
        ("0O", 8),
        ("0b", 2),
        ("0B", 2),
    ] {
        if let Some(digits) = text.strip_prefix(prefix) {
            if digits.starts_with(['+', '-']) {
                return None;
            }
            #[expect(clippy::cast_precision_loss, reason = "sizes that large are clamped")]
            return u64::from_str_radix(digits, radix).ok().map(|n| n as f64);
        }
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if unsigned == "Infinity" || unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return text.parse().ok();
    }
    None
}

/// The integer that a text starts with.
pub(super) fn leading_integer(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    text.get(..text.len() - digits.len() + end)?.parse().ok()
}

/// The finite number that a text starts with.
pub(super) fn leading_float(text: &str) -> Option<f64> {
    let text = text.trim_start();
    let mut seen_dot = false;
    let end = text
        .char_indices()
        .find(|&(at, c)| match c {
            '0'..='9' => false,
            '+' | '-' => at != 0,
            '.' => std::mem::replace(&mut seen_dot, true),
            _ => true,
        })
        .map_or(text.len(), |(at, _)| at);
    text.get(..end)?
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite())
}
