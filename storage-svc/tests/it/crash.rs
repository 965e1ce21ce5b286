//! The service is killed at random moments while it is at work. What was answered with success must be there, and no
//! row may be without its blob.

use std::{
    collections::HashMap,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use chrono::{TimeDelta, Utc};
use rand::{Rng as _, SeedableRng as _, rngs::StdRng};
use serde_json::json;
use svc_kit::testing::{Template, TestDb};
use tempfile::TempDir;

use super::{
    SECRET, Service,
    backend::{on_s3, s3_server},
    service::files,
    token,
};

/// How often it is killed, unless `NILAM_CRASH_ROUNDS` says otherwise.
const ROUNDS: u64 = 8;
const WORKERS: u64 = 6;
/// Operations of a worker in a round, if nobody kills it before.
const OPERATIONS: usize = 40;
const KEYS: usize = 6;

/// What may be under a key: nothing or a content. More than one if nobody knows whether an operation was done.
type Possible = Vec<Option<String>>;

/// The service as a process of its own.
struct Process {
    child: Child,
    url: String,
}

impl Process {
    async fn start(database: &str, settings: &[(&str, &str)]) -> Self {
        let port = pg_embed::free_port().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_storage-svc"))
            .env_clear()
            .envs([
                ("SERVER_HOST", "127.0.0.1"),
                ("SERVER_PORT", &port.to_string()),
                ("DATABASE_URL", database),
                ("DATABASE_CONNECTION_TIMEOUT", "60000"),
                ("PGRST_JWT_SECRET", SECRET),
                ("FILE_SIZE_LIMIT", "10000000"),
                ("TENANT_ID", "tenant"),
                ("RUST_LOG", "off"),
            ])
            .envs(settings.iter().copied())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let url = format!("http://127.0.0.1:{port}");
        let mut process = Self { child, url };
        for _ in 0..600 {
            if reqwest::get(format!("{}/status", process.url))
                .await
                .is_ok()
            {
                return process;
            }
            assert!(process.child.try_wait().unwrap().is_none(), "it ended");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("the service did not start");
    }

    fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

/// One client with keys of its own.
struct Worker {
    prefix: String,
    keys: HashMap<String, Possible>,
    done: usize,
    random: StdRng,
    client: reqwest::Client,
}

impl Worker {
    fn new(number: u64) -> Self {
        let client = reqwest::Client::builder().timeout(Duration::from_secs(60));
        Self {
            prefix: format!("w{number}"),
            keys: HashMap::new(),
            done: 0,
            random: StdRng::seed_from_u64(number),
            client: client.build().unwrap(),
        }
    }

    fn key(&mut self) -> String {
        format!("{}/k{}", self.prefix, self.random.random_range(0..KEYS))
    }

    fn possible(&self, key: &str) -> Possible {
        self.keys.get(key).cloned().unwrap_or_else(|| vec![None])
    }

    /// Works until something fails, which is when the service was killed.
    async fn work(mut self, url: String) -> Self {
        for _ in 0..OPERATIONS {
            let is_alive = match self.random.random_range(0..6) {
                0..=2 => self.upload(&url).await,
                3 => self.carry(&url, "move").await,
                4 => self.carry(&url, "copy").await,
                _ => self.delete(&url).await,
            };
            if !is_alive {
                break;
            }
            self.done += 1;
        }
        self
    }

    async fn upload(&mut self, url: &str) -> bool {
        let key = self.key();
        // From a few bytes to more than is written at a time.
        let length = 1 << self.random.random_range(3..20);
        let letter = char::from(self.random.random_range(b'a'..=b'z'));
        let content = letter.to_string().repeat(length);
        let sent = self
            .client
            .put(format!("{url}/object/closed/{key}"))
            .bearer_auth(token("service_role"))
            .body(content.clone())
            .send()
            .await;
        let mut possible = self.possible(&key);
        let is_alive = match sent {
            Ok(answer) if answer.status().is_success() => {
                possible = vec![Some(content)];
                true
            }
            Ok(answer) => panic!("{}", answer.text().await.unwrap_or_default()),
            Err(_) => {
                possible.push(Some(content));
                false
            }
        };
        self.keys.insert(key, possible);
        is_alive
    }

    async fn carry(&mut self, url: &str, how: &str) -> bool {
        let (from, to) = (self.key(), self.key());
        if from == to {
            return true;
        }
        let body = json!({ "bucketId": "closed", "sourceKey": from, "destinationKey": to });
        let sent = self
            .client
            .post(format!("{url}/object/{how}"))
            .bearer_auth(token("service_role"))
            .json(&body)
            .send()
            .await;
        let (source, mut target) = (self.possible(&from), self.possible(&to));
        match sent {
            Ok(answer) if answer.status().is_success() => {
                let found: Possible = source.into_iter().flatten().map(Some).collect();
                self.keys.insert(to, found.clone());
                if how == "move" {
                    self.keys.insert(from, vec![None]);
                } else {
                    self.keys.insert(from, found);
                }
                true
            }
            // There is no source, or the target is taken.
            Ok(answer) => {
                assert_eq!(answer.status(), 400);
                true
            }
            Err(_) => {
                target.extend(source.clone());
                self.keys.insert(to, target);
                if how == "move" {
                    let mut source = source;
                    source.push(None);
                    self.keys.insert(from, source);
                }
                false
            }
        }
    }

    async fn delete(&mut self, url: &str) -> bool {
        let key = self.key();
        let sent = self
            .client
            .delete(format!("{url}/object/closed/{key}"))
            .bearer_auth(token("service_role"))
            .send()
            .await;
        let mut possible = self.possible(&key);
        let is_alive = sent.is_ok();
        if is_alive {
            // Gone now, whether it was there or not.
            possible.clear();
        }
        possible.push(None);
        self.keys.insert(key, possible);
        is_alive
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_files_nothing_acknowledged_is_lost_and_no_row_is_without_its_blob() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().to_str().unwrap();
    let settings = [
        ("STORAGE_BACKEND", "file"),
        ("FILE_STORAGE_BACKEND_PATH", path),
    ];
    survive(&settings, &folder.path().join("stub/tenant")).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn over_s3_nothing_acknowledged_is_lost_and_no_row_is_without_its_blob() {
    let folder = TempDir::new().unwrap();
    let url = s3_server(&folder).await;
    survive(&on_s3(&url), &folder.path().join("blobs/tenant")).await;
}

/// Kills the service with these settings again and again. Its blobs are files below `root`, which outlives it.
async fn survive(settings: &[(&str, &str)], root: &Path) {
    let template = Template::new("storage_crash")
        .migrated(storage_svc::migrations())
        .fixture("insert into storage.buckets (id, name) values ('closed', 'closed')");
    let database = TestDb::new(&template).await;
    let url = database.url_as("supabase_storage_admin");
    // The same settings as the process has, in this one, to look at what it leaves.
    let service = Service::on(database, settings).await;
    let mut random = StdRng::seed_from_u64(7);
    let mut workers: Vec<Worker> = (0..WORKERS).map(Worker::new).collect();
    let mut killed = 0;
    let rounds = std::env::var("NILAM_CRASH_ROUNDS");
    let rounds = rounds.map_or(ROUNDS, |text| text.parse().unwrap());
    for _ in 0..rounds {
        let process = Process::start(&url, settings).await;
        let address = process.url.clone();
        let working = workers
            .into_iter()
            .map(|worker| tokio::spawn(worker.work(address.clone())));
        let working: Vec<_> = working.collect();
        tokio::time::sleep(Duration::from_millis(random.random_range(100..1500))).await;
        killed += usize::from(working.iter().any(|worker| !worker.is_finished()));
        process.kill();
        workers = futures_util::future::join_all(working)
            .await
            .into_iter()
            .map(Result::unwrap)
            .collect();
    }
    let done: usize = workers.iter().map(|worker| worker.done).sum();
    println!("{done} operations were answered, {killed} of {rounds} rounds interrupted");
    assert!(killed > 0, "nothing was interrupted, so nothing was tested");

    for worker in &workers {
        for (key, possible) in &worker.keys {
            let read = service
                .get(&format!("/object/closed/{key}"))
                .service()
                .send()
                .await;
            let found = (read.status == 200).then(|| String::from_utf8(read.bytes).unwrap());
            assert!(
                possible.contains(&found),
                "{key} is {:?} of {:?}",
                found.as_ref().map(|text| (text.len(), text.chars().next())),
                possible
                    .iter()
                    .map(|text| text.as_ref().map(|text| (text.len(), text.chars().next())))
                    .collect::<Vec<_>>()
            );
        }
    }
    let rows: Vec<(String, String, i64)> = sqlx::query_as(
        "select name, version, (metadata->>'size')::bigint from storage.objects order by name",
    )
    .fetch_all(&service.pool())
    .await
    .unwrap();
    for (name, version, size) in &rows {
        let file = std::fs::metadata(root.join("closed").join(name).join(version));
        let file = file.unwrap_or_else(|error| panic!("{name} has no blob: {error}"));
        assert_eq!(file.len(), u64::try_from(*size).unwrap(), "{name}");
    }
    // What a process has sent to a server of blobs last may come there after its end.
    for _ in 0..100 {
        let later = Utc::now() + TimeDelta::hours(1);
        service.app.sweep(later).await.unwrap();
        if files(root).len() == rows.len() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    panic!(
        "the sweep leaves {} blobs for {} rows",
        files(root).len(),
        rows.len()
    );
}
