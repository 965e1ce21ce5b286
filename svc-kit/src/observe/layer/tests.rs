use std::{
    io,
    sync::{Arc, Mutex, Once},
};

use axum::{
    Router,
    body::Body,
    routing::{get, post},
};
use http::StatusCode;
use serde_json::Value;
use tower::ServiceExt as _;
use tracing_subscriber::{
    EnvFilter, filter::dynamic_filter_fn, fmt::MakeWriter, layer::SubscriberExt as _,
};

use super::*;
use crate::observe::Text;

/// Keeps what is logged.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl Log {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }

    /// The fields of each line.
    fn lines(&self) -> Vec<Value> {
        let text = self.text();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        lines.collect()
    }
}

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl MakeWriter<'_> for Log {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// Lines are asked about one by one, as a process has them that logs: `tracing` remembers for all threads that nobody wants a
/// line when the first to write it is a thread without a subscriber, and a test beside it, which has one, would miss it.
fn ask_about_every_line() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let nothing = dynamic_filter_fn(|_, _| false);
        let subscriber = tracing_subscriber::registry().with(nothing);
        tracing::subscriber::set_global_default(subscriber).unwrap();
    });
}

fn logged_as(filter: &str) -> (Log, tracing::subscriber::DefaultGuard) {
    ask_about_every_line();
    let log = Log::default();
    let layer = tracing_subscriber::fmt::layer()
        .json()
        .with_writer(log.clone());
    let subscriber = tracing_subscriber::registry()
        .with(EnvFilter::new(filter))
        .with(layer);
    let guard = tracing::subscriber::set_default(subscriber);
    (log, guard)
}

fn service(requests: &Requests) -> Router {
    ask_about_every_line();
    Router::new()
        .route("/health", get(async || "ok"))
        .route("/users/{id}", get(async || "user"))
        .route(
            "/token",
            post(async || (StatusCode::BAD_REQUEST, [("x-sb-error-code", "bad_json")])),
        )
        .route("/slow", get(std::future::pending::<()>))
        .fallback(async || StatusCode::NOT_FOUND)
        .layer(ObserveLayer::new(requests.clone()).routine(&["/health"]))
}

fn request(method: &str, uri: &str) -> Request<Body> {
    let request = Request::builder().method(method).uri(uri);
    request.body(Body::empty()).unwrap()
}

#[tokio::test]
async fn routes_are_counted_by_their_templates() {
    let requests = Requests::new();
    let service = service(&requests);
    for (method, uri) in [
        ("GET", "/users/1"),
        ("GET", "/users/2?a=b"),
        ("POST", "/token"),
        ("GET", "/wp-login.php"),
        ("DELETE", "/users/3"),
    ] {
        let _ = service.clone().oneshot(request(method, uri)).await;
    }
    let mut counts: Vec<_> = requests
        .counted()
        .into_iter()
        .map(|one| (one.method, one.route, one.status, one.count))
        .collect();
    counts.sort();
    let expected = [
        ("DELETE", "/users/{id}", "405", 1),
        ("GET", "/users/{id}", "200", 2),
        ("GET", "other", "404", 1),
        ("POST", "/token", "400", 1),
    ];
    let expected = expected
        .map(|(method, route, status, count)| (method, route.to_owned(), status.to_owned(), count));
    assert_eq!(counts, expected);
}

#[tokio::test]
async fn a_line_has_no_query_no_header_and_no_body() {
    let (log, _guard) = logged_as("trace");
    let service = service(&Requests::new());
    let request = Request::builder()
        .method("POST")
        .uri("/token?grant_type=password&token=in-the-query&apikey=in-the-query-too")
        .header("authorization", "Bearer in-a-header")
        .header("apikey", "in-another-header")
        .header("cookie", "sb-access-token=in-a-cookie")
        .header("sb-request-id", "0193-abc")
        .header(
            "traceparent",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        )
        .body(Body::from(r#"{"password":"in-the-body"}"#))
        .unwrap();
    service.oneshot(request).await.unwrap();
    let text = log.text();
    for secret in ["in-", "grant_type", "Bearer", "?"] {
        assert!(!text.contains(secret), "{secret}: {text}");
    }
    let lines = log.lines();
    assert_eq!(lines.len(), 1, "{text}");
    assert_eq!(lines[0]["level"], "WARN");
    assert_eq!(lines[0]["target"], "http");
    let mut fields = lines[0]["fields"].clone();
    let took = fields["duration_ms"].take();
    assert!(took.as_f64().unwrap() >= 0.0);
    let expected = serde_json::json!({
        "message": "request", "method": "POST", "path": "/token", "status": 400, "duration_ms": null,
        "request_id": "0193-abc", "trace_id": "4bf92f3577b34da6a3ce929d0e0e4736", "error_code": "bad_json",
    });
    assert_eq!(fields, expected);
}

#[tokio::test]
async fn a_client_that_goes_away_is_counted_and_has_its_line() {
    let (log, _guard) = logged_as("info");
    let requests = Requests::new();
    let answer = service(&requests).oneshot(request("GET", "/slow"));
    let mut answer = Box::pin(answer);
    assert!(futures_util::poll!(answer.as_mut()).is_pending());
    let mut text = Text::default();
    requests.render(&mut text);
    let active = "http_server_active_requests{http_request_method=\"GET\"} 1\n";
    assert!(text.into_string().contains(active));
    drop(answer);
    let counted = requests.counted();
    assert_eq!(counted.len(), 1);
    assert_eq!(
        (counted[0].route.as_str(), counted[0].status.as_str()),
        ("/slow", "499")
    );
    assert_eq!(log.lines()[0]["fields"]["status"], 499);
}

#[tokio::test]
async fn filters_choose_the_lines() {
    for (filter, expected) in [
        ("info", vec!["/users/1", "/token"]),
        ("debug", vec!["/health", "/users/1", "/token"]),
        ("warn", vec!["/token"]),
        ("info,http=off", vec![]),
    ] {
        let (log, _guard) = logged_as(filter);
        let service = service(&Requests::new());
        for (method, uri) in [("GET", "/health"), ("GET", "/users/1"), ("POST", "/token")] {
            let _ = service.clone().oneshot(request(method, uri)).await;
        }
        let lines = log.lines();
        let lines = lines.iter().filter(|line| line["target"] == "http");
        let paths: Vec<_> = lines
            .map(|line| line["fields"]["path"].as_str().unwrap())
            .collect();
        assert_eq!(paths, expected, "{filter}");
    }
}

#[tokio::test]
async fn a_path_stands_for_its_template_where_there_is_no_router() {
    ask_about_every_line();
    let requests = Requests::new();
    let template: fn(&str) -> &'static str = |path| match path {
        "/" => "/",
        _ => "/{table}",
    };
    let service = Router::new()
        .fallback(async || "rows")
        .layer(ObserveLayer::by_path(requests.clone(), template));
    for uri in ["/", "/a", "/b"] {
        service.clone().oneshot(request("GET", uri)).await.unwrap();
    }
    let mut counts: Vec<_> = requests
        .counted()
        .into_iter()
        .map(|one| (one.route, one.count))
        .collect();
    counts.sort();
    assert_eq!(counts, [("/".to_owned(), 1), ("/{table}".to_owned(), 2)]);
}
