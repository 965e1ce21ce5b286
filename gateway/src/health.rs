//! `GET /health`: is everything that this gateway routes to ready?

use std::time::{Duration, Instant};

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use futures_util::future::join_all;
use http::{Method, Request, StatusCode};
use serde_json::{Map, Value, json};
use tokio::sync::Mutex;
use tower::ServiceExt as _;

use crate::{
    app::Live,
    upstream::{self, Balancer, PROBE},
};

/// How long an answer is as good as a new one. Anybody may ask, and each question is one to every copy of every service.
const FRESH: Duration = Duration::from_millis(500);

/// What was found last, and when; those who ask at the same time wait for one another.
#[derive(Debug, Default)]
pub(crate) struct Known(Mutex<Option<Found>>);

type Found = (Instant, bool, Map<String, Value>);

/// 200 when every service is ready, else 503; the body names each. Of several copies one is enough.
pub(crate) async fn health(live: &Live) -> Response {
    let mut known = live.health.0.lock().await;
    let found = known.take().filter(|(at, ..)| at.elapsed() < FRESH);
    let (at, all, services) = match found {
        Some(found) => found,
        None => ask(live).await,
    };
    let (status, word) = if all {
        (StatusCode::OK, "ok")
    } else {
        (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
    };
    let body = json!({ "status": word, "services": services });
    *known = Some((at, all, services));
    (status, axum::Json(body)).into_response()
}

async fn ask(live: &Live) -> Found {
    let probes = live.balancers().filter_map(|balancer| {
        let (method, path) = balancer.service.probe()?;
        Some(async move {
            let is_ready = is_ready(balancer, method, path).await;
            (balancer.service.name(), is_ready)
        })
    });
    let results = join_all(probes).await;
    let all = results.iter().all(|(_, ready)| *ready);
    let services = results
        .into_iter()
        .map(|(name, ready)| (name.to_owned(), ready.into()))
        .collect();
    (Instant::now(), all, services)
}

async fn is_ready(balancer: &std::sync::Arc<Balancer>, method: Method, path: &str) -> bool {
    let Some(router) = balancer.mounted() else {
        balancer.refresh().await;
        let copies = balancer.copies();
        let probes = copies
            .iter()
            .map(|copy| upstream::is_ready(copy, method.clone(), path));
        return join_all(probes).await.contains(&true);
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .body(Body::empty());
    let Ok(request) = request else {
        return false;
    };
    let answer = tokio::time::timeout(PROBE, router.clone().oneshot(request)).await;
    matches!(answer, Ok(Ok(response)) if response.status().is_success())
}
