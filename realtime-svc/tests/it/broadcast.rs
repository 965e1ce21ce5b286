//! Messages from the database, and policies about channels.

use serde_json::json;
use sqlx::Connection as _;

use crate::{become_caller, database, execute, rows};

#[tokio::test]
async fn a_message_gets_an_id_unless_it_has_one() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "select realtime.send('{\"a\": 1}', 'greeting', 'room-1'); select realtime.send('{\"id\": \"mine\"}', 'e', 't', false);
        select realtime.send_binary('\\x01ff', 'raw', 'room-1')").await;
    let sent = rows(&pool, "select event, topic, private, extension, payload, id, binary_payload from realtime.messages order by event").await;
    assert_eq!(sent.len(), 3);
    assert_eq!(sent[0]["payload"], json!({"id": "mine"}));
    assert_eq!(sent[1]["payload"], json!({"a": 1, "id": sent[1]["id"]}));
    assert_eq!(
        (&sent[1]["private"], &sent[1]["extension"]),
        (&json!(true), &json!("broadcast"))
    );
    assert_eq!(sent[2]["binary_payload"], "\\x01ff");
}

#[tokio::test]
async fn sending_never_costs_the_write() {
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "alter table realtime.messages add constraint broken check (topic <> 'bad');
        create table public.kept (id int);
        create function public.tell() returns trigger language plpgsql as
            $$ begin perform realtime.send('{}', 'e', 'bad'); return new; end $$;
        create trigger tell after insert on public.kept for each row execute function public.tell();
        insert into public.kept values (1)",
    )
    .await;
    assert_eq!(
        rows(&pool, "select id from public.kept").await,
        [json!({"id": 1})]
    );
    assert!(
        rows(&pool, "select id from realtime.messages")
            .await
            .is_empty()
    );
}

#[tokio::test]
async fn a_trigger_tells_what_happened_to_a_row() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "create function public.tell() returns trigger language plpgsql as $$ begin
            perform realtime.broadcast_changes('notes:' || coalesce(new.id, old.id), tg_op, tg_op, tg_table_name, tg_table_schema, new, old);
            return null; end $$;
        create trigger tell after update or delete on public.notes for each row execute function public.tell();
        update public.notes set body = 'changed' where id = 1; delete from public.notes where id = 2").await;
    let sent = rows(
        &pool,
        "select topic, event, payload - 'id' as payload from realtime.messages order by topic",
    )
    .await;
    assert_eq!(
        sent[0],
        json!({"topic": "notes:1", "event": "UPDATE", "payload": {
            "operation": "UPDATE", "schema": "public", "table": "notes",
            "record": {"id": 1, "owner": "ann", "body": "changed", "secret": "s"},
            "old_record": {"id": 1, "owner": "ann", "body": "one", "secret": "s"},
        }})
    );
    assert_eq!(
        (&sent[1]["topic"], &sent[1]["payload"]["record"]),
        (&json!("notes:2"), &json!(null))
    );
    let refused = sqlx::query("select realtime.broadcast_changes('t', 'e', 'TRUNCATE', 'n', 'public', null::public.notes, null::public.notes)")
        .execute(&pool).await.unwrap_err();
    assert!(
        refused
            .to_string()
            .contains("Failed to process the row: Unexpected operation type: TRUNCATE"),
        "{refused}"
    );
}

#[tokio::test]
async fn policies_decide_who_reads_and_who_sends() {
    let db = database().await;
    let pool = db.pool();
    let mut connection = pool.acquire().await.unwrap();
    for (role, sub, topic, reads, sends) in [
        ("authenticated", "ann", "room-1", true, true),
        ("authenticated", "bob", "room-1", true, false),
        ("authenticated", "ann", "room-2", false, false),
        ("anon", "", "room-1", false, false),
    ] {
        let mut tx = connection.begin().await.unwrap();
        sqlx::query("insert into realtime.messages (topic, extension) values ($1, 'broadcast')")
            .bind(topic)
            .execute(&mut *tx)
            .await
            .unwrap();
        become_caller(&mut tx, role, sub, topic).await;
        let seen: i64 = sqlx::query_scalar("select count(*) from realtime.messages")
            .fetch_one(&mut *tx)
            .await
            .unwrap();
        assert_eq!(seen == 1, reads, "{role} {sub} {topic}");
        let sent = sqlx::query(
            "insert into realtime.messages (topic, extension) values ($1, 'broadcast')",
        )
        .bind(topic)
        .execute(&mut *tx)
        .await;
        assert_eq!(sent.is_ok(), sends, "{role} {sub} {topic}: {sent:?}");
        tx.rollback().await.unwrap();
    }
}

#[tokio::test]
async fn only_objects_are_sent() {
    let db = database().await;
    let pool = db.pool();
    execute(&pool, "select realtime.send(payload, 'e', 't') from (values ('[1]'::jsonb), ('\"text\"'), (null), ('{}')) as p (payload)").await;
    let sent = rows(
        &pool,
        "select jsonb_typeof(payload) as kind from realtime.messages order by kind",
    )
    .await;
    assert_eq!(sent, [json!({"kind": "object"}), json!({"kind": null})]);
}
