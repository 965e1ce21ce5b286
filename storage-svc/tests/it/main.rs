//! What a caller of the storage service sees, on a real database.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod buckets;
mod listing;
mod refusals;

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use http::{Method, Request};
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use serde_json::{Value, json};
use storage_svc::{App, Config};
use svc_kit::env::Vars;
use tower::ServiceExt as _;

const SECRET: &str = "a secret of the tests, long enough for HMAC";

/// A service on the database given; requests without one need none.
async fn app(database_url: &str) -> App {
    let vars: Vars = [("PGRST_JWT_SECRET", SECRET), ("DATABASE_URL", database_url)]
        .into_iter()
        .collect();
    App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap()
}

fn now() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

fn signed(claims: &Value, secret: &str) -> String {
    let key = EncodingKey::from_secret(secret.as_bytes());
    encode(&Header::default(), claims, &key).unwrap()
}

fn token(role: &str) -> String {
    signed(&json!({ "role": role, "exp": now() + 60 }), SECRET)
}

async fn call(app: &App, method: Method, path: &str, token: Option<&str>) -> (u16, Value) {
    let mut request = Request::builder().method(method).uri(path);
    if let Some(token) = token {
        request = request.header("authorization", format!("Bearer {token}"));
    }
    let request = request.body(Body::empty()).unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&bytes).unwrap_or_default())
}

async fn get(app: &App, path: &str, token: Option<&str>) -> (u16, Value) {
    call(app, Method::GET, path, token).await
}
