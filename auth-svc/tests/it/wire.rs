//! What all routes have in common on the wire, as GoTrue has it: origins, paths, methods, tokens, headers.

use axum::{body::Body, extract::Request};
use serde_json::json;

use crate::test_app::{Reply, TestApp, claims, service_token, token};

async fn send(app: &TestApp, method: &str, path: &str, headers: &[(&str, &str)]) -> Reply {
    let mut request = Request::builder().method(method).uri(path);
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    app.request(request.body(Body::empty()).unwrap()).await
}

#[tokio::test]
async fn a_preflight_says_yes_to_just_what_it_asks_for() {
    let app = TestApp::start(&[("GOTRUE_CORS_ALLOWED_HEADERS", "X-Extra")]).await;
    let ask = async |method: &str, names: &str| {
        let headers = [
            ("origin", "https://app.test"),
            ("access-control-request-method", method),
            ("access-control-request-headers", names),
        ];
        send(&app, "OPTIONS", "/signup", &headers).await
    };
    let reply = ask("PATCH", "authorization, X-Extra").await;
    assert_eq!(reply.status, 204);
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("access-control-allow-methods"), "PATCH");
    assert_eq!(
        reply.header("access-control-allow-headers"),
        "authorization, X-Extra"
    );
    for (method, names) in [("TRACE", ""), ("POST", "authorization, apikey")] {
        let reply = ask(method, names).await;
        assert_eq!(reply.status, 204);
        assert!(
            !reply.headers.contains_key("access-control-allow-origin"),
            "{method} {names}"
        );
    }
}

#[tokio::test]
async fn only_pages_are_told_what_they_may_read() {
    let app = TestApp::start(&[]).await;
    let from_page = send(&app, "GET", "/health", &[("origin", "https://app.test")]).await;
    assert_eq!(from_page.header("access-control-allow-origin"), "*");
    assert_eq!(
        from_page.header("access-control-expose-headers"),
        "X-Total-Count, Link, X-Supabase-Api-Version"
    );
    let other = app.get("/health", "").await;
    assert!(
        !other
            .headers
            .contains_key("access-control-allow-credentials")
    );
    assert_eq!(other.header("vary"), "Origin");
}

#[tokio::test]
async fn some_paths_mean_the_same_with_a_slash() {
    let app = TestApp::start(&[]).await;
    app.get("/user/", "").await.refused(401, "no_authorization");
    app.get("/admin/users/", &service_token()).await.ok();
    assert_eq!(app.get("/health/", "").await.status, 404);
    assert_eq!(app.get("/signup/", "").await.status, 405);
}

#[tokio::test]
async fn what_a_protected_part_lacks_is_told_to_those_who_may_see_it() {
    let mut app = TestApp::start(&[]).await;
    for path in ["/user/nothing", "/admin/nothing", "/factors"] {
        app.get(path, "").await.refused(401, "no_authorization");
    }
    let member = app.member("a@b.test", "secret12").await;
    let token = member.text("access_token");
    assert_eq!(app.get("/user/nothing", &token).await.status, 404);
    assert_eq!(app.get("/factors", &token).await.status, 405);
    app.get("/admin/nothing", &token)
        .await
        .refused(403, "not_admin");
    app.get("/passkeys/nothing/at/all", &token)
        .await
        .refused(404, "passkey_disabled");
}

#[tokio::test]
async fn an_authorization_has_one_space() {
    let app = TestApp::start(&[]).await;
    let token = service_token();
    for (header, status) in [
        (format!("bearer {token}"), 200),
        (format!("Bearer  {token}"), 401),
    ] {
        let reply = send(&app, "GET", "/admin/users", &[("authorization", &header)]).await;
        assert_eq!(reply.status, status, "{header:?}");
    }
}

#[tokio::test]
async fn an_administrators_session_must_be_alive_whoever_it_is() {
    let mut app = TestApp::start(&[("GOTRUE_SESSIONS_TIMEBOX", "1h")]).await;
    let member = app.member("a@b.test", "secret12").await;
    let said = claims(&member.text("access_token"));
    let with = |changes: serde_json::Value| {
        let mut all = json!({
            "role": "service_role",
            "exp": 4_000_000_000_i64,
            "sub": said.subject(),
            "session_id": said.text("session_id"),
        });
        for (name, value) in changes.as_object().unwrap() {
            all[name] = value.clone();
        }
        token(&all)
    };
    app.get("/admin/users", &with(json!({}))).await.ok();
    app.get("/admin/users", &with(json!({"sub": null})))
        .await
        .refused(403, "bad_jwt");
    let elsewhere = uuid::Uuid::from_u128(1).to_string();
    app.get("/admin/users", &with(json!({"session_id": elsewhere})))
        .await
        .refused(403, "session_not_found");
    app.pass(chrono::Duration::hours(2));
    app.get("/admin/users", &with(json!({})))
        .await
        .refused(403, "session_expired");
}

#[tokio::test]
async fn a_time_that_is_no_number_is_no_endless_token() {
    let app = TestApp::start(&[]).await;
    for changes in [
        json!({"exp": "tomorrow"}),
        json!({"nbf": []}),
        json!({"role": 7}),
    ] {
        let mut all = json!({ "role": "service_role", "exp": 4_000_000_000_i64 });
        for (name, value) in changes.as_object().unwrap() {
            all[name] = value.clone();
        }
        let reply = app.get("/admin/users", &token(&all)).await;
        reply.refused(403, "bad_jwt");
    }
}

#[tokio::test]
async fn links_and_codes_say_whose_session_they_begin() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "email": "a@b.test", "password": "secret12" });
    let user = app.post("/signup", body).await.ok().text("id");
    let link = app.mails.next().link_parameter("token");
    let reply = app
        .get(&format!("/verify?type=signup&token={link}"), "")
        .await;
    assert_eq!(reply.status, 303);
    assert_eq!(reply.header("sb-auth-user-id"), user);
    assert!(reply.header("location").contains("#access_token="));
    assert_eq!(reply.header("sb-auth-refresh-token-prefix").len(), 5);
}

#[tokio::test]
async fn a_refresh_says_whether_the_token_is_new() {
    let mut app = TestApp::start(&[]).await;
    let first = app.member("a@b.test", "secret12").await;
    let used = first.text("refresh_token");
    let fresh = app.refresh(&used).await.ok();
    assert_eq!(fresh.header("sb-auth-refresh-token-reuse"), "false");
    let again = app.refresh(&used).await.ok();
    assert_eq!(again.text("refresh_token"), fresh.text("refresh_token"));
    assert!(!again.headers.contains_key("sb-auth-refresh-token-reuse"));
}

#[tokio::test]
async fn a_switched_off_provider_comes_before_the_body() {
    let app = TestApp::start(&[("GOTRUE_EXTERNAL_EMAIL_ENABLED", "false")]).await;
    for (path, status) in [("/recover", 400), ("/magiclink", 422)] {
        let refused = app.post(path, json!([])).await;
        refused.refused(status, "email_provider_disabled");
    }
}

#[tokio::test]
async fn a_magic_link_has_its_own_words_for_a_bad_body() {
    let app = TestApp::start(&[]).await;
    let refused = app.post("/magiclink", json!([])).await;
    let text = refused.refused(400, "bad_json").text("msg");
    assert!(
        text.starts_with("Could not read verification params: "),
        "{text}"
    );
}

#[tokio::test]
async fn names_of_fields_may_be_in_any_case() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "Email": "a@b.test", "PASSWORD": "secret12" });
    let user = app.post("/signup", body).await.ok();
    assert_eq!(user.text("email"), "a@b.test");
    assert!(!app.mails.is_empty());
}

#[tokio::test]
async fn metadata_of_null_is_none() {
    let app = TestApp::start(&[]).await;
    let data = json!({ "kept": 1, "dropped": null });
    let body = json!({ "email": "a@b.test", "password": "secret12", "data": data });
    let user = app.post("/signup", body).await.ok();
    assert_eq!(user.body["user_metadata"]["kept"], 1);
    assert!(user.body["user_metadata"].get("dropped").is_none());
}

#[tokio::test]
async fn a_hook_that_sends_texts_may_know_other_channels() {
    let mut app = TestApp::start(&[]).await;
    let body = json!({ "phone": "15551234567", "password": "secret12", "channel": "pigeon" });
    app.post("/signup", body).await.ok();
    assert_eq!(app.texts.next()["sms"]["phone"], "15551234567");
    let app = TestApp::start(&[("GOTRUE_HOOK_SEND_SMS_ENABLED", "false")]).await;
    let body = json!({ "phone": "15551234567", "password": "secret12", "channel": "pigeon" });
    let refused = app.post("/signup", body).await;
    let text = refused.refused(400, "validation_failed").text("msg");
    assert!(text.starts_with("Invalid channel, "), "{text}");
}

#[tokio::test]
async fn bans_have_a_unit_and_may_be_over() {
    let mut app = TestApp::start(&[]).await;
    let id = app.member("a@b.test", "secret12").await.body["user"]["id"].clone();
    let path = format!("/admin/users/{}", id.as_str().unwrap());
    let token = service_token();
    let ban = async |text: &str| {
        let body = json!({ "ban_duration": text });
        app.put(&path, &token, body).await
    };
    let refused = ban("10").await.refused(400, "validation_failed");
    assert_eq!(
        refused.text("msg"),
        "invalid format for ban duration: time: missing unit in duration \"10\""
    );
    ban("1h").await.ok();
    app.sign_in("a@b.test", "secret12")
        .await
        .refused(400, "user_banned");
    ban("-1h").await.ok();
    app.sign_in("a@b.test", "secret12").await.ok();
    let lifted = ban("0s").await.ok();
    assert!(lifted.body.get("banned_until").is_none());
}

#[tokio::test]
async fn lists_name_what_is_wrong_with_their_parameters() {
    let app = TestApp::start(&[]).await;
    let token = service_token();
    for (query, expected) in [
        (
            "sort=created_at%20sideways",
            "Bad Sort Parameters: bad direction for sort 'sideways', only 'asc' and 'desc' allowed",
        ),
        (
            "sort=email",
            "Bad Sort Parameters: bad field for sort 'email'",
        ),
        (
            "page=99999999999999999999",
            "Bad Pagination Parameters: strconv.ParseUint: parsing \"99999999999999999999\": value out of range",
        ),
    ] {
        let reply = app.get(&format!("/admin/users?{query}"), &token).await;
        let refused = reply.refused(400, "validation_failed");
        assert_eq!(refused.text("msg"), expected);
    }
    let empty = app.get("/admin/users", &token).await.ok();
    assert_eq!(empty.header("link"), "</admin/users?page=0>; rel=\"last\"");
}

#[tokio::test]
async fn a_used_token_does_not_prolong_a_session() {
    let inactivity = ("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", "1h");
    let mut app = TestApp::start(&[inactivity]).await;
    let first = app.member("a@b.test", "secret12").await;
    let second = app.refresh(&first.text("refresh_token")).await.ok();
    // What says when a session was refreshed is its own row.
    sqlx::query("update auth.sessions set refreshed_at = refreshed_at - interval '2 hours'")
        .execute(&app.db.pool())
        .await
        .unwrap();
    app.refresh(&second.text("refresh_token"))
        .await
        .refused(400, "session_expired");
}

#[tokio::test]
async fn a_challenge_matters_only_to_a_change_of_address() {
    let mut app = TestApp::start(&[]).await;
    let member = app.member("a@b.test", "secret12").await;
    let token = member.text("access_token");
    let half = json!({ "data": { "a": 1 }, "code_challenge": "x" });
    app.put("/user", &token, half).await.ok();
    let half = json!({ "email": "c@b.test", "code_challenge": "x" });
    app.put("/user", &token, half)
        .await
        .refused(400, "validation_failed");
}
