//! Requests that mean nothing.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn each_mistake_has_its_code() {
    let app = TestApp::start().await;
    for (path, status, code) in [
        ("/nothing", 404, "PGRST205"),
        ("/rpc/nothing", 404, "PGRST202"),
        ("/a/b", 404, "PGRST125"),
        ("/items/", 404, "PGRST125"),
        ("/items?id=1", 400, "PGRST100"),
        ("/items?id=foo.1", 400, "PGRST100"),
        ("/items?select=id,(", 400, "PGRST100"),
        ("/items?order=id.up", 400, "PGRST100"),
        ("/items?or=()", 400, "PGRST100"),
        ("/items?limit=-1", 416, "PGRST103"),
        ("/items?select=shopss(*)", 400, "PGRST200"),
        ("/items?makers.name=eq.x", 400, "PGRST108"),
        ("/makers?select=items(id)&order=items(id)", 400, "PGRST118"),
        ("/items?select=colour", 400, "42703"),
        ("/items?id=eq.x", 400, "22P02"),
        ("/items?name=eq.%00", 400, "22021"),
    ] {
        app.get(path).await.refused(status, code);
    }
    app.call(Method::TRACE, "/items")
        .send()
        .await
        .refused(405, "PGRST117");
    let type_ = app
        .call(Method::GET, "/items")
        .header("accept", "image/png, text/foo")
        .send()
        .await;
    type_.refused(406, "PGRST107");
    assert_eq!(
        type_.json()["message"],
        "None of these media types are available: image/png, text/foo"
    );
    let profile = app
        .call(Method::GET, "/items")
        .header("accept-profile", "pg_catalog")
        .send()
        .await;
    profile.refused(406, "PGRST106");
    let strict = app
        .call(Method::GET, "/items")
        .header("prefer", "handling=strict, anything")
        .send()
        .await;
    strict.refused(400, "PGRST122");
}

#[tokio::test]
async fn the_body_of_an_error_is_byte_for_byte() {
    let app = TestApp::start().await;
    let reply = app.get("/itemss").await;
    assert_eq!(
        reply.text,
        r#"{"code":"PGRST205","details":null,"hint":"Perhaps you meant the table 'public.items'","message":"Could not find the table 'public.itemss' in the schema cache"}"#
    );
    assert_eq!(reply.header("proxy-status"), "PostgREST; error=PGRST205");
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
    let grammar = app.get("/items?id=0").await.json();
    assert_eq!(
        grammar["message"],
        "\"failed to parse filter (0)\" (line 1, column 1)"
    );
    assert_eq!(
        grammar["details"],
        "unexpected \"0\" expecting \"not\" or operator (eq, gt, ...)"
    );
}

#[tokio::test]
async fn an_ambiguous_embed_lists_the_ways() {
    let app = TestApp::start().await;
    app.sql("alter table public.items add column seller_id bigint references public.makers; notify pgrst, 'reload schema'").await;
    let mut reply = app.get("/items?select=makers(name)").await;
    for _ in 0..100 {
        if reply.status == 300 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        reply = app.get("/items?select=makers(name)").await;
    }
    reply.refused(300, "PGRST201");
    assert_eq!(
        reply.json()["details"][0],
        json!({
            "cardinality": "many-to-one", "embedding": "items with makers",
            "relationship": "items_maker_id_fkey using items(maker_id) and makers(id)",
        })
    );
    app.get("/items?select=id,makers!maker_id(name)&id=eq.3")
        .await
        .is(200, &json!([{"id": 3, "makers": {"name": "Bolt"}}]));
}

#[tokio::test]
async fn two_embeds_of_one_name_are_refused_as_the_database_would() {
    let app = TestApp::start().await;
    for (path, name) in [
        ("/items?select=makers(id),makers(name)", "items_makers_1"),
        ("/items?select=id,a:makers(id),a:stock(count)", "items_a_1"),
        (
            "/shops?select=stock(items(id),items(name))",
            "stock_items_2",
        ),
    ] {
        let reply = app.get(path).await;
        reply.refused(400, "42712");
        let message = format!("table name \"{name}\" specified more than once");
        assert_eq!(reply.json()["message"], message);
    }
    let apart = app.get("/items?select=a:makers(id),b:makers(name)").await;
    assert_eq!(apart.status, 200, "{apart:?}");
}

#[tokio::test]
async fn an_ambiguous_call_names_the_overloads_by_count_and_type_of_arguments() {
    let app = TestApp::start().await;
    app.sql(
        "create function vague(a text, b int) returns int language sql as 'select 1';
         create function vague(a text) returns int language sql as 'select 1';
         create function vague(a int) returns int language sql as 'select 1';
         notify pgrst, 'reload schema'",
    )
    .await;
    let mut message = String::new();
    for _ in 0..100 {
        let reply = app.post("/rpc/vague").json(&json!({"a": 1})).send().await;
        message = reply.json()["message"].to_string();
        if reply.status == 300 {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    assert!(
        message.contains("public.vague(a => integer), public.vague(a => text)"),
        "{message}"
    );
}
