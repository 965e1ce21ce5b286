//! Tokens end, and clients bring new ones.

use std::{sync::Arc, time::Instant};

use serde_json::Value;

use super::{
    Done, Session,
    broadcast::update_reads,
    join::{next_look, payload},
};
use crate::{
    channel::Known,
    policies::{Context, PolicyError, Reads},
    socket::{ChannelId, Incoming},
    token::Token,
};

impl Session {
    /// Looks at the tokens that are due; a channel whose token has expired ends.
    pub(super) fn confirm_tokens(&mut self, now: Instant) {
        let channels = self.channels.values_mut();
        // Where a newer token is being asked about, that one counts.
        let due = channels.filter(|it| it.confirm_at <= now && !it.is_renewing);
        let mut expired = Vec::new();
        for channel in due {
            match channel.token().check_expiry() {
                Ok(()) => channel.confirm_at = next_look(channel.token()),
                Err(error) => expired.push((channel.id, error.to_string())),
            }
        }
        for (id, message) in expired {
            self.shut_down(id, &message);
        }
    }

    /// A client brings a new token for a channel.
    pub(super) fn hear_token(&mut self, incoming: &Incoming) {
        let Ok(payload) = payload(incoming) else {
            tracing::debug!("MalformedWebSocketMessage");
            return;
        };
        let Some(channel) = self.channels.get_mut(&incoming.topic) else {
            return;
        };
        let Some(text) = payload.get("access_token").and_then(Value::as_str) else {
            return;
        };
        if text.starts_with("sb_") || *text == *channel.token().text {
            return;
        }
        let (id, is_private) = (channel.id, channel.join.is_private);
        let token = match self.app.verifier().verify(text) {
            Ok(token) => token,
            Err(error) => {
                self.shut_down(id, &error.to_string());
                return;
            }
        };
        if !is_private {
            self.renewed(id, token, Ok(None));
            return;
        }
        let context = Context {
            token: token.clone(),
            ..channel.context.clone()
        };
        let presence = channel.join.presence || channel.policies.reads.presence.is_some();
        channel.is_waiting = true;
        channel.is_renewing = true;
        let alive = Arc::clone(&channel.alive);
        let policies = self.app.policies().clone();
        self.ask_database(&alive, async move {
            let reads = policies.reads(&context, presence).await;
            Done::Renewed(id, token, reads.map(Some))
        });
    }

    /// The channel has a new token; policies were asked anew if it is a private one.
    pub(super) fn renewed(
        &mut self,
        id: ChannelId,
        token: Arc<Token>,
        result: Result<Option<Reads>, PolicyError>,
    ) {
        let Some(channel) = self.by_id(id) else {
            return;
        };
        channel.is_waiting = false;
        channel.is_renewing = false;
        let name = channel.name().clone();
        let before = channel.policies.reads;
        match result {
            Ok(None) => {}
            Ok(Some(now)) if !now.broadcast && now.presence != Some(true) => {
                let message =
                    format!("You do not have permissions to read from this Channel topic: {name}");
                self.shut_down(id, &message);
                return;
            }
            Ok(Some(now))
                if (before.broadcast && !now.broadcast)
                    || (before.presence == Some(true) && now.presence == Some(false)) =>
            {
                let message = format!(
                    "You no longer have permission to read from this Channel topic: {name}"
                );
                self.shut_down(id, &message);
                return;
            }
            Ok(Some(now)) => {
                channel.policies = Known::reading(now);
                update_reads(channel);
            }
            Err(error) => {
                tracing::error!(%error, "UnableToSetPolicies");
                let message = match error {
                    PolicyError::Policy(_) => format!(
                        "You do not have permissions to read from this Channel topic: {name}"
                    ),
                    PolicyError::Canceled(_) => "Query was cancelled, please try again".to_owned(),
                    _ => "Realtime was unable to connect to the project database".to_owned(),
                };
                self.shut_down(id, &message);
                return;
            }
        }
        channel.confirm_at = next_look(&token);
        channel.context.token = token;
        self.subscribe(id);
        self.catch_up(id);
    }
}
