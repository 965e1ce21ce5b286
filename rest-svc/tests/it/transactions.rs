//! How a request's transaction ends.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn a_preference_rolls_back_only_where_it_may() {
    let fixed = TestApp::start().await;
    let insert = |app| {
        TestApp::post(app, "/shops")
            .header("prefer", "tx=rollback")
            .json(&json!({"id": 5, "name": "x"}))
    };
    let ignored = insert(&fixed).send().await;
    assert_eq!(
        (ignored.status, ignored.header("preference-applied")),
        (201, "")
    );
    assert_eq!(
        fixed
            .get("/shops?id=eq.5")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        1
    );
    let free = TestApp::with(&[("PGRST_DB_TX_END", "commit-allow-override")]).await;
    let undone = insert(&free).send().await;
    assert_eq!(
        (undone.status, undone.header("preference-applied")),
        (201, "tx=rollback")
    );
    free.get("/shops?id=eq.5").await.is(200, &json!([]));
}

#[tokio::test]
async fn a_deferred_constraint_fails_the_request() {
    let app = TestApp::with(&[("PGRST_DB_TX_END", "commit-allow-override")]).await;
    app.sql(
        "alter table public.stock add constraint few check (count < 5000); \
        alter table public.stock drop constraint stock_item_id_fkey, \
        add foreign key (item_id) references public.items deferrable initially deferred",
    )
    .await;
    let body = json!({"shop_id": 1, "item_id": 77, "count": 1});
    for prefer in ["tx=commit", "tx=rollback"] {
        app.post("/stock")
            .header("prefer", prefer)
            .json(&body)
            .send()
            .await
            .refused(409, "23503");
    }
    app.get("/stock?item_id=eq.77").await.is(200, &json!([]));
}

#[tokio::test]
async fn a_failed_request_leaves_a_clean_connection() {
    let app = TestApp::with(&[("PGRST_DB_POOL", "1")]).await;
    for _ in 0..3 {
        app.get("/items?id=eq.x").await.refused(400, "22P02");
        app.post("/shops")
            .json(&json!({"id": 1, "name": "dup"}))
            .send()
            .await
            .refused(409, "23505");
        app.get("/shops?select=id&id=eq.1")
            .await
            .is(200, &json!([{"id": 1}]));
    }
}

#[tokio::test]
async fn a_client_that_goes_away_leaves_a_clean_connection() {
    let app = TestApp::with(&[("PGRST_DB_POOL", "1")]).await;
    app.sql("create function public.slow() returns void language sql as 'select pg_sleep(2)'; notify pgrst").await;
    let waiting = app.call(Method::POST, "/rpc/slow").send();
    let left = tokio::time::timeout(std::time::Duration::from_millis(300), waiting).await;
    drop(left);
    app.get("/shops?select=id&id=eq.1")
        .await
        .is(200, &json!([{"id": 1}]));
}
