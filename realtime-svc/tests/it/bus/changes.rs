use serde_json::{Value, json};

use super::{Mortal, Nats, acquaint, copy, listen};
use crate::{
    client::{Client, Service, user},
    database, execute,
};

const PUBLISH: &str = "alter publication supabase_realtime add table public.notes";

fn all() -> Value {
    json!({"event": "*", "schema": "public", "table": "notes"})
}

#[tokio::test]
async fn every_copy_tells_its_clients_of_the_rows_that_they_may_see() {
    let (db, nats) = (database().await, Nats::new());
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let (a, b) = (copy(&db, &nats).await, copy(&db, &nats).await);
    acquaint(&[&a, &b]).await;
    let mut clients = Vec::new();
    for copy in [&a, &b] {
        for name in ["ann", "bob"] {
            let mut client = copy.connect(&user(name)).await;
            listen(&mut client, "realtime:rows", all()).await;
            clients.push((name, client));
        }
    }
    let rows: i64 = sqlx::query_scalar("select count(*) from realtime.subscription")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(rows, 4, "no copy deletes what another has written");
    let write = async |sql: &str| execute(&pool, sql).await;
    write("insert into public.notes values (10, 'ann', 'ten', 's'), (11, 'bob', 'eleven', 's')")
        .await;
    for (name, client) in &mut clients {
        let heard = client.hear().await;
        assert_eq!(heard["data"]["type"], "INSERT");
        assert_eq!(heard["data"]["record"]["owner"], *name);
    }
    write("update public.notes set body = 'TEN' where id = 10").await;
    for (_, client) in clients.iter_mut().filter(|(name, _)| *name == "ann") {
        assert_eq!(client.hear().await["data"]["record"]["body"], "TEN");
    }
    write("delete from public.notes where id = 11").await;
    for (_, client) in &mut clients {
        let heard = client.hear().await;
        assert_eq!(heard["data"]["old_record"], json!({"id": 11}));
        client.hears_nothing().await;
    }
    a.stop().await;
    b.stop().await;
}

/// What a subscriber hears until this row.
async fn ids(client: &mut Client, last: u64) -> Vec<u64> {
    let mut ids = Vec::new();
    while ids.last() != Some(&last) {
        let heard = client.hear().await;
        assert_eq!(heard.event, "postgres_changes", "{heard:?}");
        ids.push(heard["data"]["record"]["id"].as_u64().unwrap());
    }
    ids
}

#[tokio::test]
async fn when_the_copy_that_reads_the_log_dies_nothing_is_lost_or_repeated() {
    const ROWS: u64 = 5000;
    let (db, nats) = (database().await, Nats::new());
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    execute(&pool, "alter table public.notes disable row level security").await;
    // The first one to be needed gets the slot. It deals with changes in groups of two thousand, so there are always
    // some that it has told the others of and not confirmed: they come again.
    let mut a = Mortal::new(&db, &nats, &[("CHANGES_WINDOW_MS", "60000")]).await;
    let mut first = a.service().connect(&user("ann")).await;
    listen(&mut first, "realtime:rows", all()).await;
    // One of these takes over, and the other is told by it.
    let (b, c) = (copy(&db, &nats).await, copy(&db, &nats).await);
    acquaint(&[a.service(), &b, &c]).await;
    let mut clients = [b.connect(&user("ann")).await, c.connect(&user("ann")).await];
    for client in &mut clients {
        listen(client, "realtime:rows", all()).await;
    }
    let (killed, is_killed) = tokio::sync::oneshot::channel();
    let writing = tokio::spawn(async move {
        let mut is_killed = Some(is_killed);
        // Transactions of one row and of many.
        let mut next = 1001;
        while next <= 1000 + ROWS {
            // The last ones can only be read by another copy.
            if next > 1000 + ROWS * 7 / 10
                && let Some(is_killed) = is_killed.take()
            {
                is_killed.await.unwrap();
            }
            let last = (next + next % 17).min(1000 + ROWS);
            let insert = format!(
                "insert into public.notes select n, 'ann', 'b', 's' from generate_series({next}, {last}) n"
            );
            execute(&pool, &insert).await;
            next = last + 1;
        }
    });
    let mut heard = ids(&mut clients[0], 2000).await;
    a.kill();
    killed.send(()).unwrap();
    heard.extend(ids(&mut clients[0], 1000 + ROWS).await);
    let expected: Vec<_> = (1001..=1000 + ROWS).collect();
    assert_eq!(heard, expected);
    assert_eq!(ids(&mut clients[1], 1000 + ROWS).await, expected);
    for client in &mut clients {
        client.hears_nothing().await;
    }
    writing.await.unwrap();
    b.stop().await;
    c.stop().await;
}

#[tokio::test]
async fn the_log_is_read_as_long_as_a_client_of_any_copy_needs_it() {
    let (db, nats) = (database().await, Nats::new());
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let suffix = crate::suffix(&db);
    let mut settings = super::settings(&suffix, nats.url());
    settings.push(("REPLICATION_IDLE_MS", "0"));
    let (a, b) = (
        Service::on(&db, &settings).await,
        Service::on(&db, &settings).await,
    );
    acquaint(&[&a, &b]).await;
    let mut first = a.connect(&user("ann")).await;
    listen(&mut first, "realtime:rows", all()).await;
    let mut second = b.connect(&user("ann")).await;
    listen(&mut second, "realtime:rows", all()).await;
    // The copy that reads has no client of its own any more.
    drop(first);
    for id in 100..140 {
        let insert = format!("insert into public.notes values ({id}, 'ann', 'b', 's')");
        execute(&pool, &insert).await;
        assert_eq!(second.hear().await["data"]["record"]["id"], id);
    }
    a.stop().await;
    let insert = "insert into public.notes values (200, 'ann', 'b', 's')";
    execute(&pool, insert).await;
    assert_eq!(second.hear().await["data"]["record"]["id"], 200);
    // What one copy leaves to the others, the last one takes away.
    let slots = async || -> i64 {
        let count = "select count(*) from pg_replication_slots where database = current_database()";
        sqlx::query_scalar(count).fetch_one(&pool).await.unwrap()
    };
    assert_eq!(slots().await, 1);
    b.stop().await;
    assert_eq!(slots().await, 0);
}

#[tokio::test]
async fn whoever_may_have_missed_something_is_told_when_the_server_was_away() {
    let (db, mut nats) = (database().await, Nats::new());
    let pool = db.pool();
    execute(&pool, PUBLISH).await;
    let a = copy(&db, &nats).await;
    let mut first = a.connect(&user("ann")).await;
    listen(&mut first, "realtime:rows", all()).await;
    let b = copy(&db, &nats).await;
    acquaint(&[&a, &b]).await;
    let mut second = b.connect(&user("ann")).await;
    listen(&mut second, "realtime:rows", all()).await;
    nats.stop();
    assert_eq!(second.hear_event("phx_error").await.topic, "realtime:rows");
    // The copy that reads the log goes on for its own.
    let insert = "insert into public.notes values (300, 'ann', 'b', 's')";
    execute(&pool, insert).await;
    assert_eq!(first.hear().await["data"]["record"]["id"], 300);
    nats.start_again();
    acquaint(&[&a, &b]).await;
    listen(&mut second, "realtime:rows", all()).await;
    execute(
        &pool,
        "insert into public.notes values (301, 'ann', 'b', 's')",
    )
    .await;
    for client in [&mut first, &mut second] {
        assert_eq!(client.hear().await["data"]["record"]["id"], 301);
        client.hears_nothing().await;
    }
    a.stop().await;
    b.stop().await;
}
