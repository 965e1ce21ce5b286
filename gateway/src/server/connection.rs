//! One connection of a client: its protocol, and the frame around each of its requests.

use std::{
    convert::Infallible,
    net::{IpAddr, SocketAddr},
    pin::Pin,
    sync::Arc,
    task::{Context as TaskContext, Poll},
    time::{Duration, Instant},
};

use axum::body::Body;
use bytes::Bytes;
use http::{HeaderValue, Request, Response, Uri, Version, header};
use http_body::{Body as _, Frame, SizeHint};
use hyper::{
    body::Incoming,
    server::conn::{http1, http2},
    service::service_fn,
};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use svc_kit::http::REQUEST_ID;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
};
use tokio_util::sync::CancellationToken;

use super::{Awaited, Held, patient::Patient};
use crate::{
    App, Serving,
    access_log::{AccessLog, Entry},
    headers::Peer,
    request_id,
    tls::Tls,
};

/// Requests at a time on one connection of HTTP/2.
const STREAMS: u32 = 128;

/// What the connections of a worker share.
pub(super) struct Context {
    worker: usize,
    app: App,
    tls: Option<Tls>,
    log: Option<Arc<AccessLog>>,
    header_timeout: Duration,
    idle_timeout: Duration,
    http1: http1::Builder,
    http2: http2::Builder<TokioExecutor>,
    pub(super) stop: CancellationToken,
}

impl Context {
    pub(super) fn new(
        worker: usize,
        app: &App,
        tls: Option<&Tls>,
        log: Option<&Arc<AccessLog>>,
        serving: &Serving,
        stop: &CancellationToken,
    ) -> Self {
        let mut http1 = http1::Builder::new();
        http1
            .timer(TokioTimer::new())
            .header_read_timeout(serving.header_timeout)
            .max_header_size(serving.max_header_size)
            .max_buf_size(serving.max_header_size.max(64 * 1024) + 8 * 1024);
        let mut http2 = http2::Builder::new(TokioExecutor::new());
        http2
            .timer(TokioTimer::new())
            .keep_alive_interval(serving.header_timeout)
            .keep_alive_timeout(Duration::from_secs(20))
            .max_header_list_size(u32::try_from(serving.max_header_size).unwrap_or(u32::MAX))
            .max_concurrent_streams(STREAMS);
        Self {
            worker,
            app: app.clone(),
            tls: tls.cloned(),
            log: log.cloned(),
            header_timeout: serving.header_timeout,
            idle_timeout: app.live().config.balancing.idle_timeout,
            http1,
            http2,
            stop: stop.clone(),
        }
    }
}

/// Serves a connection to its end.
pub(super) async fn serve(
    context: Arc<Context>,
    stream: TcpStream,
    address: SocketAddr,
    is_tls: bool,
    held: Held,
    awaited: Awaited,
) {
    let peer = Peer { address, is_tls };
    if !is_tls {
        let Some(is_http2) = begins_with_http2(&context, &stream).await else {
            return;
        };
        return speak(context, stream, peer, is_http2, held, awaited).await;
    }
    let Some(tls) = &context.tls else {
        return;
    };
    let handshake = tokio::time::timeout(context.header_timeout, tls.accept(stream));
    match handshake.await {
        Ok(Ok(Some(stream))) => {
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            speak(context, stream, peer, is_http2, held, awaited).await;
        }
        // Somebody checked that the name is ours.
        Ok(Ok(None)) => {}
        Ok(Err(_)) | Err(_) => {
            let failures = &context.app.metrics().failed_handshakes;
            failures.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

/// True if the client begins with HTTP/2's preface, without having asked. None if it says nothing.
async fn begins_with_http2(context: &Context, stream: &TcpStream) -> Option<bool> {
    let mut first = [0; 3];
    let peeked = tokio::select! {
        peeked = tokio::time::timeout(context.header_timeout, stream.peek(&mut first)) => peeked,
        () = context.stop.cancelled() => return None,
    };
    match peeked {
        Ok(Ok(1..)) => Some(first == *b"PRI"),
        _ => None,
    }
}

async fn speak<S>(
    context: Arc<Context>,
    stream: S,
    peer: Peer,
    is_http2: bool,
    held: Held,
    awaited: Awaited,
) where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let stream = TokioIo::new(Patient::new(stream, context.idle_timeout, held));
    let stop = context.stop.clone();
    let service = {
        let context = Arc::clone(&context);
        service_fn(move |mut request: Request<Incoming>| {
            if request.headers().contains_key(header::UPGRADE) {
                request.extensions_mut().insert(Arc::clone(&awaited));
            }
            answer(Arc::clone(&context), request, peer)
        })
    };
    // An error is a connection that was cut or a request that could not be read, and was answered so.
    if is_http2 {
        let mut connection = std::pin::pin!(context.http2.serve_connection(stream, service));
        tokio::select! {
            _ = connection.as_mut() => return,
            () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    } else {
        let connection = context.http1.serve_connection(stream, service);
        let mut connection = std::pin::pin!(connection.with_upgrades());
        tokio::select! {
            _ = connection.as_mut() => return,
            () = stop.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }
}

/// One request: its id, its answer, its line in the log.
async fn answer(
    context: Arc<Context>,
    request: Request<Incoming>,
    peer: Peer,
) -> Result<Response<Body>, Infallible> {
    let began = Instant::now();
    let (mut parts, incoming) = request.into_parts();
    let body = if incoming.is_end_stream() {
        Body::empty()
    } else {
        Body::new(incoming)
    };
    let id = request_id::of(&mut parts.headers);
    let line = context
        .log
        .as_ref()
        .map(|_| Line::new(&parts, peer.address.ip(), id.clone()));
    let (mut response, service) = context
        .app
        .answer(Request::from_parts(parts, body), Some(peer))
        .await;
    response.headers_mut().insert(REQUEST_ID, id);
    let Some(line) = line else {
        return Ok(response);
    };
    let pending = Pending {
        context,
        line,
        status: response.status(),
        service: service.map(crate::Service::name),
        began,
        bytes: 0,
    };
    let size = response.body().size_hint().exact();
    Ok(match size {
        // What is here already is as good as sent.
        Some(size) if response.body().is_end_stream() || size <= 64 * 1024 => {
            Pending {
                bytes: size,
                ..pending
            }
            .finish();
            response
        }
        _ => response.map(|body| {
            Body::new(Logged {
                body,
                pending: Some(pending),
            })
        }),
    })
}

/// What the log tells of a request.
struct Line {
    client: IpAddr,
    method: http::Method,
    uri: Uri,
    version: Version,
    user_agent: Option<HeaderValue>,
    id: HeaderValue,
}

impl Line {
    fn new(parts: &http::request::Parts, client: IpAddr, id: HeaderValue) -> Self {
        Self {
            client,
            method: parts.method.clone(),
            uri: parts.uri.clone(),
            version: parts.version,
            user_agent: parts.headers.get(header::USER_AGENT).cloned(),
            id,
        }
    }
}

/// A line that waits for the end of its answer.
struct Pending {
    context: Arc<Context>,
    line: Line,
    status: http::StatusCode,
    service: Option<&'static str>,
    began: Instant,
    bytes: u64,
}

impl Pending {
    fn finish(self) {
        let Self { context, line, .. } = self;
        let Some(log) = &context.log else {
            return;
        };
        let entry = Entry {
            client: Some(line.client),
            method: line.method,
            uri: line.uri,
            version: line.version,
            status: self.status,
            bytes: self.bytes,
            duration: self.began.elapsed(),
            request_id: line.id,
            service: self.service,
            user_agent: line.user_agent,
        };
        log.write(context.worker, &entry);
    }
}

/// An answer whose bytes are counted for the log.
struct Logged {
    body: Body,
    pending: Option<Pending>,
}

impl http_body::Body for Logged {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut TaskContext<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(Some(Ok(frame))) = &frame
            && let Some(data) = frame.data_ref()
            && let Some(pending) = &mut self.pending
        {
            pending.bytes += data.len() as u64;
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Logged {
    fn drop(&mut self) {
        if let Some(pending) = self.pending.take() {
            pending.finish();
        }
    }
}
