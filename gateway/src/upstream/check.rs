//! Asking copies whether they are ready, and tidying up behind them.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use axum::body::Body;
use futures_util::future::join_all;
use http::{HeaderMap, Method, Request, header};
use tokio_util::sync::CancellationToken;

use super::{balancer::Balancer, copy::Copy, link::Link};
use crate::{App, Service};

/// How long an answer may take.
pub(crate) const PROBE: Duration = Duration::from_secs(3);
const SWEEP: Duration = Duration::from_secs(5);
/// How often copies are asked while one of them is not there.
const IN_DOUBT: Duration = Duration::from_millis(250);

impl Service {
    /// A request that each original answers with 2xx exactly when it is ready.
    pub(crate) fn probe(self) -> Option<(Method, &'static str)> {
        match self {
            Self::Auth => Some((Method::GET, "/health")),
            // Any path of rest could be a table. OPTIONS on the root reads the schema cache and nothing else.
            Self::Rest => Some((Method::OPTIONS, "/")),
            Self::Storage => Some((Method::GET, "/status")),
            Self::Realtime => Some((Method::GET, "/healthcheck")),
            Self::Functions => Some((Method::GET, "/_internal/health")),
            Self::RestAdmin | Self::Meta => None,
        }
    }
}

/// Looks after all copies until `stop`.
pub(crate) async fn watch(app: App, stop: CancellationToken) {
    let work = async {
        tokio::join!(check_all(&app), sweep_all(&app));
    };
    tokio::select! {
        () = stop.cancelled() => {}
        () = work => {}
    }
}

async fn check_all(app: &App) {
    let mut asked = Instant::now();
    loop {
        let interval = app.live().config.balancing.check_interval;
        tokio::time::sleep(interval.clamp(Duration::from_millis(10), IN_DOUBT)).await;
        if interval.is_zero() {
            tokio::time::sleep(SWEEP).await;
            continue;
        }
        let live = app.live();
        let is_due = asked.elapsed() >= interval;
        if is_due {
            asked = Instant::now();
        }
        let due = live
            .balancers()
            .filter(|balancer| is_due || balancer.copies().iter().any(|copy| !copy.is_available()));
        join_all(due.map(check)).await;
    }
}

/// Where there is one copy alone, nothing would be done differently.
async fn check(balancer: &Arc<Balancer>) {
    let Some((method, path)) = balancer.service.probe() else {
        return;
    };
    balancer.refresh().await;
    let copies = balancer.copies();
    if copies.len() > 1 {
        let probes = copies.iter().map(|copy| async {
            copy.set_ready(is_ready(copy, method.clone(), path).await);
        });
        join_all(probes).await;
    }
}

/// True if this copy answers with 2xx, over a connection made for the question.
pub(crate) async fn is_ready(copy: &Copy, method: Method, path: &str) -> bool {
    let ask = async {
        let mut link = Link::connect(copy.address, PROBE).await.ok()?;
        let mut headers = HeaderMap::new();
        headers.insert(header::HOST, copy.host.clone());
        headers.insert(
            header::CONNECTION,
            header::HeaderValue::from_static("close"),
        );
        let mut request = Request::builder()
            .method(method)
            .uri(format!("{}{path}", copy.prefix))
            .body(Body::empty())
            .ok()?;
        *request.headers_mut() = headers;
        let response = link.exchange(request).await.ok()?;
        Some(response.status().is_success())
    };
    matches!(tokio::time::timeout(PROBE, ask).await, Ok(Some(true)))
}

async fn sweep_all(app: &App) {
    loop {
        tokio::time::sleep(SWEEP).await;
        let live = app.live();
        for balancer in live.balancers() {
            for copy in balancer.copies().iter() {
                copy.sweep(balancer.settings.idle_age);
            }
        }
    }
}
