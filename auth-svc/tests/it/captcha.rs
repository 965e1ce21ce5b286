//! Routes for persons only, with a stand-in for hCaptcha and Turnstile.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use auth_svc::domain::outside::StandIns;
use axum::{Json, Router, extract::State, response::IntoResponse as _, routing::post};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::test_app::{Reply, TestApp, service_token};

const OUR_SECRET: &str = "0x&our=secret";

type Asked = Arc<Mutex<Vec<HashMap<String, String>>>>;

/// A provider that knows the token `person`, and what it was asked.
async fn provider() -> (StandIns, Asked) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let asked = Asked::default();
    let router = Router::new()
        .route("/siteverify", post(verify))
        .route("/turnstile/v0/siteverify", post(verify))
        .with_state(asked.clone());
    tokio::spawn(async move { axum::serve(listener, router).await });
    let hosts = ["hcaptcha.com", "challenges.cloudflare.com"];
    let stand_ins = StandIns::new(hosts.map(|host| (host, address.clone())));
    (stand_ins, asked)
}

async fn verify(
    State(asked): State<Asked>,
    uri: http::Uri,
    headers: HeaderMap,
    body: String,
) -> axum::response::Response {
    assert_eq!(headers["content-type"], "application/x-www-form-urlencoded");
    let mut form: HashMap<String, String> = url::form_urlencoded::parse(body.as_bytes())
        .into_owned()
        .collect();
    form.insert("path".into(), uri.path().to_owned());
    let (secret, token) = (form["secret"].clone(), form["response"].clone());
    asked.lock().unwrap().push(form);
    match token.as_str() {
        "no json" => "busy".into_response(),
        "hangs" => std::future::pending().await,
        _ if secret != OUR_SECRET => {
            let body = json!({ "success": false, "error-codes": ["invalid-input-secret"] });
            Json(body).into_response()
        }
        "person" => Json(json!({ "success": true, "hostname": "app.test" })).into_response(),
        "nothing" => Json(json!({ "success": false })).into_response(),
        _ => {
            let reasons = ["invalid-input-response", "already-seen-response"];
            let body = json!({ "success": false, "error-codes": reasons });
            (StatusCode::BAD_REQUEST, Json(body)).into_response()
        }
    }
}

async fn start(more: &[(&str, &str)]) -> (TestApp, Asked) {
    let (stand_ins, asked) = provider().await;
    let own = [
        ("GOTRUE_SECURITY_CAPTCHA_ENABLED", "true"),
        ("GOTRUE_SECURITY_CAPTCHA_SECRET", " 0x&our=secret "),
        ("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true"),
        ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
    ];
    let app = TestApp::start_beside(&[&own, more].concat(), stand_ins).await;
    (app, asked)
}

fn with_token(mut body: Value, token: &str) -> Value {
    body["gotrue_meta_security"] = json!({ "captcha_token": token });
    body
}

fn person(body: Value) -> Value {
    with_token(body, "person")
}

#[track_caller]
fn disallowed(reply: Reply, reason: &str) {
    let reply = reply.refused(400, "captcha_failed");
    let expected = format!("captcha protection: request disallowed ({reason})");
    assert_eq!(reply.text("msg"), expected);
}

#[tokio::test]
async fn every_route_that_sends_or_signs_in_wants_a_person() {
    let (app, asked) = start(&[("GOTRUE_PASSKEY_ENABLED", "true")]).await;
    let email = json!({ "email": "ada@example.com", "password": "password-1" });
    for path in [
        "/signup",
        "/token?grant_type=password",
        "/token?grant_type=web3",
        "/token?grant_type=unknown",
        "/otp",
        "/magiclink",
        "/recover",
        "/resend",
        "/passkeys/authentication/options",
    ] {
        for body in [email.clone(), with_token(email.clone(), "  ")] {
            disallowed(app.post(path, body).await, "no captcha_token found");
        }
        let seen_before = asked.lock().unwrap().len();
        let reply = app.post(path, with_token(email.clone(), "robot")).await;
        disallowed(reply, "invalid-input-response, already-seen-response");
        assert_eq!(asked.lock().unwrap().len(), seen_before + 1, "{path}");
    }
    assert_eq!(app.count("select count(*) from auth.users").await, 0);
    let bad = app
        .post("/signup", json!({ "gotrue_meta_security": "person" }))
        .await;
    bad.refused(400, "bad_json");
}

#[tokio::test]
async fn a_person_passes_and_the_provider_learns_where_from() {
    let (app, asked) = start(&[]).await;
    let body = json!({ "email": "ada@example.com", "password": "password-1" });
    let reply = app
        .post_from(
            "192.0.2.7",
            "/signup",
            "",
            with_token(body.clone(), " person "),
        )
        .await;
    let session = reply.ok();
    let seen = asked.lock().unwrap().pop().unwrap();
    let expected = [
        ("secret", OUR_SECRET),
        ("response", "person"),
        ("remoteip", "192.0.2.7"),
        ("path", "/siteverify"),
    ];
    for (name, value) in expected {
        assert_eq!(seen[name], value, "{name}");
    }
    assert_eq!(seen.len(), expected.len());
    app.post("/signup", person(json!({}))).await.ok();
    app.post("/token?grant_type=password", person(body.clone()))
        .await
        .ok();
    app.post("/recover", person(json!({ "email": "ada@example.com" })))
        .await
        .ok();
    assert_eq!(asked.lock().unwrap().len(), 3);
    // Whoever holds one of our own secrets has proved enough.
    app.refresh(&session.text("refresh_token")).await.ok();
    let reply = app.post("/token?grant_type=pkce", json!({})).await;
    reply.refused(400, "validation_failed");
    let reply = app.post("/token?grant_type=id_token", json!({})).await;
    assert_eq!(reply.text("error_description"), "id_token required");
    app.post_as("/token?grant_type=password", &service_token(), body)
        .await
        .ok();
    assert_eq!(asked.lock().unwrap().len(), 3);
    let user = session.text("access_token");
    let reply = app
        .post_as("/recover", &user, json!({ "email": "a@example.com" }))
        .await;
    disallowed(reply, "no captcha_token found");
}

#[tokio::test]
async fn turnstile_is_asked_at_its_own_address() {
    let (app, asked) = start(&[("GOTRUE_SECURITY_CAPTCHA_PROVIDER", "turnstile")]).await;
    app.post("/signup", person(json!({}))).await.ok();
    let seen = asked.lock().unwrap().pop().unwrap();
    assert_eq!(seen["path"], "/turnstile/v0/siteverify");
}

#[tokio::test]
async fn a_provider_that_does_not_answer_lets_nobody_in() {
    let (app, _) = start(&[("GOTRUE_SECURITY_CAPTCHA_TIMEOUT", "1s")]).await;
    for token in ["no json", "hangs"] {
        let reply = app.post("/signup", with_token(json!({}), token)).await;
        let reply = reply.refused(500, "unexpected_failure");
        assert_eq!(reply.text("msg"), "captcha verification process failed");
    }
    let reply = app.post("/signup", with_token(json!({}), "nothing")).await;
    disallowed(reply, "");
    let too_long = "x".repeat(20_000);
    let reply = app.post("/signup", with_token(json!({}), &too_long)).await;
    disallowed(reply, "invalid-input-response");
    let wrong = app
        .with(&[("GOTRUE_SECURITY_CAPTCHA_SECRET", "another")])
        .await;
    let reply = wrong.post("/signup", person(json!({}))).await;
    disallowed(reply, "invalid-input-secret");
}
