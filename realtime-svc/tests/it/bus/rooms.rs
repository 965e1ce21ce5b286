use serde_json::json;

use super::{Nats, acquaint, copy};
use crate::{
    client::{anon, user},
    database, execute,
};

#[tokio::test]
async fn what_is_said_on_one_copy_is_heard_once_on_every_other() {
    let (db, nats) = (database().await, Nats::new());
    let copies = [
        copy(&db, &nats).await,
        copy(&db, &nats).await,
        copy(&db, &nats).await,
    ];
    acquaint(&copies.each_ref()).await;
    let mut clients = Vec::new();
    for copy in &copies {
        let mut client = copy.connect(&anon()).await;
        client
            .joined("realtime:room", json!({"broadcast": {"self": true}}))
            .await;
        clients.push(client);
    }
    let mut stranger = copies[1].connect(&user("ann")).await;
    stranger.joined("realtime:elsewhere", json!({})).await;
    for number in 0..200 {
        clients[0]
            .send("realtime:room", "text", json!({"n": number}))
            .await;
    }
    clients[0]
        .send_binary("realtime:room", "bytes", false, &[0, 255])
        .await;
    for client in &mut clients {
        for number in 0..200 {
            let heard = client.hear_event("broadcast").await;
            assert_eq!(
                (&heard["event"], &heard["payload"]["n"]),
                (&json!("text"), &json!(number))
            );
        }
        let heard = client.hear_event("broadcast").await;
        assert_eq!(
            (&heard["payload"], &heard["binary"]),
            (&json!([0, 255]), &json!(true))
        );
        client.hears_nothing().await;
    }
    stranger.hears_nothing().await;

    let http = reqwest::Client::new();
    let send = async |path: &str, body: serde_json::Value| {
        let request = http
            .post(copies[2].http(path))
            .bearer_auth(anon())
            .json(&body);
        assert_eq!(request.send().await.unwrap().status().as_u16(), 202);
    };
    let message = json!({"topic": "room", "event": "batch", "payload": {}, "id": "an-id"});
    send("/api/broadcast", json!({ "messages": [message] })).await;
    send("/api/broadcast/room/events/single", json!({"n": 1})).await;
    for client in &mut clients {
        let heard = client.hear().await;
        assert_eq!(
            (&heard["event"], &heard["meta"]["id"]),
            (&json!("batch"), &json!("an-id"))
        );
        let heard = client.hear().await;
        assert_eq!(
            (&heard["event"], &heard["binary"]),
            (&json!("single"), &json!(true))
        );
        client.hears_nothing().await;
    }
    for copy in copies {
        copy.stop().await;
    }
}

#[tokio::test]
async fn a_message_above_what_the_server_takes_arrives_whole() {
    let (db, nats) = (database().await, Nats::with(Some(65_536)));
    let (a, b) = (copy(&db, &nats).await, copy(&db, &nats).await);
    acquaint(&[&a, &b]).await;
    let mut from = a.connect(&anon()).await;
    let mut to = b.connect(&anon()).await;
    from.joined("realtime:room", json!({})).await;
    to.joined("realtime:room", json!({})).await;
    let large = "x".repeat(2_900_000);
    from.send("realtime:room", "large", json!({ "text": large }))
        .await;
    from.send("realtime:room", "small", json!({})).await;
    let heard = to.hear().await;
    assert_eq!(
        heard["payload"]["text"].as_str().map(str::len),
        Some(large.len())
    );
    assert_eq!(to.hear().await["event"], "small");
    a.stop().await;
    b.stop().await;
}

#[tokio::test]
async fn what_the_database_sends_is_heard_once_on_every_copy() {
    let (db, nats) = (database().await, Nats::new());
    let pool = db.pool();
    let (a, b) = (copy(&db, &nats).await, copy(&db, &nats).await);
    acquaint(&[&a, &b]).await;
    let config = json!({"private": true, "broadcast": {"replication_ready": true}});
    let mut clients = [a.connect(&user("ann")).await, b.connect(&user("ann")).await];
    for client in &mut clients {
        client.joined("realtime:room-1", config.clone()).await;
        let system = client.hear_event("system").await;
        assert_eq!(system["message"], "Replication connection established");
    }
    for number in 0..20 {
        let send = format!("select realtime.send('{{\"n\": {number}}}', 'e', 'room-1')");
        execute(&pool, &send).await;
    }
    for client in &mut clients {
        for number in 0..20 {
            let heard = client.hear().await;
            assert_eq!(heard["payload"]["n"], number);
            assert!(heard["meta"]["id"].is_string());
        }
        client.hears_nothing().await;
    }
    a.stop().await;
    b.stop().await;
}
