//! Every change arrives once and in order, whatever happens to the connection to the log meanwhile.
//!
//! `NILAM_DELIVERY_ROWS` makes the test longer.

use serde_json::json;
use sqlx::PgPool;

use crate::{
    client::{Client, Service, user},
    database, execute, suffix,
};

/// How often the connection is cut.
const CUTS: i64 = 6;
/// Rows of one statement.
const STEP: i64 = 100;

pub(crate) async fn listen(service: &Service, sub: &str) -> Client {
    let mut client = service.connect(&user(sub)).await;
    let wanted =
        json!({"postgres_changes": [{"event": "INSERT", "schema": "public", "table": "notes"}]});
    client.joined("realtime:delivery", wanted).await;
    let system = client.hear_event("system").await;
    assert_eq!(system["status"], "ok", "{system:?}");
    client
}

/// Reads until the last row; gives the ids of all.
pub(crate) async fn read(mut client: Client, last: i64) -> Vec<i64> {
    let mut seen = Vec::new();
    let mut beats = 0;
    while seen.last() != Some(&last) {
        // Who says nothing for a minute is taken for gone.
        if seen.len() / 500 > beats {
            beats += 1;
            client.push("phoenix", "heartbeat", json!({})).await;
        }
        let heard = client.hear().await;
        if heard.topic == "phoenix" {
            continue;
        }
        assert_eq!(heard.event, "postgres_changes", "{heard:?}");
        assert!(heard["data"]["errors"].is_null(), "{heard:?}");
        seen.push(heard["data"]["record"]["id"].as_i64().unwrap());
    }
    seen
}

/// Cuts the connection to the log.
async fn cut(pool: &PgPool, slot: &str) {
    let cut =
        "select pg_terminate_backend(active_pid) from pg_replication_slots where slot_name = $1";
    sqlx::query(cut).bind(slot).execute(pool).await.unwrap();
}

#[tokio::test]
async fn nothing_is_lost_doubled_or_out_of_order() {
    let rows: i64 = std::env::var("NILAM_DELIVERY_ROWS").map_or(4000, |it| it.parse().unwrap());
    let db = database().await;
    let pool = db.pool();
    execute(
        &pool,
        "alter publication supabase_realtime add table public.notes",
    )
    .await;
    let suffix = suffix(&db);
    let slot = format!("nilam_realtime_{suffix}");
    // Hours of changes are no flood here.
    let settings = [
        ("SLOT_NAME_SUFFIX", suffix.as_str()),
        ("TENANT_MAX_EVENTS_PER_SECOND", "1000000000"),
    ];
    let service = Service::on(&db, &settings).await;
    let [ann, bob] = [listen(&service, "ann").await, listen(&service, "bob").await];
    let last = 1000 + rows;
    // Cut more often than it can be made anew, a connection would carry nothing.
    let every = (rows / STEP / CUTS).max(1);
    let readers = tokio::join!(read(ann, last - 1), read(bob, last), async {
        for step in 0..rows / STEP {
            let first = 1001 + step * STEP;
            let sql = "insert into public.notes select i, case i % 2 when 1 then 'ann' else 'bob' end, 'b', 's'
                    from generate_series($1::int8, $2::int8) i";
            let insert = sqlx::query(sql).bind(first).bind(first + STEP - 1);
            insert.execute(&pool).await.unwrap();
            if step % every == every / 2 {
                cut(&pool, &slot).await;
            }
            // Others come and go.
            if step % 10 == 3 {
                drop(listen(&service, "eve").await);
            }
        }
    });
    let expected = |first: i64| (first..=last).step_by(2).collect::<Vec<_>>();
    assert_eq!(readers.0, expected(1001), "what is ann's");
    assert_eq!(readers.1, expected(1002), "what is bob's");
    service.stop().await;
}
