//! Several servers in one connection string, on a primary and a standby of the test's own.

use std::{path::Path, process::Command, time::Duration};

use axum::{
    body::{Body, to_bytes},
    http::Request,
};
use pg_embed::{Cluster, ClusterConfig, free_port};
use rest_svc::{App, Config};
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tokio_util::sync::{CancellationToken, DropGuard};
use tower::ServiceExt as _;

async fn start(dir: &Path, port: u16) -> Cluster {
    let mut config = ClusterConfig::new(dir.to_owned(), port);
    config.roots = vec![std::env::current_dir().unwrap()];
    Cluster::start(&config).await.unwrap()
}

/// A service on these servers, once its catalog is there.
async fn serve(servers: &str, attributes: &str, patience: u64) -> Option<(App, DropGuard)> {
    let uri = format!(
        "postgres://supabase_admin:postgres@{servers}/postgres?target_session_attrs={attributes}"
    );
    let vars: Vars = [
        ("PGRST_DB_URI", uri.as_str()),
        ("PGRST_DB_ANON_ROLE", "supabase_admin"),
        ("PGRST_DB_SCHEMAS", "public"),
    ]
    .into_iter()
    .collect();
    let app = App::connect(Config::from_vars(&vars).unwrap())
        .await
        .unwrap();
    let stop = CancellationToken::new();
    app.spawn_workers(stop.clone());
    let stop = stop.drop_guard();
    let ready = app.wait_ready(Duration::from_secs(patience)).await;
    ready.ok().map(|()| (app, stop))
}

async fn call(app: &App, name: &str) -> (u16, Value) {
    let request = Request::post(format!("/rpc/{name}"))
        .body(Body::empty())
        .unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    let status = response.status().as_u16();
    let body = to_bytes(response.into_body(), 10_000).await.unwrap();
    (status, serde_json::from_slice(&body).unwrap_or_default())
}

#[tokio::test]
async fn the_server_is_one_of_the_list_that_will_do() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(
        dir.path(),
        std::os::unix::fs::PermissionsExt::from_mode(0o755),
    )
    .unwrap();
    let (one, two) = (dir.path().join("one"), dir.path().join("two"));
    let (nobody, primary, standby) = (
        free_port().unwrap(),
        free_port().unwrap(),
        free_port().unwrap(),
    );
    let cluster = start(&one, primary).await;
    let url = format!("postgres://supabase_admin:postgres@127.0.0.1:{primary}/postgres");
    let pool = sqlx::PgPool::connect(&url).await.unwrap();
    sqlx::raw_sql(
        "create function is_standby() returns boolean stable language sql as 'select pg_is_in_recovery()';
         create table things (id int);
         create function add_thing() returns void language sql as 'insert into things values (1)'",
    )
    .execute(&pool)
    .await
    .unwrap();
    pool.close().await;
    cluster.stop().await.unwrap();
    // A copy that is told to recover for ever: a standby whose primary never writes.
    let copied = Command::new("cp")
        .arg("-a")
        .args([&one, &two])
        .status()
        .unwrap();
    assert!(copied.success());
    std::fs::write(two.join("pgdata/standby.signal"), "").unwrap();
    let primary_cluster = start(&one, primary).await;
    let standby_cluster = start(&two, standby).await;

    let all = format!("127.0.0.1:{nobody},127.0.0.1:{standby},127.0.0.1:{primary}");
    for (attributes, is_standby) in [
        ("any", true),
        ("read-write", false),
        ("read-only", true),
        ("primary", false),
        ("standby", true),
        ("prefer-standby", true),
    ] {
        let (app, _stop) = serve(&all, attributes, 60).await.unwrap();
        assert_eq!(
            call(&app, "is_standby").await,
            (200, json!(is_standby)),
            "{attributes}"
        );
        let (status, body) = call(&app, "add_thing").await;
        if is_standby {
            // BEGIN READ WRITE, which PostgREST begins writes with, is refused by a standby.
            assert_eq!((status, &body["code"]), (400, &json!("0A000")), "{body}");
        } else {
            assert_eq!(status, 204, "{body}");
        }
        // The listener needs a server that takes LISTEN, whichever serves.
        let mut listens = false;
        for _ in 0..200 {
            listens = app.is_ready();
            if listens {
                break;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        assert!(listens, "{attributes}");
    }
    let alone = format!("127.0.0.1:{primary}");
    let (app, _stop) = serve(&alone, "prefer-standby", 60).await.unwrap();
    assert_eq!(call(&app, "is_standby").await, (200, json!(false)));
    assert!(serve(&alone, "standby", 2).await.is_none());
    primary_cluster.stop().await.unwrap();
    standby_cluster.stop().await.unwrap();
}
