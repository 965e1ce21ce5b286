//! What the service counts.

use auth_svc::{config, metrics::Listener};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::test_app::TestApp;

#[track_caller]
fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line}\n{text}");
    }
}

#[tokio::test]
async fn sign_ins_messages_hooks_and_hashes_are_counted() {
    let mut app = TestApp::start(&[]).await;
    let session = app.member("asha@example.test", "a good password").await;
    app.sign_in("asha@example.test", "a wrong password")
        .await
        .refused(400, "invalid_credentials");
    app.sign_in("asha@example.test", "a good password")
        .await
        .ok();
    app.refresh(&session.text("refresh_token")).await.ok();
    app.refresh("aaaaaaaaaaaa")
        .await
        .refused(400, "refresh_token_not_found");
    app.get("/user", &session.text("access_token")).await.ok();
    app.post("/otp", json!({ "phone": "15551111111" }))
        .await
        .ok();
    app.post("/otp", json!({ "phone": "15551111111" }))
        .await
        .refused(429, "over_sms_send_rate_limit");
    let blocked = app.post("/otp", json!({ "phone": "15550000000" })).await;
    assert_eq!(blocked.status, 403);
    let verify = "/verify?type=signup&token=in-a-link";
    assert_eq!(app.get(verify, "").await.status, 303);

    let text = app.app.metrics_text();
    has(
        &text,
        &[
            "gotrue_running 1",
            r#"auth_sign_ins_total{method="otp",result="success"} 1"#,
            r#"auth_sign_ins_total{method="otp",result="otp_expired"} 1"#,
            r#"auth_sign_ins_total{method="password",result="success"} 1"#,
            r#"auth_sign_ins_total{method="password",result="invalid_credentials"} 1"#,
            r#"auth_sign_ins_total{method="token_refresh",result="success"} 1"#,
            r#"auth_sign_ins_total{method="token_refresh",result="refresh_token_not_found"} 1"#,
            r#"global_auth_email_send_operations_total{type="signup"} 1"#,
            "auth_sms_send_operations_total 2",
            "auth_sms_send_errors_total 1",
            r#"auth_hook_calls_total{hook="send-sms",result="success"} 1"#,
            r#"auth_hook_calls_total{hook="send-sms",result="refused"} 1"#,
            r#"auth_hook_duration_seconds_count{hook="send-sms"} 2"#,
            r#"auth_rate_limited_total{code="over_sms_send_rate_limit"} 1"#,
            "gotrue_email_rate_limit_counter_total 0",
            "gotrue_compare_hash_and_password_submitted_total 2",
            "gotrue_compare_hash_and_password_completed_total 2",
            "auth_password_hash_running 0",
            "auth_password_hash_waiting 0",
        ],
    );
    assert!(!text.contains("global_auth_email_send_errors_total{"));
    for secret in ["asha", "1555", "in-a-link"] {
        assert!(!text.contains(secret), "{secret}\n{text}");
    }
}

#[tokio::test]
async fn requests_are_counted_by_route_under_new_names_and_under_the_originals() {
    let app = TestApp::start(&[]).await;
    for path in ["/health", "/user", "/user/", "/nothing/of/this/name"] {
        app.get(path, "").await;
    }
    let path = format!("/admin/users/{}", uuid::Uuid::nil());
    app.get(&path, &crate::test_app::service_token()).await;
    let text = app.app.metrics_text();
    let count = "http_server_request_duration_seconds_count{http_request_method=\"GET\"";
    has(
        &text,
        &[
            &format!("{count},http_route=\"/health\",http_response_status_code=\"200\"}} 1"),
            // With a slash at its end a path means the same.
            &format!("{count},http_route=\"/user\",http_response_status_code=\"401\"}} 2"),
            &format!(
                "{count},http_route=\"/admin/users/{{id}}\",http_response_status_code=\"404\"}} 1"
            ),
            &format!("{count},http_route=\"other\",http_response_status_code=\"404\"}} 1"),
            r#"http_status_codes_total{code="401",http_route="/user"} 2"#,
            r#"http_server_duration_milliseconds_count{http_method="GET",http_route="/user",http_status_code="401"} 2"#,
            r#"http_server_active_requests{http_request_method="GET"} 0"#,
            r#"db_client_connection_max{db_client_connection_pool_name="auth"} 10"#,
            r#"db_client_connection_pending_requests{db_client_connection_pool_name="auth"} 0"#,
            r#"db_client_connection_max{db_client_connection_pool_name="limits"} 2"#,
        ],
    );
}

#[tokio::test]
async fn who_waits_for_a_place_or_a_connection_is_seen() {
    let app = TestApp::start(&[("GOTRUE_DB_MAX_POOL_SIZE", "1")]).await;
    let places = app.app.hasher().occupy().await.unwrap();
    let connection = app.app.connection().await.unwrap();
    let (hasher, other) = (app.app.hasher().clone(), app.app.clone());
    let mut hashing = Box::pin(hasher.hash("a password"));
    let mut connecting = Box::pin(other.connection());
    assert!(futures_util::poll!(hashing.as_mut()).is_pending());
    assert!(futures_util::poll!(connecting.as_mut()).is_pending());
    has(
        &app.app.metrics_text(),
        &[
            "auth_password_hash_waiting 1",
            r#"db_client_connection_pending_requests{db_client_connection_pool_name="auth"} 1"#,
            r#"db_client_connection_count{db_client_connection_pool_name="auth",db_client_connection_state="used"} 1"#,
        ],
    );
    drop((places, connection));
    hashing.await.unwrap();
    connecting.await.unwrap();
    has(
        &app.app.metrics_text(),
        &[
            "auth_password_hash_waiting 0",
            "gotrue_generate_from_password_submitted_total 1",
            "gotrue_generate_from_password_completed_total 1",
        ],
    );
}

#[tokio::test]
async fn metrics_have_a_port_of_their_own_if_they_are_wanted() {
    let nowhere = Listener::bind(&config::Metrics::default()).await.unwrap();
    assert!(nowhere.is_none());
    let app = TestApp::start(&[]).await;
    let settings = config::Metrics {
        prometheus: Some(("127.0.0.1".to_owned(), 0)),
    };
    let listener = Listener::bind(&settings).await.unwrap().unwrap();
    let address = listener.address().unwrap();
    let (stop, served) = (CancellationToken::new(), app.app.clone());
    let serving = tokio::spawn(listener.serve(move || served.clone(), stop.clone()));
    let answer = reqwest::get(format!("http://{address}/metrics")).await;
    let text = answer.unwrap().text().await.unwrap();
    has(&text, &["gotrue_running 1"]);
    stop.cancel();
    serving.await.unwrap();
    // Nowhere else.
    assert_eq!(app.get("/metrics", "").await.status, 404);
}
