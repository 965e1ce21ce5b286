//! A channel's subscriptions to changes of rows.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use rand::Rng as _;

use super::{Done, Session};
use crate::{
    changes::{SubscribeError, Subscriber},
    channel::Channel,
    socket::ChannelId,
    token::Token,
};

/// The extension that `system` messages about changes name.
const EXTENSION: &str = "postgres_changes";
/// How long until the database is asked again after it gave no answer.
const AGAIN: std::ops::Range<Duration> = Duration::from_secs(5)..Duration::from_secs(10);
/// How long the log may take until changes flow.
const PATIENCE: Duration = Duration::from_secs(30);

/// What became of subscriptions.
pub(super) enum Outcome {
    /// Changes flow.
    Live,
    /// They never will; the text is for the client.
    Refused(String),
    /// It may work later; the text is for the client.
    Failed(String),
    /// The wait is over: ask again.
    Again,
}

impl Session {
    /// Subscribes a channel to what it asked for, or gives its subscriptions the claims of a new token.
    pub(super) fn subscribe(&mut self, id: ChannelId) {
        let app = self.app.clone();
        let Some(channel) = self.by_id(id) else {
            return;
        };
        let wanted = match &channel.wanted {
            Ok(wanted) if wanted.is_empty() => return,
            Ok(wanted) => wanted.clone(),
            Err(text) => {
                let text = text.clone();
                return self.tell(id, EXTENSION, false, &text);
            }
        };
        if channel.subscription.is_asking {
            channel.subscription.is_stale = true;
            return;
        }
        channel.subscription.is_asking = true;
        let (is_live, alive) = (channel.subscription.is_live, Arc::clone(&channel.alive));
        let (outlet, subscriber) = (
            channel.outlet.clone(),
            Arc::new(subscriber(channel.token())),
        );
        self.ask_database(&alive, async move {
            if tokio::time::timeout(PATIENCE, app.replication_ready())
                .await
                .is_err()
            {
                let text = "Unable to subscribe to changes: the database's log cannot be read";
                return Done::Subscribed(id, Outcome::Failed(text.to_owned()));
            }
            let subscribed = if is_live {
                app.engine().renew(id.0, subscriber).await
            } else {
                app.engine()
                    .subscribe(id.0, outlet, subscriber, wanted)
                    .await
            };
            let outcome = match subscribed {
                Ok(()) => Outcome::Live,
                Err(SubscribeError::Refused(text)) => Outcome::Refused(text),
                Err(SubscribeError::Database(error)) => {
                    tracing::warn!(%error, "UnableToSubscribeToPostgres");
                    Outcome::Failed(error.to_string())
                }
            };
            Done::Subscribed(id, outcome)
        });
    }

    pub(super) fn subscribed(&mut self, id: ChannelId, outcome: Outcome) {
        let Some(channel) = self.by_id(id) else {
            // It has left meanwhile; its subscriptions may have come after that.
            self.app.unsubscribe(id);
            return;
        };
        channel.subscription.is_live |= matches!(outcome, Outcome::Live);
        channel.subscription.is_asking = matches!(outcome, Outcome::Failed(_));
        if !channel.subscription.is_asking && std::mem::take(&mut channel.subscription.is_stale) {
            self.subscribe(id);
            return;
        }
        match outcome {
            Outcome::Live => {
                self.tell(id, EXTENSION, true, "Subscribed to PostgreSQL");
            }
            Outcome::Refused(text) => self.tell(id, EXTENSION, false, &text),
            Outcome::Failed(text) => {
                self.tell(id, EXTENSION, false, &text);
                let delay = rand::rng().random_range(AGAIN);
                self.spawn(async move {
                    tokio::time::sleep(delay).await;
                    Done::Subscribed(id, Outcome::Again)
                });
            }
            Outcome::Again => self.subscribe(id),
        }
    }

    /// Changes were lost. The channel ends as if it had failed, so that its client joins anew and knows that it must
    /// fetch what it shows.
    pub(super) fn interrupt(&mut self, id: ChannelId) {
        self.tell(id, EXTENSION, false, "Changes were lost, please fetch them");
        let Some(channel) = self.take(id) else {
            return;
        };
        let (join_ref, topic) = (&channel.join_ref, channel.outlet.topic());
        self.push(self.client.version.close(join_ref, topic, "phx_error"));
    }

    fn tell(&self, id: ChannelId, extension: &str, is_ok: bool, message: &str) {
        let channel: Option<&Channel> = self.channels.values().find(|channel| channel.id == id);
        if let Some(channel) = channel {
            self.system(channel, extension, is_ok, message);
        }
    }
}

fn subscriber(token: &Token) -> Subscriber {
    let seconds = u64::try_from(token.expires_at).unwrap_or_default();
    let expires_at = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
    Subscriber::new(&token.role, &token.claims_json, expires_at)
}
