//! One place where debuggers find the inspectors of all processes.
//!
//! Each process listens on a port of its own, whose address has a secret in it. Debuggers ask for the list of them over
//! HTTP, as they do everywhere.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use axum::{
    Json, Router,
    extract::{Request, State},
    middleware::{Next, from_fn},
    response::{IntoResponse as _, Response},
    routing::get,
};
use http::{StatusCode, header};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::config::{Inspect, InspectMode};

/// What Deno says before the address of an inspector.
pub(crate) const ANNOUNCEMENT: &str = "Debugger listening on ";

/// The inspectors of all processes.
#[derive(Debug)]
pub(crate) struct Inspector {
    mode: InspectMode,
    listener: Mutex<Option<TcpListener>>,
    targets: Mutex<BTreeMap<Uuid, Target>>,
}

#[derive(Debug)]
struct Target {
    function: String,
    /// The entry module.
    module: String,
    /// `ws://HOST:PORT/SECRET`.
    address: String,
}

impl Inspector {
    pub(crate) async fn bind(config: Inspect) -> io::Result<Self> {
        let listener = TcpListener::bind(config.address).await?;
        tracing::warn!(address = %listener.local_addr()?, "functions can be debugged");
        Ok(Self {
            mode: config.mode,
            listener: Mutex::new(Some(listener)),
            targets: Mutex::default(),
        })
    }

    /// What Deno is told.
    pub(crate) fn argument(&self) -> &'static str {
        match self.mode {
            InspectMode::Run => "--inspect=127.0.0.1:0",
            InspectMode::Wait | InspectMode::Break => "--inspect-wait=127.0.0.1:0",
        }
    }

    /// True if a process is to stop before it loads its function.
    pub(crate) fn breaks(&self) -> bool {
        self.mode == InspectMode::Break
    }

    /// A process said where its inspector is.
    pub(crate) fn add(&self, process: Uuid, function: &str, module: String, address: &str) {
        let target = Target {
            function: function.to_owned(),
            module,
            address: address.trim().to_owned(),
        };
        self.targets().insert(process, target);
    }

    pub(crate) fn remove(&self, process: Uuid) {
        self.targets().remove(&process);
    }

    fn targets(&self) -> MutexGuard<'_, BTreeMap<Uuid, Target>> {
        self.targets.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers debuggers until `stop`.
    pub(crate) async fn serve(self: Arc<Self>, stop: CancellationToken) {
        let taken = self
            .listener
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        let Some(listener) = taken else {
            return;
        };
        let router = Router::new()
            .route("/json", get(list))
            .route("/json/list", get(list))
            .route("/json/version", get(version))
            .layer(from_fn(only_by_address))
            .with_state(self);
        let served = axum::serve(listener, router)
            .with_graceful_shutdown(stop.cancelled_owned())
            .await;
        if let Err(error) = served {
            tracing::error!(%error, "debuggers are not answered any more");
        }
    }
}

async fn list(State(inspector): State<Arc<Inspector>>) -> Json<Value> {
    let targets = inspector.targets();
    let described = targets.iter().map(|(process, target)| {
        let bare = target.address.trim_start_matches("ws://");
        json!({
            "description": "deno",
            "devtoolsFrontendUrl":
                format!("devtools://devtools/bundled/js_app.html?ws={bare}&experiments=true&v8only=true"),
            "id": process,
            "title": target.function,
            "type": "node",
            "url": target.module,
            "webSocketDebuggerUrl": target.address,
        })
    });
    Json(described.collect())
}

async fn version() -> Json<Value> {
    Json(json!({ "Browser": "Deno", "Protocol-Version": "1.3" }))
}

/// A page in a browser could reach this port under a name that it makes mean this machine, and read the secrets.
async fn only_by_address(request: Request, next: Next) -> Response {
    let host = request
        .headers()
        .get(header::HOST)
        .and_then(|host| host.to_str().ok())
        .and_then(|host| host.parse::<http::uri::Authority>().ok());
    let is_address = host.is_some_and(|authority| {
        let host = authority.host().trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok()
    });
    if is_address {
        next.run(request).await
    } else {
        StatusCode::FORBIDDEN.into_response()
    }
}
