use serde_json::{Value, json};

use super::{Mortal, Nats, acquaint, copy};
use crate::{
    client::{Client, Heard, user},
    database,
};

const TOPIC: &str = "realtime:room";

async fn enter(client: &mut Client, key: &str) -> Heard {
    client
        .joined(TOPIC, json!({"presence": {"key": key, "enabled": true}}))
        .await;
    client.hear_event("presence_state").await
}

fn keys(side: &Value) -> Vec<&str> {
    let mut keys: Vec<_> = side
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    keys.sort_unstable();
    keys
}

#[tokio::test]
async fn everybody_is_seen_on_every_copy_until_they_leave() {
    let (db, nats) = (database().await, Nats::new());
    let (a, b) = (copy(&db, &nats).await, copy(&db, &nats).await);
    acquaint(&[&a, &b]).await;
    let mut ann = a.connect(&user("ann")).await;
    assert_eq!(*enter(&mut ann, "ann").await, json!({}));
    ann.track(TOPIC, json!({"n": 1})).await;
    // The state of who joins on a copy where nobody was in the room.
    let mut bob = b.connect(&user("bob")).await;
    let state = enter(&mut bob, "bob").await;
    assert_eq!(
        (keys(&state), &state["ann"]["metas"][0]["n"]),
        (vec!["ann"], &json!(1))
    );
    bob.track(TOPIC, json!({})).await;
    while keys(&ann.hear_event("presence_diff").await["joins"]) != ["bob"] {}
    let before = state["ann"]["metas"][0]["phx_ref"].clone();
    ann.track(TOPIC, json!({"n": 2})).await;
    let diff = bob.hear_event("presence_diff").await;
    let (joined, left) = (
        &diff["joins"]["ann"]["metas"][0],
        &diff["leaves"]["ann"]["metas"][0],
    );
    assert_eq!(
        (&joined["n"], &joined["phx_ref_prev"]),
        (&json!(2), &before)
    );
    assert_eq!((&left["n"], &left["phx_ref"]), (&json!(1), &before));

    // A graceful stop is known at once.
    drop(bob);
    assert_eq!(
        keys(&ann.hear_event("presence_diff").await["leaves"]),
        ["bob"]
    );
    let mut eve = b.connect(&user("eve")).await;
    let state = enter(&mut eve, "eve").await;
    assert_eq!(keys(&state), ["ann"]);
    a.stop().await;
    assert_eq!(
        keys(&eve.hear_event("presence_diff").await["leaves"]),
        ["ann"]
    );
    let mut late = b.connect(&user("eve")).await;
    assert_eq!(*enter(&mut late, "late").await, json!({}));
    b.stop().await;
}

#[tokio::test]
async fn a_copy_that_vanishes_takes_its_clients_along() {
    let (db, nats) = (database().await, Nats::new());
    let mut a = Mortal::new(&db, &nats, &[]).await;
    let b = copy(&db, &nats).await;
    acquaint(&[a.service(), &b]).await;
    let mut bob = b.connect(&user("bob")).await;
    enter(&mut bob, "bob").await;
    let mut ann = a.service().connect(&user("ann")).await;
    enter(&mut ann, "ann").await;
    ann.track(TOPIC, json!({})).await;
    assert_eq!(
        keys(&bob.hear_event("presence_diff").await["joins"]),
        ["ann"]
    );
    a.kill();
    assert_eq!(
        keys(&bob.hear_event("presence_diff").await["leaves"]),
        ["ann"]
    );
    b.stop().await;
}
