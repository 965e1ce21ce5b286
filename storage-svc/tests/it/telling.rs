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

#[tokio::test]
async fn webhooks_tell_what_happened_to_objects() {
    let (url, mut told) = listener().await;
    let hook = format!("{url}/hook");
    let settings = [("WEBHOOK_URL", hook.as_str()), ("WEBHOOK_API_KEY", "a key")];
    let service = Service::start_with(&settings).await;
    let _workers = service.app.spawn_workers(CancellationToken::new());
    service.put("private/a", "x").await;
    service.put("private/a", "xy").await;
    let body = json!({ "bucketId": "private", "sourceKey": "a", "destinationKey": "b" });
    let call = |path: &str| service.post(path).service().json(&body).send();
    assert_eq!(call("/object/copy").await.status, 200);
    let delete = service.call(Method::DELETE, "/object/private/b").service();
    assert_eq!(delete.send().await.status, 200);
    assert_eq!(call("/object/move").await.status, 200);
    for (kind, name) in [
        ("ObjectCreated:Post", "a"),
        ("ObjectCreated:Put", "a"),
        ("ObjectCreated:Copy", "b"),
        ("ObjectRemoved:Delete", "b"),
        ("ObjectRemoved:Move", "a"),
        ("ObjectCreated:Move", "b"),
    ] {
        let (who, message) = told.recv().await.unwrap();
        assert_eq!(who, "Bearer a key");
        assert_eq!(message["type"], "Webhook");
        assert_eq!(message["event"]["type"], kind);
        let payload = &message["event"]["payload"];
        assert_eq!(
            (&payload["bucketId"], &payload["name"]),
            (&json!("private"), &json!(name))
        );
        assert_eq!(payload["tenant"]["ref"], "tenant");
        assert!(payload["version"].is_string() && payload["metadata"]["size"].is_number());
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
