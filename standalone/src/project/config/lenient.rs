//! Values that came as text where something else is wanted, as from `env(PORT)`: the CLI takes them, and so do we.

use serde::{
    Deserializer,
    de::{
        Error as _, IntoDeserializer, Visitor,
        value::{MapDeserializer, SeqDeserializer, StringDeserializer},
    },
    forward_to_deserialize_any,
};
use toml::{Value, de::Error};

/// A value that is read as whatever is asked for, if it can be.
pub(super) struct Lenient(pub(super) Value);

impl IntoDeserializer<'_, Error> for Lenient {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match &self.0 {
                Value::String(text) => match text.trim().parse() {
                    Ok(number) => visitor.visit_i64(number),
                    Err(_) => Err(Error::custom(format!("{text:?} is no number"))),
                },
                _ => self.deserialize_any(visitor),
            }
        })*
    };
}

macro_rules! texts {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::Integer(_) | Value::Float(_) | Value::Boolean(_) | Value::Datetime(_) => {
                    visitor.visit_string(self.0.to_string())
                }
                _ => self.deserialize_any(visitor),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Lenient {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(text) => visitor.visit_string(text),
            Value::Integer(number) => visitor.visit_i64(number),
            Value::Float(number) => visitor.visit_f64(number),
            Value::Boolean(flag) => visitor.visit_bool(flag),
            Value::Datetime(time) => visitor.visit_string(time.to_string()),
            Value::Array(items) => {
                visitor.visit_seq(SeqDeserializer::new(items.into_iter().map(Self)))
            }
            Value::Table(table) => visitor.visit_map(MapDeserializer::new(
                table
                    .into_iter()
                    .map(|(name, value)| (StringDeserializer::new(name), Self(value))),
            )),
        }
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match &self.0 {
            Value::String(text) => match text.trim().to_ascii_lowercase().as_str() {
                "true" | "t" | "1" => visitor.visit_bool(true),
                "false" | "f" | "0" | "" => visitor.visit_bool(false),
                _ => Err(Error::custom("neither true nor false")),
            },
            _ => self.deserialize_any(visitor),
        }
    }

    numbers! { deserialize_u16 deserialize_u32 deserialize_u64 deserialize_i64 }
    texts! { deserialize_str deserialize_string }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            // As the environment writes a list.
            Value::String(text) if text.is_empty() => {
                visitor.visit_seq(SeqDeserializer::new(std::iter::empty::<Self>()))
            }
            Value::String(text) => visitor.visit_seq(SeqDeserializer::new(
                text.split(',')
                    .map(|item| Self(Value::String(item.to_owned()))),
            )),
            other => Self(other).deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        i8 i16 i32 i128 u8 u128 f32 f64 char bytes byte_buf unit unit_struct tuple tuple_struct map struct enum
        identifier ignored_any
    }
}
