//! Bodies other than JSON, and forms of values.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn rows_come_as_csv() {
    let app = TestApp::start().await;
    let reply = app
        .call(Method::GET, "/items?select=id,note&id=lt.3&order=id")
        .header("accept", "text/csv")
        .send()
        .await;
    assert_eq!(reply.text, "id,note\n1,\n2,\"a, \"\"quoted\"\" note\"");
    assert_eq!(reply.header("content-type"), "text/csv; charset=utf-8");
}

#[tokio::test]
async fn domains_named_like_media_types_make_bodies() {
    let app = TestApp::start().await;
    let get = |path: &'static str| {
        app.call(Method::GET, path)
            .header("accept", "text/html, */*;q=0.1")
    };
    let page = get("/rpc/page").send().await;
    assert_eq!(
        (page.text.as_str(), page.header("content-type")),
        ("<h1>Hi</h1>", "text/html")
    );
    let list = get("/items?order=id&limit=2").send().await;
    assert_eq!(list.text, "<ul><li>anvil</li><li>rope</li></ul>");
    // A selection of its own is no row of the relation any more.
    let selected = get("/items?select=id&id=eq.1").send().await;
    selected.is(200, &json!([{"id": 1}]));
}

#[tokio::test]
async fn domains_have_forms_of_their_own() {
    let app = TestApp::start().await;
    app.get("/paints?order=id").await.is(
        200,
        &json!([{"id": 1, "shade": "#0000ff"}, {"id": 2, "shade": "#ff0000"}]),
    );
    app.get("/paints?select=id&shade=eq.%230000ff")
        .await
        .is(200, &json!([{"id": 1}]));
    app.get("/paints?select=id&shade=in.(ff0000,000001)")
        .await
        .is(200, &json!([{"id": 2}]));
    let made = app
        .post("/paints?select=c:shade")
        .header("prefer", "return=representation")
        .json(&json!({"id": 3, "shade": "#00ff00"}))
        .send()
        .await;
    made.is(201, &json!([{"c": "#00ff00"}]));
    let changed = app
        .call(Method::PATCH, "/paints?id=eq.3")
        .header("prefer", "return=representation")
        .json(&json!({"shade": "#000002"}))
        .send()
        .await;
    changed.is(200, &json!([{"id": 3, "shade": "#000002"}]));
}

#[tokio::test]
async fn plans_are_shown_where_they_are_allowed() {
    let off = TestApp::start().await;
    let ask = |app| {
        TestApp::call(app, Method::GET, "/items?id=eq.1")
            .header("accept", "application/vnd.pgrst.plan+json")
    };
    ask(&off).send().await.refused(406, "PGRST107");
    let on = TestApp::with(&[("PGRST_DB_PLAN_ENABLED", "true")]).await;
    let plan = ask(&on).send().await;
    assert!(plan.json()[0]["Plan"]["Total Cost"].is_number(), "{plan:?}");
    assert_eq!(
        plan.header("content-type"),
        "application/vnd.pgrst.plan+json; for=\"application/json\"; charset=utf-8"
    );
}

#[tokio::test]
async fn the_root_describes_what_the_caller_may_use() {
    let app = TestApp::with(&[("PGRST_DB_SCHEMAS", "public,other")]).await;
    let reply = app.get("/").await;
    assert_eq!(
        reply.header("content-type"),
        "application/openapi+json; charset=utf-8"
    );
    let document = reply.json();
    assert_eq!(
        document["definitions"]["items"]["properties"]["maker_id"],
        json!({
            "type": "integer", "format": "int64",
            "description": "Note:\nThis is a Foreign Key to `makers.id`.<fk table='makers' column='id'/>",
        })
    );
    assert!(
        document["paths"]["/sealed"].is_null(),
        "anon has no right to it"
    );
    assert!(
        document["paths"]["/rpc/forget"]["get"].is_null(),
        "it writes"
    );
    let other = app
        .call(Method::GET, "/")
        .header("accept-profile", "other")
        .send()
        .await;
    assert!(other.json()["definitions"]["things"].is_object());
    assert_eq!(other.header("content-profile"), "other");
    let things = app
        .call(Method::GET, "/things")
        .header("accept-profile", "other")
        .send()
        .await;
    things.is(200, &json!([{"id": 7}]));
    TestApp::with(&[("PGRST_OPENAPI_MODE", "disabled")])
        .await
        .get("/")
        .await
        .refused(404, "PGRST126");
}
