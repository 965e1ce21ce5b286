//! A channel's subscriptions to changes of rows.

use std::time::Duration;

use serde_json::Value;

use super::Session;
use crate::socket::ChannelId;

/// What became of subscriptions.
pub(super) enum Outcome {}

/// The id of a subscription, which its changes carry.
pub(super) fn id_of(_wanted: &Value) -> u32 {
    0
}

impl Session {
    /// Subscribes a channel to what it asked for, or gives its subscriptions the claims of a new token.
    pub(super) fn subscribe(&mut self, _id: ChannelId, _delay: Duration) {}

    pub(super) fn subscribed(&mut self, _id: ChannelId, outcome: Outcome) {
        match outcome {}
    }
}
