//! A second factor by WebAuthn authenticator.

use chrono::Duration;
use serde_json::{Value, json};

use crate::{
    authenticator::{Authenticator, ORIGIN, RP_ID},
    test_app::{TestApp, claims},
};

const ON: &[(&str, &str)] = &[
    ("GOTRUE_MFA_WEB_AUTHN_ENROLL_ENABLED", "true"),
    ("GOTRUE_MFA_WEB_AUTHN_VERIFY_ENABLED", "true"),
    ("GOTRUE_WEBAUTHN_RP_ID", RP_ID),
    ("GOTRUE_WEBAUTHN_RP_DISPLAY_NAME", "The app"),
    ("GOTRUE_WEBAUTHN_RP_ORIGINS", ORIGIN),
];

async fn enroll(app: &TestApp, token: &str, name: &str) -> String {
    let body = json!({ "factor_type": "webauthn", "friendly_name": name });
    let enrolled = app.post_as("/factors", token, body).await.ok();
    assert_eq!(enrolled.text("type"), "webauthn");
    format!("/factors/{}", enrolled.text("id"))
}

/// The challenge's id and its options.
async fn challenge(app: &TestApp, token: &str, factor: &str, kind: &str) -> (Value, Value) {
    let path = format!("{factor}/challenge");
    let reply = app.post_as(&path, token, json!({})).await.ok();
    assert_eq!(reply.body["webauthn"]["type"], kind);
    let options = &reply.body["webauthn"]["credential_options"]["publicKey"];
    (reply.body["id"].clone(), options.clone())
}

fn answer(challenge: &Value, kind: &str, response: &Value) -> Value {
    let webauthn = json!({ "type": kind, "credential_response": response });
    json!({ "challenge_id": challenge, "webauthn": webauthn })
}

#[tokio::test]
async fn a_credential_is_made_and_then_used() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let factor = enroll(&app, &token, "key").await;
    let path = format!("{factor}/verify");
    let mut key = Authenticator::new();
    let (id, options) = challenge(&app, &token, &factor, "create").await;
    assert_eq!(options["rp"]["id"], RP_ID);
    assert_eq!(options["user"]["name"], "ada@example.com");
    let made = answer(&id, "create", &key.create(&options));
    let lifted = app.post_as(&path, &token, made.clone()).await.ok();
    let token = lifted.text("access_token");
    let after = claims(&token);
    assert_eq!(after.text("aal"), Some("aal2"));
    assert_eq!(after.get("amr").unwrap()[0]["method"], "mfa/webauthn");
    let seen = &lifted.body["user"]["factors"][0];
    assert_eq!(seen["status"], "verified");
    assert_eq!(seen["last_webauthn_challenge_data"]["type"], "create");
    assert!(seen.get("web_authn_credential").is_none());
    app.post_as(&path, &token, made)
        .await
        .refused(422, "mfa_factor_not_found");

    let low = app.sign_in("ada@example.com", "secret12").await.ok();
    let low = low.text("access_token");
    let (id, options) = challenge(&app, &low, &factor, "request").await;
    assert_eq!(options["allowCredentials"].as_array().unwrap().len(), 1);
    let used = answer(&id, "request", &key.get(&options));
    let lifted = app.post_as(&path, &low, used.clone()).await.ok();
    assert_eq!(
        claims(&lifted.text("access_token")).text("aal"),
        Some("aal2")
    );
    app.post_as(&path, &lifted.text("access_token"), used)
        .await
        .refused(422, "mfa_factor_not_found");
}

#[tokio::test]
async fn an_authenticator_cannot_take_the_place_of_a_verified_one() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let factor = enroll(&app, &token, "key").await;
    let path = format!("{factor}/verify");
    let (early_id, early) = challenge(&app, &token, &factor, "create").await;
    let (id, options) = challenge(&app, &token, &factor, "create").await;
    let made = Authenticator::new().create(&options);
    app.post_as(&path, &token, answer(&id, "create", &made))
        .await
        .ok();

    let low = app.sign_in("ada@example.com", "secret12").await.ok();
    let low = low.text("access_token");
    let mut other = Authenticator::new();
    let late = answer(&early_id, "create", &other.create(&early));
    app.post_as(&path, &low, late)
        .await
        .refused(422, "mfa_verification_failed");
    let (id, mut options) = challenge(&app, &low, &factor, "request").await;
    let unknown = answer(&id, "request", &other.get(&options));
    app.post_as(&path, &low, unknown)
        .await
        .refused(422, "mfa_verification_failed");
    options["user"] = early["user"].clone();
    let new = answer(&id, "create", &other.create(&options));
    app.post_as(&path, &low, new)
        .await
        .refused(422, "mfa_verification_failed");
}

#[tokio::test]
async fn what_is_not_right_is_refused() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let factor = enroll(&app, &token, "key").await;
    let path = format!("{factor}/verify");
    let (id, options) = challenge(&app, &token, &factor, "create").await;
    let refusals: [fn(&mut Authenticator); 4] = [
        |key| key.origin = "https://evil.test",
        |key| key.rp_id = "evil.test",
        // Nobody was present.
        |key| key.flags = 0,
        // A backup of what cannot be backed up.
        |key| key.flags = 0x11,
    ];
    for (n, change) in refusals.iter().enumerate() {
        let mut key = Authenticator::new();
        change(&mut key);
        let refused = app
            .post_as(&path, &token, answer(&id, "create", &key.create(&options)))
            .await;
        assert_eq!(refused.code(), "mfa_verification_failed", "{n}");
    }
    let mut garbled = Authenticator::new().create(&options);
    garbled["response"]["attestationObject"] = "oWE".into();
    let mut bloated = Authenticator::new().create(&options);
    bloated["more"] = "x".repeat(64 << 10).into();
    for body in [
        answer(&id, "create", &bloated),
        answer(&id, "create", &garbled),
        answer(&id, "create", &json!("text")),
        answer(&id, "dance", &json!({})),
        json!({ "challenge_id": id, "webauthn": { "type": "create" } }),
        json!({ "challenge_id": id }),
    ] {
        app.post_as(&path, &token, body)
            .await
            .refused(400, "validation_failed");
    }
    app.pass(Duration::seconds(301));
    let late = Authenticator::new().create(&options);
    app.post_as(&path, &token, answer(&id, "create", &late))
        .await
        .refused(422, "mfa_challenge_expired");
}

#[tokio::test]
async fn without_a_relying_party_the_ceremony_fails() {
    let mut app = TestApp::start(&ON[..2]).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let factor = enroll(&app, &token, "key").await;
    app.post_as(&format!("{factor}/challenge"), &token, json!({}))
        .await
        .refused(500, "unexpected_failure");
}
