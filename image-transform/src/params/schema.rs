//! The checks of the original's schema, in its words.

use serde_json::{Map, Value};

use super::{
    InvalidParameter,
    number::{self, Number},
};

/// One object under validation.
pub(super) struct Field<'a> {
    pub(super) place: &'a str,
    pub(super) given: &'a Map<String, Value>,
}

impl Field<'_> {
    fn violation<T>(&self, name: &str, what: &str) -> Result<T, InvalidParameter> {
        Err(InvalidParameter(format!("{}/{name} {what}", self.place)))
    }

    pub(super) fn required(&self, name: &str) -> Result<(), InvalidParameter> {
        if self.given.contains_key(name) {
            return Ok(());
        }
        Err(InvalidParameter(format!(
            "{} must have required property '{name}'",
            self.place
        )))
    }

    pub(super) fn focal_coordinate(&self, name: &str) -> Result<(), InvalidParameter> {
        match self.given.get(name).map(number::coerce) {
            Some(Number::Finite(at)) if at < 0.0 => self.violation(name, "must be >= 0"),
            Some(Number::Finite(at)) if at > 1.0 => self.violation(name, "must be <= 1"),
            Some(Number::Finite(_)) => Ok(()),
            _ => self.violation(name, "must be number"),
        }
    }

    pub(super) fn integer(
        &self,
        name: &str,
        min: f64,
        max: f64,
    ) -> Result<Option<f64>, InvalidParameter> {
        match self.given.get(name).map(number::coerce) {
            None => Ok(None),
            Some(Number::Infinite) => self.infinite(name),
            Some(Number::Finite(value)) if value.fract() == 0.0 => {
                if value < min {
                    return self.violation(name, &format!("must be >= {min}"));
                }
                if value > max {
                    return self.violation(name, &format!("must be <= {max}"));
                }
                Ok(Some(value))
            }
            Some(_) => self.violation(name, "must be integer"),
        }
    }

    pub(super) fn number(&self, name: &str) -> Result<Option<f64>, InvalidParameter> {
        match self.given.get(name).map(number::coerce) {
            None => Ok(None),
            Some(Number::Infinite) => self.infinite(name),
            Some(Number::Finite(value)) => Ok(Some(value)),
            Some(Number::Not) => self.violation(name, "must be number"),
        }
    }

    fn infinite<T>(&self, name: &str) -> Result<T, InvalidParameter> {
        self.violation(name, "must pass \"finite\" keyword validation")
    }

    pub(super) fn choice<T>(
        &self,
        name: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Option<T>, InvalidParameter> {
        let choice = match self.given.get(name) {
            None => return Ok(None),
            Some(Value::String(text)) => parse(text),
            Some(Value::Array(values)) if values.len() == 1 => values[0].as_str().and_then(parse),
            Some(Value::Array(_) | Value::Object(_)) => {
                return self.violation(name, "must be string");
            }
            Some(_) => None,
        };
        if choice.is_none() {
            return self.violation(name, "must be equal to one of the allowed values");
        }
        Ok(choice)
    }
}
