//! The program itself under load while its database restarts: no wrong answer, nothing acknowledged is lost, and it
//! comes back by itself.
//!
//! A few seconds in CI. `NILAM_SOAK_SECONDS=600` makes it long, and prints what it measured.

use std::{
    collections::BTreeMap,
    os::unix::fs::PermissionsExt as _,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use pg_embed::{Cluster, ClusterConfig, free_port};
use serde_json::{Value, json};
use tokio::task::JoinSet;

const CLIENTS: i64 = 8;
const ROWS: i64 = 1000;
/// What a client may be told while the database is away. All of them say: try again.
const AWAY: &[&str] = &[
    "PGRST000", "PGRST001", "PGRST002", "PGRST003", "57P01", "57P02", "57P03",
];

struct Program(Child);

impl Program {
    fn start(database: u16, port: u16) -> Self {
        let program = Command::new(env!("CARGO_BIN_EXE_rest-svc"))
            .env_clear()
            .env(
                "PGRST_DB_URI",
                format!("postgres://supabase_admin:postgres@127.0.0.1:{database}/postgres"),
            )
            .env("PGRST_DB_ANON_ROLE", "supabase_admin")
            .env("PGRST_DB_SCHEMAS", "public")
            .env("PGRST_SERVER_HOST", "127.0.0.1")
            .env("PGRST_SERVER_PORT", port.to_string())
            .env("PGRST_LOG_LEVEL", "crit")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        Self(program.unwrap())
    }

    /// In MB.
    fn resident(&self) -> f64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.0.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
        kilobytes.unwrap_or_default() / 1024.0
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// What a client saw.
#[derive(Default)]
struct Seen {
    answered: u64,
    refused: BTreeMap<String, u64>,
    inserted: Vec<i64>,
}

/// Asks until the end; panics at an answer that is wrong.
async fn ask(base: String, client: i64, until: Instant) -> Seen {
    let http = reqwest::Client::new();
    let mut seen = Seen::default();
    let mut turn: i64 = client;
    while Instant::now() < until {
        turn += CLIENTS;
        let id = turn % ROWS + 1;
        let (request, expected) = match turn / CLIENTS % 3 {
            0 => (
                http.get(format!("{base}/fruits?id=eq.{id}&select=id,name")),
                json!([{"id": id, "name": format!("fruit {id}")}]),
            ),
            1 => (
                http.post(format!("{base}/orders?select=id"))
                    .header("prefer", "return=representation")
                    .header("accept", "application/vnd.pgrst.object+json")
                    .json(&json!({"id": turn, "fruit": id})),
                json!({"id": turn}),
            ),
            _ => (
                http.post(format!("{base}/rpc/add"))
                    .json(&json!({"a": turn, "b": 1})),
                json!(turn + 1),
            ),
        };
        let response = request.send().await.unwrap();
        let status = response.status().as_u16();
        let body: Value = response.json().await.unwrap();
        if status < 300 {
            assert_eq!(body, expected);
            seen.answered += 1;
            if status == 201 {
                seen.inserted.push(turn);
            }
            continue;
        }
        let code = body["code"].as_str().unwrap_or_default().to_owned();
        assert!(AWAY.contains(&code.as_str()), "{status} {body}");
        *seen.refused.entry(code).or_default() += 1;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    seen
}

#[tokio::test]
async fn the_database_may_restart_at_any_time() {
    let seconds: u64 = std::env::var("NILAM_SOAK_SECONDS").map_or(6, |text| text.parse().unwrap());
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (database, port) = (free_port().unwrap(), free_port().unwrap());
    let mut config = ClusterConfig::new(dir.path().join("cluster"), database);
    config.roots = vec![std::env::current_dir().unwrap()];
    let mut cluster = Cluster::start(&config).await.unwrap();
    let url = format!("postgres://supabase_admin:postgres@127.0.0.1:{database}/postgres");
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    sqlx::raw_sql(
        "create table fruits (id bigint primary key, name text not null);
         insert into fruits select n, 'fruit ' || n from generate_series(1, 1000) n;
         create table orders (id bigint primary key, fruit bigint not null references fruits);
         create function add(a bigint, b bigint) returns bigint language sql immutable as 'select a + b'",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;

    let program = Program::start(database, port);
    let base = format!("http://127.0.0.1:{port}");
    let http = reqwest::Client::new();
    let is_back = async || {
        let asked = Instant::now();
        loop {
            let one = http.get(format!("{base}/fruits?id=eq.1")).send().await;
            if one.is_ok_and(|response| response.status().is_success()) {
                return asked.elapsed();
            }
            assert!(
                asked.elapsed() < Duration::from_secs(60),
                "it does not come back"
            );
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    is_back().await;

    let third = Duration::from_secs(seconds) / 3;
    let until = Instant::now() + third * 3;
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        clients.spawn(ask(base.clone(), client, until));
    }
    let mut before = 0.0;
    for _ in 0..2 {
        tokio::time::sleep(third).await;
        if before == 0.0 {
            before = program.resident();
        }
        cluster.stop().await.unwrap();
        tokio::time::sleep(Duration::from_millis(500)).await;
        cluster = Cluster::start(&config).await.unwrap();
        println!("answers again after {:?}", is_back().await);
    }
    let mut seen = Seen::default();
    while let Some(each) = clients.join_next().await {
        let each = each.unwrap();
        seen.answered += each.answered;
        seen.inserted.extend(each.inserted);
        for (code, times) in each.refused {
            *seen.refused.entry(code).or_default() += times;
        }
    }
    println!(
        "{} answers, {} rows, refused {:?}; {before:.1} MB before, {:.1} MB after",
        seen.answered,
        seen.inserted.len(),
        seen.refused,
        program.resident()
    );
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    let kept: i64 = sqlx::query_scalar("select count(*) from orders where id = any($1)")
        .bind(&seen.inserted)
        .fetch_one(&pool)
        .await
        .unwrap();
    assert!(seen.inserted.len() > 10);
    assert_eq!(usize::try_from(kept).unwrap(), seen.inserted.len());
    pool.close().await;
    drop(program);
    cluster.stop().await.unwrap();
}
