//! Refresh tokens that are signed and counted, and going over to them.

use chrono::Duration;
use serde_json::json;

use crate::test_app::{Reply, TestApp};

const SIGNED: (&str, &str) = ("GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION", "2");
const ALL: (&str, &str) = ("GOTRUE_SECURITY_REFRESH_TOKEN_UPGRADE_PERCENTAGE", "100");
const OPAQUE: &str = "select count(*) from auth.refresh_tokens";
const SESSIONS: &str = "select count(*) from auth.sessions";

fn counter(reply: &Reply) -> &str {
    reply.header("sb-auth-refresh-token-counter")
}

#[tokio::test]
async fn each_token_counts_one_further_and_none_is_stored() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let mut session = app.member("ada@example.com", "secret12").await;
    for expected in ["1", "2", "3"] {
        let before = session.text("refresh_token");
        assert_eq!(before.len(), 51);
        session = app.refresh(&before).await.ok();
        assert_eq!(counter(&session), expected);
        assert_eq!(session.header("sb-auth-refresh-token-reuse"), "false");
        assert!(!session.headers.contains_key("sb-auth-refresh-token-prefix"));
    }
    assert_eq!(app.count(OPAQUE).await, 0);
    let kept = "select count(*) from auth.sessions \
                where refresh_token_counter = 3 and refreshed_at is not null";
    assert_eq!(app.count(kept).await, 1);
}

#[tokio::test]
async fn a_lost_answer_is_given_again() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let member = app.member("ada@example.com", "secret12").await;
    let first = member.text("refresh_token");
    let lost = app.refresh(&first).await.ok().text("refresh_token");
    app.pass(Duration::days(2));
    let again = app.refresh(&first).await.ok();
    assert_eq!(again.text("refresh_token"), lost);
    assert_eq!(counter(&again), "1");
    assert_eq!(
        again.header("sb-auth-refresh-token-reuse-cause"),
        "fail-to-save"
    );
}

#[tokio::test]
async fn a_stolen_token_ends_the_session_although_the_request_fails() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let member = app.member("ada@example.com", "secret12").await;
    let first = member.text("refresh_token");
    let second = app.refresh(&first).await.ok().text("refresh_token");
    let third = app.refresh(&second).await.ok();
    app.refresh(&first)
        .await
        .refused(400, "refresh_token_already_used");
    assert_eq!(app.count(SESSIONS).await, 0);
    app.refresh(&third.text("refresh_token"))
        .await
        .refused(400, "refresh_token_not_found");
    app.get("/user", &third.text("access_token"))
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn reuse_can_be_allowed_for_a_time_or_for_good() {
    let interval = ("GOTRUE_SECURITY_REFRESH_TOKEN_REUSE_INTERVAL", "10");
    let always = ("GOTRUE_SECURITY_REFRESH_TOKEN_ALLOW_REUSE", "true");
    for (setting, wait, cause) in [
        (interval, 8, "concurrent-refresh"),
        (always, 8000, "always-allow"),
    ] {
        let mut app = TestApp::start(&[SIGNED, setting]).await;
        let member = app.member("ada@example.com", "secret12").await;
        let first = member.text("refresh_token");
        let second = app.refresh(&first).await.ok().text("refresh_token");
        let third = app.refresh(&second).await.ok().text("refresh_token");
        app.pass(Duration::seconds(wait));
        let reused = app.refresh(&first).await.ok();
        assert_eq!(reused.text("refresh_token"), third);
        assert_eq!(reused.header("sb-auth-refresh-token-reuse-cause"), cause);
    }
}

#[tokio::test]
async fn without_rotation_a_used_token_fails_alone() {
    let off = ("GOTRUE_SECURITY_REFRESH_TOKEN_ROTATION_ENABLED", "false");
    let mut app = TestApp::start(&[SIGNED, off]).await;
    let member = app.member("ada@example.com", "secret12").await;
    let first = member.text("refresh_token");
    let second = app.refresh(&first).await.ok().text("refresh_token");
    let third = app.refresh(&second).await.ok().text("refresh_token");
    app.refresh(&first)
        .await
        .refused(400, "refresh_token_already_used");
    app.refresh(&third).await.ok();
}

#[tokio::test]
async fn a_hundred_at_once_agree_on_one_new_token() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let member = app.member("ada@example.com", "secret12").await;
    let first = member.text("refresh_token");
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
    let counted = "select count(*) from auth.sessions where refresh_token_counter = 1";
    assert_eq!(app.count(counted).await, 1);
}

#[tokio::test]
async fn a_token_of_another_sessions_key_is_not_found() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let swap = "update auth.sessions set refresh_token_hmac_key = repeat('A', 43)";
    sqlx::query(swap).execute(&app.db.pool()).await.unwrap();
    app.refresh(&token)
        .await
        .refused(400, "refresh_token_not_found");
    let opaque = "update auth.sessions set refresh_token_hmac_key = null";
    sqlx::query(opaque).execute(&app.db.pool()).await.unwrap();
    app.refresh(&token)
        .await
        .refused(400, "refresh_token_not_found");
    let mut broken = token.clone();
    broken.replace_range(50..51, if token.ends_with('A') { "E" } else { "A" });
    app.refresh(&broken).await.refused(400, "validation_failed");
}

#[tokio::test]
async fn an_opaque_token_is_exchanged_for_a_signed_one_where_that_is_wished() {
    let mut old = TestApp::start(&[]).await;
    let token = old
        .member("ada@example.com", "secret12")
        .await
        .text("refresh_token");
    let app = old.with(&[SIGNED]).await;
    let kept = app.refresh(&token).await.ok().text("refresh_token");
    assert_eq!(kept.len(), 12, "nobody asked for an upgrade");
    let app = old.with(&[SIGNED, ALL]).await;
    let upgraded = app.refresh(&kept).await.ok();
    assert_eq!(counter(&upgraded), "0");
    let signed = upgraded.text("refresh_token");
    assert_eq!(
        upgraded.header("sb-auth-refresh-token-prefix"),
        &signed[..5]
    );
    assert_eq!(counter(&app.refresh(&signed).await.ok()), "1");
    let live = "select count(*) from auth.refresh_tokens where not revoked";
    assert_eq!(app.count(live).await, 0);
    // The exchange can be lost, too; but then there is no live opaque token to give again.
    app.refresh(&kept)
        .await
        .refused(400, "refresh_token_already_used");
}

#[tokio::test]
async fn the_token_from_before_the_second_factor_is_no_lost_one() {
    let mut app = TestApp::start(&[SIGNED]).await;
    let member = app.member("ada@example.com", "secret12").await;
    let access = member.text("access_token");
    let lifted = crate::mfa_totp::lift(&app, &access).await;
    app.refresh(&member.text("refresh_token"))
        .await
        .refused(400, "refresh_token_already_used");
    app.refresh(&lifted.text("refresh_token"))
        .await
        .refused(400, "refresh_token_not_found");
    app.post(
        "/token?grant_type=refresh_token",
        json!({ "refresh_token": 7 }),
    )
    .await
    .refused(400, "bad_json");
}

#[tokio::test]
async fn of_each_tag_one_session_lives() {
    let mut app = TestApp::start(&[
        ("GOTRUE_SESSIONS_SINGLE_PER_USER", "true"),
        ("GOTRUE_SESSIONS_TAGS", "web,phone"),
    ])
    .await;
    let web = app.member("ada@example.com", "secret12").await;
    app.pass(Duration::seconds(5));
    let phone = app.sign_in("ada@example.com", "secret12").await.ok();
    let tag = "update auth.sessions set tag = 'phone' where created_at = \
               (select max(created_at) from auth.sessions)";
    sqlx::query(tag).execute(&app.db.pool()).await.unwrap();
    app.pass(Duration::seconds(5));
    app.refresh(&phone.text("refresh_token")).await.ok();
    let web = app.refresh(&web.text("refresh_token")).await.ok();
    app.pass(Duration::seconds(5));
    // Without a tag a session counts as one of the first kind.
    app.sign_in("ada@example.com", "secret12").await.ok();
    let refused = app.refresh(&web.text("refresh_token")).await;
    let refused = refused.refused(400, "session_expired");
    assert!(refused.text("msg").contains("Revoked by Newer Login"));
}
