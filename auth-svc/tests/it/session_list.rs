//! Where somebody is signed in, and ending that from elsewhere.

use axum::{body::Body, extract::Request};
use chrono::Duration;
use serde_json::{Value, json};

use crate::test_app::{Reply, TestApp, claims, service_token};

async fn sign_in_from(app: &TestApp, email: &str, ip: &str, agent: &str) -> Reply {
    let body = json!({ "email": email, "password": "secret12" });
    let request = Request::post("/token?grant_type=password")
        .header("x-forwarded-for", ip)
        .header("user-agent", agent)
        .body(Body::from(body.to_string()))
        .unwrap();
    app.request(request).await.ok()
}

fn id_of(session: &Reply) -> String {
    let claims = claims(&session.text("access_token"));
    claims.text("session_id").unwrap().to_owned()
}

fn ids(list: &Reply) -> Vec<String> {
    let sessions = list.body["sessions"].as_array().unwrap().iter();
    sessions
        .map(|one| one["id"].as_str().unwrap().to_owned())
        .collect()
}

async fn traits(app: &TestApp) -> Value {
    sqlx::query_scalar(
        "select payload::jsonb from auth.audit_log_entries
         where payload ->> 'action' = 'logout' order by created_at desc limit 1",
    )
    .fetch_one(&app.db.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_user_sees_their_own_sessions_and_ends_one() {
    let mut app = TestApp::start(&[]).await;
    let first = app.member("ada@example.com", "secret12").await;
    let eve = app.member("eve@example.com", "secret12").await;
    app.pass(Duration::seconds(5));
    let before = app.now().timestamp();
    let second = sign_in_from(&app, "ada@example.com", "203.0.113.7", "Phone/1").await;
    let after = app.now().timestamp();
    let token = second.text("access_token");

    let list = app.get("/user/sessions", &token).await.ok();
    assert_eq!(ids(&list), [id_of(&second), id_of(&first)]);
    assert_eq!(list.header("x-total-count"), "2");
    let [here, there] = [0, 1].map(|index| &list.body["sessions"][index]);
    assert_eq!(
        (&here["current"], &there["current"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(
        (&here["ip"], &here["user_agent"]),
        (&json!("203.0.113.7"), &json!("Phone/1"))
    );
    assert_eq!(
        (&here["aal"], &here["amr"][0]["method"]),
        (&json!("aal1"), &json!("password"))
    );
    let proved = here["amr"][0]["timestamp"].as_i64().unwrap();
    assert!((before..=after).contains(&proved), "{here}");
    for empty in ["refreshed_at", "not_after", "tag", "scopes", "oauth_client"] {
        assert!(here[empty].is_null(), "{empty}: {here}");
    }
    let secret = list.body.to_string();
    assert!(!secret.contains(&second.text("refresh_token")), "{secret}");

    // A refresh moves a session to the front.
    app.pass(Duration::seconds(5));
    let again = app.refresh(&first.text("refresh_token")).await.ok();
    let list = app.get("/user/sessions?per_page=1", &token).await.ok();
    assert_eq!(ids(&list), [id_of(&first)]);
    assert!(list.body["sessions"][0]["refreshed_at"].is_string());
    assert!(list.header("link").contains("rel=\"next\""));

    let path = |session: &Reply| format!("/user/sessions/{}", id_of(session));
    app.delete(&path(&eve), &token, None)
        .await
        .refused(404, "session_not_found");
    app.get("/user", &eve.text("access_token")).await.ok();
    app.delete(&path(&first), &token, None).await.ok();
    assert_eq!(traits(&app).await["traits"]["session_id"], id_of(&first));
    app.get("/user", &first.text("access_token"))
        .await
        .refused(403, "session_not_found");
    app.refresh(&again.text("refresh_token"))
        .await
        .refused(400, "refresh_token_not_found");
    app.delete(&path(&first), &token, None)
        .await
        .refused(404, "session_not_found");
    // The one that asks is no exception.
    app.delete(&path(&second), &token, None).await.ok();
    app.get("/user/sessions", &token)
        .await
        .refused(403, "session_not_found");
}

#[tokio::test]
async fn who_may_not_ask_learns_nothing() {
    let mut app = TestApp::start(&[]).await;
    let session = app.member("ada@example.com", "secret12").await;
    let token = session.text("access_token");
    app.get("/user/sessions", "")
        .await
        .refused(401, "no_authorization");
    app.delete("/user/sessions/x", &token, None)
        .await
        .refused(404, "validation_failed");
    let user = session.body["user"]["id"].as_str().unwrap();
    let path = format!("/admin/users/{user}/sessions");
    app.get(&path, &token).await.refused(403, "not_admin");
    let own = format!("{path}/{}", id_of(&session));
    app.delete(&own, &token, None)
        .await
        .refused(403, "not_admin");
    app.get("/user", &token).await.ok();
}

#[tokio::test]
async fn an_administrator_sees_and_ends_those_of_anybody() {
    let mut app = TestApp::start(&[]).await;
    let ada = app.member("ada@example.com", "secret12").await;
    let eve = app.member("eve@example.com", "secret12").await;
    let service = service_token();
    let path = |session: &Reply| {
        let user = session.body["user"]["id"].as_str().unwrap();
        format!("/admin/users/{user}/sessions")
    };
    let list = app.get(&path(&ada), &service).await.ok();
    assert_eq!(ids(&list), [id_of(&ada)]);
    assert!(list.body["sessions"][0].get("current").is_none());
    // The session is another user's.
    let wrong = format!("{}/{}", path(&eve), id_of(&ada));
    app.delete(&wrong, &service, None)
        .await
        .refused(404, "session_not_found");
    app.get("/user", &ada.text("access_token")).await.ok();
    let right = format!("{}/{}", path(&ada), id_of(&ada));
    app.delete(&right, &service, None).await.ok();
    app.get("/user", &ada.text("access_token"))
        .await
        .refused(403, "session_not_found");
    let entry = traits(&app).await;
    assert_eq!(entry["actor_username"], "service_role");
    assert_eq!(entry["traits"]["user_id"], ada.body["user"]["id"]);
    let nobody = "/admin/users/00000000-0000-0000-0000-000000000001/sessions";
    app.get(nobody, &service)
        .await
        .refused(404, "user_not_found");
}

#[tokio::test]
async fn a_session_that_is_over_is_not_shown() {
    let mut app = TestApp::start(&[
        ("GOTRUE_SESSIONS_TIMEBOX", "1h"),
        ("GOTRUE_SESSIONS_INACTIVITY_TIMEOUT", "30m"),
        ("GOTRUE_JWT_EXP", "86400"),
    ])
    .await;
    let first = app.member("ada@example.com", "secret12").await;
    let token = first.text("access_token");
    app.pass(Duration::minutes(20));
    let kept = app.refresh(&first.text("refresh_token")).await.ok();
    app.pass(Duration::minutes(25));
    let second = app.sign_in("ada@example.com", "secret12").await.ok();
    let list = app.get("/user/sessions", &token).await.ok();
    assert_eq!(ids(&list), [id_of(&second), id_of(&first)]);
    let ends = list.body["sessions"][0]["not_after"].as_str().unwrap();
    let ends: chrono::DateTime<chrono::Utc> = ends.parse().unwrap();
    assert_eq!((ends - app.now()).num_minutes(), 59);
    // The first is 51 minutes old and was last seen 31 minutes ago.
    app.pass(Duration::minutes(6));
    let list = app.get("/user/sessions", &token).await.ok();
    assert_eq!(ids(&list), [id_of(&second)]);
    app.refresh(&kept.text("refresh_token"))
        .await
        .refused(400, "session_expired");
}

#[tokio::test]
async fn a_client_of_the_oauth_server_is_named_and_does_not_see_the_others() {
    let mut app = TestApp::start(&[]).await;
    let ada = app.member("ada@example.com", "secret12").await;
    let by_client = app.sign_in("ada@example.com", "secret12").await.ok();
    sqlx::query(
        "with client as (
             insert into auth.oauth_clients
                 (id, registration_type, redirect_uris, grant_types, client_name, client_type,
                  token_endpoint_auth_method)
             values (gen_random_uuid(), 'manual', 'https://c.test/', 'authorization_code',
                     'A calendar', 'public', 'none')
             returning id)
         update auth.sessions set oauth_client_id = client.id, scopes = 'email'
         from client where sessions.id = $1::uuid",
    )
    .bind(id_of(&by_client))
    .execute(&app.db.pool())
    .await
    .unwrap();
    let list = app
        .get("/user/sessions", &ada.text("access_token"))
        .await
        .ok();
    let sessions = list.body["sessions"].as_array().unwrap();
    let named: Vec<&Value> = sessions
        .iter()
        .map(|one| &one["oauth_client"]["name"])
        .filter(|name| !name.is_null())
        .collect();
    assert_eq!(named, ["A calendar"]);
    let token = by_client.text("access_token");
    app.get("/user/sessions", &token)
        .await
        .refused(403, "no_authorization");
    let path = format!("/user/sessions/{}", id_of(&ada));
    app.delete(&path, &token, None)
        .await
        .refused(403, "no_authorization");
    app.get("/user", &ada.text("access_token")).await.ok();
}
