//! What somebody would try who means no good. The tokens of the OpenID providers, the refresh race and the codes of
//! factors have tests of their own, beside what they attack.

use std::time::{Duration, Instant};

use aws_lc_rs::hmac;
use axum::{Router, body::Body, extract::Request, response::Redirect, routing::post};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use crate::test_app::{TestApp, claims, service_token, token};

const SIGNING: &str = r#"[{"kty":"EC","kid":"ec","alg":"ES256","crv":"P-256","key_ops":["sign","verify"],
    "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
    "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]"#;

fn part(value: &Value) -> String {
    URL_SAFE_NO_PAD.encode(value.to_string())
}

/// A token with any header, signed with HMAC under any key.
fn forged(header: &Value, claims: &Value, key: &[u8]) -> String {
    let text = format!("{}.{}", part(header), part(claims));
    let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text.as_bytes());
    format!("{text}.{}", URL_SAFE_NO_PAD.encode(tag))
}

#[tokio::test]
async fn a_public_key_is_no_secret() {
    let mut app = TestApp::start(&[("GOTRUE_JWT_KEYS", SIGNING)]).await;
    app.stop_time();
    let member = app.member("ada@example.com", "secret12").await;
    let access = member.text("access_token");
    app.get("/user", &access).await.ok();
    let payload = access.split('.').nth(1).unwrap();
    let claims: Value = serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
    let jwks = app.get("/.well-known/jwks.json", "").await.ok();
    let key = &jwks.body["keys"][0];
    let x = URL_SAFE_NO_PAD.decode(key["x"].as_str().unwrap()).unwrap();
    let y = URL_SAFE_NO_PAD.decode(key["y"].as_str().unwrap()).unwrap();
    let point = [&[4], x.as_slice(), y.as_slice()].concat();
    for secret in [
        point.as_slice(),
        &x,
        key.to_string().as_bytes(),
        jwks.body.to_string().as_bytes(),
        b"",
    ] {
        for kid in [json!("ec"), Value::Null, json!("")] {
            let header = json!({ "alg": "HS256", "typ": "JWT", "kid": kid });
            app.get("/user", &forged(&header, &claims, secret))
                .await
                .refused(403, "bad_jwt");
        }
    }
}

#[tokio::test]
async fn a_token_must_be_signed_whatever_its_header_says() {
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    let member = app.member("ada@example.com", "secret12").await;
    let access = member.text("access_token");
    let payload = access.split('.').nth(1).unwrap();
    for alg in ["none", "None", "NONE", "nOnE", "", "HS512", "RS256"] {
        let header = part(&json!({ "alg": alg, "typ": "JWT" }));
        for signature in ["", "AAAA", access.split('.').nth(2).unwrap()] {
            app.get("/user", &format!("{header}.{payload}.{signature}"))
                .await
                .refused(403, "bad_jwt");
        }
    }
    let admin = json!({ "role": "service_role", "exp": 4_000_000_000_i64 });
    for header in [
        json!({ "alg": "HS256", "kid": "../../../../dev/null" }),
        json!({ "alg": "HS256", "kid": "x' union select 'AAAA" }),
        json!({ "alg": "HS256", "jwk": { "kty": "oct", "k": "AAAA" } }),
        json!({ "alg": "HS256", "jku": "http://127.0.0.1:9/keys" }),
        json!({ "alg": "HS256", "x5u": "http://127.0.0.1:9/keys" }),
        json!({ "alg": "HS256", "kid": ["a"] }),
        json!({ "alg": "HS256", "crit": ["b64"], "b64": false }),
    ] {
        for key in [b"".as_slice(), b"AAAA", &[0, 0, 0]] {
            app.get("/admin/users", &forged(&header, &admin, key))
                .await
                .refused(403, "bad_jwt");
        }
    }
}

#[tokio::test]
async fn a_token_is_good_in_its_time_alone() {
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    let member = app.member("ada@example.com", "secret12").await;
    let id = member.body["user"]["id"].as_str().unwrap();
    let now = app.now().timestamp();
    for (times, fine) in [
        (json!({ "exp": now + 60 }), true),
        (json!({ "exp": now - 1 }), false),
        (json!({ "exp": 0 }), false),
        (json!({ "exp": now + 60, "nbf": now + 30 }), false),
    ] {
        let mut claims = json!({ "sub": id, "role": "authenticated", "aud": "authenticated" });
        claims
            .as_object_mut()
            .unwrap()
            .extend(times.as_object().unwrap().clone());
        let reply = app.get("/user", &token(&claims)).await;
        if fine {
            reply.ok();
        } else {
            reply.refused(403, "bad_jwt");
        }
    }
}

#[tokio::test]
async fn nobody_makes_themselves_an_administrator() {
    let mut app = TestApp::start(&[("GOTRUE_EXTERNAL_ANONYMOUS_USERS_ENABLED", "true")]).await;
    app.stop_time();
    let greedy = json!({
        "email": "eve@example.com", "password": "secret12", "role": "service_role", "aud": "other",
        "app_metadata": { "admin": true }, "raw_app_meta_data": { "admin": true },
        "is_super_admin": true, "is_sso_user": true, "email_confirmed_at": "2020-01-01T00:00:00Z",
        "email_confirm": true, "banned_until": "none", "id": "00000000-0000-0000-0000-000000000001",
        "user_metadata": { "app_metadata": { "admin": true } },
        "data": { "app_metadata": { "admin": true }, "role": "service_role" },
    });
    app.post("/signup", greedy.clone()).await.ok();
    let token_hash = app.mails.next().link_parameter("token");
    let body = json!({ "type": "signup", "token_hash": token_hash, "role": "service_role" });
    let session = app.post("/verify", body).await.ok();
    let access = session.text("access_token");
    app.put("/user", &access, greedy.clone())
        .await
        .refused(403, "not_admin");
    let mut fields = greedy.as_object().unwrap().clone();
    fields.remove("password");
    fields.remove("email");
    fields.remove("app_metadata");
    app.put("/user", &access, Value::Object(fields)).await.ok();
    let anonymous = app.post(
        "/signup",
        json!({ "role": "service_role", "app_metadata": { "admin": true } }),
    );
    let anonymous = anonymous.await.ok();
    let refreshed = app.refresh(&session.text("refresh_token")).await.ok();
    for reply in [refreshed, anonymous] {
        let access = claims(&reply.text("access_token"));
        assert_eq!(access.role(), Some("authenticated"));
        let app_metadata = access.get("app_metadata").unwrap();
        assert!(app_metadata.get("admin").is_none(), "{app_metadata}");
        assert_eq!(reply.body["user"]["aud"], "authenticated");
        let token = reply.text("access_token");
        app.get("/admin/users", &token)
            .await
            .refused(403, "not_admin");
    }
    let bad = "select count(*) from auth.users
        where is_super_admin or is_sso_user or raw_app_meta_data ? 'admin' or role <> 'authenticated'";
    assert_eq!(app.count(bad).await, 0);
}

#[tokio::test]
async fn a_code_cannot_be_guessed() {
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    app.member("ada@example.com", "secret12").await;
    app.member("bob@example.com", "secret12").await;
    app.post("/otp", json!({ "email": "ada@example.com" }))
        .await
        .ok();
    let right = app.mails.next().code();
    let mut wrong = (0..)
        .map(|n| format!("{n:06}"))
        .filter(|code| *code != right);
    let guess = |code: &str| json!({ "type": "email", "email": "Ada@Example.com", "token": code });
    for _ in 0..10 {
        app.post("/verify", guess(&wrong.next().unwrap()))
            .await
            .refused(403, "otp_expired");
    }
    // Not even the right one is looked at now, by this copy of the service or another.
    let copy = app.with(&[]).await;
    for app in [&app, &copy] {
        let refused = app.post("/verify", guess(&right)).await;
        assert_eq!(refused.header("retry-after"), "300");
        refused.refused(429, "over_request_rate_limit");
    }
    // Others are not concerned, and the link in the mail still works.
    let other = json!({ "type": "email", "email": "bob@example.com", "token": "000000" });
    app.post("/verify", other).await.refused(403, "otp_expired");
    app.pass(chrono::Duration::seconds(301));
    app.post("/verify", guess(&right)).await.ok();
    // Storms do not get more.
    app.post("/otp", json!({ "email": "bob@example.com" }))
        .await
        .ok();
    let app = &app;
    let storm = (0..200).map(|n| async move {
        let code = format!("{n:06}");
        let body = json!({ "type": "email", "email": "bob@example.com", "token": code });
        app.post("/verify", body).await.status
    });
    let tried = futures_util::future::join_all(storm).await;
    let looked_at = tried.iter().filter(|status| **status != 429).count();
    assert!(
        looked_at <= 9 + 10,
        "{looked_at}: what is left, and one for each connection"
    );
}

#[tokio::test]
async fn guessing_a_nonce_or_a_second_factor_ends_too() {
    let mut app = TestApp::start(&[(
        "GOTRUE_SECURITY_UPDATE_PASSWORD_REQUIRE_REAUTHENTICATION",
        "true",
    )])
    .await;
    app.stop_time();
    let member = app.member("ada@example.com", "secret12").await;
    let access = member.text("access_token");
    let (factor, _) = crate::mfa_totp::enroll(&app, &access, "app").await;
    let path = format!("{factor}/challenge");
    let challenge = app.post_as(&path, &access, json!({})).await.ok().text("id");
    let body = json!({ "challenge_id": challenge, "code": "000000" });
    let verify = format!("{factor}/verify");
    for _ in 0..10 {
        app.post_as(&verify, &access, body.clone())
            .await
            .refused(422, "mfa_verification_failed");
    }
    app.post_as(&verify, &access, body)
        .await
        .refused(429, "over_request_rate_limit");

    app.pass(chrono::Duration::hours(25));
    let session = app.refresh(&member.text("refresh_token")).await.ok();
    let access = session.text("access_token");
    app.get("/reauthenticate", &access).await.ok();
    let body = json!({ "password": "another12", "nonce": "x" });
    for _ in 0..10 {
        app.put("/user", &access, body.clone())
            .await
            .refused(422, "reauthentication_not_valid");
    }
    app.put("/user", &access, body)
        .await
        .refused(429, "over_request_rate_limit");
}

#[tokio::test]
async fn the_answer_does_not_tell_who_has_an_account() {
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    app.member("ada@example.com", "secret12").await;
    let shape =
        |body: &Value| -> Vec<String> { body.as_object().unwrap().keys().cloned().collect() };
    let mut answers = Vec::new();
    for email in ["ada@example.com", "nobody@example.com"] {
        let recovered = app.post("/recover", json!({ "email": email })).await;
        let resent = app
            .post("/resend", json!({ "type": "signup", "email": email }))
            .await;
        let wrong = app.sign_in(email, "not the password").await;
        let body = json!({ "type": "recovery", "email": email, "token": "123456" });
        let verified = app.post("/verify", body).await;
        let body = json!({ "email": email, "password": "secret34" });
        let signed_up = app.post("/signup", body).await;
        answers.push([
            (recovered.status, recovered.body.to_string()),
            (resent.status, resent.body.to_string()),
            (wrong.status, wrong.body.to_string()),
            (verified.status, verified.body.to_string()),
            (signed_up.status, shape(&signed_up.body).join(",")),
        ]);
        while !app.mails.is_empty() {
            app.mails.next();
        }
    }
    let [known, unknown] = &answers[..] else {
        unreachable!()
    };
    assert_eq!(known, unknown);
}

#[tokio::test]
async fn the_clock_does_not_tell_who_has_an_account() {
    const SLOW: Duration = Duration::from_millis(400);
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    app.member("ada@example.com", "secret12").await;
    app.member("bob@example.com", "secret12").await;
    app.mails.delay(SLOW);
    for email in ["ada@example.com", "bob@example.com"] {
        app.post("/recover", json!({ "email": email })).await.ok();
    }
    // Waits can be asserted from below: nothing makes them shorter than they are.
    for (path, body) in [
        ("/recover", json!({ "email": "nobody@example.com" })),
        (
            "/resend",
            json!({ "type": "signup", "email": "nobody@example.com" }),
        ),
        (
            "/signup",
            json!({ "email": "ada@example.com", "password": "secret34" }),
        ),
    ] {
        let started = Instant::now();
        app.post(path, body).await.ok();
        assert!(
            started.elapsed() >= SLOW / 4,
            "{path}: {:?}",
            started.elapsed()
        );
    }
    let started = Instant::now();
    app.sign_in("nobody@example.com", "secret12")
        .await
        .refused(400, "invalid_credentials");
    let unknown = started.elapsed();
    let alone = Instant::now();
    auth_svc::domain::password::Hasher::default()
        .matches("secret12", None)
        .await
        .unwrap();
    assert!(
        unknown * 4 >= alone.elapsed(),
        "a password is compared for nobody, too"
    );
}

#[tokio::test]
async fn a_redirect_leads_to_listed_places_alone() {
    let mut app = TestApp::start(&[(
        "GOTRUE_URI_ALLOW_LIST",
        "https://app.test/**,https://*.preview.test/ok",
    )])
    .await;
    app.stop_time();
    for wished in [
        "https://evil.test/",
        "//evil.test/",
        "///evil.test",
        "https:evil.test",
        "https://app.test.evil.test/",
        "https://app.test@evil.test/",
        "https://evil.test#@app.test/",
        "https://evil.test\\@app.test/",
        "https://evil.test/?https://app.test/",
        "http://app.test/",
        "javascript:alert(1)//https://app.test/",
        "data:text/html,x",
        "https://a.b.preview.test/ok",
        "https://evil.test/.preview.test/ok",
        "https://app.test:pass@evil.test/x",
        "\thttps://evil.test/",
        "https://app.test\u{ff0f}.evil.test/",
        "http://localhost:3000.evil.test/",
        "http://localhost:3000@evil.test/",
    ] {
        let query = url::form_urlencoded::Serializer::new(String::new())
            .append_pair("type", "signup")
            .append_pair("token", "unknown")
            .append_pair("redirect_to", wished)
            .finish();
        let reply = app.get(&format!("/verify?{query}"), "").await;
        let location = url::Url::parse(reply.header("location")).unwrap();
        let host = location.host_str().unwrap_or_default();
        assert!(
            ["localhost", "app.test"].contains(&host),
            "{wished} led to {location}"
        );
        assert!(["http", "https"].contains(&location.scheme()), "{location}");
    }
    let body = json!({ "email": "ada@example.com", "password": "secret12" });
    let request = Request::post("/signup?redirect_to=https://evil.test/")
        .header("x-forwarded-host", "evil.test")
        .header("host", "evil.test");
    let request = request.body(Body::from(body.to_string())).unwrap();
    app.request(request).await.ok();
    let mail = app.mails.next();
    assert!(!mail.text.contains("evil.test"), "{}", mail.text);
}

#[tokio::test]
async fn an_address_cannot_write_headers_of_a_mail() {
    let mut app = TestApp::start(&[(
        "GOTRUE_MAILER_SUBJECTS_CONFIRMATION",
        "Hello {{ .Data.name }}",
    )])
    .await;
    app.stop_time();
    for email in [
        "ada@example.com\r\nBcc: eve@example.com",
        "ada@example.com\nBcc: eve@example.com",
        "ada@example.com%0d%0aBcc:eve@example.com",
        "\"ada\r\nBcc: eve\"@example.com",
        "ada@example.com,eve@example.com",
        "ada@example.com>\r\nRCPT TO:<eve@example.com",
        "<ada@example.com>",
        "ada@example.com\0",
    ] {
        let body = json!({ "email": email, "password": "secret12" });
        let reply = app.post("/signup", body).await;
        assert!((400..500).contains(&reply.status), "{email:?}: {reply:?}");
        assert!(app.mails.is_empty(), "{email:?}");
    }
    let body = json!({
        "email": "ada@example.com", "password": "secret12",
        "data": { "name": "Ada\r\nBcc: eve@example.com\r\n\r\n<script>" },
    });
    app.post("/signup", body).await.ok();
    let mail = app.mails.next();
    assert_eq!(mail.to, "ada@example.com");
    let head = mail.text.split("\r\n\r\n").next().unwrap();
    assert!(!head.lines().any(|line| line.starts_with("Bcc")), "{head}");
    let body = &mail.text[head.len()..];
    assert!(
        !body.contains("<script>") && !body.contains("Bcc"),
        "{body}"
    );
}

#[tokio::test]
async fn hooks_are_not_led_elsewhere() {
    let mut app = TestApp::start(&[]).await;
    app.stop_time();
    let elsewhere = format!("http://127.0.0.1:{}/sms", app.texts.port);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let hop = format!("http://{}/sms", listener.local_addr().unwrap());
    let led = Router::new().route(
        "/sms",
        post(|| async move { Redirect::temporary(&elsewhere) }),
    );
    tokio::spawn(async move { axum::serve(listener, led).await });
    let led = app.with(&[("GOTRUE_HOOK_SEND_SMS_URI", &hop)]).await;
    let body = json!({ "phone": "919876543210", "password": "secret12" });
    let reply = led.post("/signup", body).await;
    assert!(reply.status >= 400, "{reply:?}");
    assert!(app.texts.is_empty(), "nobody followed");
}

#[tokio::test]
async fn hooks_can_be_kept_from_private_places() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let app = TestApp::start(&[("NILAM_AUTH_HOOKS_PUBLIC_ONLY", "true")]).await;
    for host in [
        "127.0.0.1",
        "localhost",
        "localhost.",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "10.0.0.1",
        "192.168.0.1",
        "169.254.169.254",
        "[fe80::1]",
        "[fd00:ec2::254]",
        "0.0.0.0",
        "2130706433",
        "0x7f.1",
    ] {
        let hook = format!("https://{host}:{port}/sms");
        let app = app.with(&[("GOTRUE_HOOK_SEND_SMS_URI", &hook)]).await;
        let body = json!({ "phone": "919876543210", "password": "secret12" });
        let reply = app.post("/signup", body).await;
        assert!(reply.status >= 400, "{host}: {reply:?}");
        assert!(!reply.body.to_string().contains(host), "{reply:?}");
    }
    // Nobody knocked: the first to come in is this test.
    let own = tokio::net::TcpStream::connect(("127.0.0.1", port))
        .await
        .unwrap();
    let (_, first) = listener.accept().await.unwrap();
    assert_eq!(first, own.local_addr().unwrap());
}

#[tokio::test]
async fn bodies_and_everything_in_them_have_an_end() {
    let app = TestApp::start(&[]).await;
    app.stop_time();
    let send = |body: String| {
        let request = Request::post("/signup").body(Body::from(body)).unwrap();
        app.request(request)
    };
    let long = "x".repeat(3 << 20);
    let reply = send(json!({ "email": "a@b.co", "data": { "x": long } }).to_string()).await;
    assert_eq!(reply.status, 413, "{reply:?}");
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let reply = send(format!(
        r#"{{"email":"a@b.co","password":"secret12","data":{deep}}}"#
    ))
    .await;
    assert_eq!(reply.status, 400, "{reply:?}");
    for field in ["email", "phone", "password"] {
        let mut body = json!({ "email": "a@b.co", "password": "secret12" });
        body[field] = "9".repeat(100_000).into();
        let reply = send(body.to_string()).await;
        assert!((400..500).contains(&reply.status), "{field}: {reply:?}");
    }
    let header = "x".repeat(60_000);
    let reply = app.get("/user", &header).await;
    assert_eq!(reply.status, 403, "{reply:?}");
    let endless = "/admin/users?per_page=99999999999999999999";
    let reply = app.get(endless, &service_token()).await;
    assert!(reply.status < 500, "{reply:?}");
}
