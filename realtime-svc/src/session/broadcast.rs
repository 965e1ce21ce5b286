use std::sync::Arc;

use serde_json::value::RawValue;

use super::{Done, Session};
use crate::{
    channel::Channel,
    hub::{Body, Broadcast},
    policies::{PolicyError, Reads, Write},
    socket::{ChannelId, Incoming, Payload},
};

impl Session {
    /// A client sends a message to a room.
    pub(super) fn hear_broadcast(&mut self, incoming: Incoming) {
        let Some(channel) = self.channels.get(&incoming.topic) else {
            return;
        };
        match channel.policies.writes_broadcast {
            Some(true) => self.send_broadcast(incoming),
            // Silent, also for those who asked for an answer: the original says nothing either.
            Some(false) => {}
            None => self.ask_write(incoming, Write::Broadcast),
        }
    }

    fn send_broadcast(&mut self, incoming: Incoming) {
        let Some(channel) = self.channels.get(&incoming.topic) else {
            return;
        };
        let (app, join) = (&self.app, &channel.join);
        app.metrics().events.add(1);
        let is_too_large = incoming.payload.len() > app.config().limits.max_payload_bytes();
        if is_too_large {
            if join.acknowledges {
                let response = r#"{"error":"payload_size_exceeded"}"#;
                self.reply(&incoming, &channel.join_ref, false, response);
            }
            return;
        }
        let (membership, acknowledges, to_self) =
            (&channel.membership, join.acknowledges, join.to_self);
        let join_ref = channel.join_ref.clone();
        let (body, reply_to) = take_body(incoming);
        if let (Some(membership), Some(body)) = (membership, body) {
            membership.broadcast(&Broadcast::of_socket(body), to_self);
        }
        if acknowledges {
            self.reply(&reply_to, &join_ref, true, "{}");
        }
    }

    /// Asks whether the channel may write; the message waits for the answer.
    pub(super) fn ask_write(&mut self, incoming: Incoming, what: Write) {
        let Some(channel) = self.channels.get_mut(&incoming.topic) else {
            return;
        };
        channel.is_waiting = true;
        let (id, context) = (channel.id, channel.context.clone());
        // Tracking is how presence is switched on, and then the channel wants to see the others, too.
        let reads = what == Write::Presence && channel.policies.reads.presence.is_none();
        let alive = Arc::clone(&channel.alive);
        let policies = self.app.policies().clone();
        self.ask_database(&alive, async move {
            let answer = async {
                let reads = if reads {
                    Some(policies.reads(&context, true).await?)
                } else {
                    None
                };
                Ok((policies.may_write(&context, what).await?, reads))
            };
            let answer = answer.await;
            Done::Write(id, incoming, what, answer)
        });
    }

    /// The answer to [`ask_write`](Self::ask_write).
    pub(super) fn write_decided(
        &mut self,
        id: ChannelId,
        incoming: Incoming,
        what: Write,
        result: Result<(bool, Option<Reads>), PolicyError>,
    ) {
        let Some(channel) = self.by_id(id) else {
            return;
        };
        channel.is_waiting = false;
        match result {
            Ok((may, reads)) => {
                if let Some(reads) = reads {
                    channel.policies.reads.presence = reads.presence;
                    update_reads(channel);
                }
                match what {
                    Write::Broadcast => channel.policies.writes_broadcast = Some(may),
                    Write::Presence => channel.policies.writes_presence = Some(may),
                }
                self.handle(incoming);
            }
            // Not decided: the next message asks again.
            Err(error) => {
                tracing::error!(%error, "UnableToSetPolicies");
                if what == Write::Presence {
                    let join_ref = channel.join_ref.clone();
                    self.reply(&incoming, &join_ref, false, "{}");
                }
            }
        }
        self.catch_up(id);
    }
}

/// Tells the room what policies now say.
pub(super) fn update_reads(channel: &Channel) {
    let reads = channel.policies.reads;
    if let Some(membership) = &channel.membership {
        membership.set_reads(reads.broadcast, reads.presence);
    }
}

/// What is sent on, and what is left to be answered. A text frame is sent on as it is.
fn take_body(incoming: Incoming) -> (Option<Body>, Incoming) {
    let mut incoming = incoming;
    let payload = std::mem::replace(&mut incoming.payload, Payload::Bytes);
    let body = match payload {
        Payload::Json(text) => {
            let text: Box<RawValue> = text;
            Some(Body::Text(Box::from(text)))
        }
        Payload::User {
            event,
            encoding,
            payload,
        } => Some(Body::User {
            event,
            encoding,
            payload,
            meta: None,
        }),
        Payload::Bytes => None,
    };
    (body, incoming)
}
