//! Every change arrives once and in order at who stays connected, while copies are killed and start again and clients
//! come back. `NILAM_DELIVERY_ROWS` makes the test longer.

use serde_json::json;
use tokio::sync::watch;

use super::{Mortal, Nats, acquaint};
use crate::{
    client::Client,
    database,
    delivery::{listen, read},
    execute,
};

/// Rows of one statement.
const STEP: i64 = 50;
const FIRST: i64 = 1001;
const BOUNDLESS: &[(&str, &str)] = &[("TENANT_MAX_EVENTS_PER_SECOND", "1000000000")];

/// What a client that lost its socket hears after it is back, which has no gap either.
async fn follow(mut client: Client, last: i64) {
    let mut before = None;
    let mut beats = 0;
    while before != Some(last) {
        if before.unwrap_or(0) / 500 > beats {
            beats = before.unwrap_or(0) / 500;
            client.push("phoenix", "heartbeat", json!({})).await;
        }
        let heard = client.hear().await;
        if heard.topic == "phoenix" {
            continue;
        }
        let id = heard["data"]["record"]["id"].as_i64().unwrap();
        assert!(
            before.is_none_or(|before| id == before + 2),
            "{before:?}, {id}"
        );
        before = Some(id);
    }
}

#[tokio::test]
async fn nothing_is_lost_doubled_or_out_of_order_while_copies_die_and_come_back() {
    let rows: i64 = std::env::var("NILAM_DELIVERY_ROWS").map_or(3000, |it| it.parse().unwrap());
    let last = FIRST - 1 + rows;
    let (db, nats) = (database().await, Nats::new());
    let pool = db.pool();
    execute(
        &pool,
        "alter publication supabase_realtime add table public.notes",
    )
    .await;
    // The first one to be needed reads the log, and dies first.
    let mut a = Mortal::new(&db, &nats, BOUNDLESS).await;
    let guest = listen(a.service(), "ann").await;
    let mut b = Mortal::new(&db, &nats, BOUNDLESS).await;
    let steady = Mortal::new(&db, &nats, BOUNDLESS).await;
    acquaint(&[a.service(), b.service(), steady.service()]).await;
    let [ann, bob] = [
        listen(steady.service(), "ann").await,
        listen(steady.service(), "bob").await,
    ];
    let (reached, progress) = watch::channel(0);
    let (came_back, mut is_back) = watch::channel(false);
    let writing = async {
        for first in (FIRST..=last).step_by(usize::try_from(STEP).unwrap()) {
            // Whoever is back shall hear a part of it for certain.
            if first - FIRST >= rows * 3 / 4 {
                is_back.wait_for(|is_back| *is_back).await.unwrap();
            }
            let sql = "insert into public.notes select i, case i % 2 when 1 then 'ann' else 'bob' end, 'b', 's'
                    from generate_series($1::int8, $2::int8) i";
            let insert = sqlx::query(sql)
                .bind(first)
                .bind((first + STEP - 1).min(last));
            insert.execute(&pool).await.unwrap();
            reached.send_replace(first + STEP - FIRST);
        }
    };
    let dying = async {
        let mut guest = guest;
        for part in 1..=2 {
            let mut progress = progress.clone();
            progress
                .wait_for(|done| *done >= rows * part / 4)
                .await
                .unwrap();
            a.kill();
            // Its clients lose their sockets: what came meanwhile they have to fetch.
            guest.closed().await;
            a = Mortal::new(&db, &nats, BOUNDLESS).await;
            guest = listen(a.service(), "ann").await;
        }
        came_back.send_replace(true);
        b.kill();
        b = Mortal::new(&db, &nats, BOUNDLESS).await;
        follow(guest, last - 1).await;
    };
    let (anns, bobs, (), ()) = tokio::join!(read(ann, last - 1), read(bob, last), writing, dying);
    let expected = |first: i64| (first..=last).step_by(2).collect::<Vec<_>>();
    assert_eq!(anns, expected(FIRST), "what is ann's");
    assert_eq!(bobs, expected(FIRST + 1), "what is bob's");
}
