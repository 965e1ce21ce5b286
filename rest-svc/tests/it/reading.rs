//! GET and HEAD on relations.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn rows_are_filtered_ordered_and_windowed() {
    let app = TestApp::start().await;
    for (path, expected) in [
        (
            "/items?select=id&price=gte.5&order=price.desc",
            json!([{"id": 1}, {"id": 2}]),
        ),
        (
            "/items?select=id&order=id&limit=2&offset=1",
            json!([{"id": 2}, {"id": 3}]),
        ),
        (
            "/items?select=id&name=in.(rope,\"nut\")&order=id",
            json!([{"id": 2}, {"id": 3}]),
        ),
        ("/items?select=id&id=in.()", json!([])),
        (
            "/items?select=id&id=not.in.()&order=id&limit=1",
            json!([{"id": 1}]),
        ),
        (
            "/items?select=id&tags=cs.{heavy}&order=id",
            json!([{"id": 1}, {"id": 4}]),
        ),
        (
            "/items?select=id&note=is.null&maker_id=is.not_null&order=id",
            json!([{"id": 1}, {"id": 3}]),
        ),
        (
            "/items?select=id&or=(price.lt.1,and(price.gt.90,name.like.a*))&order=id",
            json!([{"id": 1}, {"id": 3}, {"id": 4}]),
        ),
        (
            "/items?select=id&name=like(any).{a*,n*}&order=id",
            json!([{"id": 1}, {"id": 3}]),
        ),
        (
            "/items?select=id&price=isdistinct.0&order=id&limit=1",
            json!([{"id": 1}]),
        ),
        (
            "/items?select=id,cost:price::text&id=eq.2",
            json!([{"id": 2, "cost": "5.00"}]),
        ),
        (
            "/makers?select=profile->>city,tag:profile->tags->0&id=eq.1",
            json!([{"city": "Pune", "tag": "a"}]),
        ),
        (
            "/makers?select=name&profile->>city=eq.Chennai",
            json!([{"name": "Bolt"}]),
        ),
        (
            "/items?select=label&id=eq.2",
            json!([{"label": "rope (5.00)"}]),
        ),
        (
            "/dear_items?select=id&order=id",
            json!([{"id": 1}, {"id": 2}]),
        ),
    ] {
        app.get(path).await.is(200, &expected);
    }
}

#[tokio::test]
async fn relations_are_embedded_both_ways_and_through_a_junction() {
    let app = TestApp::start().await;
    for (path, expected) in [
        (
            "/items?select=name,makers(name)&id=in.(1,4)&order=id",
            json!([{"name": "anvil", "makers": {"name": "Acme"}}, {"name": "stone", "makers": null}]),
        ),
        (
            "/makers?select=name,items(name)&items.order=price&order=id",
            json!([{"name": "Acme", "items": [{"name": "rope"}, {"name": "anvil"}]},
                {"name": "Bolt", "items": [{"name": "nut"}]}, {"name": "Orphan", "items": []}]),
        ),
        (
            "/makers?select=name,items!inner(name)&items.price=lt.1",
            json!([{"name": "Bolt", "items": [{"name": "nut"}]}]),
        ),
        (
            "/makers?select=name,items()&items=is.null",
            json!([{"name": "Orphan"}]),
        ),
        (
            "/shops?select=name,items(name)&items.order=name&order=id",
            json!([{"name": "North", "items": [{"name": "anvil"}, {"name": "rope"}]}, {"name": "South", "items": [{"name": "nut"}]}]),
        ),
        (
            "/items?select=name,...makers(maker:name)&id=eq.3",
            json!([{"name": "nut", "maker": "Bolt"}]),
        ),
        (
            "/makers?select=name,...items(wares:name)&items.order=id&order=id&limit=1",
            json!([{"name": "Acme", "wares": ["anvil", "rope"]}]),
        ),
        (
            "/items?select=name,makers(name)&order=makers(name).desc.nullslast&limit=1",
            json!([{"name": "nut", "makers": {"name": "Bolt"}}]),
        ),
        (
            "/items?select=name,cheaper_than(name)&id=eq.2",
            json!([{"name": "rope", "cheaper_than": [{"name": "nut"}, {"name": "stone"}]}]),
        ),
        (
            "/dear_items?select=name,makers(name)&order=id&limit=1",
            json!([{"name": "anvil", "makers": {"name": "Acme"}}]),
        ),
    ] {
        app.get(path).await.is(200, &expected);
    }
}

#[tokio::test]
async fn counts_decide_the_status_and_the_range() {
    let app = TestApp::with(&[("PGRST_DB_MAX_ROWS", "3")]).await;
    for (path, prefer, status, range) in [
        ("/items", "count=exact", 206, "0-2/4"),
        ("/items?limit=10", "", 200, "0-2/*"),
        ("/items?id=eq.1", "count=exact", 200, "0-0/1"),
        ("/items?offset=4", "count=exact", 206, "*/4"),
        ("/items?offset=5", "count=exact", 416, "*/4"),
        ("/items?offset=5", "", 200, "*/*"),
        (
            "/makers?select=id,items!inner(id)&items.id=eq.3",
            "count=exact",
            200,
            "0-0/1",
        ),
    ] {
        for method in [Method::GET, Method::HEAD] {
            let reply = app
                .call(method.clone(), path)
                .header("prefer", prefer)
                .send()
                .await;
            assert_eq!(
                (reply.status, reply.header("content-range")),
                (status, range),
                "{method} {path}"
            );
            if method == Method::HEAD && status < 300 {
                assert_eq!(
                    (reply.text.as_str(), reply.header("content-length")),
                    ("", ""),
                    "{path}"
                );
            }
        }
    }
    let estimated = app
        .call(Method::GET, "/items")
        .header("prefer", "count=estimated")
        .send()
        .await;
    let total: i64 = estimated
        .header("content-range")
        .rsplit('/')
        .next()
        .unwrap()
        .parse()
        .unwrap();
    assert!(
        total >= 4,
        "a count beyond the limit is a guess, but not below it: {total}"
    );
}

#[tokio::test]
async fn aggregates_need_permission_and_group_by_the_rest() {
    let off = TestApp::start().await;
    off.get("/items?select=price.sum()")
        .await
        .refused(400, "PGRST123");
    let on = TestApp::with(&[("PGRST_DB_AGGREGATES_ENABLED", "true")]).await;
    for (path, expected) in [
        (
            "/items?select=maker_id,price.sum(),n:count()&order=maker_id",
            json!([{"maker_id": 1, "sum": 104.90, "n": 2}, {"maker_id": 2, "sum": 0.10, "n": 1}, {"maker_id": null, "sum": 0.00, "n": 1}]),
        ),
        (
            "/makers?select=name,items(price.max())&order=id&limit=1",
            json!([{"name": "Acme", "items": [{"max": 99.90}]}]),
        ),
        // An aggregate in a spread is the parent's.
        (
            "/stock?select=shop_id,...items(price.sum())&order=shop_id",
            json!([{"shop_id": 1, "sum": 104.90}, {"shop_id": 2, "sum": 0.10}]),
        ),
    ] {
        on.get(path).await.is(200, &expected);
    }
    on.get("/makers?select=name,...items(price.sum())")
        .await
        .refused(400, "PGRST127");
}

#[tokio::test]
async fn one_object_is_an_object() {
    let app = TestApp::start().await;
    let object = |path: &'static str| {
        app.call(Method::GET, path)
            .header("accept", "application/vnd.pgrst.object+json")
    };
    let one = object("/items?select=name&id=eq.1").send().await;
    one.is(200, &json!({"name": "anvil"}));
    assert_eq!(
        one.header("content-type"),
        "application/vnd.pgrst.object+json; charset=utf-8"
    );
    let none = object("/items?id=eq.99").send().await;
    none.refused(406, "PGRST116");
    assert_eq!(none.json()["details"], "The result contains 0 rows");
    let stripped = app
        .call(Method::GET, "/items?select=id,note&id=eq.1")
        .header("accept", "application/vnd.pgrst.object+json;nulls=stripped")
        .send()
        .await;
    stripped.is(200, &json!({"id": 1}));
}

#[tokio::test]
async fn what_was_read_is_named() {
    let app = TestApp::start().await;
    let reply = app.get("/items?select=id&id=in.(1,2)&order=id").await;
    assert_eq!(
        reply.header("content-location"),
        "/items?id=in.%281%2C2%29&order=id&select=id"
    );
    assert_eq!(
        reply.text, "[{\"id\":1}, \n {\"id\":2}]",
        "the bytes are Postgres's own"
    );
}

/// How often a plan scanned a relation.
fn scans(node: &serde_json::Value, relation: &str) -> u64 {
    let children = node["Plans"].as_array().into_iter().flatten();
    let below: u64 = children.map(|child| scans(child, relation)).sum();
    if node["Relation Name"] == relation {
        below + node["Actual Loops"].as_u64().unwrap_or(0)
    } else {
        below
    }
}

#[tokio::test]
async fn embeds_are_read_for_the_rows_of_the_window_alone() {
    let app = TestApp::with(&[("PGRST_DB_PLAN_ENABLED", "true")]).await;
    for (path, expected) in [
        ("/makers?select=*,items(name)&order=name&limit=1", 1),
        (
            "/makers?select=name,items(name)&order=name&limit=2&offset=1",
            2,
        ),
    ] {
        let plan = app
            .call(Method::GET, path)
            .header("accept", "application/vnd.pgrst.plan+json; options=analyze")
            .send()
            .await;
        let plan = plan.json();
        assert_eq!(scans(&plan[0]["Plan"], "items"), expected, "{path}: {plan}");
    }
}

#[tokio::test]
async fn a_window_asks_for_no_column_that_the_request_did_not_name() {
    let app = TestApp::start().await;
    app.sql("revoke select on makers from anon; grant select (id, name) on makers to anon")
        .await;
    app.get("/makers?select=name,items(id)&order=name&limit=1")
        .await
        .is(
            200,
            &json!([{"name": "Acme", "items": [{"id": 1}, {"id": 2}]}]),
        );
    app.get("/makers?select=*,items(id)&limit=1")
        .await
        .refused(401, "42501");
    app.get("/items?select=id,label,makers(name)&order=label&limit=1")
        .await
        .is(
            200,
            &json!([{"id": 1, "label": "anvil (99.90)", "makers": {"name": "Acme"}}]),
        );
}
