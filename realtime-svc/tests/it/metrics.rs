//! What the service counts of requests and connections.

use axum::{Router, body::Body};
use http::Request;
use http_body_util::BodyExt as _;
use jsonwebtoken::{EncodingKey, Header, encode};
use realtime_svc::{App, Config};
use serde_json::json;
use svc_kit::env::Vars;
use tower::ServiceExt as _;

const SECRET: &str = "a secret of the tests, long enough for HMAC";

async fn ask(router: &Router, path: &str, token: &str) -> (u16, String) {
    let request = Request::get(path).header("authorization", format!("Bearer {token}"));
    let response = router
        .clone()
        .oneshot(request.body(Body::empty()).unwrap())
        .await
        .unwrap();
    let status = response.status().as_u16();
    let bytes = response.into_body().collect().await.unwrap().to_bytes();
    (status, String::from_utf8(bytes.to_vec()).unwrap())
}

#[tokio::test]
async fn requests_are_counted_by_route_and_pools_tell_what_they_have() {
    let vars: Vars = [
        ("API_JWT_SECRET", SECRET),
        ("METRICS_JWT_SECRET", SECRET),
        ("DB_HOST", "127.0.0.1"),
        ("DB_POOL_SIZE", "3"),
    ]
    .into_iter()
    .collect();
    let app = App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap();
    let router = app.router();
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    let token = encode(
        &Header::default(),
        &json!({ "exp": 4_102_444_800_u64 }),
        &key,
    )
    .unwrap();
    for (path, expected) in [
        ("/healthcheck", 200),
        ("/api/ping", 200),
        ("/api/ping", 200),
        ("/socket/websocket?apikey=secret", 401),
        ("/metrics", 403),
        ("/secret/of/a/person", 404),
    ] {
        let token = if path == "/metrics" { "wrong" } else { &token };
        assert_eq!(ask(&router, path, token).await.0, expected, "{path}");
    }
    let (status, text) = ask(&router, "/metrics", &token).await;
    assert_eq!(status, 200);
    let mut counts: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("http_server_request_duration_seconds_count"))
        .collect();
    counts.sort_unstable();
    let expected = [
        ("/api/ping", 200, 2),
        ("/healthcheck", 200, 1),
        ("/metrics", 403, 1),
        ("/socket/websocket", 401, 1),
        ("other", 404, 1),
    ]
    .map(|(route, status, count)| {
        format!(
            "http_server_request_duration_seconds_count{{http_request_method=\"GET\",http_route=\"{route}\",\
             http_response_status_code=\"{status}\"}} {count}"
        )
    });
    assert_eq!(counts, expected);
    assert!(!text.contains("secret"), "{text}");
    for line in [
        "http_server_active_requests{http_request_method=\"GET\"} 1",
        "db_client_connection_max{db_client_connection_pool_name=\"realtime\"} 3",
        "db_client_connection_max{db_client_connection_pool_name=\"catalog\"} 2",
        "db_client_connection_pending_requests{db_client_connection_pool_name=\"changes\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}
