//! `with-postgres COMMAND…` runs a command beside a throw-away cluster.
//!
//! The command finds the superuser's URL in `NILAM_TEST_DATABASE_URL`; the exit status is its own. The
//! cluster gives up durability for speed, because nothing in it outlives the command.

use std::{net::TcpListener, path::PathBuf, process::ExitCode};

use pg_embed::{Cluster, ClusterConfig};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: with-postgres COMMAND [ARGUMENT…]");
        return ExitCode::from(2);
    };
    let dir = std::env::temp_dir().join(format!("nilam-test-{}", std::process::id()));
    let outcome = run(dir.clone(), program, arguments.collect()).await;
    let _ = std::fs::remove_dir_all(&dir);
    outcome.unwrap_or_else(|error| {
        eprintln!("with-postgres: {error}");
        ExitCode::FAILURE
    })
}

async fn run(
    dir: PathBuf,
    program: std::ffi::OsString,
    arguments: Vec<std::ffi::OsString>,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
    let mut config = ClusterConfig::new(dir, port);
    config.roots = vec![std::env::current_dir()?];
    config.settings = [
        ("fsync", "off"),
        ("full_page_writes", "off"),
        ("max_connections", "300"),
        ("synchronous_commit", "off"),
    ]
    .map(|(name, value)| (name.to_owned(), value.to_owned()))
    .to_vec();
    let cluster = Cluster::start(&config).await?;
    let url = format!(
        "postgres://{}:{}@127.0.0.1:{port}/postgres",
        config.superuser, config.password
    );
    let status = tokio::process::Command::new(program)
        .args(arguments)
        .env("NILAM_TEST_DATABASE_URL", url)
        .status()
        .await;
    cluster.stop().await?;
    let code = status?
        .code()
        .and_then(|code| u8::try_from(code).ok())
        .unwrap_or(1);
    Ok(ExitCode::from(code))
}
