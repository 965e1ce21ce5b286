//! What the admin server tells of requests and connections.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

fn series(part: &str, method: &str, route: &str, status: u16) -> String {
    format!(
        "http_server_request_duration_seconds_{part}{{http_request_method=\"{method}\",http_route=\"{route}\",\
         http_response_status_code=\"{status}\"}}"
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_counted_by_route_and_status_and_never_by_path() {
    let app = TestApp::start().await;
    app.get("/shops?limit=1").await;
    app.get("/items?limit=1").await;
    app.get("/nothing_of_this_name?select=secret").await;
    app.get("/").await;
    app.get("/one/two/three").await;
    app.post("/rpc/add")
        .json(&json!({"a": 1, "b": 2}))
        .send()
        .await;
    app.call(Method::OPTIONS, "/shops").send().await;
    let text = app.metrics().await;
    let mut counts: Vec<_> = text
        .lines()
        .filter(|line| line.starts_with("http_server_request_duration_seconds_count"))
        .collect();
    counts.sort_unstable();
    let mut expected = [
        ("GET", "/", 200, 1),
        ("GET", "/{relation}", 200, 2),
        ("GET", "/{relation}", 404, 1),
        ("GET", "other", 404, 1),
        ("OPTIONS", "/{relation}", 200, 1),
        ("POST", "/rpc/{function}", 200, 1),
    ]
    .map(|(method, route, status, count)| {
        format!("{} {count}", series("count", method, route, status))
    });
    expected.sort_unstable();
    assert_eq!(counts, expected);
    assert!(
        !text.contains("shops") && !text.contains("secret"),
        "{text}"
    );
    for method in ["GET", "POST"] {
        let active = format!("http_server_active_requests{{http_request_method=\"{method}\"}} 0");
        assert!(text.lines().any(|line| line == active), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_pool_says_what_it_may_have_and_what_it_has() {
    let app = TestApp::start().await;
    app.get("/shops?limit=1").await;
    let text = app.metrics().await;
    let name = "db_client_connection_pool_name=\"rest\"";
    for line in [
        format!("db_client_connection_max{{{name}}} 4"),
        format!("db_client_connection_count{{{name},db_client_connection_state=\"idle\"}} 1"),
        format!("db_client_connection_count{{{name},db_client_connection_state=\"used\"}} 0"),
        format!("db_client_connection_pending_requests{{{name}}} 0"),
    ] {
        assert!(text.lines().any(|found| found == line), "{line}\n{text}");
    }
}
