//! Signing in by text message.

use chrono::Duration;
use serde_json::{Value, json};

use crate::test_app::TestApp;

fn verify(phone: &str, code: &Value) -> Value {
    json!({ "type": "sms", "phone": phone, "token": code })
}

#[tokio::test]
async fn the_code_goes_to_the_hook_and_signs_in() {
    let mut app = TestApp::start(&[]).await;
    for round in 0..2 {
        let asked = app.post("/otp", json!({ "phone": "+919876543210" })).await;
        assert_eq!(asked.ok().body, json!({}));
        let call = app.texts.next();
        assert_eq!(call["sms"]["phone"], "919876543210");
        assert_eq!(call["user"]["phone"], "919876543210");
        assert_eq!(call["metadata"]["name"], "send-sms");
        let code = &call["sms"]["otp"];
        assert_eq!(code.as_str().unwrap().len(), 6);
        let session = app
            .post("/verify", verify("+91 98765 43210", code))
            .await
            .ok();
        let user = &session.body["user"];
        assert!(user["phone_confirmed_at"].is_string(), "round {round}");
        assert_eq!(user["app_metadata"]["provider"], "phone");
        app.post("/verify", verify("919876543210", code))
            .await
            .refused(403, "otp_expired");
        app.pass(Duration::seconds(61));
    }
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn wrong_and_late_codes_are_not_told_apart() {
    let mut app = TestApp::start(&[]).await;
    app.post("/otp", json!({ "phone": "919876543210" }))
        .await
        .ok();
    let code = app.texts.next()["sms"]["otp"].clone();
    let wrong = app
        .post("/verify", verify("919876543210", &json!("none")))
        .await;
    app.pass(Duration::seconds(62));
    let late = app.post("/verify", verify("919876543210", &code)).await;
    let unknown = app.post("/verify", verify("919999999999", &code)).await;
    assert_eq!(wrong.refused(403, "otp_expired").body, late.body);
    assert_eq!(late.body, unknown.body);
}

#[tokio::test]
async fn a_user_waits_between_two_codes() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "phone": "919876543210" });
    app.post("/otp", body.clone()).await.ok();
    app.texts.next();
    let refused = app.post("/otp", body.clone()).await;
    let message = refused.refused(429, "over_sms_send_rate_limit").text("msg");
    assert!(
        message.starts_with("For security purposes, you can only request this after "),
        "{message}"
    );
    assert!(app.texts.is_empty());
    app.pass(Duration::seconds(61));
    app.post("/otp", body).await.ok();
}

#[tokio::test]
async fn what_the_hook_refuses_leaves_no_user_behind() {
    let app = TestApp::start(&[]).await;
    let refused = app.post("/otp", json!({ "phone": "15550000000" })).await;
    assert_eq!(refused.status, 403);
    assert_eq!(refused.text("msg"), "this number is blocked");
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
}

#[tokio::test]
async fn a_test_number_has_its_fixed_code_and_gets_no_message() {
    let mut app = TestApp::start(&[("GOTRUE_SMS_TEST_OTP", "15551234567:123456")]).await;
    app.post("/otp", json!({ "phone": "15551234567" }))
        .await
        .ok();
    assert!(app.texts.is_empty());
    app.post("/verify", verify("15551234567", &json!("123456")))
        .await
        .ok();
    app.pass(Duration::seconds(61));
    let again = app
        .post("/otp", json!({ "phone": "15551234567" }))
        .await
        .ok();
    assert_eq!(again.text("message_id"), "test-otp");
}

#[tokio::test]
async fn without_a_way_to_send_only_the_sending_fails() {
    let app = TestApp::start(&[("GOTRUE_HOOK_SEND_SMS_ENABLED", "false")]).await;
    app.get("/health", "").await.ok();
    let refused = app.post("/otp", json!({ "phone": "919876543210" })).await;
    assert_eq!(
        refused.refused(500, "unexpected_failure").text("msg"),
        "Unable to get SMS provider"
    );
}
