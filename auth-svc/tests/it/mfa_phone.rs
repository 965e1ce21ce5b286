//! A second factor by text message.

use chrono::Duration;
use serde_json::{Value, json};

use crate::test_app::{TestApp, claims};

const ON: &[(&str, &str)] = &[
    ("GOTRUE_MFA_PHONE_ENROLL_ENABLED", "true"),
    ("GOTRUE_MFA_PHONE_VERIFY_ENABLED", "true"),
];

fn wish(phone: &str, name: &str) -> Value {
    json!({ "factor_type": "phone", "phone": phone, "friendly_name": name })
}

#[tokio::test]
async fn the_code_that_was_sent_lifts_the_session() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let enrolled = app
        .post_as("/factors", &token, wish("+919876543210", "mine"))
        .await
        .ok();
    assert_eq!(enrolled.text("phone"), "+919876543210");
    let factor = format!("/factors/{}", enrolled.text("id"));
    let path = format!("{factor}/challenge");
    let challenge = app.post_as(&path, &token, json!({})).await.ok();
    assert_eq!(challenge.text("type"), "phone");
    let call = app.texts.next();
    assert_eq!(call["sms"]["phone"], "919876543210");
    assert_eq!(call["sms"]["sms_type"], "mfa");
    app.post_as(&path, &token, json!({ "channel": "sms" }))
        .await
        .refused(429, "over_sms_send_rate_limit");

    let path = format!("{factor}/verify");
    let answer = |code: &Value| json!({ "challenge_id": challenge.body["id"], "code": code });
    let wrong = app.post_as(&path, &token, answer(&json!("none"))).await;
    assert_eq!(
        wrong.refused(422, "mfa_verification_failed").text("msg"),
        "Invalid MFA Phone code entered"
    );
    let right = answer(&call["sms"]["otp"]);
    let lifted = app.post_as(&path, &token, right.clone()).await.ok();
    let token = lifted.text("access_token");
    let after = claims(&token);
    assert_eq!(after.text("aal"), Some("aal2"));
    assert_eq!(after.get("amr").unwrap()[0]["method"], "mfa/phone");
    app.post_as(&path, &token, right)
        .await
        .refused(422, "mfa_ip_address_mismatch");
    app.pass(Duration::seconds(61));
    let path = format!("{factor}/challenge");
    app.post_as(&path, &token, json!({})).await.ok();
}

#[tokio::test]
async fn of_two_requests_at_once_one_sends() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let enrolled = app
        .post_as("/factors", &token, wish("919876543210", "mine"))
        .await
        .ok();
    let path = format!("/factors/{}/challenge", enrolled.text("id"));
    let (first, second) = tokio::join!(
        app.post_as(&path, &token, json!({})),
        app.post_as(&path, &token, json!({})),
    );
    let mut statuses = [first.status, second.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 429]);
    app.texts.next();
    assert!(app.texts.is_empty());
}

#[tokio::test]
async fn a_number_is_one_factor() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    for (body, code) in [
        (wish("", "a"), "validation_failed"),
        (wish("12a", "a"), "validation_failed"),
    ] {
        app.post_as("/factors", &token, body)
            .await
            .refused(400, code);
    }
    app.post_as("/factors", &token, wish("919876543210", "a"))
        .await
        .ok();
    // An unverified one makes way.
    let second = app
        .post_as("/factors", &token, wish("919876543210", "b"))
        .await
        .ok();
    assert_eq!(app.count("select count(*) from auth.mfa_factors").await, 1);
    let factor = format!("/factors/{}", second.text("id"));
    let challenge = app
        .post_as(&format!("{factor}/challenge"), &token, json!({}))
        .await
        .ok();
    let body = json!({
        "challenge_id": challenge.body["id"],
        "code": app.texts.next()["sms"]["otp"],
    });
    let lifted = app
        .post_as(&format!("{factor}/verify"), &token, body)
        .await
        .ok();
    let token = lifted.text("access_token");
    app.post_as("/factors", &token, wish("919876543210", "c"))
        .await
        .refused(422, "mfa_verified_factor_exists");
}

#[tokio::test]
async fn what_the_hook_refuses_leaves_no_challenge_behind() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let enrolled = app
        .post_as("/factors", &token, wish("15550000000", "blocked"))
        .await
        .ok();
    let path = format!("/factors/{}/challenge", enrolled.text("id"));
    let refused = app.post_as(&path, &token, json!({})).await;
    assert_eq!(refused.status, 403);
    let left = "select count(*) from auth.mfa_challenges";
    assert_eq!(app.count(left).await, 0);
}
