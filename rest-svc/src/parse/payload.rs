//! Bodies of writes and calls.

use std::collections::BTreeSet;

use bytes::Bytes;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PayloadKind {
    /// One JSON object.
    Object,
    /// An array of so many objects.
    Array(usize),
    /// Text, XML or bytes for a function's unnamed argument.
    Raw,
}

/// A body whose keys are known; the text stays as it was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload {
    /// What it is.
    pub kind: PayloadKind,
    /// The keys of the objects.
    pub keys: BTreeSet<String>,
    /// JSON, or whatever it is.
    pub text: Bytes,
}

const INVALID: &str = "Empty or invalid json";

/// Reads a body of the given content type. With `columns`, the keys are those, and the body is not looked at.
pub fn parse_payload(
    content_type: &str,
    body: Bytes,
    columns: Option<&[String]>,
    is_call: bool,
) -> Result<Payload, String> {
    let media = content_type
        .split(';')
        .next()
        .unwrap_or_default()
        .trim()
        .to_ascii_lowercase();
    let mut payload = match media.as_str() {
        "" | "application/json" => json(body, is_call, columns.is_some())?,
        "text/csv" => csv_rows(&body)?,
        "application/x-www-form-urlencoded" => form(&body),
        "text/plain" | "text/xml" | "application/octet-stream" if is_call => Payload {
            kind: PayloadKind::Raw,
            keys: BTreeSet::new(),
            text: body,
        },
        _ => return Err(format!("Content-Type not acceptable: {media}")),
    };
    if let Some(columns) = columns {
        payload.keys = columns.iter().cloned().collect();
    }
    Ok(payload)
}

fn json(body: Bytes, is_call: bool, any_keys: bool) -> Result<Payload, String> {
    if is_call && body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Payload {
            kind: PayloadKind::Object,
            keys: BTreeSet::new(),
            text: Bytes::from_static(b"{}"),
        });
    }
    let shape: Shape = serde_json::from_slice(&body).map_err(|_| INVALID.to_owned())?;
    let all_match = "All object keys must match".to_owned();
    match shape {
        Shape::Object(keys) => Ok(Payload {
            kind: PayloadKind::Object,
            keys,
            text: body,
        }),
        Shape::Array { len, keys, uniform } => match keys {
            Some(_) if !uniform && !any_keys => Err(all_match),
            keys => Ok(Payload {
                kind: PayloadKind::Array(len),
                keys: keys.unwrap_or_default(),
                text: body,
            }),
        },
        Shape::Mixed if any_keys => Ok(Payload {
            kind: PayloadKind::Array(1),
            keys: BTreeSet::new(),
            text: body,
        }),
        Shape::Mixed => Err(all_match),
        Shape::Scalar => Ok(Payload {
            kind: PayloadKind::Array(0),
            keys: BTreeSet::new(),
            text: Bytes::from_static(b"[]"),
        }),
    }
}

/// As much of a JSON text as decides what it is: its values are skipped, not kept.
enum Shape {
    Object(BTreeSet<String>),
    Array {
        len: usize,
        keys: Option<BTreeSet<String>>,
        uniform: bool,
    },
    Mixed,
    Scalar,
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor)
    }
}

struct ShapeVisitor;

impl<'de> Visitor<'de> for ShapeVisitor {
    type Value = Shape;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Shape, A::Error> {
        let mut keys = BTreeSet::new();
        while let Some((key, _)) = map.next_entry::<String, IgnoredAny>()? {
            keys.insert(key);
        }
        Ok(Shape::Object(keys))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Shape, A::Error> {
        let (mut len, mut keys, mut uniform, mut mixed) = (0, None, true, false);
        while let Some(element) = seq.next_element::<Shape>()? {
            len += 1;
            let Shape::Object(found) = element else {
                mixed = true;
                continue;
            };
            match &keys {
                None => keys = Some(found),
                Some(known) => uniform &= *known == found,
            }
        }
        Ok(if mixed {
            Shape::Mixed
        } else {
            Shape::Array { len, keys, uniform }
        })
    }

    fn visit_bool<E>(self, _: bool) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
    fn visit_i64<E>(self, _: i64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
    fn visit_u64<E>(self, _: u64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
    fn visit_f64<E>(self, _: f64) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
    fn visit_str<E>(self, _: &str) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
    fn visit_unit<E>(self) -> Result<Shape, E> {
        Ok(Shape::Scalar)
    }
}

fn csv_rows(body: &[u8]) -> Result<Payload, String> {
    let mismatch = || "All lines must have same number of fields".to_owned();
    let mut reader = csv::ReaderBuilder::new().from_reader(body);
    let header = reader.headers().map_err(|_| mismatch())?.clone();
    let mut rows = Vec::new();
    for record in reader.records() {
        let record = record.map_err(|_| mismatch())?;
        let row: Map<String, Value> = header
            .iter()
            .zip(record.iter())
            .map(|(key, value)| {
                (
                    key.to_owned(),
                    if value == "NULL" {
                        Value::Null
                    } else {
                        value.into()
                    },
                )
            })
            .collect();
        rows.push(Value::Object(row));
    }
    Ok(Payload {
        kind: PayloadKind::Array(rows.len()),
        keys: header.iter().map(str::to_owned).collect(),
        text: Value::Array(rows).to_string().into(),
    })
}

/// Reads a form as pairs in their order.
pub fn parse_form(body: &[u8]) -> Vec<(String, String)> {
    url::form_urlencoded::parse(body)
        .map(|(key, value)| (key.into_owned(), value.into_owned()))
        .collect()
}

fn form(body: &[u8]) -> Payload {
    let row: Map<String, Value> = parse_form(body)
        .into_iter()
        .map(|(key, value)| (key, value.into()))
        .collect();
    Payload {
        kind: PayloadKind::Object,
        keys: row.keys().cloned().collect(),
        text: Value::Object(row).to_string().into(),
    }
}
