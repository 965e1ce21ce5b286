//! POST, PATCH, PUT and DELETE on relations.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn rows_are_inserted_and_returned_as_asked() {
    let app = TestApp::start().await;
    let silent = app
        .post("/makers")
        .json(&json!({"name": "New"}))
        .send()
        .await;
    assert_eq!((silent.status, silent.text.as_str()), (201, ""));
    assert_eq!(silent.header("location"), "");
    let located = app
        .post("/makers")
        .header("prefer", "return=headers-only")
        .json(&json!({"name": "Two"}))
        .send()
        .await;
    assert_eq!(
        (located.status, located.header("location")),
        (201, "/makers?id=eq.5")
    );
    let shown = app
        .post("/items?select=name,price,makers(name)")
        .header("prefer", "return=representation")
        .json(&json!([{"name": "saw", "maker_id": 2}, {"name": "axe", "maker_id": null}]))
        .send()
        .await;
    shown.is(
        201,
        &json!([
            {"name": "saw", "price": 1.50, "makers": {"name": "Bolt"}},
            {"name": "axe", "price": 1.50, "makers": null},
        ]),
    );
}

#[tokio::test]
async fn absent_keys_are_null_or_the_default() {
    let app = TestApp::start().await;
    let body = json!([{"name": "x", "price": 3.0}, {"name": "y"}]);
    app.post("/items")
        .json(&body)
        .send()
        .await
        .refused(400, "PGRST102");
    let strict = app
        .post("/items?columns=name,price")
        .json(&body)
        .send()
        .await;
    strict.refused(400, "23502");
    let filled = app
        .post("/items?columns=name,price&select=name,price")
        .header("prefer", "missing=default, return=representation")
        .json(&body)
        .send()
        .await;
    filled.is(
        201,
        &json!([{"name": "x", "price": 3.0}, {"name": "y", "price": 1.50}]),
    );
    assert_eq!(
        filled.header("preference-applied"),
        "missing=default, return=representation"
    );
}

#[tokio::test]
async fn duplicates_are_merged_ignored_or_refused() {
    let app = TestApp::start().await;
    let bolt = json!({"name": "Bolt", "founded": "2000-01-01"});
    app.post("/makers")
        .json(&bolt)
        .send()
        .await
        .refused(409, "23505");
    let upsert = |how: &'static str| {
        app.post("/makers?on_conflict=name&select=id,founded")
            .header("prefer", how)
            .header("prefer", "return=representation")
    };
    let merged = upsert("resolution=merge-duplicates")
        .json(&bolt)
        .send()
        .await;
    merged.is(200, &json!([{"id": 2, "founded": "2000-01-01"}]));
    let ignored = upsert("resolution=ignore-duplicates")
        .json(&bolt)
        .send()
        .await;
    ignored.is(201, &json!([]));
    let mixed = upsert("resolution=merge-duplicates")
        .json(&json!([bolt, {"name": "Cog", "founded": null}]))
        .send()
        .await;
    assert_eq!(mixed.status, 201, "something was new");
}

#[tokio::test]
async fn patch_touches_what_the_filters_name() {
    let app = TestApp::start().await;
    let patch = |path: &'static str| app.call(Method::PATCH, path);
    let two = patch("/items?maker_id=eq.1")
        .header("prefer", "count=exact")
        .json(&json!({"note": "n"}))
        .send()
        .await;
    assert_eq!((two.status, two.header("content-range")), (204, "0-1/2"));
    let none = patch("/items?id=eq.99")
        .json(&json!({"note": "n"}))
        .send()
        .await;
    assert_eq!((none.status, none.header("content-range")), (204, "*/*"));
    let nothing = patch("/items")
        .header("prefer", "return=representation")
        .json(&json!({}))
        .send()
        .await;
    nothing.is(200, &json!([]));
    patch("/items?id=eq.1")
        .json(&json!({"colour": 1}))
        .send()
        .await
        .refused(400, "PGRST204");
    patch("/items?id=eq.1")
        .json(&json!({"price": -1}))
        .send()
        .await
        .refused(400, "23514");
    let many = patch("/items?id=gt.0")
        .header("prefer", "handling=strict, max-affected=2")
        .json(&json!({"note": "all"}))
        .send()
        .await;
    many.refused(400, "PGRST124");
    app.get("/items?select=id&note=eq.all")
        .await
        .is(200, &json!([]));
}

#[tokio::test]
async fn one_object_of_two_rows_rolls_back() {
    let app = TestApp::start().await;
    let reply = app
        .call(Method::DELETE, "/stock?shop_id=eq.1")
        .header("accept", "application/vnd.pgrst.object+json")
        .send()
        .await;
    reply.refused(406, "PGRST116");
    assert_eq!(
        app.get("/stock?shop_id=eq.1")
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        2
    );
}

#[tokio::test]
async fn put_takes_the_whole_key_and_nothing_else() {
    let app = TestApp::start().await;
    let put = |path: &'static str| {
        app.call(Method::PUT, path)
            .header("prefer", "return=representation")
    };
    put("/shops?id=eq.1")
        .json(&json!({"id": 1, "name": "Far"}))
        .send()
        .await
        .is(200, &json!([{"id": 1, "name": "Far"}]));
    put("/shops?id=eq.9")
        .json(&json!({"id": 9, "name": "New"}))
        .send()
        .await
        .is(201, &json!([{"id": 9, "name": "New"}]));
    put("/shops?id=eq.9")
        .json(&json!({"id": 8, "name": "New"}))
        .send()
        .await
        .refused(400, "PGRST115");
    put("/shops?name=eq.New")
        .json(&json!({"id": 9, "name": "New"}))
        .send()
        .await
        .refused(405, "PGRST105");
    put("/shops?id=eq.9&limit=1")
        .json(&json!({"id": 9, "name": "New"}))
        .send()
        .await
        .refused(400, "PGRST114");
}

#[tokio::test]
async fn deleted_rows_can_be_shown() {
    let app = TestApp::start().await;
    let reply = app
        .call(
            Method::DELETE,
            "/stock?item_id=eq.2&select=count,shops(name)",
        )
        .header("prefer", "return=representation, count=exact")
        .send()
        .await;
    reply.is(200, &json!([{"count": 10, "shops": {"name": "North"}}]));
    assert_eq!(reply.header("content-range"), "*/1");
}

#[tokio::test]
async fn bodies_come_as_csv_and_forms_too() {
    let app = TestApp::start().await;
    let csv = app
        .post("/makers?select=name,founded")
        .header("prefer", "return=representation")
        .text("text/csv", "name,founded\n\"a, b\",2001-01-01\nc,NULL\n")
        .send()
        .await;
    csv.is(
        201,
        &json!([{"name": "a, b", "founded": "2001-01-01"}, {"name": "c", "founded": null}]),
    );
    let form = app
        .post("/makers")
        .text("application/x-www-form-urlencoded", "name=f%20g")
        .send()
        .await;
    assert_eq!(form.status, 201);
    app.get("/makers?select=name&name=eq.f%20g")
        .await
        .is(200, &json!([{"name": "f g"}]));
    app.post("/makers")
        .text("text/foo", "x")
        .send()
        .await
        .refused(400, "PGRST102");
}
