//! How processes begin and end.

use std::{collections::HashSet, process::Stdio};

use tokio::io::{AsyncBufReadExt as _, BufReader};

use crate::support::{Listener, SECRET, Service, runs, until};

/// Says which process it is, and does what it is told.
const WORKER: &str = r"const boot = crypto.randomUUID();
const pause = (ms: number) => new Promise((done) => setTimeout(done, ms));
Deno.serve(async (req) => {
    const query = new URL(req.url).searchParams;
    if (query.has('ms')) await pause(Number(query.get('ms')));
    if (query.has('exit')) Deno.exit(3);
    if (query.has('pid')) return new Response(String(Deno.pid));
    return new Response(boot);
})";

#[tokio::test]
async fn a_process_is_kept_until_nobody_asks_for_it() {
    let service = Service::start_with(
        &[("a/index.ts", WORKER)],
        &[("FUNCTIONS_IDLE_TIMEOUT", "500ms")],
    )
    .await;
    let first = service.text("a").await;
    assert_eq!(service.text("a").await, first);
    until("the process is stopped", || async {
        service.metric("functions_workers{state=\"active\"}").await
            + service.metric("functions_workers{state=\"retired\"}").await
            == 0
    })
    .await;
    assert_eq!(
        service
            .metric("functions_worker_ends_total{cause=\"stopped\"}")
            .await,
        1
    );
    assert_ne!(service.text("a").await, first);
}

#[tokio::test]
async fn many_first_calls_share_one_process() {
    let service = Service::start(&[("a/index.ts", WORKER)]).await;
    let calls = (0..32).map(|_| service.text("a?ms=50"));
    let processes: HashSet<_> = futures_util::future::join_all(calls)
        .await
        .into_iter()
        .collect();
    assert_eq!(processes.len(), 1);
}

#[tokio::test]
async fn a_change_is_served_without_a_request_lost() {
    let source = |version: u32| {
        format!(
            "Deno.serve(async () => {{ await new Promise((done) => setTimeout(done, 30)); return new Response('{version}'); }})"
        )
    };
    let service = Service::start(&[("a/index.ts", &source(0))]).await;
    assert_eq!(service.text("a").await, "0");
    for version in 1..=3 {
        service.write("a/index.ts", &source(version));
        // Each of them has to succeed, whichever version answers.
        until("the change is served", || async {
            let answers = futures_util::future::join_all((0..8).map(|_| service.text("a"))).await;
            answers.iter().all(|answer| *answer == version.to_string())
        })
        .await;
    }
}

#[tokio::test]
async fn a_change_of_what_is_shared_is_served_too() {
    let service = Service::start(&[
        ("a/index.ts", "import { x } from '../_shared/x.ts'; Deno.serve(() => new Response(x + Deno.env.get('KEY')))"),
        ("_shared/x.ts", "export const x = 'one'"),
        (".env", "KEY=1"),
    ])
    .await;
    assert_eq!(service.text("a").await, "one1");
    service.write("_shared/x.ts", "export const x = 'two'");
    until("the shared module is served", || async {
        service.text("a").await == "two1"
    })
    .await;
    service.write(".env", "KEY=2");
    until("the secret is seen", || async {
        service.text("a").await == "two2"
    })
    .await;
    service.write("b/index.ts", "Deno.serve(() => new Response('b'))");
    until("the new function is there", || async {
        service.get("b").await.text == "b"
    })
    .await;
    std::fs::remove_dir_all(service.project().join("functions/b")).unwrap();
    until("the function is gone", || async {
        service.get("b").await.status == 404
    })
    .await;
}

#[tokio::test]
async fn old_processes_are_replaced_and_end_their_requests() {
    let service = Service::start_with(
        &[("a/index.ts", WORKER)],
        &[("FUNCTIONS_WALL_CLOCK_LIMIT", "6s")],
    )
    .await;
    let mut processes = HashSet::new();
    // No call fails, though processes end under them.
    while processes.len() < 3 {
        processes
            .extend(futures_util::future::join_all((0..4).map(|_| service.text("a?ms=20"))).await);
    }
    let killed = service
        .metric("functions_worker_ends_total{cause=\"wall_clock\"}")
        .await;
    assert_eq!(killed, 0);
}

#[tokio::test]
async fn a_request_that_outlives_its_process_meets_the_limit() {
    let service = Service::start_with(
        &[("a/index.ts", WORKER)],
        &[("FUNCTIONS_WALL_CLOCK_LIMIT", "1s")],
    )
    .await;
    let answer = service.get("a?ms=60000").await;
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (546, Some("WORKER_LIMIT"))
    );
    until("the end is counted", || async {
        service
            .metric("functions_worker_ends_total{cause=\"wall_clock\"}")
            .await
            == 1
    })
    .await;
}

#[tokio::test]
async fn a_process_that_ends_by_itself_is_started_again() {
    let service = Service::start(&[("a/index.ts", WORKER)]).await;
    let mut processes = HashSet::new();
    for _ in 0..3 {
        processes.insert(service.text("a").await);
        assert_eq!(service.get("a?exit").await.json()["code"], "WORKER_ERROR");
    }
    assert_eq!(processes.len(), 3);
}

#[tokio::test]
async fn background_tasks_outlive_the_answer_and_are_told_of_the_end() {
    let listener = Listener::start().await;
    let service = Service::start_with(
        &[
            (
                "a/index.ts",
                r"declare const EdgeRuntime: { waitUntil<T>(task: Promise<T>): Promise<T> };
                const tell = (what: string) => fetch(Deno.env.get('LISTENER') + what).then((answer) => answer.text());
                addEventListener('beforeunload', (event) => {
                    EdgeRuntime.waitUntil(tell('unload-' + (event as CustomEvent).detail.reason));
                });
                Deno.serve(() => {
                    EdgeRuntime.waitUntil(new Promise((done) => setTimeout(done, 1500)).then(() => tell('task')));
                    EdgeRuntime.waitUntil(Promise.reject(new Error('fails, and nothing happens')));
                    return new Response('queued', { status: 202 });
                })",
            ),
            (".env", &format!("LISTENER={}", listener.url)),
        ],
        &[("FUNCTIONS_IDLE_TIMEOUT", "300ms")],
    )
    .await;
    assert_eq!(service.get("a").await.status, 202);
    until("the process was told of its end", || async {
        listener.heard().len() >= 2
    })
    .await;
    // It was not stopped while the task ran.
    assert_eq!(listener.heard(), ["task", "unload-early_drop"]);
}

#[tokio::test]
async fn one_request_per_process_if_it_is_said_so() {
    let service = Service::start_with(
        &[
            ("a/index.ts", WORKER),
            ("../config.toml", "[edge_runtime]\npolicy = 'oneshot'\n"),
        ],
        &[],
    )
    .await;
    let mut processes = HashSet::new();
    for _ in 0..3 {
        processes.insert(service.text("a").await);
    }
    assert_eq!(processes.len(), 3);
}

#[tokio::test]
async fn there_are_no_more_processes_than_allowed() {
    let service = Service::start_with(
        &[
            ("a/index.ts", WORKER),
            ("b/index.ts", WORKER),
            ("c/index.ts", WORKER),
        ],
        &[
            ("FUNCTIONS_MAX_PARALLELISM", "2"),
            ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "3s"),
        ],
    )
    .await;
    // One that idles makes room.
    for name in ["a", "b", "c", "a", "b", "c"] {
        service.text(name).await;
        let active = service.metric("functions_workers{state=\"active\"}").await;
        assert!(active <= 2, "{active}");
    }
    // Those that work do not.
    let (first, second) = (service.get("a?ms=5000"), service.get("b?ms=5000"));
    let third = async {
        until("both work", || async {
            service.metric("functions_requests_received_total").await >= 8
                && service.metric("functions_workers{state=\"active\"}").await == 2
        })
        .await;
        service.get("c").await
    };
    let (first, second, third) = tokio::join!(first, second, third);
    assert_eq!((first.status, second.status), (200, 200));
    assert_eq!(
        (third.status, third.json()["code"].as_str()),
        (503, Some("BOOT_ERROR"))
    );
}

#[tokio::test]
async fn nothing_is_left_when_the_service_stops() {
    let service = Service::start(&[("a/index.ts", WORKER)]).await;
    let pid: u32 = service.text("a?pid").await.parse().unwrap();
    assert!(runs(pid));
    service.stop().await;
    assert!(!runs(pid));
}

#[tokio::test]
async fn nothing_is_left_when_the_service_is_killed() {
    let project = tempfile::tempdir().unwrap();
    let folder = project.path().join("functions/a");
    std::fs::create_dir_all(&folder).unwrap();
    // It never comes back to its event loop, so it cannot notice by itself.
    std::fs::write(
        folder.join("index.ts"),
        "Deno.serve((req) => { if (req.url.endsWith('?go')) { console.log('pid=' + Deno.pid); for (;;) {} } return new Response('x'); })",
    )
    .unwrap();
    let mut service = tokio::process::Command::new(env!("CARGO_BIN_EXE_functions-svc"))
        .env("FUNCTIONS_DIR", project.path().join("functions"))
        .env(
            "FUNCTIONS_CACHE_DIR",
            concat!(env!("CARGO_TARGET_TMPDIR"), "/functions-cache"),
        )
        .env("FUNCTIONS_CPU_HARD_LIMIT", "60s")
        .env("EDGE_RUNTIME_HOST", "127.0.0.1")
        .env("EDGE_RUNTIME_PORT", "0")
        .env("JWT_SECRET", SECRET)
        .env("VERIFY_JWT", "false")
        .env("RUST_LOG", "info")
        .env("NO_COLOR", "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let (mut out, mut err) = (
        BufReader::new(service.stdout.take().unwrap()).lines(),
        BufReader::new(service.stderr.take().unwrap()).lines(),
    );
    let mut pid = None;
    while pid.is_none() {
        let line = tokio::select! {
            Ok(Some(line)) = out.next_line() => line,
            Ok(Some(line)) = err.next_line() => line,
            else => panic!("the service ended"),
        };
        if let Some((_, address)) = line.split_once("address=") {
            let url = format!("http://{address}/a?go");
            tokio::spawn(async move { reqwest::get(url).await });
        }
        pid = line
            .split_once("pid=")
            .and_then(|(_, rest)| rest.split_whitespace().next()?.parse::<u32>().ok());
    }
    let pid = pid.unwrap();
    assert!(runs(pid));
    service.kill().await.unwrap();
    until("the process is gone", || async { !runs(pid) }).await;
}
