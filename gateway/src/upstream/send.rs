//! Sending a request to a copy that answers it.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::{body::Body, response::Response};
use http::{HeaderMap, Method, Request, StatusCode, Uri, header, request::Parts};
use http_body::Body as _;
use tower::ServiceExt as _;

use super::{
    answer::{Keeping, hand_on},
    balancer::Balancer,
    copy::{Copy, Slot},
    link::{Failure, Link},
};
use crate::{error::Error, headers, inbound::Progress, tunnel};

/// How often a request is sent again after a copy took it and gave no answer: more than a copy that is dying needs, which
/// breaks connections of before and still takes new ones.
const REPLAYS: usize = 4;

/// How long the head of an answer may take, counted from the last piece of the request's body.
pub(crate) struct Patience {
    pub(crate) wait: Duration,
    pub(crate) progress: Option<Arc<Progress>>,
}

impl Patience {
    async fn wait<T>(&self, answer: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
        let mut answer = std::pin::pin!(answer);
        let mut wait = self.wait;
        loop {
            if let Ok(answer) = tokio::time::timeout(wait, answer.as_mut()).await {
                return answer;
            }
            let last = self.progress.as_ref().map(|progress| progress.last());
            let until = last.map(|last| last + self.wait);
            wait = until.map_or(Duration::ZERO, |until| {
                until.saturating_duration_since(Instant::now())
            });
            if wait.is_zero() {
                return Err(Error::UpstreamSlow);
            }
        }
    }
}

/// Sends the request, whose path is already the service's. The body of the answer may take as long as it moves.
pub(crate) async fn send(
    balancer: &Arc<Balancer>,
    request: Request<Body>,
    patience: &Patience,
) -> Result<Response, Error> {
    if let Some(router) = balancer.mounted() {
        // A router's error type has no values.
        let answer = async {
            router
                .clone()
                .oneshot(request)
                .await
                .map_err(|never| match never {})
        };
        return patience.wait(answer).await;
    }
    let answer = send_remote(balancer, request, patience.progress.as_deref());
    let mut response = patience.wait(answer).await?;
    if response.status() != StatusCode::SWITCHING_PROTOCOLS {
        headers::clean_response(response.headers_mut());
    }
    Ok(response)
}

/// The head of a request that may be sent twice: it changes nothing the second time, and has no body.
fn replayable(request: &Request<Body>) -> Option<Parts> {
    let is_idempotent = matches!(
        *request.method(),
        Method::GET | Method::HEAD | Method::OPTIONS | Method::PUT | Method::DELETE
    );
    if !is_idempotent || !request.body().is_end_stream() {
        return None;
    }
    let (mut head, ()) = Request::new(()).into_parts();
    head.method = request.method().clone();
    head.uri = request.uri().clone();
    head.headers = request.headers().clone();
    Some(head)
}

async fn send_remote(
    balancer: &Arc<Balancer>,
    mut request: Request<Body>,
    progress: Option<&Progress>,
) -> Result<Response, Error> {
    balancer.refresh().await;
    let is_websocket =
        request.method() == Method::GET && headers::wants_websocket(request.headers());
    *request.version_mut() = http::Version::HTTP_11;
    let replay = replayable(&request);
    let uri = request.uri().clone();
    let mut tried: Vec<Arc<Copy>> = Vec::new();
    let mut replays = 0;
    loop {
        let slot = balancer.pick(&tried)?;
        let copy = Arc::clone(slot.copy());
        address(&mut request, &uri, &copy)?;
        if is_websocket {
            match Box::pin(tunnel::open(slot, balancer, request)).await {
                Ok(opened) => return opened,
                Err(unsent) => request = unsent,
            }
            retry_elsewhere(balancer, &mut tried, copy);
            continue;
        }
        // Rare futures are boxed: each request makes, and moves, room for the largest one otherwise.
        let (mut link, is_used) = match link_to(balancer, &slot, replay.is_some()).await {
            Ok(link) => link,
            Err(error) => {
                tracing::warn!(service = balancer.service.name(), copy = &**copy.name(), %error, "no connection");
                copy.refused();
                doubt(balancer, &copy);
                retry_elsewhere(balancer, &mut tried, copy);
                continue;
            }
        };
        let failure = match link.exchange(request).await {
            Ok(response) if response.status() == StatusCode::SWITCHING_PROTOCOLS => {
                return Err(Error::UpstreamDown);
            }
            Ok(response) => {
                copy.succeeded();
                let settings = &balancer.settings;
                let keeping = Keeping {
                    room: settings.idle_connections,
                    idle: settings.idle_timeout,
                };
                return Ok(hand_on(response, link, slot, keeping).await);
            }
            Err(failure) => failure,
        };
        if let Some(error) = progress.and_then(Progress::failure) {
            return Err(error);
        }
        if is_used {
            // One connection ended while nobody looked, so others may have, too. That is not the copy's fault.
            copy.sweep(settings_age(balancer));
        }
        match (failure, &replay) {
            (Failure::Unsent(unsent), _) => request = *unsent,
            (Failure::Broken(_), Some(head)) if replays < REPLAYS => {
                replays += 1;
                request = Request::from_parts(head.clone(), Body::empty());
            }
            (Failure::Broken(error), _) => {
                copy.broke();
                doubt(balancer, &copy);
                tracing::warn!(service = balancer.service.name(), copy = &**copy.name(), %error, "no answer");
                return Err(Error::UpstreamDown);
            }
        }
        if is_used {
            balancer.metrics.retried(balancer.service);
        } else {
            copy.broke();
            doubt(balancer, &copy);
            retry_elsewhere(balancer, &mut tried, copy);
        }
    }
}

fn settings_age(balancer: &Balancer) -> Duration {
    balancer.settings.idle_age
}

/// What ended may take connections again before it can answer, so only its own word brings it back.
fn doubt(balancer: &Balancer, copy: &Copy) {
    if balancer.asks() {
        copy.ask_before_use();
    }
}

fn retry_elsewhere(balancer: &Balancer, tried: &mut Vec<Arc<Copy>>, copy: Arc<Copy>) {
    balancer.metrics.retried(balancer.service);
    tried.push(copy);
}

/// A connection, and whether it was used before. What cannot be sent twice goes only over one that is known to be
/// alive.
async fn link_to(
    balancer: &Balancer,
    slot: &Slot,
    is_replayable: bool,
) -> std::io::Result<(Link, bool)> {
    let settings = &balancer.settings;
    while let Some(link) = slot.copy().take(settings.idle_age) {
        if is_replayable || link.is_alive() {
            return Ok((link, true));
        }
    }
    let link = Box::pin(Link::connect(slot.copy().address, settings.connect_timeout));
    Ok((link.await?, false))
}

/// Names the copy in the request. The query stays byte for byte: in rest it is a program.
fn address(request: &mut Request<Body>, uri: &Uri, copy: &Copy) -> Result<(), Error> {
    if !copy.prefix.is_empty() {
        let rest = uri.path_and_query().map_or("/", |rest| rest.as_str());
        let uri = Uri::try_from(format!("{}{rest}", copy.prefix));
        *request.uri_mut() = uri.map_err(|_| Error::BadRequest)?;
    }
    let headers: &mut HeaderMap = request.headers_mut();
    headers.insert(header::HOST, copy.host.clone());
    Ok(())
}
