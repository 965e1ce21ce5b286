//! Requests, as far as the service answers any.

use std::time::{SystemTime, UNIX_EPOCH};

use axum::body::Body;
use http::{Request, StatusCode};
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use realtime_svc::{App, Config};
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tower::ServiceExt as _;

const SECRET: &str = "a secret of the tests, long enough for HMAC";

async fn get(path: &str) -> (StatusCode, String) {
    let vars: Vars = [
        ("API_JWT_SECRET", SECRET),
        ("DB_HOST", "127.0.0.1"),
        ("CONNECT_ERROR_BACKOFF_MS", "0"),
    ]
    .into_iter()
    .collect();
    let app = App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap();
    let request = Request::builder().uri(path).body(Body::empty()).unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    let status = response.status();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

fn key(claims: &Value, secret: &str) -> String {
    let key = EncodingKey::from_secret(secret.as_bytes());
    encode(&Header::default(), claims, &key).unwrap()
}

#[tokio::test]
async fn the_health_check_is_plain_text() {
    assert_eq!(get("/healthcheck").await, (StatusCode::OK, "ok".to_owned()));
}

#[tokio::test]
async fn a_socket_is_refused_for_the_right_reason() {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let good = json!({ "role": "anon", "exp": now + 60 });
    for (key, status, message) in [
        (String::new(), 401, "API key is missing"),
        (
            "abc".to_owned(),
            401,
            "The token provided is not a valid JWT",
        ),
        (
            key(&good, "another secret"),
            401,
            "Failed to validate JWT signature",
        ),
        (
            key(&json!({ "role": "anon", "exp": now - 60 }), SECRET),
            401,
            "Token has expired",
        ),
        (
            key(&json!({ "exp": now + 60 }), SECRET),
            401,
            "Fields `role` and `exp` are required in JWT",
        ),
    ] {
        let (actual, body) = get(&format!("/socket/websocket?vsn=1.0.0&apikey={key}")).await;
        assert_eq!(actual.as_u16(), status, "{message}");
        let body: Value = serde_json::from_str(&body).unwrap();
        assert_eq!(body, json!({ "error": message }));
    }
}

#[tokio::test]
async fn a_good_key_is_asked_for_a_web_socket() {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let key = key(&json!({ "role": "anon", "exp": now + 60 }), SECRET);
    let (status, _) = get(&format!("/socket/websocket?apikey={key}")).await;
    assert_eq!(status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_ping_needs_no_token() {
    let (status, body) = get("/api/ping").await;
    assert_eq!(
        (status, body.as_str()),
        (StatusCode::OK, r#"{"message":"Success"}"#)
    );
}

#[tokio::test]
async fn what_is_not_there_is_not_found() {
    for path in ["/api/broadcast", "/api/nothing"] {
        let not_found = (StatusCode::NOT_FOUND, "\"Not Found\"".to_owned());
        assert_eq!(get(path).await, not_found, "{path}");
    }
}
