//! `with-postgres [--durable] COMMAND…` runs a command beside a throw-away cluster.
//!
//! The command finds the superuser's URL in `NILAM_TEST_DATABASE_URL`; the exit status is its own. The
//! cluster gives up durability for speed, because nothing in it outlives the command; with `--durable` it
//! writes as one that is meant to last, for measurements.

use std::{path::PathBuf, process::ExitCode};

use pg_embed::{Cluster, ClusterConfig};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let mut program = arguments.next();
    let durable = program.as_deref() == Some("--durable".as_ref());
    if durable {
        program = arguments.next();
    }
    let Some(program) = program else {
        eprintln!("usage: with-postgres [--durable] COMMAND [ARGUMENT…]");
        return ExitCode::from(2);
    };
    let dir = std::env::temp_dir().join(format!("nilam-test-{}", std::process::id()));
    let outcome = run(dir.clone(), durable, program, arguments.collect()).await;
    let _ = std::fs::remove_dir_all(&dir);
    outcome.unwrap_or_else(|error| {
        eprintln!("with-postgres: {error}");
        ExitCode::FAILURE
    })
}

async fn run(
    dir: PathBuf,
    durable: bool,
    program: std::ffi::OsString,
    arguments: Vec<std::ffi::OsString>,
) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let port = pg_embed::free_port()?;
    let mut config = ClusterConfig::new(dir, port);
    config.roots = vec![std::env::current_dir()?];
    let settings: &[(&str, &str)] = if durable {
        &[("max_connections", "300"), ("shared_buffers", "512MB")]
    } else {
        &[
            ("fsync", "off"),
            ("full_page_writes", "off"),
            ("max_connections", "300"),
            ("synchronous_commit", "off"),
            // Slots belong to the whole cluster, and every test that reads the log has one.
            ("max_replication_slots", "100"),
            ("max_wal_senders", "100"),
        ]
    };
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    config.settings = settings.iter().map(owned).collect();
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
