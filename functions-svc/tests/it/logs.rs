//! What functions say, as the service's own log has it.

use std::process::Stdio;

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt as _, BufReader, Lines},
    process::{Child, ChildStderr, Command},
};

/// The service as a process of its own, whose log is read.
struct Logged {
    url: String,
    lines: Lines<BufReader<ChildStderr>>,
    // Ends with it.
    _child: Child,
    _project: tempfile::TempDir,
}

impl Logged {
    async fn start(source: &str) -> Self {
        let project = tempfile::tempdir().unwrap();
        let function = project.path().join("functions/talk");
        std::fs::create_dir_all(&function).unwrap();
        std::fs::write(function.join("index.ts"), source).unwrap();
        let mut child = Command::new(env!("CARGO_BIN_EXE_functions-svc"))
            .env("FUNCTIONS_DIR", project.path().join("functions"))
            .env(
                "FUNCTIONS_CACHE_DIR",
                concat!(env!("CARGO_TARGET_TMPDIR"), "/functions-cache"),
            )
            .envs([
                ("EDGE_RUNTIME_HOST", "127.0.0.1"),
                ("EDGE_RUNTIME_PORT", "0"),
                ("VERIFY_JWT", "false"),
                ("LOG_FORMAT", "json"),
            ])
            .stderr(Stdio::piped())
            .kill_on_drop(true)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = loop {
            let line: Value =
                serde_json::from_str(&lines.next_line().await.unwrap().unwrap()).unwrap();
            if let Some(address) = line["fields"]["address"].as_str() {
                break format!("http://{address}/talk");
            }
        };
        Self {
            url,
            lines,
            _child: child,
            _project: project,
        }
    }

    /// The fields of so many lines of the function.
    async fn said(&mut self, count: usize) -> Vec<Value> {
        let mut said = Vec::new();
        while said.len() < count {
            let mut line: Value =
                serde_json::from_str(&self.lines.next_line().await.unwrap().unwrap()).unwrap();
            if line["target"] == "functions_svc::output" {
                said.push(line["fields"].take());
            }
        }
        said
    }
}

fn brief(said: &[Value]) -> Vec<(&str, &str, Option<&str>)> {
    said.iter()
        .map(|line| {
            (
                line["message"].as_str().unwrap(),
                line["severity"].as_str().unwrap(),
                line["request_id"].as_str(),
            )
        })
        .collect()
}

#[tokio::test]
async fn requests_of_one_process_are_told_apart() {
    let mut logged = Logged::start(
        r"console.log('started');
        let meet: () => void;
        const both = new Promise<void>((resolve) => meet = resolve);
        let arrived = 0;
        Deno.serve(async (req) => {
            const name = new URL(req.url).search;
            console.log('begin', name);
            if (++arrived === 2) meet();
            await both;
            EdgeRuntime.waitUntil(req.text().then(() => both).then(() => console.warn('task', name)));
            console.log('end', name);
            return new Response('ok');
        });",
    )
    .await;
    let client = reqwest::Client::new();
    let call = |id: &'static str| {
        let request = client
            .get(format!("{}?{id}", logged.url))
            .header("sb-request-id", id);
        async move { request.send().await.unwrap() }
    };
    let (first, second) = tokio::join!(call("first"), call("second"));
    assert_eq!(first.headers()["sb-request-id"], "first");
    let execution = first.headers()["x-deno-execution-id"].to_str().unwrap();
    assert_eq!(second.headers()["x-deno-execution-id"], execution);

    let said = logged.said(7).await;
    for line in &said {
        assert_eq!(line["function"], "talk");
        assert_eq!(line["execution_id"], execution);
    }
    let mut seen = brief(&said);
    assert_eq!(seen.remove(0), ("started", "info", None));
    seen.sort_unstable();
    assert_eq!(
        seen,
        [
            ("begin ?first", "info", Some("first")),
            ("begin ?second", "info", Some("second")),
            ("end ?first", "info", Some("first")),
            ("end ?second", "info", Some("second")),
            ("task ?first", "warning", Some("first")),
            ("task ?second", "warning", Some("second")),
        ]
    );
}

#[tokio::test]
async fn each_line_is_a_line_of_its_function() {
    let mut logged = Logged::start(
        r"Deno.serve(() => {
            console.log('%s of %d', 'one', 2, { a: 1 });
            console.error('two\nlines');
            console.log('\ud800' + '\u0001'.repeat(30_000));
            Deno.stdout.writeSync(new TextEncoder().encode('bytes\n'));
            throw new Error('on purpose');
        });",
    )
    .await;
    let client = reqwest::Client::new();
    let request = client.get(&logged.url).header("sb-request-id", "id");
    // More than a pipe holds, so it has to be read meanwhile.
    let (answer, said) = tokio::join!(request.send(), logged.said(9));
    assert_eq!(answer.unwrap().status(), 500);
    let seen = brief(&said);
    assert_eq!(
        seen[..3],
        [
            ("one of 2 { a: 1 }", "info", Some("id")),
            ("two", "error", Some("id")),
            ("lines", "error", Some("id")),
        ]
    );
    let long: String = seen[3..7].iter().map(|(text, ..)| *text).collect();
    assert_eq!(long.chars().count(), 30_001);
    // What does not go over the console is nobody's in particular.
    assert_eq!(seen[7], ("bytes", "info", None));
    assert_eq!(seen[8], ("Error: on purpose", "error", Some("id")));
}
