//! How fast the queue of webhooks is worked off, and what a trigger costs the statement that fires it.
//!
//! `target/release/with-postgres --durable cargo run --release -p functions-svc --example webhook_load`: a receiver on
//! loopback, one copy of the service, and a database of its own. Prints figures; asserts nothing.

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "a measurement that fails ends"
)]

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use axum::{Router, http::StatusCode};
use functions_svc::{App, Config};
use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};
use svc_kit::{
    env::Vars,
    testing::{Template, TestDb},
};
use tokio::{net::TcpListener, time::sleep};
use tokio_util::sync::CancellationToken;

const REQUESTS: usize = 20_000;
const ROWS: usize = 20_000;
const SINGLE: usize = 1_600;
const WRITERS: usize = 16;

#[tokio::main]
async fn main() {
    let template = Template::new("webhook_load").migrated(functions_svc::migrations());
    let db = TestDb::new(&template).await;
    let pool = PgPoolOptions::new()
        .max_connections(32)
        .connect(db.url())
        .await
        .unwrap();
    let (url, count) = receiver().await;
    let tables = format!(
        "create table public.plain (id bigint generated always as identity primary key, note text);
         create table public.hooked (like public.plain including all);
         create table public.noted (like public.plain including all);
         create trigger h after insert on public.hooked for each row
             execute function supabase_functions.http_request('{url}', 'POST', 'null', 'null', '5000');
         create function public.note() returns trigger language plpgsql as
             'begin perform pg_notify(''some_channel'', ''''); return new; end';
         create trigger n after insert on public.noted for each row execute function public.note()"
    );
    run(&pool, &tables).await;

    let plain = bulk(&pool, "plain").await;
    let hooked = bulk(&pool, "hooked").await;
    println!("one statement of {ROWS} rows: {plain:.1} us per row, {hooked:.1} us with a webhook");
    run(&pool, "truncate net.http_request_queue").await;

    let stop = CancellationToken::new();
    let workers = service(&db, stop.clone()).await;
    for table in ["plain", "hooked", "noted"] {
        let (rate, mean) = singles(&pool, table).await;
        println!("single inserts into {table}, {WRITERS} writers: {rate:.0}/s, {mean:.0} us each");
    }
    drained(&pool).await;

    let sent = count.load(Ordering::Relaxed);
    let fill = format!(
        "select count(net.http_post('{url}', jsonb_build_object('n', n))) from generate_series(1, {REQUESTS}) n"
    );
    run(&pool, &fill).await;
    let started = Instant::now();
    while count.load(Ordering::Relaxed) < sent + REQUESTS {
        sleep(Duration::from_millis(1)).await;
    }
    let received = rate(REQUESTS, started);
    drained(&pool).await;
    println!(
        "{REQUESTS} queued requests: {received:.0}/s received, {:.0}/s noted",
        rate(REQUESTS, started)
    );
    stop.cancel();
    workers.close();
    workers.wait().await;
}

#[expect(clippy::cast_precision_loss, reason = "a figure for people")]
fn rate(count: usize, since: Instant) -> f64 {
    count as f64 / since.elapsed().as_secs_f64()
}

async fn receiver() -> (String, Arc<AtomicUsize>) {
    let count = Arc::new(AtomicUsize::new(0));
    let counted = count.clone();
    let router = Router::new().fallback(move || {
        counted.fetch_add(1, Ordering::Relaxed);
        async { StatusCode::OK }
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    (url, count)
}

async fn service(db: &TestDb, stop: CancellationToken) -> tokio_util::task::TaskTracker {
    let vars: Vars = [
        ("VERIFY_JWT", "false"),
        ("DATABASE_URL", db.url()),
        ("FUNCTIONS_POOL_SIZE", "0"),
    ]
    .into_iter()
    .collect();
    let app = App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap();
    app.spawn_workers(stop)
}

async fn run(pool: &PgPool, sql: &str) {
    sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
        .execute(pool)
        .await
        .unwrap();
}

/// Microseconds per row.
async fn bulk(pool: &PgPool, table: &str) -> f64 {
    let sql =
        format!("insert into public.{table} (note) select 'n' from generate_series(1, {ROWS})");
    run(pool, &sql).await;
    let started = Instant::now();
    run(pool, &sql).await;
    1e6 / rate(ROWS, started)
}

/// Inserts per second, and microseconds of each.
async fn singles(pool: &PgPool, table: &str) -> (f64, f64) {
    let sql = format!("insert into public.{table} (note) values ('n')");
    let started = Instant::now();
    let writers: Vec<_> = (0..WRITERS)
        .map(|_| {
            let (pool, sql) = (pool.clone(), sql.clone());
            tokio::spawn(async move {
                let mut connection = pool.acquire().await.unwrap();
                for _ in 0..SINGLE / WRITERS {
                    sqlx::query(AssertSqlSafe(sql.clone()))
                        .execute(&mut *connection)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for writer in writers {
        writer.await.unwrap();
    }
    let rate = rate(SINGLE, started);
    #[expect(clippy::cast_precision_loss, reason = "a small number")]
    let mean = WRITERS as f64 * 1e6 / rate;
    (rate, mean)
}

/// Waits until nothing is queued.
async fn drained(pool: &PgPool) {
    loop {
        let waits: bool = sqlx::query_scalar("select exists (select from net.http_request_queue)")
            .fetch_one(pool)
            .await
            .unwrap();
        if !waits {
            return;
        }
        sleep(Duration::from_millis(5)).await;
    }
}
