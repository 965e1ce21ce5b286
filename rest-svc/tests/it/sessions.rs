//! The connections of the pool: what stays on them, what they survive, and what has to replace them.

use http::Method;
use serde_json::{Value, json};

use crate::test_app::TestApp;

const ONE: &[(&str, &str)] = &[("PGRST_DB_POOL", "1")];

async fn session(app: &TestApp, name: &str) -> Value {
    let reply = app
        .post(&format!("/rpc/{name}"))
        .json(&json!({}))
        .send()
        .await;
    assert_eq!(reply.status, 200, "{reply:?}");
    reply.json()
}

#[tokio::test]
async fn reads_may_not_write_and_writes_may() {
    let app = TestApp::with(ONE).await;
    app.get("/rpc/session").await.is(
        200,
        &json!({"isolation": "read committed", "read_only": "on", "statements": 2}),
    );
    let at_work = session(&app, "session_at_work").await;
    assert_eq!(at_work["read_only"], "off");
    app.get("/rpc/forget").await.refused(405, "25006");
    // What a read was forbidden is not forbidden to the next.
    let body = json!({"id": 9, "name": "Ninth"});
    assert_eq!(app.post("/shops").json(&body).send().await.status, 201);
}

#[tokio::test]
async fn transactions_are_of_the_kind_asked_for_whatever_the_session_prefers() {
    let app = TestApp::with(ONE).await;
    for (database, function) in [("isolation", "serializable"), ("read_only", "on")] {
        let name = app.db.url().rsplit('/').next().unwrap();
        let statement =
            format!("alter database \"{name}\" set default_transaction_{database} = '{function}'");
        sqlx::raw_sql(sqlx::AssertSqlSafe(statement))
            .execute(&app.db.pool())
            .await
            .unwrap();
    }
    // The pool's sessions began before.
    app.post("/rpc/end_session").json(&json!({})).send().await;
    let at_work = session(&app, "session_at_work").await;
    assert_eq!(at_work["isolation"], "read committed");
    assert_eq!(at_work["read_only"], "off");
    let read = app.get("/rpc/session").await.json();
    assert_eq!(
        (&read["isolation"], &read["read_only"]),
        (&json!("read committed"), &json!("on"))
    );
    let body = json!({"id": 9, "name": "Ninth"});
    assert_eq!(app.post("/shops").json(&body).send().await.status, 201);
    app.get("/shops?select=id&id=eq.9")
        .await
        .is(200, &json!([{"id": 9}]));
}

#[tokio::test]
async fn a_client_that_makes_up_new_requests_does_not_fill_the_session() {
    let app = TestApp::with(ONE).await;
    let mut most = 0;
    for number in 0..1100 {
        let reply = app
            .get(&format!("/shops?select=label{number}:name&id=eq.1"))
            .await;
        reply.is(200, &json!([{format!("label{number}"): "North"}]));
        if number % 50 == 0 {
            let kept = session(&app, "session").await["statements"]
                .as_u64()
                .unwrap();
            most = most.max(kept);
        }
    }
    assert!((400..=520).contains(&most), "{most}");
}

#[tokio::test]
async fn the_search_path_is_the_requests_whatever_came_before_it() {
    for prepared in ["true", "false"] {
        let settings = [
            ("PGRST_DB_SCHEMAS", "public,other"),
            ("PGRST_DB_EXTRA_SEARCH_PATH", "auth"),
            ("PGRST_DB_PREPARED_STATEMENTS", prepared),
        ];
        let app = TestApp::with(&[ONE, &settings].concat()).await;
        let path_of = async |schema: &str| {
            let call = app.call(Method::GET, "/rpc/search_path");
            call.header("accept-profile", schema).send().await.json()
        };
        for _ in 0..2 {
            assert_eq!(path_of("other").await, r#""other", "auth""#);
            assert_eq!(path_of("public").await, r#""public", "auth""#);
            // A transaction that is rolled back takes its settings with it.
            app.get("/shops?id=eq.x").await.refused(400, "22P02");
            assert_eq!(path_of("public").await, r#""public", "auth""#);
            let elsewhere = app.post("/rpc/search_elsewhere").json(&json!({}));
            assert_eq!(elsewhere.send().await.status, 204);
            assert_eq!(path_of("public").await, r#""public", "auth""#);
            let rows = app.get("/shops?select=id&id=eq.1").await;
            rows.is(200, &json!([{"id": 1}]));
        }
    }
}

#[tokio::test]
async fn each_role_has_plans_of_its_own() {
    let app = TestApp::with(ONE).await;
    for _ in 0..7 {
        let mine = app
            .call(Method::GET, "/notes?select=body")
            .user("ann")
            .send()
            .await;
        let theirs = app.get("/notes?select=body").await;
        assert_ne!(mine.text, theirs.text);
    }
}

#[tokio::test]
async fn a_session_that_ended_is_replaced_before_anybody_notices() {
    let app = TestApp::with(ONE).await;
    let first = session(&app, "pid").await;
    let end = format!("select pg_terminate_backend({first})");
    sqlx::raw_sql(sqlx::AssertSqlSafe(end))
        .execute(&app.db.pool())
        .await
        .unwrap();
    // Until the news has come through the socket.
    tokio::time::sleep(std::time::Duration::from_millis(200)).await;
    let second = session(&app, "pid").await;
    assert_ne!(first, second);
}

#[tokio::test]
async fn a_session_that_ends_at_work_fails_that_request_alone() {
    let app = TestApp::with(ONE).await;
    for _ in 0..3 {
        let ended = app.post("/rpc/end_session").json(&json!({})).send().await;
        ended.refused(503, "57P01");
        app.get("/shops?select=id&id=eq.1")
            .await
            .is(200, &json!([{"id": 1}]));
    }
}

#[tokio::test]
async fn a_session_whose_statements_are_gone_is_replaced() {
    let app = TestApp::with(ONE).await;
    app.get("/shops?id=eq.1").await;
    let forgotten = app
        .post("/rpc/forget_statements")
        .json(&json!({}))
        .send()
        .await;
    assert_eq!(forgotten.status, 204);
    app.get("/shops?id=eq.1").await.refused(400, "26000");
    assert_eq!(app.get("/shops?id=eq.1").await.status, 200);
}

#[tokio::test]
async fn what_the_database_says_beside_the_answer_is_passed_over() {
    let app = TestApp::with(ONE).await;
    for _ in 0..3 {
        assert_eq!(session(&app, "noisy").await, "quiet");
    }
}

#[tokio::test]
async fn bodies_of_any_size_arrive_whole_in_both_directions() {
    let app = TestApp::with(ONE).await;
    for times in [0, 1, 8_180, 8_192, 65_536, 5_000_000] {
        let asked = json!({"letter": "é", "times": times});
        let reply = app.post("/rpc/repeated").json(&asked).send().await;
        assert_eq!(reply.json(), "é".repeat(times));
        let sent = json!({"text": "y".repeat(times)});
        let reply = app.post("/rpc/echo").json(&sent).send().await;
        assert_eq!(reply.json(), sent);
    }
    app.get("/shops?select=id&id=eq.1")
        .await
        .is(200, &json!([{"id": 1}]));
}

#[tokio::test]
async fn a_zero_in_a_value_is_the_clients_mistake() {
    let app = TestApp::with(ONE).await;
    for _ in 0..2 {
        app.get("/shops?name=eq.a%00b").await.refused(400, "22021");
        app.get("/shops?select=id&id=eq.1")
            .await
            .is(200, &json!([{"id": 1}]));
    }
}

#[tokio::test]
async fn a_pooler_between_needs_no_statement_that_is_kept() {
    let settings = [ONE, &[("PGRST_DB_PREPARED_STATEMENTS", "false")]].concat();
    let app = TestApp::with(&settings).await;
    for _ in 0..3 {
        app.get("/shops?select=id&id=eq.1")
            .await
            .is(200, &json!([{"id": 1}]));
        let single = app
            .call(Method::PATCH, "/shops?id=eq.1&select=id")
            .header("accept", "application/vnd.pgrst.object+json")
            .header("prefer", "return=representation")
            .json(&json!({"name": "North"}))
            .send()
            .await;
        single.is(200, &json!({"id": 1}));
        app.get("/items?id=eq.x").await.refused(400, "22P02");
    }
    assert_eq!(session(&app, "session").await["statements"], 0);
}
