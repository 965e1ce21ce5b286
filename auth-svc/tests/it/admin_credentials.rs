//! What administrators do with other people's factors and passkeys.

use serde_json::json;

use crate::{
    authenticator::{Authenticator, ORIGIN, RP_ID},
    test_app::{TestApp, service_token},
};

const ON: &[(&str, &str)] = &[
    ("GOTRUE_MFA_PHONE_ENROLL_ENABLED", "true"),
    ("GOTRUE_PASSKEY_ENABLED", "true"),
    ("GOTRUE_WEBAUTHN_RP_ID", RP_ID),
    ("GOTRUE_WEBAUTHN_RP_DISPLAY_NAME", "The app"),
    ("GOTRUE_WEBAUTHN_RP_ORIGINS", ORIGIN),
];

#[tokio::test]
async fn factors_are_listed_changed_and_removed() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let key = service_token();
    let id = session.body["user"]["id"].as_str().unwrap();
    let list = format!("/admin/users/{id}/factors");
    assert_eq!(app.get(&list, &key).await.ok().body, json!([]));
    let wish = json!({ "factor_type": "phone", "phone": "919876543210", "friendly_name": "a" });
    let first = app.post_as("/factors", &token, wish).await.ok();
    let wish = json!({ "factor_type": "totp", "friendly_name": "b" });
    app.post_as("/factors", &token, wish).await.ok();
    let listed = app.get(&list, &key).await.ok();
    assert_eq!(listed.body[0]["id"], first.body["id"]);
    assert_eq!(listed.body[0]["phone"], "919876543210");
    assert!(!listed.body.to_string().contains("secret"));

    let path = format!("{list}/{}", first.text("id"));
    let body = json!({ "friendly_name": "c", "phone": "+919876543211" });
    let changed = app.put(&path, &key, body).await.ok();
    assert_eq!(changed.text("friendly_name"), "c");
    assert_eq!(changed.text("phone"), "919876543211");
    app.put(&path, &key, json!({ "friendly_name": "b" }))
        .await
        .refused(422, "mfa_factor_name_conflict");
    app.put(&path, &key, json!({ "phone": "none" }))
        .await
        .refused(400, "validation_failed");
    app.put(&path, &token, json!({}))
        .await
        .refused(403, "not_admin");

    // What the factor proved goes with it.
    sqlx::raw_sql(
        "update auth.sessions set aal = 'aal2',
             factor_id = (select id from auth.mfa_factors where factor_type = 'phone')",
    )
    .execute(&app.db.pool())
    .await
    .unwrap();
    let removed = app.delete(&path, &key, None).await.ok();
    assert_eq!(removed.body["id"], first.body["id"]);
    let low = "select count(*) from auth.sessions where aal = 'aal1' and factor_id is null";
    assert_eq!(app.count(low).await, 1);
    app.delete(&path, &key, None)
        .await
        .refused(404, "mfa_factor_not_found");
    app.get("/admin/users/none/factors", &key)
        .await
        .refused(404, "validation_failed");
}

#[tokio::test]
async fn passkeys_are_listed_and_removed() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let key = service_token();
    let offered = app
        .post_as("/passkeys/registration/options", &token, json!({}))
        .await
        .ok()
        .body;
    let body = json!({
        "challenge_id": offered["challenge_id"],
        "credential": Authenticator::new().create(&offered["options"]),
    });
    let made = app
        .post_as("/passkeys/registration/verify", &token, body)
        .await
        .ok();
    let id = session.body["user"]["id"].as_str().unwrap();
    let list = format!("/admin/users/{id}/passkeys");
    let listed = app.get(&list, &key).await.ok();
    assert_eq!(listed.body[0]["id"], made.body["id"]);
    let path = format!("{list}/{}", made.text("id"));
    app.delete(&path, &token, None)
        .await
        .refused(403, "not_admin");
    assert_eq!(app.delete(&path, &key, None).await.status, 204);
    app.delete(&path, &key, None)
        .await
        .refused(404, "validation_failed");
    assert_eq!(app.get(&list, &key).await.ok().body, json!([]));
}

#[tokio::test]
async fn what_nobody_finished_is_cleaned_up() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let wish = json!({ "factor_type": "totp" });
    app.post_as("/factors", &token, wish).await.ok();
    app.post("/passkeys/authentication/options", json!({}))
        .await
        .ok();
    let left = "select (select count(*) from auth.mfa_factors)
                     + (select count(*) from auth.webauthn_challenges)";
    let clean = async |hours| {
        let now = app.now() + chrono::Duration::hours(hours);
        auth_svc::store::cleanup::run(&app.db.pool(), now)
            .await
            .unwrap();
    };
    clean(0).await;
    assert_eq!(app.count(left).await, 2);
    clean(25).await;
    assert_eq!(app.count(left).await, 0);
}

#[tokio::test]
async fn a_user_who_is_hidden_keeps_no_credentials() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let offered = app
        .post_as("/passkeys/registration/options", &token, json!({}))
        .await
        .ok()
        .body;
    let body = json!({
        "challenge_id": offered["challenge_id"],
        "credential": Authenticator::new().create(&offered["options"]),
    });
    app.post_as("/passkeys/registration/verify", &token, body)
        .await
        .ok();
    let wish = json!({ "factor_type": "totp" });
    app.post_as("/factors", &token, wish).await.ok();
    let id = session.body["user"]["id"].as_str().unwrap();
    let body = json!({ "should_soft_delete": true });
    app.delete(&format!("/admin/users/{id}"), &service_token(), Some(body))
        .await
        .ok();
    let left = "select (select count(*) from auth.mfa_factors)
                     + (select count(*) from auth.webauthn_credentials)";
    assert_eq!(app.count(left).await, 0);
}
