use bytes::Bytes;
use uuid::Uuid;

use crate::socket::{Encoding, Frame, Version, json, user_broadcast};

/// A message to a room.
#[derive(Clone, Debug)]
pub(crate) struct Broadcast {
    /// Of a message that is kept in the database. Whoever got it as a replay does not get it again.
    pub(crate) id: Option<Uuid>,
    pub(crate) body: Body,
}

/// A message as it came in, which decides how version 2 gets it.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// The JSON text of `{"type", "event", "payload", "meta"?}`, of a text frame or of a batch; it goes out as text. What
    /// is no object is for version 1 alone.
    Text(Box<str>),
    /// Of a binary frame, a single request or the database; goes out in binary framing.
    User {
        event: Box<str>,
        encoding: Encoding,
        payload: Bytes,
        /// JSON text, or nothing.
        meta: Option<Box<str>>,
    },
}

impl Broadcast {
    /// A message that no table keeps.
    pub(crate) fn of_socket(body: Body) -> Self {
        Self { id: None, body }
    }

    /// The frame for a socket of this version that joined this topic; nothing if the version cannot say it.
    pub(crate) fn frame(&self, version: Version, topic: &str) -> Option<Frame> {
        match (&self.body, version) {
            (Body::Text(payload), Version::V2) if !payload.starts_with('{') => None,
            (Body::Text(payload), version) => Some(version.fan_out(topic, "broadcast", payload)),
            (
                Body::User {
                    event,
                    encoding,
                    payload,
                    meta,
                },
                Version::V2,
            ) => user_broadcast(
                topic,
                event,
                meta.as_deref().unwrap_or(""),
                *encoding,
                payload,
            ),
            (
                Body::User {
                    event,
                    encoding: Encoding::Json,
                    payload,
                    meta,
                },
                Version::V1,
            ) => {
                let payload = std::str::from_utf8(payload).ok()?;
                // What a client calls JSON may be anything, and would break the frame around it.
                serde_json::from_str::<serde::de::IgnoredAny>(payload).ok()?;
                let mut text = format!(
                    r#"{{"event":{},"payload":{payload},"type":"broadcast""#,
                    json(event)
                );
                if let Some(meta) = meta {
                    text.push_str(r#","meta":"#);
                    text.push_str(meta);
                }
                text.push('}');
                Some(version.fan_out(topic, "broadcast", &text))
            }
            // Version 1 has no way to say bytes.
            (Body::User { .. }, Version::V1) => None,
        }
    }
}
