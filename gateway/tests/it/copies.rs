//! Several copies of a service, some of which go away.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, ChildStdout, Command, Stdio},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use axum::{Router, extract::Request};
use gateway::Service;
use http::StatusCode;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use super::{
    ANON,
    served::{Served, config, listening, remote, serve},
};

/// Not a test: the process of a copy, started by the tests below. It answers with its number.
#[tokio::test]
#[ignore = "started by other tests"]
async fn be_a_copy() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    println!("copy {}", listener.local_addr().unwrap());
    let router = Router::new().fallback(|request: Request| async move {
        let body = axum::body::to_bytes(request.into_body(), usize::MAX)
            .await
            .unwrap();
        format!("{} {}", std::process::id(), body.len())
    });
    svc_kit::http::serve(listener, router, CancellationToken::new())
        .await
        .unwrap();
}

/// A copy that is a process of its own, ended with this.
struct Process {
    child: Child,
    address: SocketAddr,
    /// It ends when nobody can read what it says.
    _output: ChildStdout,
}

impl Process {
    fn start() -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--ignored", "--exact", "copies::be_a_copy", "--nocapture"])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut output = BufReader::new(child.stdout.take().unwrap());
        let mut line = String::new();
        let address = loop {
            line.clear();
            assert!(output.read_line(&mut line).unwrap() > 0, "the copy ended");
            if let Some((_, address)) = line.split_once("copy ")
                && let Ok(address) = address.trim().parse()
            {
                break address;
            }
        };
        Self {
            child,
            address,
            _output: output.into_inner(),
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn in_front_of(addresses: &[SocketAddr], more: &[(&str, &str)]) -> Served {
    let mut config = config(more);
    config.upstreams.set(Service::Rest, remote(addresses));
    serve(config).await
}

async fn get(client: &reqwest::Client, gateway: &Served) -> (StatusCode, String) {
    let url = format!("http://{}/rest/v1/t", gateway.address);
    let answer = client.get(url).header("apikey", ANON).send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

async fn post(client: &reqwest::Client, gateway: &Served) -> (StatusCode, String) {
    let url = format!("http://{}/rest/v1/t", gateway.address);
    let request = client.post(url).header("apikey", ANON).body("a body");
    let answer = request.send().await.unwrap();
    (answer.status(), answer.text().await.unwrap())
}

/// Nothing fails but what the copy had already taken, and of that only what cannot be sent twice.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_copy_that_is_killed_fails_nothing_but_what_was_under_way_there() {
    let mut doomed = Process::start();
    let other = Process::start();
    let gateway = Arc::new(in_front_of(&[doomed.address, other.address], &[]).await);
    let killed = Arc::new(Mutex::new(None::<Instant>));
    let (count, mut counted) = watch::channel(0_usize);
    let (count, done) = (Arc::new(count), Arc::new(AtomicBool::new(false)));
    let senders: Vec<_> = (0..8)
        .map(|sender| {
            let (gateway, killed) = (Arc::clone(&gateway), Arc::clone(&killed));
            let (count, done) = (Arc::clone(&count), Arc::clone(&done));
            tokio::spawn(async move {
                let client = reqwest::Client::new();
                let (mut answered_by, mut failed) = (std::collections::HashSet::new(), 0);
                while !done.load(Ordering::Relaxed) {
                    let began = Instant::now();
                    let (status, text) = if sender % 2 == 0 {
                        get(&client, &gateway).await
                    } else {
                        post(&client, &gateway).await
                    };
                    if status == StatusCode::OK {
                        answered_by.insert(text.split(' ').next().unwrap().to_owned());
                    } else {
                        assert!(
                            sender % 2 == 1,
                            "what can be sent twice is: {status} {text}"
                        );
                        let killed = killed.lock().unwrap();
                        assert!(
                            killed.is_none_or(|killed| began <= killed),
                            "it began {:?} after the copy was gone",
                            killed.map(|killed| began - killed)
                        );
                        failed += 1;
                    }
                    assert!(failed <= 1, "one at a time was under way");
                    count.send_modify(|count| *count += 1);
                }
                answered_by
            })
        })
        .collect();
    drop(count);
    // If all senders failed there is nobody left to wait for, and what they say comes below.
    let _ = counted.wait_for(|count| *count >= 200).await;
    doomed.child.kill().unwrap();
    doomed.child.wait().unwrap();
    *killed.lock().unwrap() = Some(Instant::now());
    let then = *counted.borrow();
    let _ = counted.wait_for(|count| *count >= then + 400).await;
    done.store(true, Ordering::Relaxed);
    let mut answered_by = std::collections::HashSet::new();
    for sender in senders {
        answered_by.extend(sender.await.unwrap());
    }
    assert_eq!(answered_by.len(), 2, "both copies had work");
}

#[tokio::test]
async fn a_copy_that_never_was_there_costs_no_request() {
    let here = Process::start();
    let nobody: SocketAddr = "127.0.0.1:1".parse().unwrap();
    let gateway = in_front_of(&[nobody, here.address], &[]).await;
    let client = reqwest::Client::new();
    for _ in 0..20 {
        assert_eq!(post(&client, &gateway).await.0, StatusCode::OK);
        assert_eq!(get(&client, &gateway).await.0, StatusCode::OK);
    }
}

#[tokio::test]
async fn a_service_that_comes_back_is_used_again() {
    let first = Process::start();
    let address = first.address;
    let gateway = in_front_of(&[address], &[]).await;
    let client = reqwest::Client::new();
    assert_eq!(post(&client, &gateway).await.0, StatusCode::OK);
    drop(first);
    assert_eq!(post(&client, &gateway).await.0, StatusCode::BAD_GATEWAY);
    let listener = tokio::net::TcpListener::bind(address).await.unwrap();
    let router = Router::new().fallback(|| async { "back" });
    tokio::spawn(svc_kit::http::serve(
        listener,
        router,
        CancellationToken::new(),
    ));
    // One copy alone is always tried.
    assert_eq!(post(&client, &gateway).await.1, "back");
}

#[tokio::test]
async fn a_copy_that_says_it_is_not_ready_gets_nothing() {
    let is_ready = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&is_ready);
    let moody = Router::new().fallback(move |request: Request| {
        let is_ready = flag.load(Ordering::Relaxed);
        async move {
            if request.method() == http::Method::OPTIONS && !is_ready {
                return (StatusCode::SERVICE_UNAVAILABLE, "moody");
            }
            (StatusCode::OK, "moody")
        }
    });
    let steady = Router::new().fallback(|| async { "steady" });
    let addresses = [listening(moody).await, listening(steady).await];
    let gateway = in_front_of(
        &addresses,
        &[
            ("GATEWAY_CHECK_INTERVAL", "10ms"),
            ("GATEWAY_ADMIN_PORT", "0"),
        ],
    )
    .await;
    let client = reqwest::Client::new();
    let metrics = format!("http://{}/metrics", gateway.admin.unwrap());
    let available = |value: u8| {
        let line = format!(
            "gateway_upstream_available{{service=\"rest\",copy=\"{}\"}} {value}",
            addresses[0]
        );
        let (client, metrics) = (client.clone(), metrics.clone());
        async move {
            while !client
                .get(&metrics)
                .send()
                .await
                .unwrap()
                .text()
                .await
                .unwrap()
                .contains(&line)
            {}
        }
    };
    available(0).await;
    for _ in 0..20 {
        assert_eq!(get(&client, &gateway).await.1, "steady");
    }
    is_ready.store(true, Ordering::Relaxed);
    available(1).await;
    let mut found = std::collections::HashSet::new();
    for _ in 0..20 {
        found.insert(get(&client, &gateway).await.1);
    }
    assert_eq!(found.len(), 2);
}

#[tokio::test]
async fn a_name_stands_for_all_its_addresses() {
    let copy = Process::start();
    let mut config = config(&[]);
    let url = format!("http://localhost:{}", copy.address.port());
    config.upstreams.set(
        Service::Rest,
        gateway::Upstream::Remote(vec![url.parse().unwrap()]),
    );
    let gateway = serve(config).await;
    let client = reqwest::Client::new();
    for _ in 0..5 {
        assert_eq!(post(&client, &gateway).await.0, StatusCode::OK);
    }
}
