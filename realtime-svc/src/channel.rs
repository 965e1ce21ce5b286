//! One channel of one socket.

mod join;

use std::{collections::VecDeque, sync::Arc, time::Instant};

use crate::{
    changes::Wanted,
    hub::{Membership, RoomName},
    policies::{Context, Reads},
    replication::User,
    socket::{ChannelId, Incoming, Outlet, Ref},
    token::Token,
};

pub(crate) use join::{Join, JoinError};

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
    #[expect(dead_code, reason = "it is there as long as the channel")]
    pub(crate) feed: Option<User>,
    /// Gone with the channel; questions for it look whether it is still there.
    pub(crate) alive: Arc<()>,
    /// What it wants to be told of, or why that cannot be.
    pub(crate) wanted: Result<Vec<Wanted>, String>,
    pub(crate) subscription: Subscription,
    /// True while a new token is being asked about: until then the old one holds.
    pub(crate) is_renewing: bool,
    /// What it tracks at the moment: a number that another payload would not have.
    pub(crate) tracked: Option<u128>,
    /// Calls of `track` and `untrack` in the window, and when that ends.
    pub(crate) presence_window: Option<(u32, Instant)>,
    /// When the token is to be looked at.
    pub(crate) confirm_at: Instant,
}

/// How far a channel's subscriptions to changes are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Subscription {
    /// True once they are there.
    pub(crate) is_live: bool,
    /// A question about them is under way. Only one is, so that the newest token has the last word.
    pub(crate) is_asking: bool,
    /// Something has changed meanwhile: ask again.
    pub(crate) is_stale: bool,
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
