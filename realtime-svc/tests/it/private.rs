//! Private channels: what policies allow, and what the database sends.

use serde_json::{Value, json};

use crate::{
    client::{Service, anon, user},
    database, execute, suffix,
};

const PRIVATE: &str = r#"{"private": true}"#;

fn private() -> Value {
    serde_json::from_str(PRIVATE).unwrap()
}

#[tokio::test]
async fn only_who_may_read_gets_in_and_only_who_may_write_is_heard() {
    let db = database().await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut stranger = service.connect(&anon()).await;
    let refused = stranger.join("realtime:room-1", private()).await;
    assert_eq!(
        refused["response"],
        json!({"reason": "Unauthorized: You do not have permissions to read from this Channel topic: room-1"})
    );
    let mut ann = service.connect(&user("ann")).await;
    let mut bob = service.connect(&user("bob")).await;
    let config = json!({"private": true, "broadcast": {"ack": true}});
    ann.joined("realtime:room-1", config.clone()).await;
    bob.joined("realtime:room-1", config).await;
    // A public channel of the same name is another room.
    stranger.joined("realtime:room-1", json!({})).await;

    bob.send("realtime:room-1", "from bob", json!({})).await;
    bob.hears_nothing().await;
    let first = ann.send("realtime:room-1", "one", json!({})).await;
    ann.send("realtime:room-1", "two", json!({})).await;
    assert_eq!(ann.hear().await.reference, first);
    assert_eq!(bob.hear().await["event"], "one");
    assert_eq!(bob.hear().await["event"], "two");
    stranger.hears_nothing().await;
    let pool = db.pool();
    let kept: i64 = sqlx::query_scalar("select count(*) from realtime.messages")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(kept, 0, "questions leave nothing behind");
    service.stop().await;
}

#[tokio::test]
async fn what_was_sent_before_leaving_is_sent() {
    let db = database().await;
    // Every question takes its time, so that all of these wait for one.
    execute(
        &db.pool(),
        "create function public.slow() returns boolean language sql volatile as 'select pg_sleep(0.2) is not null';
        grant execute on function public.slow() to authenticated;
        create policy slow on realtime.messages as restrictive for insert to authenticated with check (public.slow())",
    )
    .await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut bob = service.connect(&user("bob")).await;
    bob.joined("realtime:room-1", private()).await;
    let mut ann = service.connect(&user("ann")).await;
    ann.joined("realtime:room-1", private()).await;
    for count in 0..600 {
        ann.send("realtime:room-1", "e", json!(count)).await;
    }
    let left = ann.push("realtime:room-1", "phx_leave", json!({})).await;
    assert_eq!(ann.reply(&left).await["status"], "ok");
    for count in 0..600 {
        assert_eq!(bob.hear().await["payload"], count);
    }
    ann.joined("realtime:room-1", private()).await;
    ann.send("realtime:room-1", "last", json!({})).await;
    drop(ann);
    assert_eq!(bob.hear().await["event"], "last");
    service.stop().await;
}

#[tokio::test]
async fn the_newest_token_has_the_last_word() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "alter publication supabase_realtime add table public.notes",
    )
    .await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut client = service.connect(&user("ann")).await;
    let wanted =
        json!({"postgres_changes": [{"event": "*", "schema": "public", "table": "notes"}]});
    for (number, sub) in ["bob", "eve"].iter().cycle().take(10).enumerate() {
        let topic = format!("realtime:{number}");
        client.joined(&topic, wanted.clone()).await;
        for token in [user("ann"), user("bob"), user("eve"), user(sub)] {
            client
                .push(&topic, "access_token", json!({"access_token": token}))
                .await;
        }
    }
    let all = "select count(*) filter (where claims ->> 'sub' = 'bob') = 5
            and count(*) filter (where claims ->> 'sub' = 'eve') = 5 from realtime.subscription";
    while !sqlx::query_scalar::<_, bool>(all)
        .fetch_one(&pool)
        .await
        .unwrap()
    {
        client.hear_event("system").await;
    }
    execute(
        &pool,
        "insert into public.notes values (40, 'eve', 'b', 's'), (41, 'bob', 'b', 's')",
    )
    .await;
    let mut seen = Vec::new();
    while seen.len() < 10 {
        let heard = client.hear_event("postgres_changes").await;
        let id = heard["data"]["record"]["id"].as_i64().unwrap();
        seen.push((heard.topic, id));
    }
    seen.sort();
    let expected = (0..10).map(|number| {
        (
            format!("realtime:{number}"),
            if number % 2 == 0 { 41 } else { 40 },
        )
    });
    assert_eq!(seen, expected.collect::<Vec<_>>());
    service.stop().await;
}

#[tokio::test]
async fn a_new_token_is_asked_about_anew() {
    let db = database().await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut bob = service.connect(&user("bob")).await;
    let mut eve = service.connect(&user("eve")).await;
    eve.joined("realtime:room-1", private()).await;
    bob.joined("realtime:room-1", private()).await;
    bob.send("realtime:room-1", "as bob", json!({})).await;
    let token = json!({"access_token": user("ann")});
    bob.push("realtime:room-1", "access_token", token).await;
    bob.send("realtime:room-1", "as ann", json!({})).await;
    assert_eq!(eve.hear().await["event"], "as ann");

    let token = json!({"access_token": anon()});
    bob.push("realtime:room-1", "access_token", token).await;
    let system = bob.hear_event("system").await;
    assert_eq!(
        system["message"],
        "You do not have permissions to read from this Channel topic: room-1"
    );
    assert_eq!(bob.hear().await.event, "phx_close");
    service.stop().await;
}

#[tokio::test]
async fn the_database_sends_and_what_was_missed_is_replayed() {
    let db = database().await;
    let pool = db.pool();
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    // One after the other: messages of one transaction are of one time, and have no order.
    for send in [
        "select realtime.send('{\"n\": 1}', 'early', 'room-1')",
        "select realtime.send_binary('\\x00ff', 'raw', 'room-1')",
        "select realtime.send('{}', 'elsewhere', 'room-2')",
    ] {
        execute(&pool, send).await;
    }
    let mut ann = service.connect(&user("ann")).await;
    let config = json!({"private": true, "broadcast": {"replay": {"since": 0}}});
    let mut one = service.connect_as("1.0.0", &user("ann")).await.unwrap();
    ann.joined("realtime:room-1", config.clone()).await;
    let early = ann.hear().await;
    assert_eq!(early.join_ref, "1");
    assert_eq!(
        (&early["event"], &early["payload"]["n"]),
        (&json!("early"), &json!(1))
    );
    assert_eq!(early["meta"]["replayed"], true);
    let raw = ann.hear().await;
    assert_eq!(
        (&raw["payload"], &raw["meta"]["replayed"]),
        (&json!([0, 255]), &json!(true))
    );
    one.joined("realtime:room-1", config).await;
    assert_eq!(one.hear().await["event"], "early");
    one.hears_nothing().await;

    execute(
        &pool,
        "select realtime.send('{\"n\": 2}', 'late', 'room-1', true); select realtime.send('{\"n\": 3}', 'public', 'room-1', false)",
    )
    .await;
    let late = ann.hear().await;
    assert_eq!(
        (&late["event"], &late["binary"]),
        (&json!("late"), &json!(true))
    );
    assert_eq!(late["payload"]["n"], 2);
    assert!(late["meta"]["id"].is_string());
    let heard = one.hear().await;
    assert_eq!(
        (&heard["event"], &heard["meta"]),
        (&late["event"], &late["meta"])
    );
    ann.hears_nothing().await;
    service.stop().await;
}

#[tokio::test]
async fn a_request_may_send_what_a_socket_may() {
    let db = database().await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut ann = service.connect(&user("ann")).await;
    ann.joined("realtime:room-1", private()).await;
    let http = reqwest::Client::new();
    let batch = service.http("/api/broadcast");
    let post = async |token: String, body: Value| {
        let request = http.post(&batch).bearer_auth(token).json(&body);
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        (status, response.text().await.unwrap())
    };
    let message = |event: &str| json!({"messages": [{"topic": "room-1", "event": event, "payload": {}, "private": true}]});
    // Who may not send is told nothing.
    assert_eq!(
        post(user("bob"), message("bob")).await,
        (202, String::new())
    );
    assert_eq!(
        post(user("ann"), message("ann")).await,
        (202, String::new())
    );
    assert_eq!(ann.hear().await["event"], "ann");
    let (status, body) = post(user("ann"), json!({"messages": [{"event": "e"}, {}]})).await;
    assert_eq!(status, 422);
    let body: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(
        body["errors"]["messages"][0],
        json!({"topic": ["can't be blank"], "payload": ["can't be blank"]})
    );

    let single = service.http("/api/broadcast/room-1/events/an%20event?private=true");
    let send = async |token: String, kind: &'static str, body: &'static str| {
        let request = http
            .post(&single)
            .bearer_auth(token)
            .header("content-type", kind);
        request.body(body).send().await.unwrap().status().as_u16()
    };
    assert_eq!(send(user("bob"), "application/json", "{}").await, 403);
    assert_eq!(send(user("ann"), "text/plain", "{}").await, 415);
    assert_eq!(
        send(user("ann"), "application/json", "{\"n\": 7}").await,
        202
    );
    let heard = ann.hear().await;
    assert_eq!(
        (&heard["event"], &heard["payload"]["n"]),
        (&json!("an event"), &json!(7))
    );
    assert_eq!(
        send(user("ann"), "application/octet-stream", "ab").await,
        202
    );
    assert_eq!(ann.hear().await["payload"], json!([97, 98]));
    let unsigned = http.post(&single).send().await.unwrap();
    assert_eq!(unsigned.status().as_u16(), 401);
    service.stop().await;
}
