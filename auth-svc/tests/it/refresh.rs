//! Refresh tokens: rotation, reuse, and what ends them.

use chrono::Duration;
use serde_json::json;

use crate::test_app::TestApp;

const LIVE: &str = "select count(*) from auth.refresh_tokens where not revoked";

#[tokio::test]
async fn each_token_is_exchanged_for_the_next() {
    let mut app = TestApp::start(&[]).await;
    let mut session = app.member("ada@example.com", "secret12").await;
    for _ in 0..3 {
        let before = session.text("refresh_token");
        session = app.refresh(&before).await.ok();
        assert_ne!(session.text("refresh_token"), before);
        assert_eq!(session.header("sb-auth-refresh-token-reuse"), "false");
        assert_eq!(app.count(LIVE).await, 1);
    }
    let refreshed = "select count(*) from auth.sessions where refreshed_at is not null";
    assert_eq!(app.count(refreshed).await, 1);
}

#[tokio::test]
async fn a_lost_answer_is_given_again() {
    let mut app = TestApp::start(&[]).await;
    let first = app
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let lost = app.refresh(&first).await.ok().text("refresh_token");
    app.pass(Duration::days(2));
    let again = app.refresh(&first).await.ok();
    assert_eq!(again.text("refresh_token"), lost);
    app.refresh(&lost).await.ok();
}

#[tokio::test]
async fn a_stolen_token_ends_the_whole_family_although_the_request_fails() {
    let mut app = TestApp::start(&[]).await;
    let first = app
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let second = app.refresh(&first).await.ok().text("refresh_token");
    let third = app.refresh(&second).await.ok().text("refresh_token");
    app.pass(Duration::seconds(1));
    app.refresh(&first)
        .await
        .refused(400, "refresh_token_already_used");
    assert_eq!(app.count(LIVE).await, 0);
    app.pass(Duration::seconds(1));
    app.refresh(&third)
        .await
        .refused(400, "refresh_token_already_used");
}

#[tokio::test]
async fn within_the_interval_a_used_token_is_good_again() {
    let interval = ("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "10");
    let mut app = TestApp::start(&[interval]).await;
    let first = app
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let second = app.refresh(&first).await.ok().text("refresh_token");
    app.refresh(&second).await.ok();
    app.pass(Duration::seconds(8));
    let reused = app.refresh(&first).await.ok();
    assert_ne!(reused.text("refresh_token"), second);
    app.pass(Duration::seconds(4));
    app.refresh(&second)
        .await
        .refused(400, "refresh_token_already_used");
}

#[tokio::test]
async fn a_hundred_at_once_agree_on_one_new_token() {
    let mut app = TestApp::start(&[]).await;
    let first = app
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let app = &app;
    let mut requests = Vec::new();
    for _ in 0..100 {
        requests.push(app.refresh(&first));
    }
    let mut given = Vec::new();
    for reply in futures_util::future::join_all(requests).await {
        given.push(reply.ok().text("refresh_token"));
    }
    given.dedup();
    assert_eq!(given.len(), 1, "all got the same token");
    assert_eq!(app.count(LIVE).await, 1);
}

#[tokio::test]
async fn what_is_no_token_of_ours_is_refused() {
    let app = TestApp::start(&[]).await;
    app.refresh("NOT A TOKEN")
        .await
        .refused(400, "validation_failed");
    app.refresh("abcdefghij23")
        .await
        .refused(400, "refresh_token_not_found");
    app.post("/token?grant_type=refresh_token", json!({}))
        .await
        .refused(400, "validation_failed");
}

#[tokio::test]
async fn lifetimes_end_a_session_when_it_is_refreshed() {
    for (setting, code) in [
        (
            "GOTRUE_SESSIONS_TIMEBOX",
            "Invalid Refresh Token: Session Expired",
        ),
        (
            "GOTRUE_SESSIONS_INACTIVITY_TIMEOUT",
            "Invalid Refresh Token: Session Expired (Inactivity)",
        ),
    ] {
        let mut app = TestApp::start(&[(setting, "1h")]).await;
        let token = app
            .member("ada@example.com", "secret12")
            .await
            .text("refresh_token");
        app.pass(Duration::minutes(30));
        let token = app.refresh(&token).await.ok().text("refresh_token");
        app.pass(Duration::minutes(61));
        let refused = app.refresh(&token).await.refused(400, "session_expired");
        assert_eq!(refused.text("msg"), code);
    }
}
