//! Who calls, and what row-level security lets them.

use http::Method;
use serde_json::json;

use crate::test_app::{SECRET, TestApp, now, token};

#[tokio::test]
async fn policies_decide_and_a_changed_policy_at_once() {
    let app = TestApp::start().await;
    let notes = |name: &'static str| {
        app.call(Method::GET, "/notes?select=body&order=id")
            .user(name)
    };
    notes("ann")
        .send()
        .await
        .is(200, &json!([{"body": "of ann"}]));
    app.get("/notes").await.is(200, &json!([]));
    let foreign = app
        .post("/notes")
        .user("ann")
        .json(&json!({"owner": "bob", "body": "x"}))
        .send()
        .await;
    foreign.refused(403, "42501");
    let stolen = app
        .call(Method::PATCH, "/notes?id=eq.2")
        .user("ann")
        .header("prefer", "return=representation")
        .json(&json!({"body": "mine"}))
        .send()
        .await;
    stolen.is(200, &json!([]));
    app.sql("create policy shared on public.notes for select to authenticated using (true)")
        .await;
    notes("ann")
        .send()
        .await
        .is(200, &json!([{"body": "of ann"}, {"body": "of bob"}]));
}

#[tokio::test]
async fn the_database_learns_about_the_request() {
    let app = TestApp::start().await;
    let reply = app
        .call(Method::GET, "/rpc/whoami")
        .user("ann")
        .header("user-agent", "it/1")
        .header("cookie", "a=b; crumb=c")
        .header("prefer", "timezone=Asia/Kolkata")
        .send()
        .await;
    reply.is(
        200,
        &json!({"role": "authenticated", "sub": "ann", "method": "GET", "path": "/rpc/whoami",
        "agent": "it/1", "crumb": "c", "zone": "Asia/Kolkata"}),
    );
    assert_eq!(reply.header("preference-applied"), "timezone=Asia/Kolkata");
}

#[tokio::test]
async fn nothing_of_a_caller_stays_on_the_connection() {
    let app = TestApp::with(&[("PGRST_DB_POOL", "1")]).await;
    app.call(Method::GET, "/rpc/whoami")
        .user("ann")
        .header("prefer", "timezone=Asia/Kolkata")
        .send()
        .await;
    let after = app.get("/rpc/whoami").await.json();
    assert_eq!(
        (&after["role"], &after["sub"]),
        (&json!("anon"), &json!(null))
    );
    assert_ne!(after["zone"], "Asia/Kolkata");
}

#[tokio::test]
async fn wrong_tokens_are_refused_in_postgrests_words() {
    let app = TestApp::with(&[("PGRST_JWT_AUD", "shop")]).await;
    let claims = |more: serde_json::Value| {
        let mut all = json!({"role": "authenticated", "exp": now() + 60});
        all.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        token(&all)
    };
    let unsigned = "eyJhbGciOiJub25lIn0.eyJyb2xlIjoiYW5vbiJ9.";
    let other_key = {
        let key = jsonwebtoken::EncodingKey::from_secret(format!("not {SECRET}").as_bytes());
        jsonwebtoken::encode(
            &jsonwebtoken::Header::default(),
            &json!({"role": "anon"}),
            &key,
        )
        .unwrap()
    };
    for (given, code, message) in [
        (
            String::new(),
            "PGRST301",
            "Empty JWT is sent in Authorization header",
        ),
        (
            "a.b".to_owned(),
            "PGRST301",
            "Expected 3 parts in JWT; got 2",
        ),
        (
            unsigned.to_owned(),
            "PGRST301",
            "Wrong or unsupported encoding algorithm",
        ),
        (other_key, "PGRST301", "No suitable key or wrong key type"),
        (
            claims(json!({"exp": now() - 60})),
            "PGRST303",
            "JWT expired",
        ),
        (
            claims(json!({"nbf": now() + 90})),
            "PGRST303",
            "JWT not yet valid",
        ),
        (
            claims(json!({"iat": now() + 90})),
            "PGRST303",
            "JWT issued at future",
        ),
        (
            claims(json!({"exp": "soon"})),
            "PGRST303",
            "The JWT 'exp' claim must be a number",
        ),
        (
            claims(json!({"aud": "other"})),
            "PGRST303",
            "JWT not in audience",
        ),
    ] {
        let reply = app
            .call(Method::GET, "/items")
            .header("authorization", &format!("Bearer {given}"))
            .send()
            .await;
        reply.refused(401, code);
        assert_eq!(reply.json()["message"], message);
        assert!(
            reply.header("www-authenticate").starts_with("Bearer"),
            "{reply:?}"
        );
    }
    for allowed in [
        json!({}),
        json!({"aud": "shop"}),
        json!({"aud": ["x", "shop"]}),
        json!({"aud": []}),
        json!({"exp": now() - 10}),
    ] {
        let reply = app
            .call(Method::GET, "/items?limit=0")
            .header(
                "authorization",
                &format!("bearer {}", claims(allowed.clone())),
            )
            .send()
            .await;
        assert_eq!(reply.status, 200, "{allowed}: {reply:?}");
    }
    let ghost = app
        .call(Method::GET, "/items")
        .header(
            "authorization",
            &format!("Bearer {}", claims(json!({"role": "ghost"}))),
        )
        .send()
        .await;
    ghost.refused(401, "22023");
}

#[tokio::test]
async fn what_a_role_may_not_is_401_or_403() {
    let app = TestApp::start().await;
    app.get("/sealed").await.refused(401, "42501");
    app.call(Method::GET, "/sealed")
        .user("ann")
        .send()
        .await
        .refused(403, "42501");
    let closed = TestApp::with(&[("PGRST_DB_ANON_ROLE", "")]).await;
    closed.get("/items").await.refused(401, "PGRST302");
}

#[tokio::test]
async fn a_verified_token_is_kept_and_still_expires() {
    let app = TestApp::start().await;
    // Clocks may differ by thirty seconds, so it has ten left.
    let bearer = format!("Bearer {}", token(&json!({"exp": now() - 20})));
    let ask = || {
        app.call(Method::GET, "/items?limit=0")
            .header("authorization", &bearer)
            .send()
    };
    assert_eq!(ask().await.status, 200);
    assert_eq!(ask().await.status, 200);
    assert_eq!(app.metric("pgrst_jwt_cache_requests_total").await, 2);
    assert_eq!(app.metric("pgrst_jwt_cache_hits_total").await, 1);
    let mut reply = ask().await;
    for _ in 0..300 {
        if reply.status != 200 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
        reply = ask().await;
    }
    reply.refused(401, "PGRST303");
    assert!(app.metric("pgrst_jwt_cache_hits_total").await > 2);
}

#[tokio::test]
async fn tokens_beyond_the_limit_make_place_for_others() {
    for (limit, kept) in [("2", true), ("0", false)] {
        let app = TestApp::with(&[("PGRST_JWT_CACHE_MAX_ENTRIES", limit)]).await;
        for number in 0..20 {
            let bearer = format!("Bearer {}", token(&json!({"sub": number.to_string()})));
            let call = app.call(Method::GET, "/items?limit=0");
            let reply = call.header("authorization", &bearer).send().await;
            assert_eq!(reply.status, 200);
        }
        let evictions = app.metric("pgrst_jwt_cache_evictions_total").await;
        assert_eq!(evictions > 0, kept, "{evictions} of limit {limit}");
    }
}
