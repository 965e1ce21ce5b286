//! Wrong requests and how they are answered.

use axum::{body::Body, extract::Request};
use serde_json::{Value, json};

use crate::test_app::TestApp;

#[tokio::test]
async fn each_wrong_request_has_its_error() {
    let app = TestApp::start(&[("GOTRUE_HOOK_SEND_SMS_ENABLED", "false")]).await;
    let long = "x".repeat(73);
    let password = "/token?grant_type=password";
    let cases: [(&str, Value, u16, &str, &str); 20] = [
        (
            "/signup",
            json!({"email": "a@b.test"}),
            400,
            "validation_failed",
            "Signup requires a valid password",
        ),
        (
            "/signup",
            json!({"email": "a@b.test", "password": "short"}),
            422,
            "weak_password",
            "Password should be at least 6 characters.",
        ),
        (
            "/signup",
            json!({"email": "a@b.test", "password": long}),
            400,
            "validation_failed",
            "Password cannot be longer than 72 characters",
        ),
        (
            "/signup",
            json!({"email": "nobody", "password": "secret12"}),
            400,
            "validation_failed",
            "Unable to validate email address: invalid format",
        ),
        (
            "/signup",
            json!({"phone": "12ab", "password": "secret12"}),
            400,
            "validation_failed",
            "Invalid phone number format (E.164 required)",
        ),
        (
            "/signup",
            json!({"email": "a@b.test", "phone": "123456", "password": "secret12"}),
            400,
            "validation_failed",
            "Only an email address or phone number should be provided on signup.",
        ),
        (
            "/signup",
            json!({}),
            422,
            "anonymous_provider_disabled",
            "Anonymous sign-ins are disabled",
        ),
        (
            "/token",
            json!({}),
            400,
            "invalid_credentials",
            "unsupported_grant_type",
        ),
        (
            password,
            json!({"email": "a@b.test", "password": "wrong"}),
            400,
            "invalid_credentials",
            "Invalid login credentials",
        ),
        (
            password,
            json!({"password": "wrong"}),
            400,
            "validation_failed",
            "missing email or phone",
        ),
        (
            "/token?grant_type=pkce",
            json!({"auth_code": "x"}),
            400,
            "validation_failed",
            "invalid request: both auth code and code verifier should be non-empty",
        ),
        (
            "/token?grant_type=web3",
            json!({}),
            422,
            "web3_provider_disabled",
            "Web3 provider is disabled",
        ),
        (
            "/otp",
            json!({}),
            400,
            "validation_failed",
            "One of email or phone must be set",
        ),
        (
            "/otp",
            json!({"email": "a@b.test", "channel": "sms"}),
            400,
            "validation_failed",
            "Channel should only be specified with Phone OTP",
        ),
        (
            "/otp",
            json!({"email": "a@b.test", "code_challenge": "x"}),
            400,
            "validation_failed",
            "PKCE flow requires code_challenge_method and code_challenge",
        ),
        (
            "/recover",
            json!({}),
            400,
            "validation_failed",
            "Password recovery requires an email",
        ),
        (
            "/resend",
            json!({"type": "other"}),
            400,
            "validation_failed",
            "Missing one of these types: signup, email_change, sms, phone_change",
        ),
        (
            "/verify",
            json!({"type": "signup"}),
            400,
            "validation_failed",
            "Verify requires either a token or a token hash",
        ),
        (
            "/verify",
            json!({"token": "1", "email": "a@b.test"}),
            400,
            "validation_failed",
            "Verify requires a verification type",
        ),
        (
            "/verify",
            json!({"type": "signup", "token_hash": "x"}),
            403,
            "otp_expired",
            "Email link is invalid or has expired",
        ),
    ];
    for (path, body, status, code, message) in cases {
        let what = format!("{path} {body}");
        let reply = app.post(path, body).await;
        assert_eq!(
            (reply.status, reply.code()),
            (status, code),
            "{what}: {reply:?}"
        );
        assert_eq!(reply.text("msg"), message, "{what}");
        assert_eq!(reply.body["code"], status, "{what}");
        assert_eq!(reply.header("x-sb-error-code"), code, "{what}");
    }
}

#[tokio::test]
async fn a_client_that_knows_named_codes_gets_them_and_the_version_back() {
    let app = TestApp::start(&[]).await;
    let request = Request::post("/token?grant_type=password")
        .header("x-supabase-api-version", "2024-01-01")
        .body(Body::from(r#"{"email": "a@b.test", "password": "wrong"}"#))
        .unwrap();
    let reply = app.request(request).await;
    assert_eq!(reply.header("x-supabase-api-version"), "2024-01-01");
    assert_eq!(
        reply.body,
        json!({ "code": "invalid_credentials", "message": "Invalid login credentials" })
    );
}

#[tokio::test]
async fn bodies_are_read_whatever_their_type_and_bounded() {
    let app = TestApp::start(&[]).await;
    for body in ["", "{", "[1]"] {
        let request = Request::post("/otp").body(Body::from(body)).unwrap();
        app.request(request).await.refused(400, "bad_json");
    }
    let large = format!(r#"{{"email": "{}"}}"#, "x".repeat(1 << 20));
    let request = Request::post("/otp").body(Body::from(large)).unwrap();
    app.request(request)
        .await
        .refused(413, "request_entity_too_large");
}

#[tokio::test]
async fn a_null_character_is_refused_wherever_it_is() {
    let app = TestApp::start(&[]).await;
    for (email, data) in [
        ("a\0@example.com", json!({})),
        ("ada@example.com", json!({ "name": "a\0b" })),
        ("ada@example.com", json!({ "a\0b": 1 })),
        ("ada@example.com", json!({ "deep": [{ "er": ["\0"] }] })),
    ] {
        let body = json!({ "email": email, "password": "secret12", "data": data });
        app.post("/signup", body.clone())
            .await
            .refused(400, "validation_failed");
        app.post("/magiclink", body)
            .await
            .refused(400, "validation_failed");
    }
    // A backslash is no escape of its own.
    let data = json!({ "name": r"a\u0000b" });
    let body = json!({ "email": "ada@example.com", "password": "secret12", "data": data });
    app.post("/signup", body).await.ok();
}

#[tokio::test]
async fn what_is_switched_off_says_so() {
    let app = TestApp::start(&[
        ("GOTRUE_DISABLE_SIGNUP", "true"),
        ("GOTRUE_EXTERNAL_EMAIL_ENABLED", "false"),
        ("GOTRUE_EXTERNAL_PHONE_ENABLED", "false"),
    ])
    .await;
    let email = json!({ "email": "a@b.test", "password": "secret12" });
    app.post("/signup", email.clone())
        .await
        .refused(422, "signup_disabled");
    app.post("/token?grant_type=password", email.clone())
        .await
        .refused(422, "email_provider_disabled");
    app.post("/otp", json!({ "email": "a@b.test" }))
        .await
        .refused(422, "email_provider_disabled");
    app.post("/otp", json!({ "phone": "919876543210" }))
        .await
        .refused(400, "phone_provider_disabled");
}

#[tokio::test]
async fn unknown_and_unbuilt_routes_are_told_apart() {
    let app = TestApp::start(&[]).await;
    let unknown = app.get("/nothing", "").await;
    assert_eq!(
        (unknown.status, unknown.body),
        (404, json!("404 page not found\n"))
    );
    assert_eq!(app.get("/signup", "").await.status, 405);
    for (method, path, status, code) in [
        (
            "GET",
            "/authorize?provider=google",
            400,
            "validation_failed",
        ),
        ("POST", "/factors", 401, "no_authorization"),
        ("GET", "/passkeys", 404, "passkey_disabled"),
        ("POST", "/sso", 404, "saml_provider_disabled"),
        ("GET", "/oauth/userinfo", 404, "feature_disabled"),
        ("GET", "/admin/sso/providers", 401, "no_authorization"),
    ] {
        let request = Request::builder().method(method).uri(path);
        let request = request.body(Body::empty()).unwrap();
        app.request(request).await.refused(status, code);
    }
}
