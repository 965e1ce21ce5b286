use std::{
    collections::{HashSet, VecDeque},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use super::{Done, End, Joined, MAX_REFUSED, Session};
use crate::{
    app::App,
    changes::{Wanted, subscription_id},
    channel::{Channel, Join, JoinError, Known, Subscription},
    hub::{Member, RoomName},
    policies::Context,
    replay::{Content, Replay, ReplayError, Stored},
    socket::{ChannelId, Encoding, Incoming, Payload, user_broadcast},
    token::Token,
};

/// How long a join waits for the log to be read. Without it broadcasts of sockets and presence work all the same.
const REPLICATION_PATIENCE: Duration = Duration::from_secs(3);
/// Bytes of a join. What it says is kept as long as its channel lives.
const MAX_JOIN: usize = 256 * 1024;
/// What one channel may subscribe to; each is a row for every table that it covers.
const MAX_CHANGES: usize = 1000;
/// The part of a topic that clients put in front of every name.
const PREFIX: &str = "realtime:";

impl Session {
    /// A client joins a topic. What it had joined under the same name ends.
    pub(super) fn join(&mut self, mut incoming: Incoming) {
        // What cannot be read is no join: as a join of defaults it would be one of a public channel.
        let Ok(payload) = payload(&incoming) else {
            tracing::debug!("MalformedWebSocketMessage");
            return;
        };
        let is_too_large = incoming.payload.len() > MAX_JOIN;
        incoming.payload = Payload::Bytes;
        if let Some(old) = self.channels.get(&incoming.topic).map(|channel| channel.id)
            && let Some(old) = self.take(old)
        {
            self.close(&old);
        }
        let admitted = if is_too_large {
            Err(JoinError::Unknown)
        } else {
            self.admit(&incoming, &payload)
        };
        match admitted {
            Ok(channel) => {
                self.channels.insert(incoming.topic.clone(), channel);
                self.ask(incoming);
            }
            Err(error) => self.refuse(incoming, &error),
        }
    }

    /// Everything that can be said about a join without the database.
    fn admit(&mut self, incoming: &Incoming, payload: &Value) -> Result<Channel, JoinError> {
        let name = incoming.topic.strip_prefix(PREFIX).unwrap_or_default();
        if name.is_empty() {
            return Err(JoinError::NoTopic);
        }
        let mut join = Join::parse(payload, name);
        let (config, metrics) = (self.app.config(), self.app.metrics());
        let limits = &config.limits;
        join.presence |= limits.presence_enabled;
        if self.app.drain().is_cancelled() {
            return Err(JoinError::Restarting);
        }
        if limits.private_only && !join.is_private {
            return Err(JoinError::PrivateOnly);
        }
        if !self.is_user && metrics.users.load(Ordering::Relaxed) >= limits.max_concurrent_users {
            return Err(JoinError::TooManyUsers);
        }
        if metrics.joins.is_reached() {
            return Err(JoinError::TooManyJoins);
        }
        metrics.joins.add(1);
        if self.channels.len() >= limits.max_channels_per_client {
            return Err(JoinError::TooManyChannels);
        }
        let token = match &join.token {
            Some(token) if **token != *self.client.key.text => self.app.verifier().verify(token)?,
            _ => {
                self.client.key.check_expiry()?;
                self.client.key.clone()
            }
        };
        if join.changes.len() > MAX_CHANGES || !join.changes.iter().all(Value::is_object) {
            return Err(JoinError::Unknown);
        }
        if join.asks_replay && !join.is_private {
            return Err(ReplayError::Public.into());
        }
        let context = Context {
            topic: name.into(),
            token,
            headers: self.client.headers.clone(),
        };
        Ok(Channel {
            id: self.app.new_channel_id(),
            join_ref: incoming.join_ref_or_reference(),
            outlet: self.outlet(&incoming.topic, !join.has_config),
            confirm_at: next_look(&context.token),
            context,
            join,
            membership: None,
            policies: Known::PUBLIC,
            is_waiting: true,
            backlog: VecDeque::new(),
            // The database may send to any channel.
            feed: self.app.need_feed(),
            alive: Arc::new(()),
            wanted: Ok(Vec::new()),
            subscription: Subscription::default(),
            is_renewing: false,
            tracked: None,
            presence_window: None,
        })
    }

    /// Asks the database about a private channel; a public one needs none.
    fn ask(&mut self, incoming: Incoming) {
        let Some(channel) = self.channels.get_mut(&incoming.topic) else {
            return;
        };
        let id = channel.id;
        if !channel.join.is_private {
            let joined = |room| Joined {
                reads: None,
                replayed: Vec::new(),
                room,
            };
            let (app, name) = (self.app.clone(), channel.room());
            if app.hub().is_unknown(&name) {
                self.spawn(async move {
                    let room = app.hub().open(&name).await;
                    Done::Joining(id, incoming, Ok(joined(room)))
                });
            } else {
                self.joined(id, &incoming, Ok(joined(None)));
            }
            return;
        }
        let alive = Arc::clone(&channel.alive);
        let question = Question {
            app: self.app.clone(),
            context: channel.context.clone(),
            presence: channel.join.presence,
            replay: channel.join.replay,
            room: channel.room(),
        };
        self.ask_database(&alive, async move {
            let answer = question.ask().await;
            Done::Joining(id, incoming, answer)
        });
    }

    /// A refusal is told late, so that a client that tries again and again does not do so at full speed.
    fn refuse(&mut self, incoming: Incoming, error: &JoinError) {
        tracing::debug!(topic = &*incoming.topic, %error, "join refused");
        self.app.metrics().count_error(&error.code());
        if matches!(error, JoinError::TooManyJoins) {
            self.end = Some(End::Refused);
        }
        if self.work.len() > MAX_REFUSED {
            self.end = Some(End::Gone);
            return;
        }
        let (reason, delay) = (error.to_string(), self.app.config().channel_error_backoff);
        self.spawn(async move {
            tokio::time::sleep(delay).await;
            Done::Refused(incoming, reason)
        });
    }

    /// The database has answered: the channel is joined, or refused.
    pub(super) fn joined(
        &mut self,
        id: ChannelId,
        incoming: &Incoming,
        result: Result<Joined, JoinError>,
    ) {
        // It may have left, or joined anew, meanwhile.
        if self.by_id(id).is_none() {
            return;
        }
        let joined = match result {
            Ok(joined) => joined,
            Err(error) => {
                self.take(id);
                self.refuse(incoming.clone(), &error);
                return;
            }
        };
        let version = self.client.version;
        let queue = self.queue.clone();
        let (app, push) = (self.app.clone(), |frame| {
            let _ = queue.push(frame);
        });
        let Some(channel) = self.by_id(id) else {
            return;
        };
        if let Some(reads) = joined.reads {
            channel.policies = Known::reading(reads);
        }
        let changes = std::mem::take(&mut channel.join.changes);
        channel.wanted = changes.iter().map(Wanted::parse).collect();
        let response = json!({ "postgres_changes": changes_with_ids(&changes) });
        push(version.reply(incoming, &channel.join_ref, true, &response.to_string()));
        let reads = channel.policies.reads;
        let member = Member {
            channel: id,
            outlet: channel.outlet.clone(),
            key: channel.join.key.clone(),
            reads_broadcast: reads.broadcast,
            reads_presence: reads.presence,
            replayed: joined
                .replayed
                .iter()
                .map(|message| message.id)
                .collect::<HashSet<_>>(),
        };
        let name = channel.room();
        let shows_presence = channel.join.presence && reads.presence == Some(true);
        let (join_ref, topic) = (&channel.join_ref, channel.outlet.topic());
        let membership = app.hub().join(name, member, |state| {
            if shows_presence {
                app.metrics().presence_events.add(1);
                push(version.push(Some(join_ref), topic, "presence_state", &state()));
            }
        });
        for message in &joined.replayed {
            if let Some(frame) = replayed(message, version, join_ref, topic) {
                push(frame);
            }
        }
        channel.membership = Some(membership);
        // The member keeps the room from now on.
        drop(joined.room);
        channel.is_waiting = false;
        let wants_replication = channel.join.replication_ready;
        app.metrics().channels.fetch_add(1, Ordering::Relaxed);
        self.count_as_user(true);
        self.subscribe(id);
        if wants_replication {
            self.await_replication(id);
        }
        self.catch_up(id);
    }

    /// Tells the client when messages of the database reach it.
    fn await_replication(&mut self, id: ChannelId) {
        let app = self.app.clone();
        self.spawn(async move {
            let waiting = app.replication_ready();
            let is_ready = tokio::time::timeout(Duration::from_mins(1), waiting)
                .await
                .is_ok();
            Done::Replication(id, is_ready)
        });
    }

    pub(super) fn replication(&mut self, id: ChannelId, is_ready: bool) {
        if !is_ready {
            self.shut_down(id, "Replication connection was not established in time");
        } else if let Some(channel) = self.channels.values().find(|channel| channel.id == id) {
            self.system(
                channel,
                "system",
                true,
                "Replication connection established",
            );
        }
    }
}

/// The JSON of a frame.
pub(super) fn payload(incoming: &Incoming) -> Result<Value, serde_json::Error> {
    match &incoming.payload {
        Payload::Json(text) => serde_json::from_str(text.get()),
        _ => Ok(Value::Null),
    }
}

/// When a token is to be looked at: every five minutes, and when it ends.
pub(super) fn next_look(token: &Token) -> Instant {
    Instant::now() + Duration::from_secs(token.seconds_left().min(300))
}

/// What a join asks the database.
struct Question {
    app: App,
    context: Context,
    presence: bool,
    replay: Option<Result<Replay, ReplayError>>,
    room: RoomName,
}

impl Question {
    async fn ask(self) -> Result<Joined, JoinError> {
        let policies = self.app.policies();
        let topic = &self.context.topic;
        let reads = policies.reads(&self.context, self.presence).await;
        // Who is let in may cause a message at once, and is to get it.
        if reads.is_ok() {
            let flowing = self.app.replication_settled();
            let _ = tokio::time::timeout(REPLICATION_PATIENCE, flowing).await;
        }
        let reads = match reads {
            Ok(reads) => reads,
            // A policy that fails lets nobody in, and what it fails with is not for everybody.
            Err(crate::policies::PolicyError::Policy(error)) => {
                tracing::error!(error, topic = &**topic, "RlsPolicyError");
                return Err(JoinError::Unauthorized(topic.clone()));
            }
            Err(error) => return Err(error.into()),
        };
        if !reads.broadcast && (reads.presence != Some(true) || self.replay.is_some()) {
            return Err(JoinError::Unauthorized(topic.clone()));
        }
        let replayed = match self.replay {
            Some(replay) => replay?.load(self.app.pool(), topic).await?,
            None => Vec::new(),
        };
        Ok(Joined {
            reads: Some(reads),
            replayed,
            room: self.app.hub().open(&self.room).await,
        })
    }
}

/// The client's own objects, in its order, each with the id that its changes will carry.
fn changes_with_ids(changes: &[Value]) -> Vec<Value> {
    let with_id = |wanted: &Value| {
        let mut wanted = wanted.clone();
        let id = subscription_id(&wanted);
        if let Some(object) = wanted.as_object_mut() {
            object.insert("id".to_owned(), id.into());
        }
        wanted
    };
    changes.iter().map(with_id).collect()
}

/// A message that the client missed. Version 1 cannot say bytes.
fn replayed(
    message: &Stored,
    version: crate::socket::Version,
    join_ref: &crate::socket::Ref,
    topic: &Arc<str>,
) -> Option<crate::socket::Frame> {
    let meta = json!({ "replayed": true, "id": message.id });
    match &message.content {
        Content::Json(payload) => {
            let event = crate::socket::json(&message.event);
            let text = format!(
                r#"{{"payload":{payload},"event":{event},"type":"broadcast","meta":{meta}}}"#
            );
            Some(version.push(Some(join_ref), topic, "broadcast", &text))
        }
        Content::Bytes(bytes) if version == crate::socket::Version::V2 => user_broadcast(
            topic,
            &message.event,
            &meta.to_string(),
            Encoding::Bytes,
            bytes,
        ),
        Content::Bytes(_) => None,
    }
}
