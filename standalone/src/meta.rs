//! postgres-meta behind `/pg/`: the npm package, run only while somebody asks it something.

use std::{
    path::{Path, PathBuf},
    process::Stdio,
    sync::Arc,
    time::{Duration, Instant},
};

use anyhow::{Context as _, bail};
use axum::{
    Json, Router,
    body::Body,
    extract::{Request, State},
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, Uri, header};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use serde_json::json;
use tokio::{
    net::TcpStream,
    process::{Child, Command},
    sync::Mutex,
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use crate::{project::Project, server};

/// How long it stays after the last request.
const IDLE: Duration = Duration::from_secs(300);
const READY_WITHIN: Duration = Duration::from_secs(30);
const PACKAGE: &str = "node_modules/@supabase/postgres-meta/dist/server/server.js";

/// The service.
#[derive(Clone)]
pub(crate) struct Meta(Arc<Inner>);

struct Inner {
    database_url: String,
    /// Folders at or above which the package may be.
    roots: Vec<PathBuf>,
    client: Client<HttpConnector, Body>,
    process: Mutex<Option<Process>>,
}

struct Process {
    /// Ends with this value.
    child: Child,
    port: u16,
    used: Instant,
}

impl Meta {
    /// Nothing is started yet.
    pub(crate) fn new(database_url: String, project: Option<&Project>) -> Self {
        let mut roots: Vec<_> = project.map(Project::dir).into_iter().collect();
        roots.extend(server::near());
        Self(Arc::new(Inner {
            database_url,
            roots,
            client: Client::builder(TokioExecutor::new()).build_http(),
            process: Mutex::default(),
        }))
    }

    /// All paths.
    pub(crate) fn router(&self) -> Router {
        Router::new().fallback(forward).with_state(self.clone())
    }

    /// Ends the process when nobody has asked it anything for a while.
    pub(crate) fn spawn_workers(&self, stop: CancellationToken) -> TaskTracker {
        let tracker = TaskTracker::new();
        let meta = self.clone();
        tracker.spawn(async move {
            loop {
                tokio::select! {
                    () = stop.cancelled() => break,
                    () = tokio::time::sleep(IDLE / 10) => {}
                }
                let mut process = meta.0.process.lock().await;
                process.take_if(|process| process.used.elapsed() > IDLE);
            }
            meta.0.process.lock().await.take();
        });
        tracker
    }

    /// The port of the process, which is started if there is none.
    async fn port(&self) -> anyhow::Result<u16> {
        let mut slot = self.0.process.lock().await;
        if let Some(process) = slot.as_mut()
            && process.child.try_wait()?.is_none()
        {
            process.used = Instant::now();
            return Ok(process.port);
        }
        let process = self.start().await?;
        let port = process.port;
        *slot = Some(process);
        Ok(port)
    }

    async fn start(&self) -> anyhow::Result<Process> {
        let script = find(&self.0.roots, PACKAGE).context(
            "postgres-meta is not installed; run `npm install --save-dev @supabase/postgres-meta` in the project",
        )?;
        let node = find(&self.0.roots, "node_modules/.bin/node").unwrap_or_else(|| "node".into());
        let port = free_pair()?;
        let mut child = Command::new(&node)
            .arg(&script)
            .current_dir(script.parent().unwrap_or(Path::new("/")))
            .env("PG_META_HOST", "127.0.0.1")
            .env("PG_META_PORT", port.to_string())
            .env("PG_META_DB_URL", &self.0.database_url)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .with_context(|| format!("{} cannot be run", node.display()))?;
        let began = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
            if let Some(status) = child.try_wait()? {
                bail!("postgres-meta ended: {status}");
            }
            if began.elapsed() > READY_WITHIN {
                bail!("postgres-meta does not answer");
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok(Process {
            child,
            port,
            used: Instant::now(),
        })
    }

    async fn send(&self, mut request: Request) -> anyhow::Result<Response> {
        let port = self.port().await?;
        let target = request
            .uri()
            .path_and_query()
            .map_or("/", |path| path.as_str());
        let uri: Uri = format!("http://127.0.0.1:{port}{target}").parse()?;
        *request.uri_mut() = uri;
        *request.version_mut() = http::Version::HTTP_11;
        for name in [header::HOST, header::CONNECTION, header::TRANSFER_ENCODING] {
            request.headers_mut().remove(name);
        }
        let mut answer = self.0.client.request(request).await?;
        for name in [header::CONNECTION, header::TRANSFER_ENCODING] {
            answer.headers_mut().remove(name);
        }
        Ok(answer.map(Body::new))
    }
}

/// A free port whose successor is free, too: it serves its metrics there.
fn free_pair() -> anyhow::Result<u16> {
    for _ in 0..100 {
        let port = pg_embed::free_port()?;
        let next = port.checked_add(1);
        if next.is_some_and(|next| std::net::TcpListener::bind(("127.0.0.1", next)).is_ok()) {
            return Ok(port);
        }
    }
    bail!("there are no two free ports side by side")
}

fn find(roots: &[PathBuf], path: &str) -> Option<PathBuf> {
    roots
        .iter()
        .flat_map(|root| root.ancestors())
        .map(|folder| folder.join(path))
        .find(|path| path.is_file())
}

async fn forward(State(meta): State<Meta>, request: Request) -> Response {
    match meta.send(request).await {
        Ok(answer) => answer,
        Err(error) => {
            let message = format!("{error:#}");
            tracing::warn!(error = message, "postgres-meta cannot be asked");
            let body = json!({ "message": message, "error": message });
            (StatusCode::SERVICE_UNAVAILABLE, Json(body)).into_response()
        }
    }
}
