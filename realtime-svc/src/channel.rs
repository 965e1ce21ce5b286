//! One channel of one socket.

mod join;

use std::{collections::VecDeque, sync::Arc, time::Instant};

use serde_json::{Map, Value};

use crate::{
    hub::{Membership, RoomName},
    policies::{Context, Reads},
    replication::User,
    socket::{ChannelId, Incoming, Outlet, Ref},
    token::Token,
};

pub(crate) use join::{Join, JoinError};

/// What a client may send while its channel waits for the database.
pub(crate) const MAX_BACKLOG: usize = 256;

/// A channel that was joined, or is being joined.
#[derive(Debug)]
pub(crate) struct Channel {
    pub(crate) id: ChannelId,
    /// The reference of its join, which what it is sent carries.
    pub(crate) join_ref: Ref,
    pub(crate) outlet: Outlet,
    pub(crate) join: Join,
    /// Who is asked for in policies, and with which token.
    pub(crate) context: Context,
    /// Nothing until it has joined.
    pub(crate) membership: Option<Membership>,
    pub(crate) policies: Known,
    /// While a question to the database is under way, what comes for the channel waits.
    pub(crate) is_waiting: bool,
    pub(crate) backlog: VecDeque<Incoming>,
    /// Keeps the log being read, where the channel needs it.
    pub(crate) feed: Option<User>,
    /// True once its subscriptions to changes are live.
    pub(crate) is_live: bool,
    /// What it tracks at the moment.
    pub(crate) tracked: Option<Map<String, Value>>,
    /// Calls of `track` and `untrack` in the window, and when that ends.
    pub(crate) presence_window: Option<(u32, Instant)>,
    /// When the token is to be looked at.
    pub(crate) confirm_at: Instant,
}

/// What is known of the policies. A public channel may do everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    pub(crate) reads: Reads,
    pub(crate) writes_broadcast: Option<bool>,
    pub(crate) writes_presence: Option<bool>,
}

impl Known {
    /// Of a public channel.
    pub(crate) const PUBLIC: Self = Self {
        reads: Reads {
            broadcast: true,
            presence: Some(true),
        },
        writes_broadcast: Some(true),
        writes_presence: Some(true),
    };

    /// Of a private channel that nothing but reading was asked for.
    pub(crate) fn reading(reads: Reads) -> Self {
        Self {
            reads,
            writes_broadcast: None,
            writes_presence: None,
        }
    }
}

impl Channel {
    /// The topic without `realtime:`, as messages to people name it.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.context.topic
    }

    /// The room that it is in, or will be.
    pub(crate) fn room(&self) -> RoomName {
        RoomName {
            topic: self.name().clone(),
            is_private: self.join.is_private,
        }
    }

    /// The token that it joined with, or that it got since.
    pub(crate) fn token(&self) -> &Arc<Token> {
        &self.context.token
    }

    /// Notes a call of `track` or `untrack`; false if there were too many.
    pub(crate) fn count_presence_call(&mut self, max: u32, window: std::time::Duration) -> bool {
        let now = Instant::now();
        match &mut self.presence_window {
            Some((calls, ends)) if now <= *ends => {
                let is_allowed = *calls < max;
                *calls += u32::from(is_allowed);
                is_allowed
            }
            window_of_calls => {
                *window_of_calls = Some((1, now + window));
                true
            }
        }
    }
}
