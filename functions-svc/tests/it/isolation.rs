//! A function that misbehaves gets the right error, and its neighbour does not notice.

use crate::support::{Answer, Service};

const NEIGHBOUR: &str = r"const boot = crypto.randomUUID();
Deno.serve(() => new Response(boot))";

/// Calls the function, while the neighbour answers all the time from the same process.
async fn beside_a_neighbour(source: &str, settings: &[(&str, &str)]) -> (Service, Answer) {
    let service = Service::start_with(
        &[("bad/index.ts", source), ("good/index.ts", NEIGHBOUR)],
        settings,
    )
    .await;
    let process = service.text("good").await;
    let answer = {
        let call = service.get("bad?go");
        tokio::pin!(call);
        loop {
            tokio::select! {
                answer = &mut call => break answer,
                text = service.text("good") => assert_eq!(text, process),
            }
        }
    };
    assert_eq!(service.text("good").await, process);
    (service, answer)
}

fn assert_error(answer: &Answer, status: u16, code: &str) {
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (status, Some(code)),
        "{answer:?}"
    );
}

#[tokio::test]
async fn endless_loops_run_out_of_time() {
    let (service, answer) = beside_a_neighbour(
        "Deno.serve((req) => { if (req.url.endsWith('?go')) for (;;) {} return new Response('fine'); })",
        &[("FUNCTIONS_CPU_SOFT_LIMIT", "200ms"), ("FUNCTIONS_CPU_HARD_LIMIT", "400ms")],
    )
    .await;
    assert_error(&answer, 546, "WORKER_LIMIT");
    assert_eq!(service.text("bad").await, "fine");
}

#[tokio::test]
async fn a_full_heap_is_a_limit() {
    let (service, answer) = beside_a_neighbour(
        r"const kept: unknown[] = [];
        Deno.serve((req) => {
            if (req.url.endsWith('?go')) for (;;) kept.push({ a: new Array(100).fill(Math.random()) });
            return new Response('fine');
        })",
        &[("FUNCTIONS_MEMORY_LIMIT_MB", "64")],
    )
    .await;
    assert_error(&answer, 546, "WORKER_LIMIT");
    assert_eq!(service.text("bad").await, "fine");
}

#[tokio::test]
async fn typed_arrays_are_counted_too() {
    let (service, answer) = beside_a_neighbour(
        r"const kept: Uint8Array[] = [];
        Deno.serve(async (req) => {
            if (req.url.endsWith('?go')) for (;;) {
                kept.push(new Uint8Array(4 << 20).fill(1));
                await new Promise((next) => setTimeout(next, 5));
            }
            return new Response('fine');
        })",
        &[("FUNCTIONS_MEMORY_LIMIT_MB", "64")],
    )
    .await;
    assert_error(&answer, 546, "WORKER_LIMIT");
    assert_eq!(service.text("bad").await, "fine");
}

#[tokio::test]
async fn an_error_while_loading_is_a_boot_error() {
    let (service, answer) = beside_a_neighbour("throw new Error('no')", &[]).await;
    assert_error(&answer, 503, "BOOT_ERROR");
    // While it fails, most calls learn that without a process.
    let mut answers = Vec::new();
    for _ in 0..20 {
        answers.push(service.get("bad"));
    }
    for answer in futures_util::future::join_all(answers).await {
        assert_error(&answer, 503, "BOOT_ERROR");
    }
    let failures = service.metric("functions_worker_boot_failures_total").await;
    assert!(failures < 10, "{failures}");
    // A corrected file is tried at once.
    service.write("bad/index.ts", "Deno.serve(() => new Response('fixed'))");
    crate::support::until("the function is fixed", || async {
        service.get("bad").await.text == "fixed"
    })
    .await;
}

#[tokio::test]
async fn a_function_that_never_serves_does_not_boot() {
    let (_, answer) = beside_a_neighbour(
        "await new Promise(() => {})",
        &[("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "3s")],
    )
    .await;
    assert_error(&answer, 503, "BOOT_ERROR");
}

#[tokio::test]
async fn memory_counts_while_a_function_loads() {
    // Longer than the test waits for an answer.
    let (_, answer) = beside_a_neighbour(
        r"const all = [];
        for (let n = 0; n < 400; n++) all.push(new Uint8Array(1 << 20).fill(1));
        await new Promise(() => {});",
        &[
            ("FUNCTIONS_MEMORY_LIMIT_MB", "200"),
            ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "600s"),
        ],
    )
    .await;
    assert_error(&answer, 503, "BOOT_ERROR");
}

#[tokio::test]
async fn what_answers_errors_is_asked_once_for_each() {
    let source = r"let asked = 0;
        const onError = (error) => {
            asked += 1;
            if (error.message === 'fails') throw new Error('again');
            if (error.message === 'rejects') return Promise.reject(error);
            if (error.message === 'no answer') return 'text';
            return new Response('told', { status: 418 });
        };
        Deno.serve({ onError }, (req) => {
            const what = new URL(req.url).searchParams.get('what');
            if (!what) return Response.json(asked);
            if (what === 'later') return Promise.reject(new Error(what));
            if (what === 'text') return 'text';
            if (what === 'text later') return Promise.resolve('text');
            throw new Error(what);
        })";
    let service = Service::start(&[("f/index.ts", source)]).await;
    let expected = [
        ("now", 418),
        ("later", 418),
        ("text", 418),
        ("text%20later", 418),
        ("fails", 500),
        ("rejects", 500),
        ("no%20answer", 500),
    ];
    for (count, (what, status)) in (1..).zip(expected) {
        assert_eq!(
            service.get(&format!("f?what={what}")).await.status,
            status,
            "{what}"
        );
        assert_eq!(service.text("f").await, count.to_string(), "{what}");
    }
}

#[tokio::test]
async fn an_error_of_the_handler_is_an_answer() {
    let (service, answer) = beside_a_neighbour(
        "Deno.serve((req) => { if (req.url.endsWith('?go')) throw new Error('no'); return new Response('fine'); })",
        &[],
    )
    .await;
    assert_eq!(answer.status, 500);
    assert_eq!(service.text("bad").await, "fine");
    assert_eq!(
        service
            .metric("functions_worker_ends_total{cause=\"failed\"}")
            .await,
        0
    );
}

#[tokio::test]
async fn an_error_that_nobody_catches_ends_the_process() {
    let (service, answer) = beside_a_neighbour(
        r"Deno.serve((req) => {
            if (!req.url.endsWith('?go')) return new Response('fine');
            setTimeout(() => { throw new Error('no') }, 1);
            return new Promise(() => {});
        })",
        &[],
    )
    .await;
    assert_error(&answer, 500, "WORKER_ERROR");
    assert_eq!(service.text("bad").await, "fine");
}

#[tokio::test]
async fn a_function_that_never_answers_is_given_up() {
    let (service, answer) = beside_a_neighbour(
        "Deno.serve((req) => req.url.endsWith('?go') ? new Promise(() => {}) : new Response('fine'))",
        &[("FUNCTIONS_REQUEST_IDLE_TIMEOUT", "500ms"), ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "30s")],
    )
    .await;
    assert_error(&answer, 504, "IDLE_TIMEOUT");
    assert_eq!(service.text("bad").await, "fine");
}

#[tokio::test]
async fn nothing_of_others_can_be_touched() {
    let service = Service::start_with(
        &[
            (
                "spy/index.ts",
                r"import { text } from '../_shared/text.ts';
                const attempt = async (name: string, act: () => unknown) => {
                    try { await act(); return name; } catch (error) { return (error as Error).name; }
                };
                Deno.serve(async () => Response.json([
                    text,
                    await Deno.readTextFile(new URL('./own.txt', import.meta.url)),
                    await Promise.all([
                        attempt('other function', () => Deno.readTextFile('../victim/index.ts')),
                        attempt('secrets', () => Deno.readTextFile('../.env')),
                        attempt('environment of the service', () => Deno.readTextFile('/proc/self/environ')),
                        attempt('password file', () => Deno.readTextFile('/etc/passwd')),
                        attempt('own module', () => Deno.writeTextFile('index.ts', '')),
                        attempt('file of the machine', () => Deno.writeTextFile('/var/tmp/x', '')),
                        attempt('file beside', () => Deno.readTextFile('/tmp/../../s')),
                        attempt('program', () => new Deno.Command('/usr/bin/id').output()),
                        attempt('host name', () => Deno.hostname()),
                        attempt('library', () => Deno.dlopen('libc.so.6', {})),
                        attempt('other process', () => Deno.kill(1)),
                    ]),
                ]))",
            ),
            ("spy/own.txt", "own"),
            ("victim/index.ts", "Deno.serve(() => new Response(Deno.env.get('KEY')))"),
            ("_shared/text.ts", "export const text = 'shared'"),
            (".env", "EVERYBODY=1"),
        ],
        &[("FUNCTIONS_SETTINGS", r#"{"victim": {"env": {"KEY": "v"}}}"#)],
    )
    .await;
    assert_eq!(service.text("victim").await, "v");
    let seen = service.get("spy").await.json();
    assert_eq!((&seen[0], &seen[1]), (&"shared".into(), &"own".into()));
    for outcome in seen[2].as_array().unwrap() {
        assert_eq!(outcome, "NotCapable", "{seen}");
    }
}
