//! What a running platform can be asked for besides to stop: to make its database anew.
//!
//! It listens on a loopback port of its own and tells port and token in the state file, which only the
//! same account can read.

use std::{convert::Infallible, net::TcpStream, time::Duration};

use anyhow::{Context as _, bail};
use axum::{
    Json, Router,
    body::{Body, Bytes},
    extract::State,
    response::{IntoResponse as _, Response},
    routing::post,
};
use futures_util::{StreamExt as _, stream};
use http::{HeaderMap, StatusCode, header};
use rand::{TryRngCore as _, rngs::OsRng};
use serde::{Deserialize, Serialize};
use subtle::ConstantTimeEq as _;
use svc_kit::env::Vars;
use tokio::sync::mpsc;

use crate::{cli::ResetArgs, compose, progress::Progress, project::migrations::Extent, state};

/// Where a running platform listens for such wishes.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Address {
    url: String,
    token: String,
}

impl Address {
    /// The address of a port, with a token that nobody can guess.
    pub(crate) fn new(port: u16) -> anyhow::Result<Self> {
        let mut bytes = [0; 32];
        OsRng
            .try_fill_bytes(&mut bytes)
            .context("the system gives no random numbers")?;
        let token = bytes
            .iter()
            .fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        Ok(Self {
            url: format!("http://127.0.0.1:{port}"),
            token,
        })
    }

    /// True if somebody listens there.
    pub(crate) fn answers(&self) -> bool {
        let address = self
            .url
            .strip_prefix("http://")
            .and_then(|address| address.parse().ok());
        address.is_some_and(|address| {
            TcpStream::connect_timeout(&address, Duration::from_secs(2)).is_ok()
        })
    }
}

/// The wish for a new database, as it travels.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Wish {
    version: Option<String>,
    without_seed: bool,
}

impl From<Wish> for Extent {
    fn from(wish: Wish) -> Self {
        Self {
            version: wish.version,
            without_seed: wish.without_seed,
        }
    }
}

/// A line of the answer.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Said(String),
    Failed(String),
    Done,
}

/// The wish for a new database, and whoever waits for it.
#[derive(Debug)]
pub(crate) struct Reset {
    pub(crate) extent: Extent,
    waiting: Option<Waiting>,
}

#[derive(Debug)]
struct Waiting {
    said: mpsc::UnboundedSender<String>,
    outcome: mpsc::UnboundedSender<Result<(), String>>,
}

impl Reset {
    /// Where to say what is being done.
    pub(crate) fn progress(&self) -> Progress {
        self.waiting
            .as_ref()
            .map_or_else(Progress::default, |waiting| {
                Progress::also_to(waiting.said.clone())
            })
    }

    /// Tells how it went to whoever waits. Gives the error back if nobody does.
    pub(crate) fn answer(&self, outcome: anyhow::Result<()>) -> anyhow::Result<()> {
        let Some(waiting) = &self.waiting else {
            return outcome;
        };
        if let Err(error) = &outcome {
            eprintln!("{error:#}");
        }
        // Whoever asked may have gone.
        let _ = waiting
            .outcome
            .send(outcome.map_err(|error| format!("{error:#}")));
        Ok(())
    }
}

#[derive(Clone)]
struct Desk {
    address: Address,
    wishes: mpsc::Sender<Reset>,
}

/// The routes; what is wished for goes into `wishes`.
pub(crate) fn router(address: Address, wishes: mpsc::Sender<Reset>) -> Router {
    Router::new()
        .route("/reset", post(take))
        .with_state(Desk { address, wishes })
}

async fn take(State(desk): State<Desk>, headers: HeaderMap, Json(wish): Json<Wish>) -> Response {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok()?.strip_prefix("Bearer "))
        .unwrap_or_default();
    if !bool::from(given.as_bytes().ct_eq(desk.address.token.as_bytes())) {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let (said, lines) = mpsc::unbounded_channel();
    let (outcome, outcomes) = mpsc::unbounded_channel();
    let reset = Reset {
        extent: wish.into(),
        waiting: Some(Waiting { said, outcome }),
    };
    if desk.wishes.try_send(reset).is_err() {
        return (StatusCode::CONFLICT, "a reset is being done").into_response();
    }
    Body::from_stream(answer(lines, outcomes)).into_response()
}

/// What is said, line by line, and then how it went.
fn answer(
    lines: mpsc::UnboundedReceiver<String>,
    outcomes: mpsc::UnboundedReceiver<Result<(), String>>,
) -> impl stream::Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(
        (lines, outcomes, false),
        |(mut lines, mut outcomes, over)| async move {
            if over {
                return None;
            }
            let line = tokio::select! {
                biased;
                Some(line) = lines.recv() => Line::Said(line),
                outcome = outcomes.recv() => match outcome {
                    Some(Ok(())) => Line::Done,
                    Some(Err(error)) => Line::Failed(error),
                    None => Line::Failed("the platform has stopped".to_owned()),
                },
            };
            let over = !matches!(line, Line::Said(_));
            let mut text = serde_json::to_string(&line).unwrap_or_default();
            text.push('\n');
            Some((Ok(Bytes::from(text)), (lines, outcomes, over)))
        },
    )
}

/// `db reset`: asks the platform that runs, or starts it just for this.
///
/// # Errors
/// There is no project, or a migration, a seed or a bucket failed.
pub async fn reset(arguments: ResetArgs, environment: &Vars) -> anyhow::Result<()> {
    let target = arguments.start.folder.target()?;
    if target.project.is_none() {
        bail!("there is no project here: no supabase/config.toml, and no --project");
    }
    let wish = Wish {
        version: arguments.version,
        without_seed: arguments.no_seed,
    };
    if let Ok(running) = state::read(&target.data_dir) {
        ask(&running.control, &wish).await?;
    } else {
        let reset = Reset {
            extent: wish.into(),
            waiting: None,
        };
        compose::reset(arguments.start, environment, reset).await?;
    }
    eprintln!("Finished db reset.");
    Ok(())
}

async fn ask(control: &Address, wish: &Wish) -> anyhow::Result<()> {
    let answer = reqwest::Client::new()
        .post(format!("{}/reset", control.url))
        .bearer_auth(&control.token)
        .json(wish)
        .send()
        .await
        .context("the running platform does not answer")?;
    if answer.status() != StatusCode::OK {
        bail!("{}: {}", answer.status(), answer.text().await?);
    }
    let mut body = answer.bytes_stream();
    let mut pending = Vec::new();
    while let Some(bytes) = body.next().await {
        pending.extend_from_slice(&bytes.context("the platform has stopped")?);
        while let Some(end) = pending.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = pending.drain(..=end).collect();
            match serde_json::from_slice(&line)? {
                Line::Said(line) => eprintln!("{line}"),
                Line::Failed(error) => bail!("{error}"),
                Line::Done => return Ok(()),
            }
        }
    }
    bail!("the platform has stopped")
}
