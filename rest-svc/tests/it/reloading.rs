//! The catalog follows the database.

use std::time::Duration;

use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_notification_brings_new_relations() {
    let app = TestApp::start().await;
    app.get("/novelties").await.refused(404, "PGRST205");
    app.sql("create table public.novelties (id int); grant select on public.novelties to anon; notify pgrst, 'reload schema'").await;
    for _ in 0..100 {
        if app.get("/novelties").await.status == 200 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    app.get("/novelties").await.is(200, &json!([]));
    app.sql("drop table public.novelties; notify pgrst").await;
    for _ in 0..100 {
        if app.get("/novelties").await.json()["code"] == "PGRST205" {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    app.get("/novelties").await.refused(404, "PGRST205");
}

#[tokio::test]
async fn statements_survive_a_changed_table() {
    let app = TestApp::with(&[("PGRST_DB_POOL", "1")]).await;
    let before = app.get("/shops?id=eq.1").await;
    before.is(200, &json!([{"id": 1, "name": "North"}]));
    app.sql("alter table public.shops add column open boolean not null default true")
        .await;
    app.get("/shops?id=eq.1")
        .await
        .is(200, &json!([{"id": 1, "name": "North", "open": true}]));
    app.get("/shops?id=eq.1")
        .await
        .is(200, &json!([{"id": 1, "name": "North", "open": true}]));
}
