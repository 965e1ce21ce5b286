//! Whoever gets the requests.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{
    Router,
    body::Bytes,
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, Method, StatusCode, Uri, header};
use tokio::{
    net::TcpListener,
    sync::{Semaphore, watch},
    task::JoinHandle,
    time::timeout,
};

use crate::PATIENCE;

/// A request as it came.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) method: Method,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

#[derive(Clone)]
struct Shared {
    seen: Arc<Mutex<Vec<Received>>>,
    count: watch::Sender<usize>,
    gate: Arc<Semaphore>,
}

/// A server on loopback that remembers what it gets.
///
/// `/gate` answers when the test opens the gate, `/never` not at all, `/status/<code>` with that status, `/moved` from
/// elsewhere, `/large` with a mebibyte; everything else with the JSON text `{"ok":true}`.
pub(crate) struct Receiver {
    pub(crate) url: String,
    shared: Shared,
    server: JoinHandle<()>,
}

impl Receiver {
    pub(crate) async fn start() -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    pub(crate) fn on(listener: TcpListener) -> Self {
        let url = format!("http://{}", listener.local_addr().unwrap());
        let shared = Shared {
            seen: Arc::default(),
            count: watch::Sender::new(0),
            gate: Arc::new(Semaphore::new(0)),
        };
        let router = Router::new().fallback(receive).with_state(shared.clone());
        let server = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            url,
            shared,
            server,
        }
    }

    /// Lets as many requests for `/gate` through.
    pub(crate) fn open(&self, requests: usize) {
        self.shared.gate.add_permits(requests);
    }

    pub(crate) fn seen(&self) -> Vec<Received> {
        self.shared.seen.lock().unwrap().clone()
    }

    /// Waits until so many have come.
    pub(crate) async fn wait(&self, requests: usize) -> Vec<Received> {
        let mut count = self.shared.count.subscribe();
        let come = count.wait_for(|count| *count >= requests);
        assert!(
            timeout(PATIENCE, come).await.is_ok(),
            "{} of {requests} came",
            self.seen().len()
        );
        self.seen()
    }
}

impl Drop for Receiver {
    fn drop(&mut self) {
        self.server.abort();
    }
}

async fn receive(
    State(shared): State<Shared>,
    method: Method,
    uri: Uri,
    headers: HeaderMap,
    body: Bytes,
) -> Response {
    let path = uri.path().to_owned();
    let received = Received {
        method,
        uri,
        headers,
        body,
    };
    let count = {
        let mut seen = shared.seen.lock().unwrap();
        seen.push(received);
        seen.len()
    };
    shared.count.send_replace(count);
    let json = [(header::CONTENT_TYPE, "application/json")];
    match path.as_str() {
        "/gate" => {
            shared.gate.acquire().await.unwrap().forget();
            StatusCode::OK.into_response()
        }
        "/never" => {
            tokio::time::sleep(Duration::from_secs(3600)).await;
            StatusCode::OK.into_response()
        }
        "/moved" => (StatusCode::FOUND, [(header::LOCATION, "/elsewhere")]).into_response(),
        "/large" => vec![b'a'; 1024 * 1024].into_response(),
        "/zero" => b"before\0after".as_slice().into_response(),
        path => match path.strip_prefix("/status/") {
            Some(code) => StatusCode::from_bytes(code.as_bytes())
                .unwrap()
                .into_response(),
            None => (json, r#"{"ok":true}"#).into_response(),
        },
    }
}
