//! Handing a request to a process and its answer back, both streamed.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::{body::Body, response::Response};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Request, StatusCode, Uri, Version, header};
use http_body::{Frame, SizeHint};
use hyper::{body::Incoming, upgrade::OnUpgrade};
use hyper_util::rt::TokioIo;

use crate::{connections::Connection, error::Error, process::Cause, worker::Lease};

/// What concerns one hop only and must not be passed on.
const HOP_BY_HOP: [HeaderName; 8] = [
    header::CONNECTION,
    header::EXPECT,
    header::PROXY_AUTHENTICATE,
    header::PROXY_AUTHORIZATION,
    header::TE,
    header::TRAILER,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
];

const EXECUTION_ID: HeaderName = HeaderName::from_static("x-deno-execution-id");

/// How long the end of a process may take to be noticed after its connection broke.
const END_IS_NEAR: Duration = Duration::from_secs(2);

/// A request that did not get its answer.
pub(crate) enum Failure {
    /// Nothing of it was sent, so another process may have it.
    Unsent(Box<Request<Body>>),
    Answered(Error),
}

/// What remains of a request when it is on its way: whether its connection is to become a web socket.
struct Upgrade {
    protocol: HeaderValue,
    client: OnUpgrade,
}

/// Sends the request and waits at most `limit` for the head of the answer. The body may take as long as it takes.
pub(crate) async fn forward(
    lease: Lease,
    mut request: Request<Body>,
    limit: Duration,
) -> Result<Response, Failure> {
    let upgrade = take_upgrade(&mut request);
    for_process(&mut request);
    if let Some(upgrade) = &upgrade {
        let headers = request.headers_mut();
        headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
        headers.insert(header::UPGRADE, upgrade.protocol.clone());
    }
    let answer = tokio::time::timeout(limit, send(&lease, request)).await;
    let (mut response, connection) = match answer {
        Ok(Ok(answer)) => answer,
        Ok(Err(Some(mut request))) => {
            if let Some(upgrade) = upgrade {
                // The next attempt finds it where this one did.
                let headers = request.headers_mut();
                headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
                request.extensions_mut().insert(upgrade.client);
            }
            return Err(Failure::Unsent(request));
        }
        Ok(Err(None)) => return Err(Failure::Answered(reason(&lease).await)),
        Err(_) => return Err(Failure::Answered(Error::IdleTimeout)),
    };
    lease.progressed();
    // As the hosted platform says it; a function knows it as SB_EXECUTION_ID, and each line of its log has it.
    if let Ok(id) = HeaderValue::try_from(lease.process.id.to_string()) {
        response.headers_mut().insert(EXECUTION_ID, id);
    }
    match upgrade {
        Some(upgrade) if response.status() == StatusCode::SWITCHING_PROTOCOLS => {
            let process_side = hyper::upgrade::on(&mut response);
            tokio::spawn(join(upgrade.client, process_side, lease));
            strip(response.headers_mut());
            let headers = response.headers_mut();
            headers.insert(header::CONNECTION, HeaderValue::from_static("Upgrade"));
            headers.insert(header::UPGRADE, upgrade.protocol);
            Ok(response.map(|_| Body::empty()))
        }
        _ => {
            strip(response.headers_mut());
            Ok(response.map(|body| {
                Body::new(Answer {
                    body,
                    lease,
                    connection: Some(connection),
                })
            }))
        }
    }
}

/// Sends the request over a kept connection or a new one. The error is the request, if nothing of it was sent.
async fn send(
    lease: &Lease,
    mut request: Request<Body>,
) -> Result<(http::Response<Incoming>, Connection), Option<Box<Request<Body>>>> {
    loop {
        let Ok(mut connection) = lease.connections.get().await else {
            return Err(Some(Box::new(request)));
        };
        let mut failure = match connection.sender.try_send_request(request).await {
            Ok(response) => return Ok((response, connection)),
            Err(failure) => failure,
        };
        match failure.take_message() {
            Some(unsent) if connection.reused => request = unsent,
            Some(unsent) => return Err(Some(Box::new(unsent))),
            None => return Err(None),
        }
    }
}

/// Why a connection broke: the process may be about to be known as ended.
async fn reason(lease: &Lease) -> Error {
    let ended = lease.process.ended_signal();
    match tokio::time::timeout(END_IS_NEAR, ended).await {
        Ok(Cause::Cpu | Cause::Memory | Cause::Storage | Cause::WallClock) => Error::WorkerLimit,
        Ok(Cause::Boot | Cause::Stopped | Cause::Failed) | Err(_) => Error::Worker,
    }
}

fn take_upgrade(request: &mut Request<Body>) -> Option<Upgrade> {
    let wants = tokens(request.headers()).any(|token| token.eq_ignore_ascii_case("upgrade"));
    let protocol = request
        .headers()
        .get(header::UPGRADE)
        .filter(|_| wants)
        .cloned()?;
    let client = hyper::upgrade::on(request);
    Some(Upgrade { protocol, client })
}

/// Makes it a request of this hop.
fn for_process(request: &mut Request<Body>) {
    strip(request.headers_mut());
    if !request.headers().contains_key(header::HOST) {
        let host = request
            .uri()
            .authority()
            .and_then(|authority| HeaderValue::from_str(authority.as_str()).ok())
            .unwrap_or_else(|| HeaderValue::from_static("localhost"));
        request.headers_mut().insert(header::HOST, host);
    }
    if request.uri().authority().is_some() {
        let path = request.uri().path_and_query().cloned();
        *request.uri_mut() = path.map_or_else(|| Uri::from_static("/"), Uri::from);
    }
    *request.version_mut() = Version::HTTP_11;
}

fn tokens(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    headers
        .get_all(header::CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .map(str::trim)
}

fn strip(headers: &mut HeaderMap) {
    if headers.contains_key(header::CONNECTION) {
        let named: Vec<HeaderName> = tokens(headers)
            .filter_map(|name| name.parse().ok())
            .collect();
        for name in &named {
            headers.remove(name);
        }
    }
    for name in &HOP_BY_HOP {
        headers.remove(name);
    }
    headers.remove("keep-alive");
}

/// Copies bytes both ways until one side closes.
async fn join(client: OnUpgrade, process: OnUpgrade, lease: Lease) {
    let (client, process) = match tokio::try_join!(client, process) {
        Ok(sides) => sides,
        Err(error) => {
            tracing::debug!(%error, "upgrade failed");
            return;
        }
    };
    // An error here is a connection that was cut, which is how most web sockets end.
    let _ =
        tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut TokioIo::new(process)).await;
    drop(lease);
}

/// The body of an answer, which keeps its process until its end.
struct Answer {
    body: Incoming,
    lease: Lease,
    connection: Option<Connection>,
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        match &frame {
            Poll::Ready(Some(Ok(_))) => self.lease.progressed(),
            Poll::Ready(None) => {
                if let Some(connection) = self.connection.take() {
                    connection.give_back();
                }
            }
            Poll::Ready(Some(Err(_))) => self.connection = None,
            Poll::Pending => {}
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

impl Drop for Answer {
    fn drop(&mut self) {
        // Whoever sends a body of known length stops asking when it has all of it.
        if http_body::Body::is_end_stream(&self.body)
            && let Some(connection) = self.connection.take()
        {
            connection.give_back();
        }
    }
}
