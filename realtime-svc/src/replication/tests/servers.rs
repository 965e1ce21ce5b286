//! Servers of their own, for settings that belong to the whole cluster.

use std::{
    os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown},
    path::Path,
};

use pg_embed::{Cluster, ClusterConfig, free_port};
use tempfile::TempDir;

use super::*;

async fn server(settings: &[(&str, &str)]) -> (TempDir, Cluster, Fixture) {
    let dir = tempfile::tempdir().unwrap();
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let port = free_port().unwrap();
    let mut config = ClusterConfig::new(dir.path().join("cluster"), port);
    config.roots = vec![std::env::current_dir().unwrap()];
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    config.settings = settings.iter().map(owned).collect();
    let cluster = Cluster::start(&config).await.unwrap();
    let (user, password) = (&config.superuser, &config.password);
    let url = format!("postgres://{user}:{password}@localhost:{port}/postgres?sslmode=prefer");
    let fixture = Fixture::new(&url);
    fixture
        .execute("create table public.t (id int); create publication supabase_realtime for table public.t")
        .await;
    (dir, cluster, fixture)
}

#[tokio::test]
async fn a_server_that_keeps_too_little_in_its_log_is_named() {
    let (_dir, cluster, fixture) = server(&[("wal_level", "replica")]).await;
    let running = fixture.run();
    let _user = running.feed.user();
    let reason = "wal_level is \"replica\", and must be \"logical\"";
    running
        .until(|status| *status == Status::Failed(reason.to_owned()))
        .await;
    running.stop().await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_slot_that_has_lost_its_place_is_made_anew() {
    let settings = [
        ("max_replication_slots", "1"),
        ("max_slot_wal_keep_size", "1MB"),
    ];
    let (_dir, cluster, mut fixture) = server(&settings).await;
    fixture.settings.keep_slot_on_stop = true;
    let mut running = fixture.run();
    let user = running.feed.user();
    running.streaming().await;

    let other = Settings {
        slot: "other".to_owned(),
        ..fixture.settings.clone()
    };
    let reading = Log::connect(&other).await.unwrap();
    let refused = reading
        .start(&["supabase_realtime".to_owned()], 0)
        .await
        .map(|_| ());
    assert!(
        matches!(refused, Err(ReplicationError::SlotsTaken(_))),
        "{refused:?}"
    );

    running.stop().await;
    drop(user);
    for _ in 0..3 {
        fixture.execute("insert into public.t values (1)").await;
        fixture.execute("select pg_switch_wal()").await;
        fixture.execute("checkpoint").await;
    }
    let mut running = fixture.run();
    let _user = running.feed.user();
    assert_eq!(running.item().await, FeedItem::Gap(Gap::Lost));
    running.streaming().await;
    fixture.execute("insert into public.t values (2)").await;
    assert_eq!(running.ids().await, ["2"]);
    running.stop().await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn who_falls_too_far_behind_begins_anew() {
    // Elsewhere others fill the log, too.
    let (_dir, cluster, fixture) = server(&[]).await;
    let mut settings = fixture.settings.clone();
    settings.max_lag_bytes = 100_000;
    let mut running = fixture.run_with(settings);
    let _user = running.feed.user();
    running.streaming().await;
    // None of it is confirmed.
    for first in (1..10000).step_by(1000) {
        let last = first + 999;
        fixture
            .execute(&format!(
                "insert into public.t select generate_series({first}, {last})"
            ))
            .await;
    }
    let gap = loop {
        match running.item().await {
            FeedItem::Gap(gap) => break gap,
            FeedItem::Event(_) => {}
            FeedItem::Streaming { .. } => panic!("no gap"),
        }
    };
    assert!(matches!(gap, Gap::Behind(100_000..)), "{gap:?}");
    running.streaming().await;
    fixture.execute("insert into public.t values (0)").await;
    assert_eq!(running.ids().await, ["0"]);
    assert_eq!(running.feed.counters().gaps(), 1);
    running.stop().await;
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn the_log_is_read_over_tls() {
    let (dir, cluster, mut fixture) = server(&[]).await;
    let data = dir.path().join("cluster/pgdata");
    let key = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    give(&data, "server.crt", &key.cert.pem());
    give(&data, "server.key", &key.signing_key.serialize_pem());
    fixture.execute("alter system set ssl = on").await;
    fixture.execute("select pg_reload_conf()").await;
    fixture.url.set_query(Some("sslmode=require"));
    let target = || Target::new(fixture.url.as_str(), "test", |_| None).unwrap();
    timeout(PATIENCE, async {
        while target().replication().await.is_err() {}
    })
    .await
    .unwrap();
    fixture.settings.target = target();
    let mut running = fixture.run();
    let _user = running.feed.user();
    running.streaming().await;
    let encrypted: bool = sqlx::query_scalar(
        "select bool_and(ssl) from pg_stat_ssl join pg_replication_slots on active_pid = pid",
    )
    .fetch_one(&fixture.pool)
    .await
    .unwrap();
    assert!(encrypted);
    fixture.execute("insert into public.t values (1)").await;
    assert_eq!(running.ids().await, ["1"]);
    running.stop().await;
    cluster.stop().await.unwrap();
}

/// Puts a file among the server's own, for its account alone.
fn give(data: &Path, name: &str, content: &str) {
    let file = data.join(name);
    std::fs::write(&file, content).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o600)).unwrap();
    chown(&file, Some(data.metadata().unwrap().uid()), None).unwrap();
}
