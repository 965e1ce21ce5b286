//! Sockets, joins, broadcasts and presence without a database: public channels need none.

use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::client::{Service, anon, now, token};

#[tokio::test]
async fn a_heartbeat_is_answered_before_any_join() {
    let service = Service::alone(&[]).await;
    for version in ["1.0.0", "2.0.0"] {
        let mut client = service.connect_as(version, &anon()).await.unwrap();
        let reference = client.push("phoenix", "heartbeat", json!({})).await;
        let reply = client.hear().await;
        assert_eq!(
            (reply.reference, reply.payload),
            (json!(reference), json!({"status": "ok", "response": {}}))
        );
    }
}

#[tokio::test]
async fn a_message_reaches_the_others_and_the_sender_only_if_it_wants() {
    let service = Service::alone(&[]).await;
    let mut ann = service.connect(&anon()).await;
    let mut bob = service.connect_as("1.0.0", &anon()).await.unwrap();
    let mut eve = service.connect(&anon()).await;
    ann.joined("realtime:room", json!({"broadcast": {"ack": true}}))
        .await;
    bob.joined("realtime:room", json!({"broadcast": {"self": "True"}}))
        .await;
    eve.joined("realtime:other", json!({})).await;

    let reference = ann.send("realtime:room", "hi", json!({"n": 1})).await;
    let reply = ann.hear().await;
    assert_eq!(
        (reply.event.as_str(), reply.reference, reply.payload),
        (
            "phx_reply",
            json!(reference),
            json!({"status": "ok", "response": {}})
        )
    );
    let message = json!({"type": "broadcast", "event": "hi", "payload": {"n": 1}});
    let heard = bob.hear().await;
    assert_eq!(
        (heard.reference.clone(), &heard.payload),
        (Value::Null, &message)
    );

    bob.send("realtime:room", "hi", json!({"n": 1})).await;
    assert_eq!(bob.hear().await.payload, message);
    let heard = ann.hear().await;
    assert_eq!((&heard.payload, &heard.join_ref), (&message, &Value::Null));
    ann.hears_nothing().await;
    eve.hears_nothing().await;
}

#[tokio::test]
async fn a_binary_message_is_text_for_version_1_and_bytes_are_nothing_to_it() {
    let service = Service::alone(&[]).await;
    let mut sender = service.connect(&anon()).await;
    let mut two = service.connect(&anon()).await;
    let mut one = service.connect_as("1.0.0", &anon()).await.unwrap();
    for client in [&mut sender, &mut two, &mut one] {
        client.joined("realtime:room", json!({})).await;
    }
    sender
        .send_binary("realtime:room", "e", true, br#"{"a":1}"#)
        .await;
    sender
        .send_binary("realtime:room", "e", false, &[0, 255])
        .await;
    // What claims to be JSON and is not would break the frame around it.
    sender.send_binary("realtime:room", "e", true, b"}{").await;
    sender
        .send_binary("realtime:room", "last", true, b"[]")
        .await;
    let heard = two.hear().await;
    assert_eq!(
        heard.payload,
        json!({"event": "e", "payload": {"a": 1}, "meta": null, "binary": true})
    );
    assert_eq!(two.hear().await["payload"], json!([0, 255]));
    let heard = one.hear().await;
    assert_eq!(
        heard.payload,
        json!({"event": "e", "payload": {"a": 1}, "type": "broadcast"})
    );
    assert_eq!(one.hear().await["event"], "last");
}

#[tokio::test]
async fn what_cannot_be_read_is_dropped_and_the_socket_lives_on() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    for strange in [
        "",
        "{}",
        "[1]",
        "[null,null,3,\"x\",{}]",
        "nonsense",
        "[[[[",
    ] {
        client.raw(Message::text(strange)).await;
    }
    for strange in [
        &[][..],
        &[9],
        &[3, 255],
        &[3, 0, 0, 4, 0, 0, 1, 255, 255, 255, 255],
    ] {
        client.raw(Message::binary(strange.to_vec())).await;
    }
    client.hears_nothing().await;
    let reference = client.push("realtime:room", "broadcast", json!({})).await;
    assert_eq!(
        client.reply(&reference).await.payload,
        json!({"status": "error", "response": {"reason": "unmatched topic"}})
    );
    let reference = client.push("realtime:room", "phx_leave", json!({})).await;
    assert_eq!(client.reply(&reference).await["status"], "ok");
    client.joined("realtime:room", json!({})).await;
    client.push("realtime:room", "who knows", json!({})).await;
    client.hears_nothing().await;
}

#[tokio::test]
async fn the_second_join_of_a_topic_ends_the_first() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    client.joined("realtime:room", json!({})).await;
    let reference = client.push("realtime:room", "phx_join", json!({})).await;
    let close = client.hear().await;
    assert_eq!(
        (close.event.as_str(), &close.join_ref),
        ("phx_close", &json!("1"))
    );
    let reply = client.hear().await;
    assert_eq!(
        (&reply.reference, &reply["status"]),
        (&json!(reference), &json!("ok"))
    );

    let left = client.push("realtime:room", "phx_leave", json!({})).await;
    assert_eq!(client.hear().await.reference, left);
    let close = client.hear().await;
    assert_eq!(
        (close.event.as_str(), close.join_ref, close.reference),
        ("phx_close", json!("2"), json!("2"))
    );
}

#[tokio::test]
async fn a_join_is_refused_for_the_right_reason() {
    let service = Service::alone(&[("TENANT_MAX_CHANNELS_PER_CLIENT", "1")]).await;
    let mut client = service.connect(&anon()).await;
    let refusal = client.join("realtime:", json!({})).await;
    let reason = |reason: &str| json!({"status": "error", "response": {"reason": reason}});
    assert_eq!(
        refusal.payload,
        reason("TopicNameRequired: You must provide a topic name")
    );
    for (token, text) in [
        (
            "no token".to_owned(),
            "MalformedJWT: The token provided is not a valid JWT",
        ),
        (
            token(json!({"exp": now() + 60})),
            "InvalidJWTToken: Fields `role` and `exp` are required in JWT",
        ),
    ] {
        let payload = json!({"config": {}, "access_token": token});
        let reference = client.push("realtime:room", "phx_join", payload).await;
        assert_eq!(client.reply(&reference).await.payload, reason(text));
    }
    let expired = token(json!({"role": "anon", "exp": now() - 60}));
    let payload = json!({"config": {}, "access_token": expired});
    let reference = client.push("realtime:room", "phx_join", payload).await;
    let text = client.reply(&reference).await["response"]["reason"].to_string();
    assert!(
        text.starts_with("\"InvalidJWTToken: Token has expired 6"),
        "{text}"
    );

    let replay = json!({"broadcast": {"replay": {"since": 1}}});
    assert_eq!(
        client.join("realtime:room", replay).await.payload,
        reason("UnableToReplayMessages: Replay is not allowed for public channels")
    );
    assert_eq!(
        client
            .join("realtime:room", json!({"private": true}))
            .await
            .payload,
        reason("UnableToConnectToProject: Realtime was unable to connect to the project database")
    );
    client.joined("realtime:one", json!({})).await;
    assert_eq!(
        client.join("realtime:two", json!({})).await.payload,
        reason("ChannelRateLimitReached: Too many channels")
    );
}

#[tokio::test]
async fn users_are_sockets_with_a_channel() {
    let service = Service::alone(&[("TENANT_MAX_CONCURRENT_USERS", "1")]).await;
    let mut first = service.connect(&anon()).await;
    let mut second = service.connect(&anon()).await;
    first.joined("realtime:room", json!({})).await;
    assert_eq!(
        second.join("realtime:room", json!({})).await["response"]["reason"],
        "ConnectionRateLimitReached: Too many connected users"
    );
    let refused = service.connect_as("2.0.0", &anon()).await.err().unwrap();
    assert_eq!(refused, (429, json!({"error": "Too many connected users"})));
    // Until its end: who leaves its last channel keeps its place.
    let left = first.push("realtime:room", "phx_leave", json!({})).await;
    first.reply(&left).await;
    first.joined("realtime:room", json!({})).await;
    drop(first);
    while second.join("realtime:room", json!({})).await["status"] == "error" {}
}

#[tokio::test]
async fn a_join_that_cannot_be_read_is_no_join_of_a_public_channel() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    let half = r#"["1","1","realtime:secret","phx_join",{"config":{"private":true,"presence":{"key":"\ud83d"}}}]"#;
    client.raw(Message::text(half)).await;
    client.hears_nothing().await;
    let large = json!({"config": {}, "junk": "x".repeat(300_000)});
    let reference = client.push("realtime:room", "phx_join", large).await;
    assert_eq!(
        client.reply(&reference).await["response"],
        json!({"reason": "Unknown Error on Channel"})
    );
}

#[tokio::test]
async fn text_that_is_no_object_is_for_version_1_alone() {
    let service = Service::alone(&[]).await;
    let mut one = service.connect_as("1.0.0", &anon()).await.unwrap();
    let mut two = service.connect(&anon()).await;
    for client in [&mut one, &mut two] {
        client
            .joined("realtime:room", json!({"broadcast": {"self": true}}))
            .await;
    }
    one.push("realtime:room", "broadcast", json!("not a map"))
        .await;
    assert_eq!(one.hear().await.payload, "not a map");
    two.hears_nothing().await;
}

#[tokio::test]
async fn presence_comes_as_a_state_and_then_as_differences() {
    let service = Service::alone(&[]).await;
    let mut ann = service.connect(&anon()).await;
    let mut bob = service.connect(&anon()).await;
    let config = |key: &str| json!({"presence": {"key": key, "enabled": true}});
    ann.joined("realtime:room", config("ann")).await;
    let state = ann.hear().await;
    assert_eq!(
        (state.event.as_str(), &state.payload),
        ("presence_state", &json!({}))
    );
    assert_eq!(state.join_ref, "1");
    assert_eq!(
        ann.track("realtime:room", json!({"mood": "good"})).await["status"],
        "ok"
    );

    bob.joined("realtime:room", config("bob")).await;
    let state = bob.hear().await;
    assert_eq!(state["ann"]["metas"][0]["mood"], "good");
    let first = state["ann"]["metas"][0]["phx_ref"].clone();
    assert!(first.is_string());

    ann.track("realtime:room", json!({"mood": "bad"})).await;
    let diff = bob.hear_event("presence_diff").await;
    assert_eq!(
        diff["leaves"]["ann"]["metas"][0],
        json!({"phx_ref": first, "mood": "good"})
    );
    assert_eq!(diff["joins"]["ann"]["metas"][0]["phx_ref_prev"], first);
    // The same again is no news.
    ann.track("realtime:room", json!({"mood": "bad"})).await;
    bob.hears_nothing().await;

    let strange = ann.track("realtime:room", json!([1])).await;
    assert_eq!(
        strange.payload,
        json!({"status": "error", "response": {"reason": "Presence track payload must be a map"}})
    );
    // A connection that breaks leaves nobody behind.
    drop(ann);
    let diff = bob.hear_event("presence_diff").await;
    assert_eq!(diff["joins"], json!({}));
    assert_eq!(diff["leaves"]["ann"]["metas"][0]["mood"], "bad");
}

#[tokio::test]
async fn a_channel_that_tracks_too_often_is_closed() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    client.joined("realtime:room", json!({})).await;
    for count in 0..5 {
        let reply = client.track("realtime:room", json!({"n": count})).await;
        assert_eq!(reply["status"], "ok");
    }
    let payload = json!({"type": "presence", "event": "untrack"});
    client.push("realtime:room", "presence", payload).await;
    let system = client.hear_event("system").await;
    assert_eq!(
        system.payload,
        json!({"extension": "system", "status": "error", "channel": "room", "message": "Client presence rate limit exceeded"})
    );
    assert_eq!(client.hear_event("phx_close").await.join_ref, "1");
}

#[tokio::test]
async fn a_channel_ends_with_its_token_and_the_socket_does_not() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    client.joined("realtime:lasting", json!({})).await;
    let short = token(json!({"role": "anon", "exp": now() + 2}));
    let payload = json!({"config": {}, "access_token": short});
    let reference = client.push("realtime:short", "phx_join", payload).await;
    assert_eq!(client.reply(&reference).await["status"], "ok");
    let system = client.hear_event("system").await;
    let message = system["message"].as_str().unwrap();
    assert!(message.starts_with("Token has expired"), "{message}");
    assert_eq!(client.hear().await.event, "phx_close");
    client.hears_nothing().await;
    // A wrong token ends its channel, too; the key of the platform is none.
    let lasting = "realtime:lasting";
    let payload = json!({"access_token": "sb_publishable_x"});
    client.push(lasting, "access_token", payload).await;
    client.hears_nothing().await;
    client
        .push(lasting, "access_token", json!({"access_token": "x"}))
        .await;
    let system = client.hear().await;
    assert_eq!(system["message"], "The token provided is not a valid JWT");
}

#[tokio::test]
async fn too_large_a_message_is_answered_only_on_request() {
    let service = Service::alone(&[("TENANT_MAX_PAYLOAD_SIZE_IN_KB", "1")]).await;
    let mut client = service.connect(&anon()).await;
    let own = json!({"broadcast": {"self": true, "ack": true}});
    client.joined("realtime:room", own).await;
    let large = json!({"text": "x".repeat(2000)});
    let reference = client.send("realtime:room", "e", large.clone()).await;
    let reply = client.hear().await;
    assert_eq!(
        (&reply.reference, &reply["status"]),
        (&json!(reference), &json!("error"))
    );
    assert!(reply["response"].is_object(), "{reply:?}");
    client
        .joined("realtime:quiet", json!({"broadcast": {"self": true}}))
        .await;
    client.send("realtime:quiet", "e", large).await;
    client.hears_nothing().await;
}

#[tokio::test]
async fn who_stops_says_goodbye() {
    let service = Service::alone(&[]).await;
    let mut client = service.connect(&anon()).await;
    client.joined("realtime:room", json!({})).await;
    let (code, ()) = tokio::join!(
        async {
            let system = client.hear_event("system").await;
            assert_eq!(
                (&system["status"], &system["message"]),
                (&json!("ok"), &json!("Server requested disconnect"))
            );
            client.closed().await
        },
        service.stop()
    );
    assert_eq!(code, Some(1012));
}
