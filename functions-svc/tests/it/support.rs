//! A service with functions of its own, on a port of its own, with the real Deno.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    sync::{Arc, Mutex},
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use functions_svc::{App, Config};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde_json::{Value, json};
use svc_kit::env::Vars;
use tempfile::TempDir;
use tokio::{net::TcpListener, task::JoinHandle};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) const SECRET: &str = "a secret of the tests, long enough for HMAC";

/// Longer than anything takes that works, on a machine that does other things.
const PATIENCE: Duration = Duration::from_secs(60);

pub(crate) fn token(algorithm: Algorithm, secret: &str, expires_in: i64) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs()
        .cast_signed();
    let claims = json!({ "role": "anon", "exp": now + expires_in });
    let key = EncodingKey::from_secret(secret.as_bytes());
    encode(&Header::new(algorithm), &claims, &key).unwrap()
}

/// A service that is being served.
pub(crate) struct Service {
    pub(crate) address: SocketAddr,
    pub(crate) client: reqwest::Client,
    project: TempDir,
    stop: CancellationToken,
    workers: TaskTracker,
    server: JoinHandle<std::io::Result<()>>,
}

/// An answer, read to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) text: String,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|_| panic!("no JSON: {self:?}"))
    }
}

impl Service {
    /// Serves these files of a project's `functions` folder, without tokens.
    pub(crate) async fn start(files: &[(&str, &str)]) -> Self {
        Self::start_with(files, &[]).await
    }

    pub(crate) async fn start_with(files: &[(&str, &str)], settings: &[(&str, &str)]) -> Self {
        let project = tempfile::tempdir().unwrap();
        let functions = project.path().join("functions");
        fs::create_dir_all(&functions).unwrap();
        let stop = CancellationToken::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        for (path, text) in files {
            write(functions.join(path), text);
        }
        let process = Vars::from_process();
        let machine = [
            "PATH",
            "SSL_CERT_FILE",
            "NODE_EXTRA_CA_CERTS",
            "HTTPS_PROXY",
            "NO_PROXY",
        ];
        let vars: Vars = machine
            .iter()
            .filter_map(|name| Some((*name, process.get(name)?)))
            .chain([
                ("JWT_SECRET", SECRET),
                ("VERIFY_JWT", "false"),
                ("FUNCTIONS_DIR", functions.to_str().unwrap()),
                // Packages are fetched once for all tests.
                (
                    "FUNCTIONS_CACHE_DIR",
                    concat!(env!("CARGO_TARGET_TMPDIR"), "/functions-cache"),
                ),
                ("FUNCTIONS_WATCH_INTERVAL", "50ms"),
                ("FUNCTIONS_REQUEST_WAIT_TIMEOUT", "45s"),
                // Under a load, starting and answering may use a lot; tests of limits set their own.
                ("FUNCTIONS_CPU_SOFT_LIMIT", "20s"),
                ("FUNCTIONS_CPU_HARD_LIMIT", "30s"),
                ("SUPABASE_URL", "http://platform.example"),
            ])
            .chain(settings.iter().copied())
            .collect();
        let config = Config::from_vars(&vars).unwrap();
        let app = App::connect(config).await.unwrap();
        let workers_stop = stop.child_token();
        let workers = app.spawn_workers(workers_stop);
        let server = tokio::spawn(svc_kit::http::serve(listener, app.router(), stop.clone()));
        Self {
            address,
            client: reqwest::Client::builder()
                .timeout(PATIENCE)
                .build()
                .unwrap(),
            project,
            stop,
            workers,
            server,
        }
    }

    pub(crate) fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let response = self.client.get(self.url(path)).send().await.unwrap();
        Answer {
            status: response.status().as_u16(),
            text: response.text().await.unwrap(),
        }
    }

    /// The answer's text, which has to be a success.
    pub(crate) async fn text(&self, path: &str) -> String {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.text
    }

    /// Writes a file of the `functions` folder.
    pub(crate) fn write(&self, path: &str, text: &str) {
        write(self.project.path().join("functions").join(path), text);
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.project.path().to_owned()
    }

    /// A count of `_internal/metrics`.
    pub(crate) async fn metric(&self, name: &str) -> u64 {
        let text = self.text("_internal/metrics").await;
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))
            .unwrap_or_else(|| panic!("{name} is not in\n{text}"));
        line.parse().unwrap()
    }

    /// Stops as SIGTERM does.
    pub(crate) async fn stop(self) {
        self.stop.cancel();
        self.server.await.unwrap().unwrap();
        self.workers.close();
        self.workers.wait().await;
    }
}

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    // As editors do it, so that nobody reads half a file.
    let fresh = path.with_extension("new");
    fs::write(&fresh, text).unwrap();
    fs::rename(fresh, path).unwrap();
}

/// Asks until the answer is yes.
pub(crate) async fn until<F: Future<Output = bool>>(what: &str, mut check: impl FnMut() -> F) {
    let asked = tokio::time::timeout(PATIENCE, async {
        while !check().await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    assert!(asked.await.is_ok(), "{what}: never");
}

/// Whether a process of this id runs.
pub(crate) fn runs(pid: u32) -> bool {
    fs::read_to_string(format!("/proc/{pid}/stat")).is_ok_and(|stat| {
        !stat
            .rsplit(')')
            .next()
            .unwrap_or_default()
            .starts_with(" Z")
    })
}

/// Somebody outside, whom functions can tell something.
pub(crate) struct Listener {
    pub(crate) url: String,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Listener {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let heard = Arc::<Mutex<Vec<String>>>::default();
        let note = heard.clone();
        let router = axum::Router::new().fallback(move |uri: http::Uri| {
            let text = uri.path().trim_start_matches('/').to_owned();
            note.lock().unwrap().push(text);
            std::future::ready("heard")
        });
        tokio::spawn(axum::serve(listener, router).into_future());
        Self { url, heard }
    }

    /// Everything so far, in its order.
    pub(crate) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}
