//! Signing up and in by mail.

use chrono::Duration;
use serde_json::json;

use crate::test_app::{Reply, TestApp};

#[tokio::test]
async fn a_sign_up_is_confirmed_by_the_link_in_the_mail() {
    let mut app = TestApp::start(&[]).await;
    let body =
        json!({ "email": "Ada@Example.com", "password": "secret12", "data": { "name": "Ada" } });
    let user = app.post("/signup", body).await.ok();
    assert!(user.body.get("access_token").is_none(), "a bare user");
    assert_eq!(user.text("email"), "ada@example.com");
    assert_eq!(user.body["user_metadata"]["name"], "Ada");
    assert_eq!(user.body["identities"][0]["provider"], "email");
    app.sign_in("ada@example.com", "secret12")
        .await
        .refused(400, "email_not_confirmed");

    let mail = app.mails.next();
    assert_eq!(mail.to, "ada@example.com");
    let hash = mail.link_parameter("token");
    assert_eq!(mail.link_parameter("redirect_to"), "http://localhost:3000");
    let link = format!("/verify?token={hash}&type=signup&redirect_to=https://app.test/in");
    let followed = app.get(&link, "").await;
    assert_eq!(followed.status, 303);
    let location = followed.header("location");
    assert!(
        location.starts_with("https://app.test/in#access_token="),
        "{location}"
    );
    assert!(
        location.contains("&sb=&") && location.ends_with("&type=signup"),
        "{location}"
    );

    let session = app.sign_in("ADA@example.com", "secret12").await.ok();
    assert_eq!(session.text("token_type"), "bearer");
    assert_eq!(session.body["expires_in"], 3600);
    assert!(session.body["user"]["email_confirmed_at"].is_string());
    let me = app.get("/user", &session.text("access_token")).await.ok();
    assert_eq!(me.text("email"), "ada@example.com");

    let again = app.get(&link, "").await;
    let location = again.header("location");
    assert!(
        location.starts_with("https://app.test/in#error=access_denied&error_code=otp_expired"),
        "{location}"
    );
}

#[tokio::test]
async fn the_code_in_the_mail_does_the_same_as_the_link() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    app.post("/signup", body).await.ok();
    let code = app.mails.next().code();
    let verify = |code: &str| json!({ "type": "email", "email": "Ada@example.com", "token": code });
    app.post("/verify", verify("000000x"))
        .await
        .refused(403, "otp_expired");
    let session = app.post("/verify", verify(&code)).await.ok();
    assert_eq!(session.text("token_type"), "bearer");
    app.post("/verify", verify(&code))
        .await
        .refused(403, "otp_expired");
}

#[tokio::test]
async fn a_link_is_good_for_its_time_only() {
    let mut app = TestApp::start(&[("GOTRUE_MAILER_OTP_EXP", "3600")]).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    app.post("/signup", body).await.ok();
    let hash = app.mails.next().link_parameter("token");
    app.pass(Duration::seconds(3602));
    app.post("/verify", json!({ "type": "signup", "token_hash": hash }))
        .await
        .refused(403, "otp_expired");
}

#[tokio::test]
async fn a_taken_address_looks_like_a_new_one() {
    let mut app = TestApp::start(&[]).await;
    app.member("ada@example.com", "secret12").await;
    let body = json!({ "email": "ada@example.com", "password": "another12" });
    let decoy = app.post("/signup", body).await.ok();
    assert_eq!(decoy.body["identities"], json!([]));
    assert_eq!(decoy.text("role"), "");
    assert!(app.mails.is_empty());
    app.sign_in("ada@example.com", "another12")
        .await
        .refused(400, "invalid_credentials");
    let repeated = "select count(*) from auth.audit_log_entries
                    where payload->>'action' = 'user_repeated_signup'";
    assert_eq!(app.count(repeated).await, 1);
}

#[tokio::test]
async fn a_second_sign_up_does_not_change_the_password_of_an_unconfirmed_user() {
    let mut app = TestApp::start(&[]).await;
    let body = |password: &str| json!({ "email": "ada@example.com", "password": password });
    app.post("/signup", body("the first")).await.ok();
    app.mails.next();
    app.post("/signup", body("the second"))
        .await
        .refused(429, "over_email_send_rate_limit");
    app.pass(Duration::seconds(61));
    app.post("/signup", body("the second")).await.ok();
    let hash = app.mails.next().link_parameter("token");
    app.post("/verify", json!({ "type": "signup", "token_hash": hash }))
        .await
        .ok();
    app.sign_in("ada@example.com", "the first").await.ok();
    app.sign_in("ada@example.com", "the second")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn autoconfirmation_signs_in_at_once() {
    let mut app = TestApp::start(&[("GOTRUE_MAILER_AUTOCONFIRM", "true")]).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    let session = app.post("/signup", body.clone()).await.ok();
    assert_eq!(
        session.header("sb-auth-user-id"),
        session.body["user"]["id"]
    );
    assert!(app.mails.is_empty());
    app.post("/signup", body)
        .await
        .refused(422, "user_already_exists");
}

#[tokio::test]
async fn a_magic_link_signs_a_stranger_up_and_a_member_in() {
    let mut app = TestApp::start(&[]).await;
    app.post(
        "/otp",
        json!({ "email": "ada@example.com", "create_user": false }),
    )
    .await
    .refused(422, "otp_disabled");
    for _ in 0..2 {
        let asked = app
            .post("/otp", json!({ "email": "ada@example.com" }))
            .await;
        assert_eq!(asked.ok().body, json!({}));
        let code = app.mails.next().code();
        let body = json!({ "type": "email", "email": "ada@example.com", "token": code });
        app.post("/verify", body).await.ok();
        app.pass(Duration::seconds(61));
    }
    assert_eq!(app.count("select count(*) from auth.users").await, 1);
}

#[tokio::test]
async fn recovery_answers_alike_for_everybody_and_ends_in_a_new_password() {
    let mut app = TestApp::start(&[]).await;
    app.member("ada@example.com", "secret12").await;
    let unknown = app
        .post("/recover", json!({ "email": "eve@example.com" }))
        .await;
    assert_eq!(unknown.ok().body, json!({}));
    assert!(app.mails.is_empty());
    app.post("/recover", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let hash = app.mails.next().link_parameter("token");
    let body = json!({ "type": "recovery", "token_hash": hash });
    let session = app.post("/verify", body).await.ok();
    let token = session.text("access_token");
    app.put("/user", &token, json!({ "password": "a new one" }))
        .await
        .ok();
    app.sign_in("ada@example.com", "a new one").await.ok();
    app.sign_in("ada@example.com", "secret12")
        .await
        .refused(400, "invalid_credentials");
}

#[tokio::test]
async fn pkce_gives_the_session_only_to_who_has_the_verifier() {
    let mut app = TestApp::start(&[]).await;
    // The pair of RFC 7636, appendix B.
    let body = json!({
        "email": "ada@example.com",
        "password": "secret12",
        "code_challenge": "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
        "code_challenge_method": "s256",
    });
    app.post("/signup", body).await.ok();
    let hash = app.mails.next().link_parameter("token");
    assert!(hash.starts_with("pkce_"), "{hash}");
    let followed = app
        .get(&format!("/verify?token={hash}&type=signup"), "")
        .await;
    let location = followed.header("location");
    let code = location
        .strip_prefix("http://localhost:3000/?code=")
        .unwrap_or_else(|| panic!("{location}"));
    let exchange = |verifier: &str| json!({ "auth_code": code, "code_verifier": verifier });
    let path = "/token?grant_type=pkce";
    app.post(path, exchange("a guess"))
        .await
        .refused(400, "bad_code_verifier");
    let right = exchange("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
    app.post(path, right.clone()).await.ok();
    app.post(path, right)
        .await
        .refused(404, "flow_state_not_found");
}

#[tokio::test]
async fn an_address_that_is_not_allowed_is_never_redirected_to() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    app.post("/signup?redirect_to=https://evil.test/", body)
        .await
        .ok();
    let mail = app.mails.next();
    assert_eq!(mail.link_parameter("redirect_to"), "http://localhost:3000");
    let hash = mail.link_parameter("token");
    let link = format!("/verify?token={hash}&type=signup&redirect_to=https://evil.test/");
    let followed: Reply = app.get(&link, "").await;
    assert!(
        followed
            .header("location")
            .starts_with("http://localhost:3000#")
    );
}

#[tokio::test]
async fn a_template_of_the_project_is_fetched_and_filled_in() {
    const TEMPLATE: &str = "{{ if eq .Data.lang \"de\" }}Hallo{{ else }}Hello{{ end }} {{ .Data.name }}: \
                            <a href=\"{{ .SiteURL }}/in?hash={{ .TokenHash }}&amp;to={{ .RedirectTo }}\">x</a>";
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/confirm.html", listener.local_addr().unwrap());
    let pages = axum::Router::new().route("/confirm.html", axum::routing::get(async || TEMPLATE));
    tokio::spawn(async move { axum::serve(listener, pages).await });
    let mut app = TestApp::start(&[
        ("GOTRUE_MAILER_TEMPLATES_CONFIRMATION", &url),
        (
            "GOTRUE_MAILER_SUBJECTS_CONFIRMATION",
            "Welcome, {{ .Data.name }}",
        ),
    ])
    .await;
    let data = json!({ "name": "<Ada>", "lang": "de" });
    let body = json!({ "email": "ada@example.com", "password": "secret12", "data": data });
    app.post("/signup", body).await.ok();
    let mail = app.mails.next();
    assert!(
        mail.text.contains("Subject: Welcome, <Ada>"),
        "{}",
        mail.text
    );
    assert!(mail.text.contains("Hallo &lt;Ada&gt;:"), "{}", mail.text);
    assert_eq!(mail.link_parameter("to"), "http://localhost:3000");
    let hash = mail.link_parameter("hash");
    app.post("/verify", json!({ "type": "email", "token_hash": hash }))
        .await
        .ok();
}

#[tokio::test]
async fn a_template_that_cannot_be_fetched_does_not_keep_the_mail_back() {
    let setting = (
        "GOTRUE_MAILER_TEMPLATES_CONFIRMATION",
        "http://127.0.0.1:9/none.html",
    );
    let mut app = TestApp::start(&[setting]).await;
    app.member("ada@example.com", "secret12").await;
}
