//! Who is told of what happened to objects: `WEBHOOK_URL`, in the original's form.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::Utc;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::{App, store::values::iso};

/// Messages that wait for their turn; beyond it the newest are dropped, and the log says so.
const WAITING: usize = 10_000;
const TIMEOUT: Duration = Duration::from_secs(6);
const TRIES: u32 = 3;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    CreatedPost,
    CreatedPut,
    CreatedCopy,
    CreatedMove,
    RemovedDelete,
    RemovedMove,
}

impl Kind {
    fn text(self) -> &'static str {
        match self {
            Self::CreatedPost => "ObjectCreated:Post",
            Self::CreatedPut => "ObjectCreated:Put",
            Self::CreatedCopy => "ObjectCreated:Copy",
            Self::CreatedMove => "ObjectCreated:Move",
            Self::RemovedDelete => "ObjectRemoved:Delete",
            Self::RemovedMove => "ObjectRemoved:Move",
        }
    }
}

/// Where an object that was moved had been.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OldObject<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
}

/// Something that happened to an object and is committed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Event<'a> {
    pub(crate) kind: Kind,
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: Option<&'a str>,
    /// JSON text.
    pub(crate) metadata: Option<&'a str>,
    pub(crate) upload_type: Option<&'static str>,
    pub(crate) old: Option<OldObject<'a>>,
}

/// The way to the worker that sends.
#[derive(Debug)]
pub(crate) struct Outbox {
    sender: mpsc::Sender<Value>,
    receiver: std::sync::Mutex<Option<mpsc::Receiver<Value>>>,
}

impl Outbox {
    pub(crate) fn new() -> Self {
        let (sender, receiver) = mpsc::channel(WAITING);
        Self {
            sender,
            receiver: std::sync::Mutex::new(Some(receiver)),
        }
    }

    /// The other end, for the one worker.
    pub(crate) fn receiver(&self) -> Option<mpsc::Receiver<Value>> {
        let mut receiver = self
            .receiver
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        receiver.take()
    }
}

impl App {
    /// Tells whoever is to be told. Never waits.
    pub(crate) fn tell(&self, event: Event<'_>) {
        let config = self.config();
        if config.webhook.is_none() {
            return;
        }
        let metadata: Option<Value> = event
            .metadata
            .and_then(|text| serde_json::from_str(text).ok());
        let tenant = json!({ "ref": config.tenant, "host": "" });
        let mut payload = json!({
            "tenant": tenant,
            "name": event.name,
            "version": event.version,
            "bucketId": event.bucket,
            "metadata": metadata,
        });
        if let Some(kind) = event.upload_type {
            payload["uploadType"] = kind.into();
        }
        if let Some(old) = event.old {
            payload["oldObject"] =
                json!({ "name": old.name, "bucketId": old.bucket, "version": old.version });
        }
        let millis = SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .unwrap_or_default()
            .as_millis();
        let message = json!({
            "type": "Webhook",
            "event": {
                "type": event.kind.text(),
                "region": config.region,
                "$version": "v1",
                "applyTime": u64::try_from(millis).unwrap_or(u64::MAX),
                "payload": payload,
            },
            "sentAt": iso(Utc::now()),
            "tenant": tenant,
        });
        if self.outbox().sender.try_send(message).is_err() {
            tracing::warn!(
                event = event.kind.text(),
                "too many webhooks wait: one is dropped"
            );
        }
    }
}

/// Sends what is in the outbox until the stop, and then what is left in it.
pub(crate) async fn send_all(
    mut messages: mpsc::Receiver<Value>,
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
    loop {
        let message = tokio::select! {
            biased;
            message = messages.recv() => message,
            () = stop.cancelled() => return,
        };
        let Some(message) = message else { return };
        send(&client, &url, key.as_ref(), &message, &stop).await;
    }
}

async fn send(
    client: &reqwest::Client,
    url: &url::Url,
    key: Option<&SecretString>,
    message: &Value,
    stop: &CancellationToken,
) {
    for attempt in 1..=TRIES {
        let mut request = client.post(url.clone()).json(message);
        if let Some(key) = key {
            request = request.bearer_auth(key.expose_secret());
        }
        let sent = request
            .send()
            .await
            .and_then(reqwest::Response::error_for_status);
        match sent {
            Ok(_) => return,
            Err(error) => {
                tracing::warn!(%error, attempt, "a webhook was not taken");
            }
        }
        tokio::select! {
            () = tokio::time::sleep(Duration::from_secs(u64::from(attempt))) => {}
            () = stop.cancelled() => return,
        }
    }
}
