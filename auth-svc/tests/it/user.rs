//! What users change about themselves.

use chrono::Duration;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn metadata_merges_and_null_deletes() {
    let mut app = TestApp::start(&[]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let change = |data| json!({ "data": data });
    app.put("/user", &token, change(json!({ "a": 1, "b": { "c": 2 } })))
        .await
        .ok();
    let user = app
        .put(
            "/user",
            &token,
            change(json!({ "a": null, "b": { "d": 3 } })),
        )
        .await
        .ok();
    let metadata = &user.body["user_metadata"];
    assert_eq!(metadata["b"], json!({ "d": 3 }));
    assert!(metadata.get("a").is_none());
    app.put(
        "/user",
        &token,
        json!({ "app_metadata": { "role": "admin" } }),
    )
    .await
    .refused(403, "not_admin");
}

#[tokio::test]
async fn a_new_password_ends_the_other_sessions() {
    let mut app = TestApp::start(&[]).await;
    let first = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let second = app
        .sign_in("ada@example.com", "secret12")
        .await
        .text("access_token");
    app.put("/user", &first, json!({ "password": "secret12" }))
        .await
        .refused(422, "same_password");
    app.put("/user", &first, json!({ "password": "short" }))
        .await
        .refused(422, "weak_password");
    app.put("/user", &first, json!({ "password": "quite another" }))
        .await
        .ok();
    app.get("/user", &first).await.ok();
    app.get("/user", &second)
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn a_new_address_is_confirmed_by_both_mailboxes() {
    let mut app = TestApp::start(&[]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let user = app
        .put("/user", &token, json!({ "email": "new@example.com" }))
        .await
        .ok();
    assert_eq!(user.text("new_email"), "new@example.com");
    assert_eq!(user.text("email"), "ada@example.com");
    let (to_new, to_old) = (app.mails.next(), app.mails.next());
    assert_eq!(
        (&*to_new.to, &*to_old.to),
        ("new@example.com", "ada@example.com")
    );
    let verify = |hash: String| json!({ "type": "email_change", "token_hash": hash });
    let half = app
        .post("/verify", verify(to_old.link_parameter("token")))
        .await
        .ok();
    assert_eq!(half.text("code"), "200");
    app.post("/verify", verify(to_old.link_parameter("token")))
        .await
        .refused(403, "otp_expired");
    let session = app
        .post("/verify", verify(to_new.link_parameter("token")))
        .await
        .ok();
    let user = &session.body["user"];
    assert_eq!(user["email"], "new@example.com");
    assert_eq!(
        user["identities"][0]["identity_data"]["email"],
        "new@example.com"
    );
    app.sign_in("new@example.com", "secret12").await.ok();
}

#[tokio::test]
async fn a_taken_address_cannot_be_wished_for() {
    let mut app = TestApp::start(&[]).await;
    app.member("eve@example.com", "secret12").await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    app.put("/user", &token, json!({ "email": "Eve@example.com" }))
        .await
        .refused(422, "email_exists");
}

#[tokio::test]
async fn a_new_number_is_confirmed_by_its_code() {
    let mut app = TestApp::start(&[]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    let user = app
        .put("/user", &token, json!({ "phone": "+919876543210" }))
        .await
        .ok();
    assert_eq!(user.text("new_phone"), "919876543210");
    let code = app.texts.next()["sms"]["otp"].clone();
    let body = json!({ "type": "phone_change", "phone": "919876543210", "token": code });
    let session = app.post("/verify", body).await.ok();
    assert_eq!(session.body["user"]["phone"], "919876543210");
    let providers = &session.body["user"]["app_metadata"]["providers"];
    assert_eq!(providers, &json!(["email", "phone"]));
}

#[tokio::test]
async fn a_password_may_need_a_fresh_proof() {
    let setting = (
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "true",
    );
    let mut app = TestApp::start(&[setting, ("GOTRUE_JWT_EXP", "1000000")]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    app.pass(Duration::hours(25));
    let body = |nonce: &str| json!({ "password": "another one", "nonce": nonce });
    app.put("/user", &token, body(""))
        .await
        .refused(400, "reauthentication_needed");
    app.get("/reauthenticate", &token).await.ok();
    let code = app.mails.next().code();
    app.put("/user", &token, body("wrong"))
        .await
        .refused(422, "reauthentication_not_valid");
    app.put("/user", &token, body(&code)).await.ok();
}

#[tokio::test]
async fn an_anonymous_user_becomes_permanent_with_an_address() {
    let mut app = TestApp::start(&[("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true")]).await;
    let session = app
        .post("/signup", json!({ "data": { "cart": 3 } }))
        .await
        .ok();
    let user = &session.body["user"];
    assert_eq!(user["is_anonymous"], true);
    assert_eq!(user["user_metadata"]["cart"], 3);
    assert_eq!(user["app_metadata"], json!({}));
    let token = session.text("access_token");
    app.put("/user", &token, json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let hash = app.mails.next().link_parameter("token");
    let body = json!({ "type": "email_change", "token_hash": hash });
    let session = app.post("/verify", body).await.ok();
    assert_eq!(session.body["user"]["is_anonymous"], false);
    assert_eq!(session.body["user"]["email"], "ada@example.com");
}
