//! A gateway that listens, a service that notes what reached it, and clients that say what they like.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
    time::Duration,
};

use axum::{Router, body::Body, extract::Request, response::Response};
use gateway::{App, Config, Server, Service, Upstream};
use http_body_util::BodyExt as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::vars;

/// Nothing here takes that long unless it hangs.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

pub(crate) struct Served {
    pub(crate) app: App,
    pub(crate) address: SocketAddr,
    pub(crate) https: Option<SocketAddr>,
    pub(crate) admin: Option<SocketAddr>,
    pub(crate) stop: CancellationToken,
    pub(crate) ended: JoinHandle<()>,
    _guard: DropGuard,
}

pub(crate) fn config(more: &[(&str, &str)]) -> Config {
    let quiet = [
        ("GATEWAY_HOST", "127.0.0.1"),
        ("GATEWAY_PORT", "0"),
        ("GATEWAY_WORKERS", "2"),
        ("GATEWAY_ACCESS_LOG", "off"),
    ];
    let all: Vec<_> = quiet.iter().chain(more).copied().collect();
    Config::from_vars(&vars(&all)).unwrap()
}

/// A gateway with these settings on a free port, until it is dropped.
pub(crate) async fn serve(config: Config) -> Served {
    let app = App::new(config);
    let server = Server::bind(&app).await.unwrap();
    let stop = CancellationToken::new();
    let (address, https, admin) = (
        server.http_address().unwrap(),
        server.https_address(),
        server.admin_address(),
    );
    let _workers = app.spawn_workers(stop.clone());
    let ended = tokio::spawn({
        let (app, stop) = (app.clone(), stop.clone());
        async move { server.serve(app, stop).await.unwrap() }
    });
    Served {
        app,
        address,
        https,
        admin,
        _guard: stop.clone().drop_guard(),
        stop,
        ended,
    }
}

/// What reached a service: the line of the request, its headers, and its body.
pub(crate) type Seen = Arc<Mutex<Vec<String>>>;

/// A service of its own that notes every request and answers with the number of its bytes.
pub(crate) async fn noting() -> (SocketAddr, Seen) {
    let seen = Seen::default();
    let notes = Arc::clone(&seen);
    let router = Router::new().fallback(move |request: Request| {
        let notes = Arc::clone(&notes);
        async move {
            let (parts, body) = request.into_parts();
            let body = body
                .collect()
                .await
                .map(http_body_util::Collected::to_bytes)
                .unwrap_or_default();
            notes.lock().unwrap().push(format!(
                "{} {} {:?} {}",
                parts.method,
                parts.uri,
                parts.headers,
                String::from_utf8_lossy(&body)
            ));
            Response::new(Body::from(body.len().to_string()))
        }
    });
    (listening(router).await, seen)
}

pub(crate) async fn listening(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(svc_kit::http::serve(
        listener,
        router,
        CancellationToken::new(),
    ));
    address
}

/// A gateway in front of one service that notes everything, whatever the path.
pub(crate) async fn in_front_of_notes(more: &[(&str, &str)]) -> (Served, Seen) {
    let (address, seen) = noting().await;
    let mut config = config(more);
    for service in [
        Service::Auth,
        Service::Rest,
        Service::Storage,
        Service::Realtime,
        Service::Functions,
        Service::Meta,
    ] {
        config.upstreams.set(service, remote(&[address]));
    }
    (serve(config).await, seen)
}

pub(crate) fn remote(addresses: &[SocketAddr]) -> Upstream {
    let urls = addresses
        .iter()
        .map(|address| format!("http://{address}").parse().unwrap());
    Upstream::Remote(urls.collect())
}

/// Sends bytes as they are, and reads until the gateway closes the connection.
pub(crate) async fn raw(address: SocketAddr, bytes: impl AsRef<[u8]>) -> String {
    let mut socket = TcpStream::connect(address).await.unwrap();
    // A gateway that refuses may close before everything is sent.
    let _ = socket.write_all(bytes.as_ref()).await;
    let mut answer = Vec::new();
    let read = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "the gateway neither answers nor closes");
    String::from_utf8_lossy(&answer).into_owned()
}

/// The statuses of the answers in a piece of text, in their order.
pub(crate) fn statuses(answer: &str) -> Vec<u16> {
    let heads = answer.match_indices("HTTP/1.1 ");
    heads
        .map(|(at, head)| answer[at + head.len()..][..3].parse().unwrap())
        .collect()
}
