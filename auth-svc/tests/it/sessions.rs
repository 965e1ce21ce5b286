//! Who may speak for a user, and until when.

use chrono::Duration;
use serde_json::json;

use crate::test_app::{TestApp, token};

#[tokio::test]
async fn each_scope_of_logging_out_ends_its_sessions() {
    for (scope, own, other) in [
        ("", 403, 403),
        ("?scope=global", 403, 403),
        ("?scope=local", 403, 200),
        ("?scope=others", 200, 403),
    ] {
        let mut app = TestApp::start(&[]).await;
        let first = app
            .member("ada@example.com", "secret12")
            .await
            .text("access_token");
        let second = app
            .sign_in("ada@example.com", "secret12")
            .await
            .text("access_token");
        let path = format!("/logout{scope}");
        let reply = app.post_as(&path, &first, json!({})).await;
        assert_eq!(reply.status, 204, "{scope}");
        assert_eq!(app.get("/user", &first).await.status, own, "{scope}");
        assert_eq!(app.get("/user", &second).await.status, other, "{scope}");
    }
}

#[tokio::test]
async fn an_unknown_scope_ends_nothing() {
    let mut app = TestApp::start(&[]).await;
    let token = app
        .member("ada@example.com", "secret12")
        .await
        .text("access_token");
    app.post_as("/logout?scope=all", &token, json!({}))
        .await
        .refused(400, "validation_failed");
    app.get("/user", &token).await.ok();
}

#[tokio::test]
async fn a_token_is_refused_for_the_right_reason() {
    let mut app = TestApp::start(&[]).await;
    let session = app.member("ada@example.com", "secret12").await;
    let good = session.text("access_token");
    app.get("/user", "").await.refused(401, "no_authorization");
    app.get("/user", "abc").await.refused(403, "bad_jwt");
    app.get("/user", &format!("{}x", &good[..good.len() - 1]))
        .await
        .refused(403, "bad_jwt");
    let exp = 4_000_000_000_i64;
    for (claims, status, code) in [
        (
            json!({ "role": "service_role", "exp": exp }),
            403,
            "bad_jwt",
        ),
        (json!({ "sub": "me", "exp": exp }), 400, "bad_jwt"),
        (
            json!({ "sub": "8a7c1c0e-1111-4222-8333-444455556666", "exp": exp }),
            403,
            "user_not_found",
        ),
        (
            json!({
                "sub": session.body["user"]["id"],
                "session_id": "8a7c1c0e-1111-4222-8333-444455556666",
                "exp": exp,
            }),
            403,
            "session_not_found",
        ),
    ] {
        app.get("/user", &token(&claims))
            .await
            .refused(status, code);
    }
    app.pass(Duration::seconds(3601));
    let expired = app.get("/user", &good).await.refused(403, "bad_jwt");
    assert_eq!(
        expired.text("msg"),
        "invalid JWT: unable to parse or verify signature, token has invalid claims: token is expired"
    );
}

#[tokio::test]
async fn a_session_says_how_it_was_proved() {
    let mut app = TestApp::start(&[]).await;
    app.member("ada@example.com", "secret12").await;
    let token = app
        .sign_in("ada@example.com", "secret12")
        .await
        .text("access_token");
    let claims = svc_kit::jwt::KeySet::from_secret(svc_kit::jwt::LOCAL_JWT_SECRET.as_bytes())
        .verify(&token)
        .unwrap();
    assert_eq!(claims.text("aal"), Some("aal1"));
    assert_eq!(claims.role(), Some("authenticated"));
    assert_eq!(claims.text("aud"), Some("authenticated"));
    let amr = claims.get("amr").unwrap();
    assert_eq!(amr[0]["method"], "password");
    assert!(amr[0]["timestamp"].is_i64() || amr[0]["timestamp"].is_u64());
}

#[tokio::test]
async fn a_function_of_the_project_may_change_what_a_token_says() {
    let mut app = TestApp::start(&[
        ("GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_ENABLED", "true"),
        (
            "GOTRUE_HOOK_CUSTOM_ACCESS_TOKEN_URI",
            "pg-functions://postgres/public/add_plan",
        ),
    ])
    .await;
    sqlx::raw_sql(
        "create function public.add_plan(event jsonb) returns jsonb language sql as
         $$ select jsonb_build_object('claims', event->'claims' || '{\"plan\": \"gold\"}') $$;
         grant usage on schema public to supabase_auth_admin;
         grant execute on function public.add_plan to supabase_auth_admin;",
    )
    .execute(&app.db.pool())
    .await
    .unwrap();
    let session = app.member("ada@example.com", "secret12").await;
    let claims = svc_kit::jwt::KeySet::from_secret(svc_kit::jwt::LOCAL_JWT_SECRET.as_bytes())
        .verify(&session.text("access_token"))
        .unwrap();
    assert_eq!(claims.text("plan"), Some("gold"));
    sqlx::raw_sql(
        "create or replace function public.add_plan(event jsonb) returns jsonb language sql as
         $$ select '{\"error\": {\"http_code\": 403, \"message\": \"not today\"}}'::jsonb $$;",
    )
    .execute(&app.db.pool())
    .await
    .unwrap();
    let refused = app.sign_in("ada@example.com", "secret12").await;
    assert_eq!(
        (refused.status, refused.text("msg")),
        (403, "not today".into())
    );
}

#[tokio::test]
async fn a_page_of_another_origin_may_call() {
    let app = TestApp::start(&[]).await;
    let request = axum::extract::Request::builder()
        .method("OPTIONS")
        .uri("/token")
        .header("origin", "https://app.test")
        .header("access-control-request-method", "POST")
        .header(
            "access-control-request-headers",
            "authorization,x-client-info",
        )
        .body(axum::body::Body::empty())
        .unwrap();
    let reply = app.request(request).await;
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("access-control-allow-credentials"), "true");
    let allowed = reply.header("access-control-allow-headers").to_owned();
    assert!(allowed.contains("x-client-info"), "{allowed}");
}
