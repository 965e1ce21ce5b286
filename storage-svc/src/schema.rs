//! What a JSON body may look like, and the validator's words for one that does not.
//!
//! The original validates with Ajv as Fastify sets it up: values are coerced to the type wanted, the first violation
//! is reported.

use serde_json::{Map, Number, Value};

use crate::error::Error;

/// The shape of an object.
#[derive(Debug)]
pub(crate) struct Shape {
    pub(crate) required: &'static [&'static str],
    pub(crate) properties: &'static [(&'static str, Rule)],
}

/// The shape of a value.
#[derive(Debug)]
pub(crate) enum Rule {
    Text,
    OneOf(&'static [&'static str]),
    /// A whole number that is not less than this.
    Integer(i64),
    Boolean,
    /// An array of texts: fewest, most.
    Texts(usize, usize),
    /// The same, or null.
    NullableTexts,
    Object(&'static Shape),
    /// Bytes as a number or as text with a unit, or null.
    Size,
}

const SIZE_PATTERN: &str = "^[0-9]+(?:\\.[0-9]+)?(?:[gG][bB]|[mM][bB]|[kK][bB]|[bB])$";

impl Shape {
    /// Checks a body and coerces its values.
    pub(crate) fn check(&self, body: Value) -> Result<Map<String, Value>, Error> {
        let mut body = body;
        self.check_at("body", &mut body).map_err(Error::schema)?;
        match body {
            Value::Object(map) => Ok(map),
            _ => Err(Error::schema("body must be object")),
        }
    }

    fn check_at(&self, at: &str, value: &mut Value) -> Result<(), String> {
        let Value::Object(map) = value else {
            return Err(format!("{at} must be object"));
        };
        for name in self.required {
            if !map.contains_key(*name) {
                return Err(format!("{at} must have required property '{name}'"));
            }
        }
        for (name, rule) in self.properties {
            if let Some(value) = map.get_mut(*name) {
                rule.check(&format!("{at}/{name}"), value)?;
            }
        }
        Ok(())
    }
}

impl Rule {
    /// Checks a value of this name, and coerces it.
    pub(crate) fn check(&self, at: &str, value: &mut Value) -> Result<(), String> {
        match self {
            Self::Text => text(at, value).map(drop),
            Self::OneOf(allowed) => {
                let text = text(at, value)?;
                if allowed.contains(&text) {
                    Ok(())
                } else {
                    Err(format!("{at} must be equal to one of the allowed values"))
                }
            }
            Self::Integer(least) => integer(at, value, *least),
            Self::Boolean => {
                *value = Value::Bool(match value {
                    Value::Bool(truth) => *truth,
                    Value::Null => false,
                    Value::String(text) if text == "false" => false,
                    Value::String(text) if text == "true" => true,
                    Value::Number(number) if number.as_f64() == Some(0.0) => false,
                    Value::Number(number) if number.as_f64() == Some(1.0) => true,
                    _ => return Err(format!("{at} must be boolean")),
                });
                Ok(())
            }
            Self::Texts(fewest, most) => texts(at, value, *fewest, *most),
            Self::NullableTexts if value.is_null() => Ok(()),
            Self::NullableTexts => texts(at, value, 0, usize::MAX),
            Self::Object(shape) => shape.check_at(at, value),
            Self::Size => size(at, value),
        }
    }
}

fn text<'a>(at: &str, value: &'a mut Value) -> Result<&'a str, String> {
    unwrap_single(value);
    match value {
        Value::String(_) => {}
        Value::Number(number) => *value = Value::String(number.to_string()),
        Value::Bool(truth) => *value = Value::String(truth.to_string()),
        Value::Null => *value = Value::String(String::new()),
        _ => return Err(format!("{at} must be string")),
    }
    Ok(value.as_str().unwrap_or_default())
}

/// An array of one value stands for the value.
fn unwrap_single(value: &mut Value) {
    if let Value::Array(items) = value
        && items.len() == 1
        && !matches!(items[0], Value::Array(_) | Value::Object(_))
        && let Some(item) = items.pop()
    {
        *value = item;
    }
}

fn number(value: &mut Value) -> Option<Number> {
    unwrap_single(value);
    match value {
        Value::Number(number) => Some(number.clone()),
        Value::Null => Some(0.into()),
        Value::Bool(truth) => Some(u8::from(*truth).into()),
        Value::String(text) => {
            let text = text.trim();
            text.parse::<i64>()
                .map(Number::from)
                .ok()
                .or_else(|| Number::from_f64(text.parse().ok()?))
        }
        _ => None,
    }
}

fn integer(at: &str, value: &mut Value, least: i64) -> Result<(), String> {
    let whole = number(value).and_then(|number| {
        number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            // Beyond what a float holds exactly any number is whole; it is cut to what fits.
            #[expect(clippy::cast_possible_truncation, reason = "cut on purpose")]
            (float.fract() == 0.0).then_some(float as i64)
        })
    });
    let whole = whole.ok_or_else(|| format!("{at} must be integer"))?;
    if whole < least {
        return Err(format!("{at} must be >= {least}"));
    }
    *value = whole.into();
    Ok(())
}

fn texts(at: &str, value: &mut Value, fewest: usize, most: usize) -> Result<(), String> {
    match value {
        Value::Array(_) => {}
        Value::Object(_) => return Err(format!("{at} must be array")),
        _ => {
            let scalar = value.take();
            *value = Value::Array(vec![scalar]);
        }
    }
    let Value::Array(items) = value else {
        return Err(format!("{at} must be array"));
    };
    if items.len() > most {
        return Err(format!("{at} must NOT have more than {most} items"));
    }
    if items.len() < fewest {
        return Err(format!("{at} must NOT have fewer than {fewest} items"));
    }
    for (index, item) in items.iter_mut().enumerate() {
        text(&format!("{at}/{index}"), item)?;
    }
    Ok(())
}

fn size(at: &str, value: &mut Value) -> Result<(), String> {
    if value.is_null() || value.as_str() == Some("") {
        *value = Value::Null;
        return Ok(());
    }
    let as_number = integer(at, value, 0);
    let Err(reason) = as_number else {
        return Ok(());
    };
    if value.as_str().and_then(crate::names::parse_size).is_some() {
        return Ok(());
    }
    let second = match value {
        // Numbers were made text of on the way.
        Value::String(_) | Value::Number(_) => {
            format!("{at} must match pattern \"{SIZE_PATTERN}\"")
        }
        _ => format!("{at} must be string"),
    };
    let finite = if value.is_number() {
        String::new()
    } else {
        format!("{at} must pass \"finite\" keyword validation, ")
    };
    Err(format!(
        "{reason}, {finite}{second}, {at} must match a schema in anyOf"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SHAPE: Shape = Shape {
        required: &["name"],
        properties: &[
            ("name", Rule::Text),
            ("limit", Rule::Integer(1)),
            ("public", Rule::Boolean),
            ("paths", Rule::Texts(1, 2)),
            ("order", Rule::OneOf(&["asc", "desc"])),
            ("size", Rule::Size),
        ],
    };

    fn refused(body: Value) -> String {
        SHAPE.check(body).unwrap_err().message.into_owned()
    }

    #[test]
    fn the_first_violation_is_told() {
        for (body, text) in [
            (json!([]), "body must be object"),
            (
                json!({ "limit": 0 }),
                "body must have required property 'name'",
            ),
            (
                json!({ "name": "a", "limit": 0 }),
                "body/limit must be >= 1",
            ),
            (
                json!({ "name": "a", "limit": "x" }),
                "body/limit must be integer",
            ),
            (json!({ "name": {} }), "body/name must be string"),
            (
                json!({ "name": "a", "paths": [] }),
                "body/paths must NOT have fewer than 1 items",
            ),
            (
                json!({ "name": "a", "paths": [{}] }),
                "body/paths/0 must be string",
            ),
            (
                json!({ "name": "a", "order": "up" }),
                "body/order must be equal to one of the allowed values",
            ),
            (
                json!({ "name": "a", "public": "yes" }),
                "body/public must be boolean",
            ),
        ] {
            assert_eq!(refused(body), text);
        }
    }

    #[test]
    fn values_are_coerced() {
        let map = SHAPE
            .check(
                json!({ "name": 1, "limit": "5", "public": "true", "paths": "p", "size": "20MB" }),
            )
            .unwrap();
        assert_eq!(
            Value::Object(map),
            json!({ "name": "1", "limit": 5, "public": true, "paths": ["p"], "size": "20MB" })
        );
    }
}
