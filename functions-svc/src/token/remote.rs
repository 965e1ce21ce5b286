//! Keys that the auth service publishes.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use svc_kit::jwt::KeySet;
use tokio::sync::Mutex;
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
#[derive(Debug)]
pub(super) struct Published {
    url: Url,
    client: reqwest::Client,
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
            .build()?;
        Ok(Self {
            url,
            client,
            read: Mutex::default(),
        })
    }

    /// The keys as they were read last. Who comes meanwhile waits for the same answer.
    pub(super) async fn keys(&self) -> Arc<KeySet> {
        let mut read = self.read.lock().await;
        if read.at.is_none_or(|at| at.elapsed() >= BELIEVED) {
            self.refresh(&mut read).await;
        }
        read.keys.clone()
    }

    /// Newer keys than these, if there are.
    pub(super) async fn keys_after(&self, known: &Arc<KeySet>) -> Arc<KeySet> {
        let mut read = self.read.lock().await;
        if Arc::ptr_eq(&read.keys, known) {
            self.refresh(&mut read).await;
        }
        read.keys.clone()
    }

    /// Asks, unless that was done just now: anybody can send a token with a key that nobody knows.
    async fn refresh(&self, read: &mut Read) {
        let now = Instant::now();
        if read.not_before.is_some_and(|at| now < at) {
            return;
        }
        let pause = match self.fetch().await {
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
