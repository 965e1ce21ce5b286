use http::Method;
use serde_json::{Value, json};

use super::{
    SECRET, Service, now,
    service::{call, get},
    signed, token,
};

const NO_DATABASE: &str = "postgres://nobody@127.0.0.1:1/none";

#[tokio::test]
async fn status_needs_nothing() {
    let app = Service::without_database(NO_DATABASE, &[]).await;
    assert_eq!(get(&app, "/status", None).await, (200, Value::Null));
}

#[tokio::test]
async fn a_token_is_refused_for_the_right_reason() {
    let app = Service::without_database(NO_DATABASE, &[]).await;
    let missing = json!({
        "statusCode": "400",
        "error": "Error",
        "message": "headers must have required property 'authorization'",
        "code": "InvalidRequest",
    });
    assert_eq!(get(&app, "/bucket", None).await, (400, missing));
    let claims = json!({ "role": "anon", "exp": now() - 60 });
    for (token, message) in [
        ("abc".to_owned(), "Invalid Compact JWS"),
        (
            signed(&claims, SECRET),
            r#""exp" claim timestamp check failed"#,
        ),
        (
            signed(&claims, "another secret"),
            "signature verification failed",
        ),
        (
            // {"alg":"HS256"}, "x", and a signature of less than a byte.
            "eyJhbGciOiJIUzI1NiJ9.Ingi.c".to_owned(),
            "Failed to base64url decode the signature",
        ),
    ] {
        let expected = json!({
            "statusCode": "403",
            "error": "Unauthorized",
            "message": message,
            "code": "AccessDenied",
        });
        assert_eq!(get(&app, "/bucket", Some(&token)).await, (400, expected));
    }
}

#[tokio::test]
async fn routes_that_do_not_exist_are_told_apart_from_families_that_do_not() {
    let app = Service::without_database(NO_DATABASE, &[]).await;
    for (method, path) in [
        (Method::PATCH, "/bucket"),
        (Method::GET, "/object/x"),
        (Method::GET, "/object/x?a=b"),
        (Method::GET, "/render/image"),
    ] {
        let answer = call(&app.app, method.clone(), path).send().await;
        let expected = json!({
            "statusCode": "404",
            "error": "Not Found",
            "message": format!("Route {method}:{path} not found"),
            "code": "InvalidRequest",
        });
        assert_eq!((answer.status, answer.json()), (404, expected));
    }
    let expected = json!({
        "message": "Route GET:/nothing not found",
        "error": "Not Found",
        "statusCode": 404,
    });
    assert_eq!(get(&app, "/nothing", None).await, (404, expected));
    // A family may be written in other letters.
    assert_eq!(get(&app, "/%62ucket", None).await.0, 400);
    assert_eq!(get(&app, "/%62ucket/x", None).await.0, 400);
    let tunnel = call(&app.app, Method::CONNECT, "nowhere:80").send().await;
    assert_eq!(tunnel.status, 404);
}

#[tokio::test]
async fn health_tells_a_database_that_is_gone() {
    let app = Service::without_database(NO_DATABASE, &[]).await;
    let (status, _) = get(&app, "/health", None).await;
    assert_eq!(status, 400);
    let answer = get(&app, "/health", Some(&token("anon"))).await;
    assert_eq!(answer, (200, json!({ "healthy": false })));
}

#[tokio::test]
async fn metrics_count_what_was_answered_if_they_are_wanted() {
    let off = Service::start().await;
    assert_eq!(off.get("/metrics").send().await.status, 404);
    let on = Service::start_with(&[("PROMETHEUS_METRICS_ENABLED", "true")]).await;
    on.put("public/a", "x").await;
    assert_eq!(
        on.get("/object/public/public/none").send().await.status,
        400
    );
    let text = String::from_utf8(on.get("/metrics").send().await.bytes).unwrap();
    for line in [
        "storage_api_http_requests_total{method=\"PUT\",family=\"object\",status_code=\"2xx\"} 1",
        "storage_api_http_requests_total{method=\"GET\",family=\"object\",status_code=\"4xx\"} 1",
        "storage_api_http_request_duration_seconds_count{family=\"object\"} 2",
        "storage_api_upload_success{uploadType=\"standard\"} 1",
        // A path alone does not tell that this bucket is only named `public`.
        "http_server_request_duration_seconds_count{http_request_method=\"PUT\",\
         http_route=\"/object/public/{bucket}/{*key}\",http_response_status_code=\"200\"} 1",
        "http_server_request_duration_seconds_count{http_request_method=\"GET\",\
         http_route=\"/object/public/{bucket}/{*key}\",http_response_status_code=\"400\"} 1",
        "http_server_active_requests{http_request_method=\"PUT\"} 0",
        // The one that asks.
        "http_server_active_requests{http_request_method=\"GET\"} 1",
        "db_client_connection_count{db_client_connection_pool_name=\"storage\",db_client_connection_state=\"used\"} 0",
        "db_client_connection_pending_requests{db_client_connection_pool_name=\"storage\"} 0",
    ] {
        assert!(text.lines().any(|found| found == line), "{line}: {text}");
    }
}
