use std::fmt::Write as _;

use serde::Serialize;

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

/// The JSON text of a value that always has one: a string, a map with string keys.
pub(crate) fn json(value: &(impl Serialize + ?Sized)) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

impl Version {
    /// A frame to everybody in a room, which carries no references. `payload` is JSON text.
    pub(crate) fn fan_out(self, topic: &str, event: &str, payload: &str) -> Frame {
        let (topic, event) = (json(topic), json(event));
        let mut text = String::with_capacity(topic.len() + event.len() + payload.len() + 64);
        // Writing to a string cannot fail.
        let _ = match self {
            Self::V1 => write!(
                text,
                r#"{{"topic":{topic},"event":{event},"payload":{payload},"ref":null}}"#
            ),
            Self::V2 => write!(text, "[null,null,{topic},{event},{payload}]"),
        };
        Frame::Text(text.into())
    }
}
