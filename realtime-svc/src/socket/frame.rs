use std::{borrow::Cow, fmt::Write as _, sync::Arc};

use bytes::{BufMut as _, Bytes, BytesMut};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A message of a web socket. Its bytes are shared: to send it to many costs no copy.
pub(crate) type Frame = axum::extract::ws::Message;

/// `vsn` of a socket: how its frames are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) enum Version {
    /// `1.0.0`: objects.
    #[default]
    V1,
    /// `2.0.0`: arrays, and binary frames for broadcasts.
    V2,
}

/// A reference that a client made up, as JSON text: it is handed back as it came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ref(Arc<str>);

impl Ref {
    /// No reference.
    pub(crate) fn null() -> Self {
        Self("null".into())
    }

    fn of_text(text: &str) -> Self {
        Self(json(text).into())
    }
}

/// What a broadcast's payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encoding {
    Bytes,
    Json,
}

/// What a client sends along with an event.
#[derive(Clone, Debug)]
pub(crate) enum Payload {
    Json(Box<RawValue>),
    /// Of a binary push of Phoenix; no event of ours has one.
    Bytes,
    /// A broadcast in binary framing.
    User {
        event: Box<str>,
        encoding: Encoding,
        payload: Bytes,
    },
}

impl Payload {
    /// How many bytes it is.
    pub(crate) fn len(&self) -> usize {
        match self {
            Self::Json(text) => text.get().len(),
            Self::Bytes => 0,
            Self::User { event, payload, .. } => event.len() + payload.len(),
        }
    }
}

/// A frame of a client.
#[derive(Clone, Debug)]
pub(crate) struct Incoming {
    pub(crate) join_ref: Ref,
    pub(crate) reference: Ref,
    pub(crate) topic: Box<str>,
    pub(crate) event: Box<str>,
    pub(crate) payload: Payload,
}

impl Incoming {
    /// The reference of a join: clients of version 1 need not have one, and their frame's own will do.
    pub(crate) fn join_ref_or_reference(&self) -> Ref {
        if self.join_ref == Ref::null() {
            return self.reference.clone();
        }
        self.join_ref.clone()
    }
}

/// A frame that makes no sense. It is logged and dropped, the connection lives on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("malformed message")]
pub(crate) struct Malformed;

impl From<serde_json::Error> for Malformed {
    fn from(_: serde_json::Error) -> Self {
        Self
    }
}

/// The JSON text of a value that always has one: a string, a map with string keys.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

const PUSH: u8 = 0;
const USER_BROADCAST_PUSH: u8 = 3;
const USER_BROADCAST: u8 = 4;

#[derive(Deserialize)]
struct ObjectFrame<'a> {
    #[serde(borrow)]
    topic: Cow<'a, str>,
    #[serde(borrow)]
    event: Cow<'a, str>,
    #[serde(borrow)]
    payload: &'a RawValue,
    #[serde(borrow, rename = "ref", deserialize_with = "present")]
    reference: &'a RawValue,
    #[serde(borrow, default)]
    join_ref: Option<&'a RawValue>,
}

/// A member that must be there, null or not; serde takes a missing one for null.
fn present<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<&'de RawValue, D::Error> {
    <&RawValue>::deserialize(deserializer)
}

impl Version {
    /// Reads a text frame.
    pub(crate) fn read_text(self, text: &str) -> Result<Incoming, Malformed> {
        match self {
            Self::V1 => {
                let frame: ObjectFrame<'_> = serde_json::from_str(text)?;
                Ok(Incoming {
                    join_ref: raw(frame.join_ref),
                    reference: raw(Some(frame.reference)),
                    topic: frame.topic.into(),
                    event: frame.event.into(),
                    payload: Payload::Json(frame.payload.to_owned()),
                })
            }
            Self::V2 => {
                let parts: Vec<&RawValue> = serde_json::from_str(text)?;
                let [join_ref, reference, topic, event, payload, ..] = parts[..] else {
                    return Err(Malformed);
                };
                Ok(Incoming {
                    join_ref: raw(Some(join_ref)),
                    reference: raw(Some(reference)),
                    topic: serde_json::from_str(topic.get())?,
                    event: serde_json::from_str(event.get())?,
                    payload: Payload::Json(payload.to_owned()),
                })
            }
        }
    }

    /// Reads a binary frame; version 1 has none.
    pub(crate) fn read_binary(self, frame: &Bytes) -> Result<Incoming, Malformed> {
        let mut rest = Parts(frame.clone());
        match (self, rest.byte()?) {
            (Self::V2, PUSH) => {
                let lengths = [rest.byte()?, rest.byte()?, rest.byte()?, rest.byte()?];
                let [join_ref, reference, topic, event] = rest.texts(lengths)?;
                Ok(Incoming {
                    join_ref: Ref::of_text(&join_ref),
                    reference: Ref::of_text(&reference),
                    topic,
                    event,
                    payload: Payload::Bytes,
                })
            }
            (Self::V2, USER_BROADCAST_PUSH) => {
                // Of the references, the topic, the event and of metadata, which nothing reads.
                let mut lengths = [0; 5];
                for length in &mut lengths {
                    *length = rest.byte()?;
                }
                let encoding = match rest.byte()? {
                    0 => Encoding::Bytes,
                    _ => Encoding::Json,
                };
                let [join_ref, reference, topic, event, _] = rest.texts(lengths)?;
                Ok(Incoming {
                    join_ref: Ref::of_text(&join_ref),
                    reference: Ref::of_text(&reference),
                    topic,
                    event: "broadcast".into(),
                    payload: Payload::User {
                        event,
                        encoding,
                        payload: rest.0,
                    },
                })
            }
            _ => Err(Malformed),
        }
    }

    /// A frame to everybody in a room, which carries no references. `payload` is JSON text.
    pub(crate) fn fan_out(self, topic: &str, event: &str, payload: &str) -> Frame {
        self.push(None, topic, event, payload)
    }

    /// A frame to one channel. `payload` is JSON text.
    pub(crate) fn push(
        self,
        join_ref: Option<&Ref>,
        topic: &str,
        event: &str,
        payload: &str,
    ) -> Frame {
        self.write(join_ref, None, topic, event, payload)
    }

    /// The answer to a frame of the client. `response` is JSON text.
    pub(crate) fn reply(self, to: &Incoming, join_ref: &Ref, is_ok: bool, response: &str) -> Frame {
        let status = if is_ok { "ok" } else { "error" };
        let payload = format!(r#"{{"status":"{status}","response":{response}}}"#);
        self.write(
            Some(join_ref),
            Some(&to.reference),
            &to.topic,
            "phx_reply",
            &payload,
        )
    }

    /// The end of a channel: `phx_close` when it was meant to end, `phx_error` when the client is to come back.
    pub(crate) fn close(self, join_ref: &Ref, topic: &str, event: &str) -> Frame {
        self.write(Some(join_ref), Some(join_ref), topic, event, "{}")
    }

    fn write(
        self,
        join_ref: Option<&Ref>,
        reference: Option<&Ref>,
        topic: &str,
        event: &str,
        payload: &str,
    ) -> Frame {
        let (topic, event) = (json(topic), json(event));
        let null =
            |reference: Option<&Ref>| reference.map_or_else(|| "null".into(), |it| it.0.clone());
        let reference = null(reference);
        let mut text = String::with_capacity(topic.len() + event.len() + payload.len() + 64);
        // Writing to a string cannot fail.
        let _ = match self {
            Self::V1 => write!(
                text,
                r#"{{"topic":{topic},"event":{event},"payload":{payload},"ref":{reference}}}"#
            ),
            Self::V2 => {
                let join_ref = null(join_ref);
                write!(text, "[{join_ref},{reference},{topic},{event},{payload}]")
            }
        };
        Frame::Text(text.into())
    }
}

/// A broadcast in binary framing, for version 2. Nothing if one of its names is too long to be framed.
pub(crate) fn user_broadcast(
    topic: &str,
    event: &str,
    meta: &str,
    encoding: Encoding,
    payload: &[u8],
) -> Option<Frame> {
    let mut bytes =
        BytesMut::with_capacity(5 + topic.len() + event.len() + meta.len() + payload.len());
    bytes.put_u8(USER_BROADCAST);
    for part in [topic, event, meta] {
        bytes.put_u8(u8::try_from(part.len()).ok()?);
    }
    bytes.put_u8(match encoding {
        Encoding::Bytes => 0,
        Encoding::Json => 1,
    });
    for part in [topic, event, meta] {
        bytes.put_slice(part.as_bytes());
    }
    bytes.put_slice(payload);
    Some(Frame::Binary(bytes.freeze()))
}

fn raw(value: Option<&RawValue>) -> Ref {
    value.map_or_else(Ref::null, |value| Ref(value.get().into()))
}

/// What is left of a binary frame.
struct Parts(Bytes);

impl Parts {
    fn byte(&mut self) -> Result<u8, Malformed> {
        if self.0.is_empty() {
            return Err(Malformed);
        }
        Ok(self.0.split_to(1)[0])
    }

    fn texts<const N: usize>(&mut self, lengths: [u8; N]) -> Result<[Box<str>; N], Malformed> {
        let mut texts = [const { String::new() }; N];
        for (text, length) in texts.iter_mut().zip(lengths) {
            let length = usize::from(length);
            if self.0.len() < length {
                return Err(Malformed);
            }
            *text = String::from_utf8(self.0.split_to(length).into()).map_err(|_| Malformed)?;
        }
        Ok(texts.map(Into::into))
    }
}
