//! What copies say to each other.

use std::borrow::Cow;

use serde::{Deserialize, Serialize, Serializer};

use super::{chunks, log::Log};
use crate::{
    hub::{Body, Broadcast, Entry, RoomName},
    socket::{ChannelId, Encoding},
};

/// A message of a copy. The wire has its members in this order, so a change of them needs another
/// version in [`chunks`].
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Message<'a> {
    /// The sender is alive.
    Here {
        /// It has clients that need the log.
        wants_feed: bool,
        /// It wants to know who else is.
        asks: bool,
    },
    /// The sender stops.
    Bye,
    /// Who is in this room?
    Ask(#[serde(borrow)] Room<'a>),
    /// The sender has nobody in this room.
    Nobody(#[serde(borrow)] Room<'a>),
    /// A message to a room.
    Broadcast(
        #[serde(borrow)] Room<'a>,
        Option<[u8; 16]>,
        #[serde(borrow)] Said<'a>,
    ),
    /// A client tells of itself.
    Present(#[serde(borrow)] Room<'a>, #[serde(borrow)] Present<'a>),
    /// A client takes back what it told: its channel and key.
    Absent(#[serde(borrow)] Room<'a>, u64, &'a str),
    /// All that the sender's clients tell of themselves in a room.
    State(#[serde(borrow)] Room<'a>, #[serde(borrow)] Vec<Present<'a>>),
    /// What the log tells.
    Log(#[serde(borrow)] Log<'a>),
}

/// Topic, and whether it is the private room of that name.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Room<'a>(&'a str, bool);

/// What was said in a room.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Said<'a> {
    Text(&'a str),
    User {
        event: &'a str,
        is_json: bool,
        #[serde(borrow)]
        payload: Blob<'a>,
        meta: Option<&'a str>,
    },
}

/// An entry of presence.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Present<'a> {
    channel: u64,
    key: &'a str,
    reference: &'a str,
    text: &'a str,
}

/// Bytes that are written in one go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct Blob<'a>(pub(super) &'a [u8]);

impl Serialize for Blob<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // As `serialize_newtype_struct` would, which is nothing on this wire.
        serializer.serialize_bytes(self.0)
    }
}

impl<'a> From<&'a RoomName> for Room<'a> {
    fn from(name: &'a RoomName) -> Self {
        Self(&name.topic, name.is_private)
    }
}

impl Room<'_> {
    pub(super) fn name(&self) -> RoomName {
        RoomName {
            topic: self.0.into(),
            is_private: self.1,
        }
    }
}

impl<'a> From<&'a Body> for Said<'a> {
    fn from(body: &'a Body) -> Self {
        match body {
            Body::Text(text) => Self::Text(text),
            Body::User {
                event,
                encoding,
                payload,
                meta,
            } => Self::User {
                event,
                is_json: *encoding == Encoding::Json,
                payload: Blob(payload),
                meta: meta.as_deref(),
            },
        }
    }
}

/// The message as a room takes it; `frame` is what it was read from.
pub(super) fn broadcast(id: Option<[u8; 16]>, said: &Said<'_>, frame: &bytes::Bytes) -> Broadcast {
    let body = match said {
        Said::Text(text) => Body::Text((*text).into()),
        Said::User {
            event,
            is_json,
            payload,
            meta,
        } => Body::User {
            event: (*event).into(),
            encoding: if *is_json {
                Encoding::Json
            } else {
                Encoding::Bytes
            },
            payload: frame.slice_ref(payload.0),
            meta: meta.map(Into::into),
        },
    };
    Broadcast {
        id: id.map(uuid::Uuid::from_bytes),
        body,
    }
}

impl<'a> From<&'a Entry> for Present<'a> {
    fn from(entry: &'a Entry) -> Self {
        Self {
            channel: entry.channel.0,
            key: &entry.key,
            reference: &entry.reference,
            text: &entry.text,
        }
    }
}

impl From<&Present<'_>> for Entry {
    fn from(present: &Present<'_>) -> Self {
        Self {
            channel: ChannelId(present.channel),
            key: present.key.into(),
            reference: present.reference.into(),
            text: present.text.into(),
        }
    }
}

impl Message<'_> {
    /// The message with its header.
    pub(super) fn encode(&self, node: u64) -> bytes::Bytes {
        let buffer = chunks::begin(node);
        match postcard::to_io(self, buffer) {
            Ok(buffer) => buffer.into(),
            Err(error) => {
                // Writing into memory does not fail, and there is nothing in it that the format cannot say.
                tracing::error!(%error, "a message to other copies cannot be written");
                bytes::Bytes::new()
            }
        }
    }
}

/// Reads a message without its header.
pub(super) fn decode(bytes: &[u8]) -> Option<Message<'_>> {
    postcard::from_bytes(bytes)
        .inspect_err(|error| tracing::warn!(%error, "a message of another copy is not understood"))
        .ok()
}

/// For what is shown in logs.
impl std::fmt::Display for Room<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&Cow::Borrowed(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broadcast_arrives_as_it_was() {
        let name = RoomName {
            topic: "room".into(),
            is_private: true,
        };
        let id = uuid::Uuid::new_v4();
        for body in [
            Body::Text(r#"{"event":"e"}"#.into()),
            Body::User {
                event: "e".into(),
                encoding: Encoding::Bytes,
                payload: vec![0, 255, 7].into(),
                meta: Some("{}".into()),
            },
        ] {
            let sent =
                Message::Broadcast(Room::from(&name), Some(id.into_bytes()), Said::from(&body));
            let frame = sent.encode(5).slice(chunks::HEADER..);
            let Some(Message::Broadcast(room, told, said)) = decode(&frame) else {
                panic!("not a broadcast");
            };
            assert_eq!(room.name(), name);
            let got = broadcast(told, &said, &frame);
            assert_eq!(got.id, Some(id));
            assert_eq!(format!("{:?}", got.body), format!("{body:?}"));
        }
        assert!(decode(b"\xff\xff").is_none() && decode(b"").is_none());
    }
}
