//! The trigger function of database webhooks.

use serde_json::{Value, json};

use crate::{Service, database, execute, receiver::Receiver, refusal, rows, wait_for};

#[tokio::test]
async fn a_trigger_tells_what_happened() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    let service = Service::start(&db, &[]).await;
    // As the dashboard writes it, and as a dump has it.
    execute(&pool, &format!(
        r#"set role postgres; create trigger "my hook" after insert or update or delete on public.orders for each row
           execute function supabase_functions.http_request('{}/hook', 'POST',
               '{{"Content-type":"application/json","x-secret":"s"}}', '{{"p":"1"}}', '5000'); reset role"#,
        receiver.url
    )).await;
    execute(
        &pool,
        "set role anon; insert into public.orders (note) values ('a'); reset role",
    )
    .await;
    receiver.wait(1).await;
    execute(&pool, "update public.orders set note = 'b'").await;
    receiver.wait(2).await;
    execute(&pool, "delete from public.orders").await;
    let seen = receiver.wait(3).await;
    assert!(
        seen.iter()
            .all(|r| r.uri == "/hook?p=1" && r.headers["x-secret"] == "s")
    );
    let bodies: Vec<Value> = seen
        .iter()
        .map(|r| serde_json::from_slice(&r.body).unwrap())
        .collect();
    let (a, b) = (
        json!({ "id": 1, "note": "a" }),
        json!({ "id": 1, "note": "b" }),
    );
    let body = |kind: &str, record: &Value, old: &Value| {
        json!({
            "type": kind, "table": "orders", "schema": "public", "record": record, "old_record": old
        })
    };
    assert_eq!(
        bodies,
        [
            body("INSERT", &a, &Value::Null),
            body("UPDATE", &b, &a),
            body("DELETE", &Value::Null, &b),
        ]
    );
    let hooks = rows(
        &pool,
        "select hook_name, request_id from supabase_functions.hooks
        where hook_table_id = 'public.orders'::regclass::oid::int order by id",
    )
    .await;
    assert_eq!(hooks.len(), 3);
    assert_eq!(hooks[2], json!({ "hook_name": "my hook", "request_id": 3 }));
    wait_for(
        &pool,
        3,
        "select from net._http_response where status_code = 200",
    )
    .await;
    service.stop().await;
}

#[tokio::test]
async fn a_get_has_no_body_and_the_defaults() {
    let db = database().await;
    let (pool, receiver) = (db.pool(), Receiver::start().await);
    execute(&pool, &format!(
        "create trigger g after insert on public.orders execute function supabase_functions.http_request('{}/g', 'GET', 'null', 'null', 'null');
         insert into public.orders (note) values ('a')", receiver.url
    )).await;
    let queued = rows(
        &pool,
        "select method, body, timeout_milliseconds, headers from net.http_request_queue",
    )
    .await;
    assert_eq!(
        queued,
        [json!({
            "method": "GET", "body": null, "timeout_milliseconds": 1000, "headers": { "Content-Type": "application/json" }
        })]
    );
}

#[tokio::test]
async fn a_trigger_without_its_arguments_fails_the_statement() {
    let db = database().await;
    let pool = db.pool();
    for (arguments, words) in [
        ("", "url argument is missing"),
        ("'null', 'POST'", "url argument is missing"),
        ("'http://a'", "method argument is missing"),
        ("'http://a', 'PUT'", "method argument PUT is invalid"),
    ] {
        execute(&pool, &format!(
            "create or replace trigger t after insert on public.orders for each row execute function supabase_functions.http_request({arguments})"
        )).await;
        assert_eq!(
            refusal(&pool, "insert into public.orders (note) values ('a')").await,
            words
        );
    }
}
