//! What the program itself writes, in PostgREST's words and form.

use std::{
    process::{Command, Stdio},
    time::Duration,
};

use pg_embed::free_port;
use svc_kit::testing::{Template, TestDb};

/// The lines of a program that was asked for `path` when it was ready and then told to end, without their times.
async fn said(settings: &[(&str, &str)], path: &str) -> Vec<String> {
    let template = Template::new("rest").fixture(include_str!("fixture.sql"));
    let db = TestDb::new(&template).await;
    let port = free_port().unwrap();
    let mut child = Command::new(env!("CARGO_BIN_EXE_rest-svc"))
        .env_clear()
        .env("PGRST_DB_URI", db.url_as("authenticator"))
        .env("PGRST_DB_ANON_ROLE", "anon")
        .env("PGRST_SERVER_HOST", "127.0.0.1")
        .env("PGRST_SERVER_PORT", port.to_string())
        .envs(settings.iter().copied())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let url = format!("http://127.0.0.1:{port}{path}");
    let http = reqwest::Client::new();
    for _ in 0..200 {
        match http.get(&url).send().await {
            Ok(reply) if reply.status() != 503 => break,
            _ => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
    let pid = child.id().to_string();
    Command::new("kill").arg(pid).status().unwrap();
    let output = tokio::task::spawn_blocking(move || {
        child.wait().unwrap();
        std::io::read_to_string(child.stderr.take().unwrap()).unwrap()
    });
    let lines = output.await.unwrap();
    let untimed = lines.lines().map(|line| {
        let (time, text) = line.split_once(": ").unwrap();
        chrono::DateTime::parse_from_str(time, "%d/%b/%Y:%H:%M:%S %z").unwrap();
        text.to_owned()
    });
    untimed.collect()
}

#[track_caller]
fn has(lines: &[String], start: &str) {
    assert!(
        lines.iter().any(|line| line.starts_with(start)),
        "{start}: {lines:#?}"
    );
}

#[tokio::test]
async fn a_start_and_an_end_are_told_in_postgrests_words() {
    let settings = [("PGRST_LOG_QUERY", "true"), ("PGRST_LOG_LEVEL", "debug")];
    let lines = said(&settings, "/shops?id=eq.1").await;
    assert_eq!(lines[0], "Starting PostgREST 14.12...");
    for start in [
        "API server listening on 127.0.0.1:",
        "Successfully connected to PostgreSQL ",
        "Connection Pool initialized with a maximum size of 10 connections",
        "Schema cache queried in ",
        "Schema cache loaded in ",
        "Listener connected to PostgreSQL ",
        "Trying to borrow a connection from pool",
        "Connection 1 is used",
        "Borrowed a connection from the pool",
        "WITH pgrst_source AS (SELECT \"shops\".* FROM \"public\".\"shops\"",
        "Received termination unix signal SIGTERM",
    ] {
        has(&lines, start);
    }
}

#[tokio::test]
async fn what_a_request_says_is_written_from_its_level_on() {
    let settings = |level| [("PGRST_LOG_QUERY", "true"), ("PGRST_LOG_LEVEL", level)];
    let lines = said(&settings("error"), "/shops?id=eq.1").await;
    assert!(!lines.iter().any(|line| line.contains("pgrst_source")));
    let lines = said(&settings("error"), "/rpc/broken").await;
    has(&lines, "{\"code\":\"XX000\",");
    has(&lines, "WITH pgrst_source AS ");
    let named = "/shops?select=%22a%0A%1Bb%22:id&id=eq.1";
    let lines = said(&settings("info"), named).await;
    let shown = lines.iter().any(|line| line.contains("AS \"a  b\""));
    assert!(shown, "{lines:#?}");
    let lines = said(&settings("crit"), "/rpc/broken").await;
    assert!(!lines.iter().any(|line| line.contains("XX000")));
}

#[tokio::test]
async fn a_configuration_that_the_database_cannot_give_is_told_and_done_without() {
    let lines = said(&[("PGRST_DB_PRE_CONFIG", "nowhere")], "/shops?id=eq.1").await;
    has(
        &lines,
        "Failed to query database settings for the config parameters.{\"code\":\"42883\",",
    );
    has(&lines, "Schema cache loaded in ");
}
