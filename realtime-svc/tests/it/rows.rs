//! Changes of rows, from the write to the socket.

use serde_json::{Value, json};

use crate::{
    client::{Client, Service, anon, user},
    database, execute, suffix,
};

async fn listen(client: &mut Client, topic: &str, wanted: Value) -> Value {
    let response = client
        .joined(topic, json!({"postgres_changes": [wanted]}))
        .await;
    let system = client.hear_event("system").await;
    assert_eq!(system["message"], "Subscribed to PostgreSQL", "{system:?}");
    assert_eq!(system["extension"], "postgres_changes");
    response["postgres_changes"][0]["id"].clone()
}

const PUBLISH: &str = "alter publication supabase_realtime add table public.notes";

#[tokio::test]
async fn who_is_subscribed_misses_nothing_and_sees_only_what_is_its_own() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut ann = service.connect(&user("ann")).await;
    let mut bob = service.connect_as("1.0.0", &user("bob")).await.unwrap();
    let mut keys = service.connect(&user("ann")).await;
    let all = json!({"event": "*", "schema": "public", "table": "notes"});
    let id = listen(&mut ann, "realtime:a", all.clone()).await;
    listen(&mut bob, "realtime:b", all).await;
    let deletes =
        json!({"event": "delete", "schema": "public", "table": "notes", "filter": "id=eq.11"});
    listen(&mut keys, "realtime:c", deletes).await;

    let write = async |sql: &str| execute(&pool, sql).await;
    write("insert into public.notes values (10, 'ann', 'ten', 's'), (11, 'bob', 'eleven', 's')")
        .await;
    let heard = ann.hear().await;
    assert_eq!(
        (heard.event.as_str(), &heard["ids"]),
        ("postgres_changes", &json!([id]))
    );
    let data = &heard["data"];
    assert_eq!(
        (
            &data["type"],
            &data["schema"],
            &data["table"],
            &data["errors"]
        ),
        (
            &json!("INSERT"),
            &json!("public"),
            &json!("notes"),
            &Value::Null
        )
    );
    let row = json!({"id": 10, "owner": "ann", "body": "ten", "secret": "s"});
    assert_eq!(data["record"], row);
    assert_eq!(bob.hear().await["data"]["record"]["owner"], "bob");

    write("update public.notes set body = 'TEN' where id = 10").await;
    let heard = ann.hear().await;
    assert_eq!(heard["data"]["record"]["body"], "TEN");
    assert_eq!(heard["data"]["old_record"], json!({"id": 10}));

    // Who could see a deleted row cannot be asked, so everybody learns its key.
    for id in [10, 11] {
        write(&format!("delete from public.notes where id = {id}")).await;
        for client in [&mut ann, &mut bob] {
            let heard = client.hear().await;
            assert_eq!(
                (&heard["data"]["type"], &heard["data"]["old_record"]),
                (&json!("DELETE"), &json!({"id": id}))
            );
        }
    }
    assert_eq!(keys.hear().await["data"]["old_record"], json!({"id": 11}));
    keys.hears_nothing().await;
    service.stop().await;
}

#[tokio::test]
async fn what_cannot_be_subscribed_to_is_named() {
    let db = database().await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut client = service.connect(&anon()).await;
    for (wanted, text) in [
        (
            json!({"event": "*", "schema": "public", "table": "notes"}),
            "Unable to subscribe to changes with given parameters. Please check Realtime is enabled for the given connect parameters: [event: *, schema: public, table: notes, filters: [], select: nil]",
        ),
        (
            json!({"event": "*", "schema": "public", "table": "notes", "filter": "id"}),
            "Error parsing `filter` params: [\"id\"]",
        ),
    ] {
        client
            .joined("realtime:room", json!({"postgres_changes": [wanted]}))
            .await;
        let system = client.hear_event("system").await;
        assert_eq!(
            (&system["status"], &system["message"]),
            (&json!("error"), &json!(text))
        );
        assert_eq!(system["channel"], "room");
    }
    service.stop().await;
}

#[tokio::test]
async fn a_client_without_a_configuration_gets_events_named_for_the_action() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix(&db))]).await;
    let mut client = service.connect_as("1.0.0", &user("ann")).await.unwrap();
    let topic = "realtime:public:notes:owner=eq.ann";
    let reference = client.push(topic, "phx_join", json!({})).await;
    assert_eq!(client.reply(&reference).await["status"], "ok");
    client.hear_event("system").await;
    execute(
        &pool,
        "insert into public.notes values (20, 'ann', 'b', 's')",
    )
    .await;
    let heard = client.hear().await;
    assert_eq!(
        (heard.event.as_str(), &heard["record"]["id"]),
        ("INSERT", &json!(20))
    );
    service.stop().await;
}

#[tokio::test]
async fn lost_changes_make_the_client_join_anew() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let suffix = suffix(&db);
    let service = Service::on(&db, &[("SLOT_NAME_SUFFIX", &suffix)]).await;
    let mut client = service.connect(&user("ann")).await;
    listen(
        &mut client,
        "realtime:a",
        json!({"event": "*", "schema": "public", "table": "notes"}),
    )
    .await;
    // Somebody drops the slot: what is written until it is there again reaches nobody.
    let slot = format!("nilam_realtime_{suffix}");
    loop {
        let ended = sqlx::query(
            "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1",
        );
        ended.bind(&slot).execute(&pool).await.unwrap();
        let dropped = sqlx::query("select pg_drop_replication_slot($1)").bind(&slot);
        if dropped.execute(&pool).await.is_ok() {
            break;
        }
    }
    let error = client.hear_event("phx_error").await;
    assert_eq!(
        (error.topic.as_str(), error.join_ref),
        ("realtime:a", json!("1"))
    );
    listen(
        &mut client,
        "realtime:a",
        json!({"event": "INSERT", "schema": "public", "table": "notes"}),
    )
    .await;
    execute(
        &pool,
        "insert into public.notes values (30, 'ann', 'b', 's')",
    )
    .await;
    assert_eq!(client.hear().await["data"]["record"]["id"], 30);
    service.stop().await;
}
