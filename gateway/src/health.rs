//! `GET /health`: is everything that this gateway routes to ready?

use std::time::Duration;

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use futures_util::future::join_all;
use http::{Method, Request, StatusCode};
use serde_json::{Map, json};

use crate::{Service, Upstream, Upstreams, proxy::Proxy};

impl Service {
    /// A request that each original answers with 2xx exactly when it is ready.
    fn probe(self) -> Option<(Method, &'static str)> {
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

    fn name(self) -> &'static str {
        match self {
            Self::Auth => "auth",
            Self::Rest => "rest",
            Self::RestAdmin => "rest-admin",
            Self::Realtime => "realtime",
            Self::Storage => "storage",
            Self::Functions => "functions",
            Self::Meta => "meta",
        }
    }
}

/// 200 when every service is ready, else 503; the body names each.
pub(crate) async fn health(proxy: &Proxy, upstreams: &Upstreams) -> Response {
    let probes = upstreams.0.iter().filter_map(|(service, upstream)| {
        let (method, path) = service.probe()?;
        Some(async move {
            (
                service.name(),
                is_ready(proxy, upstream, method, path).await,
            )
        })
    });
    let results = join_all(probes).await;
    let all = results.iter().all(|(_, ready)| *ready);
    let services: Map<_, _> = results
        .into_iter()
        .map(|(name, ready)| (name.to_owned(), ready.into()))
        .collect();
    let status = if all {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (
        status,
        axum::Json(
            json!({ "status": if all { "ok" } else { "unavailable" }, "services": services }),
        ),
    )
        .into_response()
}

async fn is_ready(proxy: &Proxy, upstream: &Upstream, method: Method, path: &str) -> bool {
    let Ok(request) = Request::builder()
        .method(method)
        .uri(path)
        .body(Body::empty())
    else {
        return false;
    };
    proxy
        .send(upstream, request, Some(Duration::from_secs(3)))
        .await
        .is_ok_and(|response| response.status().is_success())
}
