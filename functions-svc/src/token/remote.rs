//! Keys that the auth service publishes.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use svc_kit::jwt::KeySet;
use tokio::task::JoinHandle;
use url::Url;

/// How long keys are believed, how soon they are asked for again at the earliest, and how long an answer may take: as the
/// original's library has it.
const BELIEVED: Duration = Duration::from_mins(10);
const PAUSE: Duration = Duration::from_secs(30);
const PATIENCE: Duration = Duration::from_secs(5);
/// The same pause when there was no answer.
const PAUSE_AFTER_FAILURE: Duration = Duration::from_secs(1);
/// Of an answer, in bytes.
const LARGEST: usize = 1 << 20;

/// Keys at an address, read when they are first needed.
#[derive(Clone, Debug)]
pub(super) struct Published(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    url: Url,
    client: reqwest::Client,
    /// Held by whoever asks.
    asking: tokio::sync::Mutex<()>,
    read: Mutex<Read>,
}

#[derive(Debug, Default)]
struct Read {
    keys: Arc<KeySet>,
    at: Option<Instant>,
    not_before: Option<Instant>,
}

impl Published {
    pub(super) fn new(url: Url) -> anyhow::Result<Self> {
        let client = reqwest::Client::builder()
            .timeout(PATIENCE)
            .redirect(reqwest::redirect::Policy::none())
            // The service is a neighbour, and nobody between may have a say in its keys.
            .no_proxy()
            .build()?;
        Ok(Self(Arc::new(Shared {
            url,
            client,
            asking: tokio::sync::Mutex::default(),
            read: Mutex::default(),
        })))
    }

    /// The keys as they were read last. Only the first ones are waited for: old ones are made new meanwhile.
    pub(super) async fn keys(&self) -> Arc<KeySet> {
        let (keys, at) = self.0.known();
        match at {
            Some(at) if at.elapsed() < BELIEVED => return keys,
            Some(_) => {
                drop(self.refresh());
                return keys;
            }
            None => {}
        }
        self.refreshed().await
    }

    /// Newer keys than these, if there are.
    pub(super) async fn keys_after(&self, known: &Arc<KeySet>) -> Arc<KeySet> {
        let (keys, _) = self.0.known();
        if Arc::ptr_eq(&keys, known) {
            self.refreshed().await
        } else {
            keys
        }
    }

    async fn refreshed(&self) -> Arc<KeySet> {
        // A panic there was reported there.
        let _ = self.refresh().await;
        self.0.known().0
    }

    /// Asks in a task of its own: a client that leaves does not take away what others wait for.
    fn refresh(&self) -> JoinHandle<()> {
        let shared = Arc::clone(&self.0);
        tokio::spawn(async move { shared.refresh().await })
    }
}

impl Shared {
    fn read(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self) -> (Arc<KeySet>, Option<Instant>) {
        let read = self.read();
        (Arc::clone(&read.keys), read.at)
    }

    /// Asks, unless that was done just now: anybody can send a token with a key that nobody knows.
    async fn refresh(&self) {
        let _asking = self.asking.lock().await;
        let now = Instant::now();
        if self.read().not_before.is_some_and(|at| now < at) {
            return;
        }
        let answer = self.fetch().await;
        let mut read = self.read();
        let pause = match answer {
            Ok(keys) => {
                read.keys = Arc::new(keys);
                read.at = Some(now);
                PAUSE
            }
            // Those that are known go on to count: a key is not wrong because its publisher rests.
            Err(error) => {
                tracing::warn!(url = %self.url, %error, "keys cannot be read");
                PAUSE_AFTER_FAILURE
            }
        };
        read.not_before = Some(Instant::now() + pause);
    }

    async fn fetch(&self) -> anyhow::Result<KeySet> {
        let mut response = self
            .client
            .get(self.url.clone())
            .send()
            .await?
            .error_for_status()?;
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await? {
            anyhow::ensure!(bytes.len() + chunk.len() <= LARGEST, "too large");
            bytes.extend_from_slice(&chunk);
        }
        Ok(KeySet::from_jwks(&serde_json::from_slice(&bytes)?)?)
    }
}
