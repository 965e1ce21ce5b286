//! Passwords that are known from leaks, with a stand-in for HaveIBeenPwned.org.

use std::sync::{Arc, Mutex};

use auth_svc::domain::outside::StandIns;
use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};
use axum::{
    Router,
    extract::{Path, State},
    response::IntoResponse as _,
    routing::get,
};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::test_app::{Reply, TestApp, service_token};

const LEAKED: &str = "correct horse";
const MESSAGE: &str =
    "Password is known to be weak and easy to guess, please choose a different one.";

fn sha1(password: &str) -> String {
    hex::encode_upper(digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes()))
}

#[derive(Clone, Copy, PartialEq)]
enum Mood {
    Answers,
    Fails,
    Hangs,
    Floods,
}

struct Inner {
    asked: Vec<String>,
    mood: Mood,
}

#[derive(Clone)]
struct Service(Arc<Mutex<Inner>>);

impl Service {
    async fn start() -> (Self, StandIns) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let (asked, mood) = (Vec::new(), Mood::Answers);
        let service = Self(Arc::new(Mutex::new(Inner { asked, mood })));
        let router = Router::new()
            .route("/range/{prefix}", get(range))
            .with_state(service.clone());
        tokio::spawn(async move { axum::serve(listener, router).await });
        let stand_ins = StandIns::new([("api.pwnedpasswords.com", address)]);
        (service, stand_ins)
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap().asked)
    }

    fn becomes(&self, mood: Mood) {
        self.0.lock().unwrap().mood = mood;
    }
}

/// The leaked password, some others that begin as any that is asked for, and padding.
async fn range(
    State(service): State<Service>,
    Path(prefix): Path<String>,
    headers: HeaderMap,
) -> axum::response::Response {
    assert_eq!(headers["user-agent"], "the tests");
    assert_eq!(headers["add-padding"], "true");
    assert_eq!(prefix.len(), 5, "{prefix}");
    let mood = {
        let mut inner = service.0.lock().unwrap();
        inner.asked.push(prefix.clone());
        inner.mood
    };
    match mood {
        Mood::Answers => {}
        Mood::Fails => return StatusCode::SERVICE_UNAVAILABLE.into_response(),
        Mood::Hangs => std::future::pending().await,
        Mood::Floods => return "0".repeat(3 << 20).into_response(),
    }
    let mut lines = vec![
        format!("{}:3", "0".repeat(35)),
        // Padding has a count of zero and means nothing, even where it fits.
        format!("{}:0", &sha1("padding horse")[5..]),
    ];
    let leaked = sha1(LEAKED);
    if leaked.starts_with(&prefix) {
        lines.push(format!("{}:71", &leaked[5..]));
    }
    lines.join("\r\n").into_response()
}

const ON: [(&str, &str); 3] = [
    ("GOTRUE_PASSWORD_HIBP_ENABLED", "true"),
    ("GOTRUE_PASSWORD_HIBP_USER_AGENT", "the tests"),
    ("GOTRUE_MAILER_AUTOCONFIRM", "true"),
];

async fn start(more: &[(&str, &str)]) -> (TestApp, Service) {
    let (service, stand_ins) = Service::start().await;
    let app = TestApp::start_beside(&[&ON, more].concat(), stand_ins).await;
    (app, service)
}

fn account(email: &str, password: &str) -> Value {
    json!({ "email": email, "password": password })
}

#[track_caller]
fn pwned(reply: Reply) {
    let reply = reply.refused(422, "weak_password");
    assert_eq!(reply.text("msg"), MESSAGE);
    assert_eq!(reply.body["weak_password"], json!({ "reasons": ["pwned"] }));
}

#[tokio::test]
async fn a_leaked_password_is_refused_wherever_one_is_chosen() {
    let (app, service) = start(&[]).await;
    pwned(
        app.post("/signup", account("ada@example.com", LEAKED))
            .await,
    );
    // Five digits of the hash leave this machine, and nothing else.
    assert_eq!(service.asked(), [&sha1(LEAKED)[..5]]);
    let session = app
        .post("/signup", account("ada@example.com", "padding horse"))
        .await;
    let session = session.ok();
    let token = session.text("access_token");
    pwned(
        app.put("/user", &token, json!({ "password": LEAKED }))
            .await,
    );
    let id = session.body["user"]["id"].as_str().unwrap();
    let path = format!("/admin/users/{id}");
    pwned(
        app.put(&path, &service_token(), json!({ "password": LEAKED }))
            .await,
    );
    let mut link = account("bob@example.com", LEAKED);
    link["type"] = "signup".into();
    pwned(
        app.post_as("/admin/generate_link", &service_token(), link)
            .await,
    );
    app.put("/user", &token, json!({ "password": "another horse" }))
        .await
        .ok();
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn all_that_is_wrong_with_a_password_is_said_together() {
    let (app, _) = start(&[("GOTRUE_PASSWORD_MIN_LENGTH", "20")]).await;
    let reply = app
        .post("/signup", account("ada@example.com", LEAKED))
        .await;
    let reply = reply.refused(422, "weak_password");
    assert_eq!(
        reply.text("msg"),
        format!("Password should be at least 20 characters. {MESSAGE}")
    );
    let reasons = json!({ "reasons": ["length", "pwned"] });
    assert_eq!(reply.body["weak_password"], reasons);
}

#[tokio::test]
async fn who_signs_in_with_a_leaked_password_is_told() {
    let (app, service) = start(&[]).await;
    let before = app.with(&[("GOTRUE_PASSWORD_HIBP_ENABLED", "false")]).await;
    before
        .post("/signup", account("ada@example.com", LEAKED))
        .await
        .ok();
    let session = app.sign_in("ada@example.com", LEAKED).await.ok();
    assert_eq!(
        session.body["weak_password"],
        json!({ "message": MESSAGE, "reasons": ["pwned"] })
    );
    service.asked();
    app.sign_in("ada@example.com", "wrong")
        .await
        .refused(400, "invalid_credentials");
    assert!(service.asked().is_empty());
    // Signing in works whatever becomes of the question.
    let closed = app
        .with(&[("GOTRUE_PASSWORD_HIBP_FAIL_CLOSED", "true")])
        .await;
    service.becomes(Mood::Fails);
    let session = closed.sign_in("ada@example.com", LEAKED).await.ok();
    assert!(session.body["weak_password"].is_null());
}

#[tokio::test]
async fn what_happens_without_an_answer_is_for_the_operator_to_say() {
    let (open, service) = start(&[]).await;
    let closed = open
        .with(&[("GOTRUE_PASSWORD_HIBP_FAIL_CLOSED", "true")])
        .await;
    for (n, mood) in [Mood::Fails, Mood::Floods, Mood::Hangs]
        .into_iter()
        .enumerate()
    {
        service.becomes(mood);
        let body = account(&format!("user{n}@example.com"), LEAKED);
        let reply = closed.post("/signup", body.clone()).await;
        let reply = reply.refused(500, "unexpected_failure");
        assert_eq!(
            reply.text("msg"),
            "Unable to perform password strength check with HaveIBeenPwned.org."
        );
        open.post("/signup", body).await.ok();
    }
    assert_eq!(open.count("select count(*) from auth.users").await, 3);
}

#[tokio::test]
async fn a_leaked_password_that_was_seen_is_known_without_asking() {
    let (app, service) = start(&[("GOTRUE_PASSWORD_HIBP_BLOOM_ENABLED", "true")]).await;
    pwned(
        app.post("/signup", account("ada@example.com", LEAKED))
            .await,
    );
    assert_eq!(service.asked().len(), 1);
    service.becomes(Mood::Fails);
    pwned(
        app.post("/signup", account("ada@example.com", LEAKED))
            .await,
    );
    assert!(service.asked().is_empty());
    app.post("/signup", account("ada@example.com", "padding horse"))
        .await
        .ok();
    assert_eq!(service.asked().len(), 1);
}
