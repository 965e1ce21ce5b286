//! Limits, which hold for several copies of the service together.

use axum::{body::Body, extract::Request};
use chrono::Duration;
use serde_json::json;

use crate::test_app::{Reply, TestApp, service_token};

const NAMED: (&str, &str) = ("GOTRUE_RATE_LIMIT_HEADER", "x-client");
const ALONE: (&str, &str) = ("NILAM_AUTH_SHARED_RATE_LIMITS", "false");

async fn ask(app: &TestApp, client: &str) -> Reply {
    let request = Request::post("/verify").header("x-client", client);
    app.request(request.body(Body::from(r#"{"type": "x"}"#)).unwrap())
        .await
}

#[tokio::test]
async fn a_client_is_limited_only_when_a_header_names_it() {
    for settings in [vec![NAMED], vec![NAMED, ALONE]] {
        let app = TestApp::start(&settings).await;
        for _ in 0..30 {
            ask(&app, "one").await.refused(400, "validation_failed");
        }
        let refused = ask(&app, "one").await;
        assert_eq!(refused.header("retry-after"), "10");
        refused.refused(429, "over_request_rate_limit");
        ask(&app, "two").await.refused(400, "validation_failed");
        ask(&app, "").await.refused(400, "validation_failed");
        app.pass(Duration::seconds(11));
        ask(&app, "one").await.refused(400, "validation_failed");
        ask(&app, "one")
            .await
            .refused(429, "over_request_rate_limit");
    }
}

#[tokio::test]
async fn copies_of_the_service_count_together_unless_told_not_to() {
    for (settings, allowed_at_the_second) in [(vec![NAMED], 10), (vec![NAMED, ALONE], 30)] {
        let first = TestApp::start(&settings).await;
        let second = first.with(&[]).await;
        for _ in 0..20 {
            ask(&first, "one").await.refused(400, "validation_failed");
        }
        for _ in 0..allowed_at_the_second {
            ask(&second, "one").await.refused(400, "validation_failed");
        }
        ask(&second, "one")
            .await
            .refused(429, "over_request_rate_limit");
    }
}

#[tokio::test]
async fn a_storm_gets_no_more_than_its_share() {
    let first = TestApp::start(&[NAMED]).await;
    let second = first.with(&[]).await;
    let (one, two) = (&first, &second);
    let storm = (0..60).map(|number| async move {
        let app = if number % 2 == 0 { one } else { two };
        ask(app, "one").await.status
    });
    let statuses = futures_util::future::join_all(storm).await;
    assert_eq!(statuses.iter().filter(|status| **status == 400).count(), 30);
    assert_eq!(statuses.iter().filter(|status| **status == 429).count(), 30);
}

#[tokio::test]
async fn mail_is_limited_for_all_together() {
    let limit = ("GOTRUE_RATE_LIMIT_EMAIL_SENT", "2");
    let first = TestApp::start(&[limit]).await;
    let second = first.with(&[]).await;
    let sign_up = |app, email| async move {
        let app: &TestApp = app;
        app.post("/signup", json!({ "email": email, "password": "secret12" }))
            .await
    };
    sign_up(&first, "a@example.com").await.ok();
    sign_up(&second, "b@example.com").await.ok();
    let refused = sign_up(&first, "c@example.com").await;
    assert_eq!(refused.header("retry-after"), "3600");
    refused.refused(429, "over_email_send_rate_limit");
    first.pass(Duration::minutes(61));
    sign_up(&second, "c@example.com").await.ok();
}

#[tokio::test]
async fn without_the_table_each_copy_counts_for_itself() {
    let app = TestApp::start(&[NAMED]).await;
    sqlx::query("drop table auth.rate_limit_buckets")
        .execute(&app.db.pool())
        .await
        .unwrap();
    for _ in 0..30 {
        ask(&app, "one").await.refused(400, "validation_failed");
    }
    ask(&app, "one")
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn a_second_message_says_when_it_can_be_asked_for() {
    let mut app = TestApp::start(&[]).await;
    app.member("ada@example.com", "secret12").await;
    let body = json!({ "email": "ada@example.com" });
    app.post("/recover", body.clone()).await.ok();
    app.pass(Duration::seconds(20));
    let refused = app.post("/recover", body).await;
    let wait: u64 = refused.header("retry-after").parse().unwrap();
    assert!((38..=40).contains(&wait), "{wait}");
    refused.refused(429, "over_email_send_rate_limit");
}

#[tokio::test]
async fn old_counts_are_removed() {
    let app = TestApp::start(&[NAMED]).await;
    ask(&app, "one").await;
    let count = "select count(*) from auth.rate_limit_buckets";
    assert_eq!(app.count(count).await, 1);
    app.app.limiter().clean_up(app.now()).await.unwrap();
    assert_eq!(app.count(count).await, 1);
    app.pass(Duration::hours(3));
    app.app.limiter().clean_up(app.now()).await.unwrap();
    assert_eq!(app.count(count).await, 0);
    // Nobody else is shown who asked.
    app.get("/admin/users", &service_token()).await.ok();
    let open = "select count(*) from pg_class
        where oid = 'auth.rate_limit_buckets'::regclass and relrowsecurity";
    assert_eq!(app.count(open).await, 1);
}
