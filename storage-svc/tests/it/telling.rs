//! Who is told of changes: webhooks, and a CDN.

use axum::{Json, Router, extract::State, http::HeaderMap, routing::post};
use http::Method;
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc};
use tokio_util::sync::CancellationToken;

use super::{Service, service::refused};

type Told = mpsc::UnboundedReceiver<(String, Value)>;

/// Takes messages at `/hook` and `/cdn/purge`, and notes who said to be allowed to send them.
async fn listener() -> (String, Told) {
    let (sender, receiver) = mpsc::unbounded_channel();
    let take = async |State(sender): State<mpsc::UnboundedSender<(String, Value)>>,
                      headers: HeaderMap,
                      Json(message): Json<Value>| {
        let who = headers["authorization"].to_str().unwrap().to_owned();
        sender.send((who, message)).unwrap();
    };
    let router = Router::new()
        .route("/hook", post(take))
        .route("/cdn/purge", post(take))
        .with_state(sender);
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, router).await });
    (url, receiver)
}

/// What each object was told to have gone through, in order.
fn story<'a>(messages: &'a [Value], name: &str) -> Vec<&'a str> {
    let events = messages.iter().map(|message| &message["event"]);
    events
        .filter(|event| event["payload"]["name"] == name)
        .map(|event| event["type"].as_str().unwrap())
        .collect()
}

async fn hear(told: &mut Told, count: usize) -> Vec<Value> {
    let mut messages = Vec::new();
    while messages.len() < count {
        let (who, message) = told.recv().await.unwrap();
        assert_eq!(who, "Bearer a key");
        messages.push(message);
    }
    messages
}

async fn waiting(service: &Service) -> i64 {
    let count = sqlx::query_scalar("select count(*) from storage.webhook_queue");
    count.fetch_one(&service.pool()).await.unwrap()
}

#[tokio::test]
async fn webhooks_tell_what_happened_to_objects() {
    let (url, mut told) = listener().await;
    let hook = format!("{url}/hook");
    let settings = [("WEBHOOK_URL", hook.as_str()), ("WEBHOOK_API_KEY", "a key")];
    let service = Service::start_with(&settings).await;
    let stop = CancellationToken::new();
    let workers = service.app.spawn_workers(stop.clone());
    service.put("private/a", "x").await;
    service.put("private/a", "xy").await;
    let body = json!({ "bucketId": "private", "sourceKey": "a", "destinationKey": "b" });
    let call = |path: &str| service.post(path).service().json(&body);
    let copy = call("/object/copy").header("sb-request-id", "of the copy");
    assert_eq!(copy.send().await.status, 200);
    let delete = service.call(Method::DELETE, "/object/private/b").service();
    assert_eq!(delete.send().await.status, 200);
    assert_eq!(call("/object/move").send().await.status, 200);
    let messages = hear(&mut told, 6).await;
    assert_eq!(
        story(&messages, "a"),
        [
            "ObjectCreated:Post",
            "ObjectCreated:Put",
            "ObjectRemoved:Move"
        ]
    );
    assert_eq!(
        story(&messages, "b"),
        [
            "ObjectCreated:Copy",
            "ObjectRemoved:Delete",
            "ObjectCreated:Move"
        ]
    );
    for message in &messages {
        assert_eq!(message["type"], "Webhook");
        let event = &message["event"];
        let payload = &event["payload"];
        assert_eq!(payload["bucketId"], "private");
        assert_eq!(payload["tenant"]["ref"], "tenant");
        assert!(payload["version"].is_string() && payload["metadata"]["size"].is_number());
        match event["type"].as_str().unwrap() {
            "ObjectCreated:Copy" => assert_eq!(payload["sbReqId"], "of the copy"),
            "ObjectCreated:Move" => assert_eq!(payload["oldObject"]["name"], "a"),
            _ => {}
        }
    }
    stop.cancel();
    workers.close();
    workers.wait().await;
    assert_eq!(waiting(&service).await, 0);
}

#[tokio::test]
async fn what_was_not_told_yet_is_told_by_another_copy() {
    let (url, mut told) = listener().await;
    let hook = format!("{url}/hook");
    let settings = [("WEBHOOK_URL", hook.as_str()), ("WEBHOOK_API_KEY", "a key")];
    // Nobody sends here, as in a process that ends too early.
    let service = Service::start_with(&settings).await;
    service.put("private/a", "x").await;
    service.put("private/b", "x").await;
    let empty = service.post("/bucket/private/empty").service();
    assert_eq!(empty.send().await.status, 200);
    assert_eq!(waiting(&service).await, 4);
    let copy = service.copy(&settings).await;
    let _workers = copy.spawn_workers(CancellationToken::new());
    let messages = hear(&mut told, 4).await;
    for name in ["a", "b"] {
        let expected = ["ObjectCreated:Post", "ObjectRemoved:Delete"];
        assert_eq!(story(&messages, name), expected);
    }
}

#[tokio::test]
async fn who_does_not_listen_is_told_again_and_in_order() {
    let (sender, mut told) = mpsc::unbounded_channel();
    // Does not take what is said of `a` at first.
    let refusals = std::sync::atomic::AtomicUsize::new(0);
    let state = std::sync::Arc::new((sender, refusals));
    let take = async |State(state): State<std::sync::Arc<(mpsc::UnboundedSender<Value>, _)>>,
                      Json(message): Json<Value>| {
        let (sender, refusals): &(_, std::sync::atomic::AtomicUsize) = &state;
        let is_a = message["event"]["payload"]["name"] == "a";
        if is_a && refusals.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 {
            return http::StatusCode::INTERNAL_SERVER_ERROR;
        }
        sender.send(message).unwrap();
        http::StatusCode::OK
    };
    let router = Router::new().route("/", post(take)).with_state(state);
    let socket = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", socket.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(socket, router).await });
    let settings = [("WEBHOOK_URL", url.as_str())];
    let service = Service::start_with(&settings).await;
    service.put("private/a", "x").await;
    service.put("private/a", "xy").await;
    service.put("private/b", "x").await;
    let copies = [service.copy(&settings).await, service.copy(&settings).await];
    let stop = CancellationToken::new();
    let _workers = copies.map(|copy| copy.spawn_workers(stop.clone()));
    let mut messages = Vec::new();
    while messages.len() < 3 {
        messages.push(told.recv().await.unwrap());
    }
    assert_eq!(messages[0]["event"]["payload"]["name"], "b");
    assert_eq!(
        story(&messages, "a"),
        ["ObjectCreated:Post", "ObjectCreated:Put"]
    );
}

#[tokio::test]
async fn what_did_not_happen_is_not_told() {
    let settings = [("WEBHOOK_URL", "http://127.0.0.1:9/")];
    let service = Service::start_with(&settings).await;
    let upload = |path: &str| service.post(path).header("content-type", "text/plain");
    let refused = upload("/object/closed/a").user().body("x").send().await;
    assert_eq!(refused.status, 400);
    service.put("private/a", "x").await;
    assert_eq!(waiting(&service).await, 1);
    let again = upload("/object/private/a").service().body("x").send().await;
    assert_eq!(again.status, 400);
    let delete = service.call(Method::DELETE, "/object/private/a").user();
    assert_eq!(delete.send().await.status, 400);
    let body = json!({ "bucketId": "private", "sourceKey": "none", "destinationKey": "b" });
    let moved = service.post("/object/move").service().json(&body);
    assert_eq!(moved.send().await.status, 400);
    assert_eq!(waiting(&service).await, 1);
}

#[tokio::test]
async fn the_queue_is_the_services_alone() {
    let service = Service::start_with(&[("WEBHOOK_URL", "http://127.0.0.1:9/")]).await;
    for role in ["anon", "authenticated", "service_role"] {
        let mut tx = service.pool().begin().await.unwrap();
        let role = sqlx::AssertSqlSafe(format!("set local role {role}"));
        sqlx::query(role).execute(&mut *tx).await.unwrap();
        let read = sqlx::query("select from storage.webhook_queue");
        let error = read.execute(&mut *tx).await.unwrap_err();
        let error = error.into_database_error().unwrap();
        assert_eq!(error.code().as_deref(), Some("42501"));
    }
}

#[tokio::test]
async fn a_cdn_is_told_by_the_service_role_and_when_a_bucket_closes() {
    let (url, mut told) = listener().await;
    let cdn = format!("{url}/cdn");
    let settings = [
        ("CDN_PURGE_ENDPOINT_URL", cdn.as_str()),
        ("CDN_PURGE_ENDPOINT_KEY", "cdn key"),
    ];
    let service = Service::start_with(&settings).await;
    let purge = |path: &str| service.call(Method::DELETE, path);
    let answer = purge("/cdn/public/a%20b?transformations=true")
        .service()
        .send()
        .await;
    assert_eq!(
        (answer.status, &answer.json()["message"]),
        (200, &json!("success"))
    );
    let (who, message) = told.recv().await.unwrap();
    assert_eq!(who, "Bearer cdn key");
    let expected = json!({
        "type": "object-transforms", "tenant": { "ref": "tenant" }, "bucketId": "public", "objectName": "a b",
    });
    assert_eq!(message, expected);
    assert_eq!(purge("/cdn/public").user().send().await.status, 403);
    let closed = service.call(Method::PUT, "/bucket/public").service();
    assert_eq!(
        closed.json(&json!({ "public": false })).send().await.status,
        200
    );
    let (_, message) = told.recv().await.unwrap();
    assert_eq!(
        (&message["type"], &message["bucketId"]),
        (&json!("bucket"), &json!("public"))
    );

    let without = Service::start().await;
    let answer = without.call(Method::DELETE, "/cdn").service().send().await;
    assert_eq!(answer.refusal(), refused(400, 400, "MissingParameter"));
}
