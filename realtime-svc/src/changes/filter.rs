//! A condition of a subscription on one table, made ready for being asked often.

use std::cmp::Ordering;

use super::{
    types::{self, Kind},
    wanted::{Condition, Operator},
};

/// What a filter says of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    Yes,
    No,
    /// Only the database knows.
    Ask,
}

impl From<bool> for Answer {
    fn from(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }
}

/// A condition, and what its value means for the type of its column.
#[derive(Clone, Debug)]
pub(super) struct Filter {
    pub(super) condition: Condition,
    /// The type that the column had when the subscription was made.
    pub(super) type_oid: u32,
    literal: Option<Literal>,
}

#[derive(Clone, Debug)]
struct Literal {
    kind: Kind,
    /// One, or those of a list.
    keys: Vec<Box<str>>,
    /// A list may have a null among its values.
    has_null: bool,
}

impl Filter {
    /// `value` is the condition's value as JSON of the column's type, of a list an array of those; none for operators
    /// whose right side is no such value.
    pub(super) fn new(
        condition: Condition,
        type_oid: u32,
        is_enum: bool,
        value: Option<&str>,
    ) -> Self {
        let literal = Kind::of(type_oid, is_enum)
            .zip(value)
            .and_then(|(kind, value)| Literal::read(kind, value));
        Self {
            condition,
            type_oid,
            literal,
        }
    }

    /// The keys of the only values with which this can hold, if they are few and known.
    pub(super) fn keys(&self) -> Option<&[Box<str>]> {
        let is_equality = matches!(self.condition.operator, Operator::Eq | Operator::In);
        let literal = self.literal.as_ref()?;
        (is_equality && !self.condition.is_negated).then_some(literal.keys.as_slice())
    }

    /// Of which kind the keys are.
    pub(super) fn kind(&self) -> Option<Kind> {
        self.literal.as_ref().map(|literal| literal.kind)
    }

    /// Does it hold for this value, which has this type now? No value is null.
    pub(super) fn test(&self, type_oid: u32, value: Option<&str>) -> Answer {
        let negated = self.condition.is_negated;
        // To JSON null no text corresponds, so it counts as null.
        let is_json = matches!(type_oid, types::JSON | types::JSONB);
        let value = value.filter(|text| !(is_json && text.trim() == "null"));
        match (self.condition.operator, value) {
            (Operator::Is, value) => self.is(type_oid, value),
            (Operator::IsDistinct, None) => (!negated).into(),
            // Beside an empty list every other answer is null.
            (Operator::In, None) => Answer::Ask,
            (_, None) => Answer::No,
            (operator, Some(value)) if type_oid == self.type_oid => {
                let literal = self.literal.as_ref();
                literal.map_or(Answer::Ask, |it| it.answer(operator, negated, value))
            }
            _ => Answer::Ask,
        }
    }

    fn is(&self, type_oid: u32, value: Option<&str>) -> Answer {
        let holds = match (self.condition.value.as_str(), value) {
            ("null", value) => value.is_none(),
            ("unknown", value) if type_oid == types::BOOL => value.is_none(),
            ("true", value) if type_oid == types::BOOL => value == Some("t"),
            ("false", value) if type_oid == types::BOOL => value == Some("f"),
            _ => return Answer::Ask,
        };
        (holds != self.condition.is_negated).into()
    }
}

impl Literal {
    fn read(kind: Kind, json: &str) -> Option<Self> {
        let value: serde_json::Value = serde_json::from_str(json).ok()?;
        // Not through a number of Rust's, which would lose digits.
        let raw = |raw: &serde_json::value::RawValue| -> Option<Box<str>> {
            let text = raw.get();
            let text = if text.starts_with('"') {
                serde_json::from_str::<String>(text).ok()?
            } else {
                text.to_owned()
            };
            Some(kind.key(&text)?.into())
        };
        if !value.is_array() {
            let scalar: &serde_json::value::RawValue = serde_json::from_str(json).ok()?;
            return Some(Self {
                kind,
                keys: vec![raw(scalar)?],
                has_null: false,
            });
        }
        let items: Vec<&serde_json::value::RawValue> = serde_json::from_str(json).ok()?;
        // An array of arrays is flattened by Postgres; nobody asks for one.
        if items.iter().any(|item| item.get().starts_with('[')) {
            return None;
        }
        let values = items.iter().filter(|item| item.get() != "null");
        Some(Self {
            kind,
            keys: values.map(|item| raw(item)).collect::<Option<_>>()?,
            has_null: items.iter().any(|item| item.get() == "null"),
        })
    }

    /// The answer for a value that is not null.
    fn answer(&self, operator: Operator, is_negated: bool, value: &str) -> Answer {
        let Some(key) = self.kind.key(value) else {
            return Answer::Ask;
        };
        if operator == Operator::In {
            let is_in = self.keys.iter().any(|it| **it == *key);
            return if !is_in && self.has_null {
                // Neither true nor false.
                Answer::No
            } else {
                (is_in != is_negated).into()
            };
        }
        let Some(other) = self.keys.first() else {
            return Answer::Ask;
        };
        let is_equal = **other == *key;
        let order = || self.kind.compare(&key, other);
        let holds = match operator {
            Operator::Eq => Some(is_equal),
            Operator::Neq | Operator::IsDistinct => Some(!is_equal),
            Operator::Lt => order().map(Ordering::is_lt),
            Operator::Lte => order().map(Ordering::is_le),
            Operator::Gt => order().map(Ordering::is_gt),
            Operator::Gte => order().map(Ordering::is_ge),
            _ => None,
        };
        holds.map_or(Answer::Ask, |holds| (holds != is_negated).into())
    }
}
