//! Values of rows, which arrive in Postgres's binary format, and JSON made of them without parsing what is JSON
//! already.

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use svc_kit::wire::Row;
use uuid::Uuid;

/// A value of the type `uuid`.
pub(crate) fn uuid(row: &Row, index: usize) -> Option<Uuid> {
    Uuid::from_slice(row.get(index)?).ok()
}

/// A value of the type `boolean`.
pub(crate) fn boolean(row: &Row, index: usize) -> Option<bool> {
    row.get(index).map(|bytes| bytes == [1])
}

/// A value of the type `integer`.
pub(crate) fn integer(row: &Row, index: usize) -> Option<i32> {
    Some(i32::from_be_bytes(row.get(index)?.try_into().ok()?))
}

/// A value of the type `timestamptz`: microseconds since 2000.
pub(crate) fn time(row: &Row, index: usize) -> Option<DateTime<Utc>> {
    const EPOCH: i64 = 946_684_800;
    DateTime::from_timestamp(EPOCH, 0)?
        .checked_add_signed(TimeDelta::microseconds(row.bigint(index)?))
}

/// The text of a value of the type `jsonb`, which is sent behind a version.
pub(crate) fn json(row: &Row, index: usize) -> Option<&str> {
    let (version, text) = row.get(index)?.split_first()?;
    (*version == 1).then(|| std::str::from_utf8(text).ok())?
}

/// The time as JavaScript prints it: `2026-11-21T00:07:57.635Z`.
pub(crate) fn iso(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Writes one JSON object after the other, in an order of members that clients know.
#[derive(Debug, Default)]
pub(crate) struct JsonWriter {
    text: String,
}

impl JsonWriter {
    pub(crate) fn with_capacity(bytes: usize) -> Self {
        Self {
            text: String::with_capacity(bytes),
        }
    }

    /// Punctuation that the caller knows to fit.
    pub(crate) fn raw(&mut self, text: &str) -> &mut Self {
        self.text.push_str(text);
        self
    }

    /// A member `"name":`, after a comma unless it is the first of its object.
    fn name(&mut self, name: &str) {
        if !self.text.ends_with(['{', '[']) {
            self.text.push(',');
        }
        self.text.push('"');
        self.text.push_str(name);
        self.text.push_str("\":");
    }

    /// A text, or null.
    pub(crate) fn string(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        self.name(name);
        match value {
            Some(value) => self.quoted(value),
            None => self.text.push_str("null"),
        }
        self
    }

    /// JSON as it is, or null.
    pub(crate) fn json(&mut self, name: &str, value: Option<&str>) -> &mut Self {
        self.name(name);
        self.text.push_str(value.unwrap_or("null"));
        self
    }

    /// A time, or null.
    pub(crate) fn time(&mut self, name: &str, value: Option<DateTime<Utc>>) -> &mut Self {
        self.name(name);
        match value {
            Some(value) => {
                self.text.push('"');
                self.text.push_str(&iso(value));
                self.text.push('"');
            }
            None => self.text.push_str("null"),
        }
        self
    }

    /// An id, or null.
    pub(crate) fn uuid(&mut self, name: &str, value: Option<Uuid>) -> &mut Self {
        self.name(name);
        match value {
            Some(value) => {
                let mut buffer = Uuid::encode_buffer();
                self.text.push('"');
                self.text
                    .push_str(value.hyphenated().encode_lower(&mut buffer));
                self.text.push('"');
            }
            None => self.text.push_str("null"),
        }
        self
    }

    fn quoted(&mut self, value: &str) {
        let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
        if value.bytes().all(is_plain) {
            self.text.push('"');
            self.text.push_str(value);
            self.text.push('"');
        } else {
            // A text always serialises.
            self.text
                .push_str(&serde_json::to_string(value).unwrap_or_default());
        }
    }

    pub(crate) fn finish(self) -> String {
        self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_keep_their_order_and_json_is_left_alone() {
        let mut writer = JsonWriter::default();
        let time = DateTime::from_timestamp_millis(1_795_219_677_635);
        writer
            .raw("{")
            .string("name", Some("a \"b\"\n"))
            .uuid("id", None)
            .time("at", time)
            .json("metadata", Some("{\"a\": 1}"))
            .raw("}");
        assert_eq!(
            writer.finish(),
            r#"{"name":"a \"b\"\n","id":null,"at":"2026-11-21T00:07:57.635Z","metadata":{"a": 1}}"#
        );
    }
}
