//! Many sockets, joined.

use std::{
    rc::Rc,
    time::{Duration, Instant},
};

use anyhow::Context as _;
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use crate::{
    figures::Histogram,
    options::Options,
    socket::{self, Reader, Writer, find},
};

/// A socket that says nothing for a minute is closed.
const HEARTBEAT: Duration = Duration::from_secs(20);

/// What to connect to.
pub(crate) struct Target {
    address: String,
    path: String,
    key: EncodingKey,
    concurrency: usize,
}

/// What a socket joins.
pub(crate) struct Join {
    pub(crate) topic: String,
    pub(crate) config: Value,
    /// Claims of its token.
    pub(crate) claims: Value,
    /// What tells that it is ready, besides the reply to the join.
    pub(crate) ready: Option<&'static str>,
}

/// Sockets that have joined.
pub(crate) struct Crowd {
    pub(crate) readers: Vec<Reader>,
    pub(crate) writers: Rc<[Writer]>,
    /// How long all of them took.
    pub(crate) took: Duration,
    /// How long each took, with its handshake.
    pub(crate) joins: Histogram,
}

impl Target {
    pub(crate) fn new(options: &Options) -> anyhow::Result<Self> {
        let url = options.required("url")?;
        let rest = url.strip_prefix("ws://").context("--url is no ws:// URL")?;
        let (address, path) = rest.split_once('/').unwrap_or((rest, "socket"));
        Ok(Self {
            address: address.to_owned(),
            path: format!("/{}/websocket?vsn=2.0.0", path.trim_end_matches('/')),
            key: EncodingKey::from_secret(options.required("secret")?.as_bytes()),
            concurrency: options.number("join-concurrency", 64)?,
        })
    }

    fn token(&self, claims: &Value) -> anyhow::Result<String> {
        Ok(jsonwebtoken::encode(&Header::default(), claims, &self.key)?)
    }

    async fn join(&self, join: &Join) -> anyhow::Result<(Reader, Writer, Duration)> {
        let token = self.token(&join.claims)?;
        let begun = Instant::now();
        let path = format!("{}&apikey={token}", self.path);
        let (mut reader, writer) = socket::connect(&self.address, &path).await?;
        let push = json!(["1", "1", join.topic, "phx_join", {"config": join.config}]);
        writer.write(&socket::text(&push.to_string())).await?;
        let reply = reader.wait_for(b"\"phx_reply\"").await?;
        if find(&reply, b"\"status\":\"ok\"").is_none() {
            anyhow::bail!("refused: {}", String::from_utf8_lossy(&reply));
        }
        if let Some(ready) = join.ready {
            let message = reader.wait_for(b"\"system\"").await?;
            if find(&message, ready.as_bytes()).is_none() {
                anyhow::bail!("refused: {}", String::from_utf8_lossy(&message));
            }
        }
        Ok((reader, writer, begun.elapsed()))
    }

    /// Connects this many sockets and has each join what `join` says.
    pub(crate) async fn gather(
        &self,
        count: usize,
        join: impl Fn(usize) -> Join,
    ) -> anyhow::Result<Crowd> {
        let begun = Instant::now();
        let joined: Vec<_> = stream::iter((0..count).map(&join))
            .map(async |join| self.join(&join).await)
            .buffered(self.concurrency)
            .try_collect()
            .await?;
        let took = begun.elapsed();
        let (mut readers, mut writers, mut joins) = (vec![], vec![], Histogram::default());
        for (reader, writer, time) in joined {
            readers.push(reader);
            writers.push(writer);
            joins.add(time.as_micros() as u64);
        }
        let writers: Rc<[Writer]> = writers.into();
        tokio::task::spawn_local(beat(writers.clone()));
        Ok(Crowd {
            readers,
            writers,
            took,
            joins,
        })
    }
}

async fn beat(writers: Rc<[Writer]>) {
    let heartbeat = socket::text(r#"[null,"h","phoenix","heartbeat",{}]"#);
    // A few at a time, so that nothing waits for all of them.
    let group = writers.len().div_ceil(200).max(1);
    loop {
        for some in writers.chunks(group) {
            tokio::time::sleep(HEARTBEAT / 200).await;
            for writer in some {
                writer.try_write(&heartbeat);
            }
        }
        if writers.len() < 200 {
            tokio::time::sleep(HEARTBEAT / 2).await;
        }
    }
}

/// Claims of a visitor who has not signed in.
pub(crate) fn anon() -> Value {
    json!({ "role": "anon", "exp": expiry() })
}

/// Claims of a user.
pub(crate) fn user(sub: &str) -> Value {
    json!({ "role": "authenticated", "sub": sub, "exp": expiry() })
}

fn expiry() -> i64 {
    chrono::Utc::now().timestamp() + 86_400
}
