use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{Session, join::payload};
use crate::{changes::canonical, policies::Write, socket::Incoming};

const RATE: &str = "Too many presence messages per second";
const CLIENT_RATE: &str = "Client presence rate limit exceeded";
const TOO_LARGE: &str = "Track message size exceeded";

impl Session {
    /// A client tells of itself, or takes that back.
    pub(super) fn hear_presence(&mut self, incoming: Incoming) {
        let Ok(payload) = payload(&incoming) else {
            tracing::debug!("MalformedWebSocketMessage");
            return;
        };
        let limits = self.app.config().limits.clone();
        let Some(channel) = self.channels.get_mut(&incoming.topic) else {
            return;
        };
        let (id, join_ref) = (channel.id, channel.join_ref.clone());
        let Some(event) = payload.get("event").and_then(Value::as_str) else {
            self.reply(&incoming, &join_ref, true, "{}");
            return;
        };
        let is_track = event.eq_ignore_ascii_case("track");
        let is_undecided = is_track && channel.policies.writes_presence.is_none();
        // A call that waits for its permission is counted when that is there.
        if !is_undecided
            && !channel.count_presence_call(
                limits.client_presence_max_calls,
                limits.client_presence_window,
            )
        {
            tracing::warn!("ClientPresenceRateLimitReached");
            self.shut_down(id, CLIENT_RATE);
            return;
        }
        if is_undecided {
            self.ask_write(incoming, Write::Presence);
        } else if is_track && channel.policies.writes_presence == Some(true) {
            self.track(&incoming, payload, limits.max_payload_bytes());
        } else if event.eq_ignore_ascii_case("untrack") {
            channel.tracked = None;
            if let Some(membership) = &channel.membership {
                membership.untrack();
            }
            self.reply(&incoming, &join_ref, true, "{}");
        } else {
            self.reply(&incoming, &join_ref, false, "{}");
        }
    }

    fn track(&mut self, incoming: &Incoming, mut payload: Value, max_bytes: usize) {
        let metrics = self.app.clone();
        let metrics = metrics.metrics();
        let Some(channel) = self.channels.get_mut(&incoming.topic) else {
            return;
        };
        let (id, join_ref) = (channel.id, channel.join_ref.clone());
        let told = match payload.get_mut("payload").map(Value::take) {
            None => Map::new(),
            Some(Value::Object(told)) => told,
            Some(_) => {
                let reason = json!({ "reason": "Presence track payload must be a map" });
                self.reply(incoming, &join_ref, false, &reason.to_string());
                return;
            }
        };
        let number = number(&told);
        if channel.tracked != Some(number) {
            if incoming.payload.len() > max_bytes {
                self.shut_down(id, TOO_LARGE);
                return;
            }
            if metrics.presence_events.average() > metrics.presence_events.limit() {
                self.shut_down(id, RATE);
                return;
            }
            metrics.presence_events.add(1);
            if let Some(membership) = &channel.membership {
                membership.track(&told);
            }
            channel.tracked = Some(number);
        }
        self.reply(incoming, &join_ref, true, "{}");
    }
}

/// A number of what is told, by which the same is known again without keeping it.
fn number(told: &Map<String, Value>) -> u128 {
    let told = Value::Object(told.clone());
    let digest = Sha256::digest(canonical(&told));
    let mut number = [0; 16];
    number.copy_from_slice(&digest[..16]);
    u128::from_be_bytes(number)
}
