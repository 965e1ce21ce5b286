//! A real server through its whole life: made, killed in every way, found again.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]
use std::{net::TcpStream, os::unix::fs::PermissionsExt as _, time::Duration};

use nix::{
    sys::signal::{Signal, kill},
    unistd::Pid,
};
use pg_embed::{Cluster, ClusterConfig, Error, free_port};

fn config(dir: &tempfile::TempDir) -> ClusterConfig {
    // The account that runs the server has to enter the folder when the tests run as root.
    std::fs::set_permissions(dir.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let port = free_port().unwrap();
    let mut config = ClusterConfig::new(dir.path(), port);
    config.roots = vec![std::env::current_dir().unwrap()];
    config
}

fn listens(config: &ClusterConfig) -> bool {
    TcpStream::connect(("127.0.0.1", config.port)).is_ok()
}

#[tokio::test]
async fn a_cluster_is_made_once_and_stops_in_good_order() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(&dir);
    let cluster = Cluster::start(&config).await.unwrap();
    assert!(cluster.is_new);
    assert!(listens(&config));
    cluster.stop().await.unwrap();
    assert!(!listens(&config));
    assert!(!dir.path().join("pgdata/postmaster.pid").exists());
    let again = Cluster::start(&config).await.unwrap();
    assert!(!again.is_new);
    again.stop().await.unwrap();
}

#[tokio::test]
async fn a_killed_server_is_recovered_without_a_manual_step() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(&dir);
    let mut cluster = Cluster::start(&config).await.unwrap();
    let pid = i32::try_from(cluster.pid().unwrap()).unwrap();
    kill(Pid::from_raw(pid), Signal::SIGKILL).unwrap();
    cluster.ended().await;
    drop(cluster);
    assert!(
        dir.path().join("pgdata/postmaster.pid").exists(),
        "the stale pid file is the point"
    );
    let cluster = Cluster::start(&config).await.unwrap();
    assert!(listens(&config));
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_server_whose_parent_died_is_replaced() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(&dir);
    let orphan = Cluster::start(&config).await.unwrap();
    let pid = orphan.pid();
    drop(orphan);
    assert!(listens(&config), "dropping must not stop the server");
    let cluster = tokio::time::timeout(Duration::from_secs(60), Cluster::start(&config))
        .await
        .unwrap()
        .unwrap();
    assert_ne!(cluster.pid(), pid);
    cluster.stop().await.unwrap();
}

#[tokio::test]
async fn a_second_start_on_the_same_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let config = config(&dir);
    let cluster = Cluster::start(&config).await.unwrap();
    assert!(matches!(
        Cluster::start(&config).await,
        Err(Error::InUse { .. })
    ));
    assert!(listens(&config), "the first one must not be harmed");
    cluster.stop().await.unwrap();
}
