//! The gateway in front of services that say what reached them, mounted and remote.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod attacks;
mod copies;
mod forwarding;
mod keys;
mod pages;
mod rates;
mod served;
mod transport;

use axum::{Json, Router, body::Body, extract::Request, response::Response};
use bytes::Bytes;
use gateway::{App, Config, Service, Upstream};
use http::header;
use http_body_util::BodyExt as _;
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tower::ServiceExt as _;

const ANON: &str = "anon.jwt.token";
const SERVICE: &str = "service.jwt.token";
const PUBLISHABLE: &str = "sb_publishable_test";
const SECRET: &str = "sb_secret_test";

fn vars(more: &[(&str, &str)]) -> Vars {
    [
        ("ANON_KEY", ANON),
        ("SERVICE_ROLE_KEY", SERVICE),
        ("SUPABASE_PUBLISHABLE_KEY", PUBLISHABLE),
        ("SUPABASE_SECRET_KEY", SECRET),
    ]
    .iter()
    .chain(more)
    .copied()
    .collect()
}

/// Answers with what it received.
fn echo() -> Router {
    Router::new().fallback(|request: Request| async move {
        let headers: serde_json::Map<String, Value> = request
            .headers()
            .iter()
            .map(|(name, value)| (name.to_string(), String::from_utf8_lossy(value.as_bytes()).into()))
            .collect();
        let uri = request.uri().to_string();
        let method = request.method().to_string();
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let origin = [(header::ACCESS_CONTROL_EXPOSE_HEADERS, "X-Own")];
        (origin, Json(json!({ "method": method, "uri": uri, "headers": headers, "body": String::from_utf8_lossy(&body) })))
    })
}

fn mounted(more: &[(&str, &str)]) -> Router {
    mounted_with(&echo(), more)
}

/// Every service answers with the router given.
fn mounted_with(service_router: &Router, more: &[(&str, &str)]) -> Router {
    let mut config = Config::from_vars(&vars(more)).unwrap();
    for service in [
        Service::Auth,
        Service::Rest,
        Service::Storage,
        Service::Realtime,
        Service::Functions,
        Service::Meta,
    ] {
        config
            .upstreams
            .set(service, Upstream::Mounted(service_router.clone()));
    }
    App::new(config).router()
}

async fn send(gateway: &Router, method: &str, uri: &str, headers: &[(&str, &str)]) -> Response {
    let mut request = Request::builder().method(method).uri(uri);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    gateway
        .clone()
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap()
}

async fn bytes_of(response: Response) -> Bytes {
    axum::body::to_bytes(response.into_body(), 1 << 20)
        .await
        .unwrap()
}

async fn text_of(response: Response) -> String {
    String::from_utf8(bytes_of(response).await.to_vec()).unwrap()
}

async fn json_of(response: Response) -> Value {
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    serde_json::from_slice(&bytes)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&bytes)))
}
