//! Functions.

use http::Method;
use serde_json::json;

use crate::test_app::TestApp;

#[tokio::test]
async fn arguments_choose_the_overload() {
    let app = TestApp::start().await;
    for (path, expected) in [
        ("/rpc/add?a=2", json!(3)),
        ("/rpc/add?a=2&b=5", json!(7)),
        ("/rpc/add?a=2&b=5&c=10", json!(17)),
        ("/rpc/joined?words=a&words=b,c", json!("a-b,c")),
    ] {
        app.get(path).await.is(200, &expected);
    }
    app.post("/rpc/add")
        .json(&json!({"a": 1, "b": 2}))
        .send()
        .await
        .is(200, &json!(3));
    app.post("/rpc/add")
        .json(&json!({"a": "1"}))
        .send()
        .await
        .is(200, &json!(2));
    app.post("/rpc/joined")
        .json(&json!({"words": ["x", "y"]}))
        .send()
        .await
        .is(200, &json!("x-y"));
    let unknown = app.get("/rpc/add?a=1&z=2").await;
    unknown.refused(404, "PGRST202");
    assert_eq!(
        unknown.json()["hint"],
        "Perhaps you meant to call the function public.add(a, b)"
    );
    app.post("/rpc/add")
        .json(&json!({"a": "one"}))
        .send()
        .await
        .refused(400, "22P02");
    app.post("/rpc/add")
        .json(&json!({"a": null}))
        .send()
        .await
        .is(200, &json!(null));
}

#[tokio::test]
async fn rows_of_a_function_are_read_like_a_relation() {
    let app = TestApp::start().await;
    let rows = app
        .get("/rpc/items_of?maker=Acme&select=name,makers(name)&price=lt.50&order=id")
        .await;
    rows.is(200, &json!([{"name": "rope", "makers": {"name": "Acme"}}]));
    let computed = app.get("/rpc/items_of?maker=Bolt&select=id,label").await;
    computed.is(200, &json!([{"id": 3, "label": "nut (0.10)"}]));
    let counted = app
        .call(Method::GET, "/rpc/items_of?maker=Acme&limit=1")
        .header("prefer", "count=exact")
        .send()
        .await;
    assert_eq!(
        (counted.status, counted.header("content-range")),
        (206, "0-0/2")
    );
    app.get("/rpc/any_row")
        .await
        .is(200, &json!({"id": 1, "name": "North"}));
}

#[tokio::test]
async fn a_body_may_be_the_argument() {
    let app = TestApp::start().await;
    let body = json!({"a": [1, {"b": null}], "c": "é"});
    app.post("/rpc/echo")
        .json(&body)
        .send()
        .await
        .is(200, &body);
}

#[tokio::test]
async fn what_writes_needs_post() {
    let app = TestApp::start().await;
    app.get("/rpc/rename?item=1&new_name=x")
        .await
        .refused(405, "25006");
    let renamed = app
        .post("/rpc/rename?select=id,name")
        .json(&json!({"item": 1, "new_name": "x"}))
        .send()
        .await;
    renamed.is(200, &json!({"id": 1, "name": "x"}));
    let void = app.post("/rpc/forget").send().await;
    assert_eq!(
        (void.status, void.text.as_str(), void.header("content-type")),
        (204, "", "")
    );
    app.get("/stock").await.is(200, &json!([]));
    app.call(Method::DELETE, "/rpc/forget")
        .send()
        .await
        .refused(405, "PGRST101");
    for (path, allow) in [
        ("/rpc/forget", "OPTIONS,POST"),
        ("/rpc/whoami", "OPTIONS,GET,HEAD,POST"),
        ("/", "OPTIONS,GET,HEAD"),
        ("/items", "OPTIONS,GET,HEAD,POST,PUT,PATCH,DELETE"),
    ] {
        let reply = app.call(Method::OPTIONS, path).send().await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (200, allow),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_function_says_what_it_answers() {
    let app = TestApp::start().await;
    let reply = app.post("/rpc/with_headers").send().await;
    assert_eq!(
        (reply.status, reply.text.as_str(), reply.header("x-one")),
        (202, "\"done\"", "1")
    );
    assert_eq!(reply.headers.get_all("set-cookie").iter().count(), 2);
    let teapot = app.post("/rpc/teapot").send().await;
    teapot.is(
        418,
        &json!({"code": "PT418", "details": null, "hint": "pour", "message": "short and stout"}),
    );
    let raised = app.post("/rpc/raised").send().await;
    raised.is(
        422,
        &json!({"code": "X1", "details": "d", "hint": "h", "message": "no"}),
    );
    assert_eq!(raised.header("x-why"), "because");
}
