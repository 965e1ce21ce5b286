//! The queue of what `WEBHOOK_URL` is to be told. It is a table, so that a message is there if and only if its change
//! is, and is told by whichever copy of the service lives.

use std::time::Duration;

use chrono::Utc;
use futures_util::{StreamExt as _, stream};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Serialize;
use serde_json::{Value, json};
use svc_kit::wire::Row;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use crate::{
    App,
    db::Sql,
    error::Result,
    store::values::{integer, iso},
};

/// How long a receiver may take, the connection included; the original's limit.
const TIMEOUT: Duration = Duration::from_secs(6);
/// Messages that one copy takes, and sends, at a time.
const BATCH: usize = 32;
/// After so long a copy that took messages is held for dead, and another sends them.
const LEASE: Duration = Duration::from_secs(60);
/// How long nobody looks for messages of other copies, or such as failed.
const PAUSE: Duration = Duration::from_secs(1);
/// How often a message is sent before it is given up, as often as the original does.
const ATTEMPTS: i32 = 21;
/// The longest wait for the next attempt. The waits double from a second on, and come to some nine hours.
const LONGEST_WAIT: Duration = Duration::from_secs(3600);

/// A message that is not told yet.
#[derive(Debug, Serialize)]
pub(super) struct Entry<'a> {
    pub(super) bucket: &'a str,
    pub(super) name: &'a str,
    pub(super) event: Value,
}

/// The statement that puts messages into the queue, in their order; nothing, if there are none.
pub(super) fn keep(entries: &[Entry<'_>]) -> Option<Sql<'static>> {
    const TEXT: &str = "insert into storage.webhook_queue (bucket_id, name, event) \
         select entry ->> 'bucket', entry ->> 'name', entry -> 'event' \
         from json_array_elements($1::json) with ordinality as list (entry, place) order by place";
    if entries.is_empty() {
        return None;
    }
    // Texts, and values made by ourselves, always serialise.
    Some(Sql::new(TEXT).bind(serde_json::to_string(entries).unwrap_or_default()))
}

/// Takes what is due, the oldest first, and of one object only the oldest: what happened to it is told in order.
const TAKE: &str = "with due as (select id from storage.webhook_queue message where due_at <= now() \
     and not exists (select from storage.webhook_queue earlier where earlier.bucket_id = message.bucket_id \
       and earlier.name = message.name and earlier.id < message.id) \
     order by id limit $1::bigint for update skip locked) \
     update storage.webhook_queue message set attempts = attempts + 1, due_at = now() + make_interval(secs => $2::float8) \
     from due where message.id = due.id returning message.id, message.attempts, message.event";
const DONE: &str = "delete from storage.webhook_queue where id = any($1::bigint[])";
const LATER: &str = "update storage.webhook_queue set due_at = now() + make_interval(secs => $2::float8) where id = $1::bigint";

/// A message that this copy is to send.
#[derive(Debug)]
struct Message {
    id: i64,
    attempts: i32,
    event: Value,
}

impl Message {
    fn of(row: &Row) -> Option<Self> {
        Some(Self {
            id: row.bigint(0)?,
            attempts: integer(row, 1)?,
            event: serde_json::from_slice(row.get(2)?).ok()?,
        })
    }

    fn wait(&self) -> Duration {
        let doublings = u32::try_from(self.attempts - 1).unwrap_or_default();
        let wait = Duration::from_secs(1).saturating_mul(2_u32.saturating_pow(doublings));
        wait.min(LONGEST_WAIT)
    }
}

/// Wakes this copy's sender.
#[derive(Debug, Default)]
pub(crate) struct Bell(Notify);

impl Bell {
    /// Something was put into the queue and is committed.
    pub(crate) fn ring(&self) {
        self.0.notify_one();
    }
}

/// Sends what is in the queue until the stop.
pub(crate) async fn send_all(
    app: App,
    url: url::Url,
    key: Option<SecretString>,
    stop: CancellationToken,
) {
    let client = match reqwest::Client::builder().timeout(TIMEOUT).build() {
        Ok(client) => client,
        Err(error) => {
            tracing::error!(%error, "webhooks cannot be sent");
            return;
        }
    };
    let sender = Sender {
        app,
        client,
        url,
        key,
    };
    while !stop.is_cancelled() {
        match sender.send_some().await {
            // There may be more.
            Ok(sent) if sent > 0 => continue,
            Ok(_) => {}
            Err(error) => tracing::warn!(%error, "the queue of webhooks cannot be read"),
        }
        tokio::select! {
            () = sender.app.bell().0.notified() => {}
            () = tokio::time::sleep(PAUSE) => {}
            () = stop.cancelled() => {}
        }
    }
}

struct Sender {
    app: App,
    client: reqwest::Client,
    url: url::Url,
    key: Option<SecretString>,
}

impl Sender {
    /// Sends up to a batch of messages; gives how many it has tried to.
    async fn send_some(&self) -> Result<usize> {
        let take = Sql::new(TAKE)
            .bind_display(BATCH)
            .bind_display(LEASE.as_secs());
        let rows = self.app.db().read(&take).await?;
        let messages: Vec<Message> = rows.iter().filter_map(Message::of).collect();
        let outcomes: Vec<(Message, bool)> = stream::iter(messages)
            .map(async |message| {
                let sent = self.send(&message).await;
                (message, sent)
            })
            .buffer_unordered(BATCH)
            .collect()
            .await;
        let tried = outcomes.len();
        let mut done = Vec::new();
        for (message, sent) in outcomes {
            if sent {
                done.push(message.id);
            } else if message.attempts >= ATTEMPTS {
                let payload = &message.event["payload"];
                tracing::error!(
                    event = %message.event["type"],
                    bucket = %payload["bucketId"],
                    name = %payload["name"],
                    "a webhook is given up"
                );
                done.push(message.id);
            } else {
                let later = Sql::new(LATER)
                    .bind_display(message.id)
                    .bind_display(message.wait().as_secs());
                self.app.db().read(&later).await?;
            }
        }
        if !done.is_empty() {
            let ids: Vec<String> = done.iter().map(ToString::to_string).collect();
            let done = Sql::new(DONE).bind(format!("{{{}}}", ids.join(",")));
            self.app.db().read(&done).await?;
        }
        Ok(tried)
    }

    /// Whether the receiver took it.
    async fn send(&self, message: &Message) -> bool {
        let body = json!({
            "type": "Webhook",
            "event": message.event,
            "sentAt": iso(Utc::now()),
            "tenant": self.app.tenant_json(),
        });
        let mut request = self.client.post(self.url.clone()).json(&body);
        if let Some(key) = &self.key {
            request = request.bearer_auth(key.expose_secret());
        }
        let sent = request
            .send()
            .await
            .and_then(reqwest::Response::error_for_status);
        // The address may have a password in it.
        match sent.map_err(reqwest::Error::without_url) {
            Ok(_) => true,
            Err(error) => {
                tracing::warn!(%error, attempt = message.attempts, "a webhook was not taken");
                false
            }
        }
    }
}
