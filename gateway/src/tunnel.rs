//! Connections that became web sockets: bytes both ways until one side is done, or both are silent for too long.

mod frames;

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{body::Body, response::Response};
use http::{HeaderMap, HeaderValue, Request, StatusCode, header};
use hyper::{client::conn::http1, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};

use crate::{
    error::Error,
    headers,
    server::Awaited,
    upstream::{Balancer, Slot, connect},
};
use frames::Frames;

/// Of each direction of each socket, so that ten thousand need little.
const BUFFER: usize = 4096;
/// How long the other direction may go on after one has ended.
const GRACE: Duration = Duration::from_secs(10);
/// A close frame that says that the server restarts (1012): clients connect anew.
const RESTART: [u8; 4] = [0x88, 2, 0x03, 0xF4];

/// Asks a copy for a web socket. Gives the request back if the copy could not be reached.
pub(crate) async fn open(
    slot: Slot,
    balancer: &Arc<Balancer>,
    mut request: Request<Body>,
) -> Result<Result<Response, Error>, Request<Body>> {
    let copy = Arc::clone(slot.copy());
    let Ok(stream) = connect(copy.address(), balancer.settings.connect_timeout).await else {
        copy.refused();
        return Err(request);
    };
    let Ok((mut sender, connection)) = http1::handshake(TokioIo::new(stream)).await else {
        return Err(request);
    };
    tokio::spawn(connection.with_upgrades());
    let client = hyper::upgrade::on(&mut request);
    let awaited = request.extensions_mut().remove::<Awaited>();
    switch(request.headers_mut());
    let mut response = match sender.send_request(request).await {
        Ok(response) => response,
        Err(error) => {
            tracing::warn!(copy = &**copy.name(), %error, "no answer to the wish for a web socket");
            return Ok(Err(Error::UpstreamDown));
        }
    };
    copy.succeeded();
    headers::clean_response(response.headers_mut());
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        let service = hyper::upgrade::on(&mut response);
        switch(response.headers_mut());
        let balancer = Arc::clone(balancer);
        tokio::spawn(async move {
            carry(client, service, slot, balancer).await;
            drop(awaited);
        });
    }
    Ok(Ok(response.map(Body::new)))
}

fn switch(headers: &mut HeaderMap) {
    headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(header::UPGRADE, HeaderValue::from_static("websocket"));
}

/// Carries bytes until one side ends, nothing moves for too long, or the gateway stops.
async fn carry(client: OnUpgrade, service: OnUpgrade, slot: Slot, balancer: Arc<Balancer>) {
    let (client, service) = match tokio::try_join!(client, service) {
        Ok(sides) => sides,
        Err(error) => {
            tracing::debug!(%error, "the connection did not become a web socket");
            return;
        }
    };
    let _open = balancer.metrics.websocket_opened();
    let pulse = Pulse::new();
    let mut frames = Frames::default();
    let (mut from_client, mut to_client) = tokio::io::split(TokioIo::new(client));
    let (mut from_service, mut to_service) = tokio::io::split(TokioIo::new(service));
    let is_restart = {
        let up = pass(&mut from_client, &mut to_service, &pulse, |_| ());
        let down = pass(&mut from_service, &mut to_client, &pulse, |bytes| {
            frames.follow(bytes);
        });
        tokio::select! {
            () = both(up, down) => false,
            () = pulse.stopped(balancer.settings.idle_timeout) => false,
            () = balancer.closing.cancelled() => true,
        }
    };
    // In the middle of a frame a further one would be read as a part of it.
    if is_restart && frames.is_between() {
        let _ = tokio::time::timeout(GRACE, to_client.write_all(&RESTART)).await;
    }
    let _ = tokio::time::timeout(GRACE, to_client.shutdown()).await;
    drop(slot);
}

/// Until both directions have ended; one alone ends the other before long.
async fn both(
    up: impl Future<Output = io::Result<()>>,
    down: impl Future<Output = io::Result<()>>,
) {
    let (mut up, mut down) = (std::pin::pin!(up), std::pin::pin!(down));
    // An error is a connection that was cut, which is how most web sockets end.
    let _ = tokio::select! {
        ended = up.as_mut() => match ended {
            Ok(()) => tokio::time::timeout(GRACE, down).await.unwrap_or(Ok(())),
            Err(error) => Err(error),
        },
        ended = down.as_mut() => match ended {
            Ok(()) => tokio::time::timeout(GRACE, up).await.unwrap_or(Ok(())),
            Err(error) => Err(error),
        },
    };
}

async fn pass(
    from: &mut (impl AsyncRead + Unpin),
    to: &mut (impl AsyncWrite + Unpin),
    pulse: &Pulse,
    mut seen: impl FnMut(&[u8]),
) -> io::Result<()> {
    let mut buffer = vec![0; BUFFER];
    loop {
        let size = from.read(&mut buffer).await?;
        if size == 0 {
            return to.shutdown().await;
        }
        pulse.beat();
        to.write_all(&buffer[..size]).await?;
        seen(&buffer[..size]);
        pulse.beat();
    }
}

/// When something last moved in either direction.
struct Pulse {
    started: Instant,
    last_ms: AtomicU64,
}

impl Pulse {
    fn new() -> Self {
        Self {
            started: Instant::now(),
            last_ms: AtomicU64::new(0),
        }
    }

    fn beat(&self) {
        let now = u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_ms.store(now, Ordering::Relaxed);
    }

    /// Until nothing has moved for this long.
    async fn stopped(&self, idle: Duration) {
        loop {
            let last = self.started + Duration::from_millis(self.last_ms.load(Ordering::Relaxed));
            let left = (last + idle).saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            tokio::time::sleep(left).await;
        }
    }
}
