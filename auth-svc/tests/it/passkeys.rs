//! Passkeys: made by somebody signed in, and signing in by themselves.

use chrono::Duration;
use coset::cbor::value::Value as Cbor;
use serde_json::{Value, json};

use crate::{
    authenticator::{Authenticator, ORIGIN, RP_ID},
    test_app::{Reply, TestApp, claims},
};

const ON: &[(&str, &str)] = &[
    ("GOTRUE_PASSKEY_ENABLED", "true"),
    ("GOTRUE_PASSKEY_MAX_PASSKEYS_PER_USER", "2"),
    ("GOTRUE_WEBAUTHN_RP_ID", RP_ID),
    ("GOTRUE_WEBAUTHN_RP_DISPLAY_NAME", "The app"),
    ("GOTRUE_WEBAUTHN_RP_ORIGINS", ORIGIN),
];

async fn begin(app: &TestApp, token: &str) -> Reply {
    let path = "/passkeys/registration/options";
    app.post_as(path, token, json!({})).await
}

async fn finish(app: &TestApp, token: &str, challenge: &Value, credential: &Value) -> Reply {
    let body = json!({ "challenge_id": challenge, "credential": credential });
    app.post_as("/passkeys/registration/verify", token, body)
        .await
}

async fn register(app: &TestApp, token: &str, key: &mut Authenticator) -> Reply {
    let options = begin(app, token).await.ok().body;
    let credential = key.create(&options["options"]);
    finish(app, token, &options["challenge_id"], &credential).await
}

async fn ask(app: &TestApp) -> Value {
    let path = "/passkeys/authentication/options";
    app.post(path, json!({})).await.ok().body
}

async fn present(app: &TestApp, challenge: &Value, credential: &Value) -> Reply {
    let body = json!({ "challenge_id": challenge, "credential": credential });
    app.post("/passkeys/authentication/verify", body).await
}

#[tokio::test]
async fn a_passkey_signs_in_by_itself() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let mut key = Authenticator::new();
    let offered = begin(&app, &token).await.ok().body;
    let options = &offered["options"];
    assert_eq!(options["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(options["attestation"], "none");
    assert_eq!(options["pubKeyCredParams"][0]["alg"], -7);
    let credential = key.create(options);
    let made = finish(&app, &token, &offered["challenge_id"], &credential).await;
    let made = made.ok();
    assert_eq!(made.text("friendly_name"), "Passkey");
    finish(&app, &token, &offered["challenge_id"], &credential)
        .await
        .refused(400, "webauthn_challenge_not_found");

    let asked = ask(&app).await;
    assert!(asked["options"].get("allowCredentials").is_none());
    let used = key.get(&asked["options"]);
    let signed_in = present(&app, &asked["challenge_id"], &used).await.ok();
    assert_eq!(
        signed_in.header("sb-auth-user-id"),
        session.body["user"]["id"]
    );
    let said = claims(&signed_in.text("access_token"));
    assert_eq!(said.text("aal"), Some("aal1"));
    assert_eq!(said.get("amr").unwrap()[0]["method"], "passkey");
    present(&app, &asked["challenge_id"], &used)
        .await
        .refused(400, "webauthn_challenge_not_found");
    let row = "select sign_count from auth.webauthn_credentials where last_used_at is not null";
    assert_eq!(app.count(row).await, 2);
    app.refresh(&signed_in.text("refresh_token")).await.ok();
}

#[tokio::test]
async fn even_a_wrong_response_uses_a_challenge_up() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let mut key = Authenticator::new();
    register(&app, &token, &mut key).await.ok();
    let asked = ask(&app).await;
    let right = key.get(&asked["options"]);
    let mut forged = right.clone();
    forged["response"]["signature"] = "AAAA".into();
    present(&app, &asked["challenge_id"], &forged)
        .await
        .refused(400, "webauthn_verification_failed");
    present(&app, &asked["challenge_id"], &right)
        .await
        .refused(400, "webauthn_challenge_not_found");

    // A key that nobody registered, and one of somebody who is gone.
    let asked = ask(&app).await;
    let stranger = Authenticator::new().get(&asked["options"]);
    present(&app, &asked["challenge_id"], &stranger)
        .await
        .refused(400, "webauthn_verification_failed");
    let asked = ask(&app).await;
    app.pass(Duration::seconds(301));
    present(&app, &asked["challenge_id"], &key.get(&asked["options"]))
        .await
        .refused(400, "webauthn_challenge_expired");
    for body in [
        json!({ "credential": {} }),
        json!({ "challenge_id": "x", "credential": {} }),
        json!({ "challenge_id": "8a7c1c0e-1111-4222-8333-444455556666" }),
    ] {
        app.post("/passkeys/authentication/verify", body)
            .await
            .refused(400, "validation_failed");
    }
}

#[tokio::test]
async fn a_registration_belongs_to_one_user_and_a_credential_too() {
    let mut app = TestApp::start(ON).await;
    let ada = app.member("ada@example.com", "secret12").await;
    let ada = ada.text("access_token");
    let eve = app.member("eve@example.com", "secret12").await;
    let eve = eve.text("access_token");
    let mut key = Authenticator::new();
    let offered = begin(&app, &ada).await.ok().body;
    let credential = key.create(&offered["options"]);
    finish(&app, &eve, &offered["challenge_id"], &credential)
        .await
        .refused(400, "webauthn_challenge_not_found");
    finish(&app, &ada, &offered["challenge_id"], &credential)
        .await
        .ok();
    register(&app, &eve, &mut key)
        .await
        .refused(422, "webauthn_credential_exists");
    register(&app, &ada, &mut Authenticator::new()).await.ok();
    begin(&app, &ada).await.refused(422, "too_many_passkeys");
}

#[tokio::test]
async fn a_statement_of_the_new_key_has_to_be_true() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    for (honest, status) in [(true, 200), (false, 400)] {
        let offered = begin(&app, &token).await.ok().body;
        let credential = Authenticator::new().create_with(&offered["options"], |key, signed| {
            let data: &[u8] = if honest { signed.0 } else { b"something else" };
            ("packed", key.self_attested(data, signed.1))
        });
        let reply = finish(&app, &token, &offered["challenge_id"], &credential).await;
        assert_eq!(reply.status, status, "{reply:?}");
    }
    let offered = begin(&app, &token).await.ok().body;
    let credential = Authenticator::new().create_with(&offered["options"], |_, _| {
        ("none", vec![("x".into(), Cbor::Null)])
    });
    finish(&app, &token, &offered["challenge_id"], &credential)
        .await
        .refused(400, "webauthn_verification_failed");
}

#[tokio::test]
async fn passkeys_are_listed_named_and_removed() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let mut key = Authenticator::new();
    key.aaguid = 0xbada_5566_a7aa_401f_bd96_4561_9a55_120d_u128.to_be_bytes();
    let made = register(&app, &token, &mut key).await.ok();
    assert_eq!(made.text("friendly_name"), "1Password");
    let path = format!("/passkeys/{}", made.text("id"));
    let listed = app.get("/passkeys", &token).await.ok();
    assert_eq!(listed.body[0]["id"], made.body["id"]);
    assert!(listed.body[0].get("last_used_at").is_none());
    let renamed = app
        .patch(&path, &token, json!({ "friendly_name": "mine" }))
        .await
        .ok();
    assert_eq!(renamed.text("friendly_name"), "mine");
    for name in [String::new(), "x".repeat(121)] {
        app.patch(&path, &token, json!({ "friendly_name": name }))
            .await
            .refused(400, "validation_failed");
    }
    let eve = app.member("eve@example.com", "secret12").await;
    let eve = eve.text("access_token");
    app.patch(&path, &eve, json!({ "friendly_name": "hers" }))
        .await
        .refused(404, "validation_failed");
    app.delete(&path, &eve, None)
        .await
        .refused(404, "validation_failed");
    assert_eq!(app.delete(&path, &token, None).await.status, 204);
    assert_eq!(app.get("/passkeys", &token).await.ok().body, json!([]));
    let asked = ask(&app).await;
    present(&app, &asked["challenge_id"], &key.get(&asked["options"]))
        .await
        .refused(400, "webauthn_verification_failed");
}

#[tokio::test]
async fn a_user_with_a_second_factor_needs_it_to_change_passkeys() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    let made = register(&app, &token, &mut Authenticator::new()).await.ok();
    let body = json!({ "factor_type": "totp" });
    app.post_as("/factors", &token, body).await.ok();
    sqlx::query("update auth.mfa_factors set status = 'verified'")
        .execute(&app.db.pool())
        .await
        .unwrap();
    begin(&app, &token).await.refused(403, "insufficient_aal");
    let path = format!("/passkeys/{}", made.text("id"));
    app.delete(&path, &token, None)
        .await
        .refused(403, "insufficient_aal");
}

#[tokio::test]
async fn who_may_not_sign_in_may_not_with_a_passkey() {
    let mut app = TestApp::start(ON).await;
    let session = app.member("ada@example.com", "secret12").await;
    let mut key = Authenticator::new();
    register(&app, &session.text("access_token"), &mut key)
        .await
        .ok();
    for (change, code) in [
        ("email_confirmed_at = null", "email_not_confirmed"),
        (
            "email_confirmed_at = now(), banned_until = now() + interval '1 day'",
            "user_banned",
        ),
    ] {
        sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
            "update auth.users set {change}"
        )))
        .execute(&app.db.pool())
        .await
        .unwrap();
        let asked = ask(&app).await;
        present(&app, &asked["challenge_id"], &key.get(&asked["options"]))
            .await
            .refused(403, code);
    }
}

#[tokio::test]
async fn where_passkeys_are_off_nobody_is_asked_for_a_token() {
    let app = TestApp::start(&[]).await;
    app.get("/passkeys", "")
        .await
        .refused(404, "passkey_disabled");
    app.post("/passkeys/authentication/options", json!({}))
        .await
        .refused(404, "passkey_disabled");
}
