//! Several copies of the service on one database and one NATS server.

mod changes;
mod delivery;
mod presence;
mod rooms;
mod server;

use serde_json::{Value, json};
use svc_kit::testing::TestDb;
use tokio::runtime::Runtime;

use crate::{
    client::{Client, Service, anon},
    suffix,
};
use server::Nats;

const TOPIC: &str = "realtime:acquainted";

/// Settings of a copy.
fn settings<'a>(suffix: &'a str, url: &'a str) -> Vec<(&'a str, &'a str)> {
    vec![
        ("SLOT_NAME_SUFFIX", suffix),
        ("NATS_URL", url),
        ("BUS_NODE_TIMEOUT_MS", "3000"),
        ("TENANT_MAX_CONCURRENT_USERS", "1000"),
    ]
}

async fn copy(db: &TestDb, nats: &Nats) -> Service {
    Service::on(db, &settings(&suffix(db), nats.url())).await
}

/// A copy on a runtime of its own, which can be killed like a process.
struct Mortal {
    runtime: Option<Runtime>,
    service: Option<Service>,
}

impl Mortal {
    async fn new(db: &TestDb, nats: &Nats, more: &'static [(&'static str, &'static str)]) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .unwrap();
        let (database, suffix, url) = (
            db.url_as("supabase_admin"),
            suffix(db),
            nats.url().to_owned(),
        );
        let starting = runtime.spawn(async move {
            let mut settings = settings(&suffix, &url);
            settings.extend(more);
            Service::start(&database, &settings).await
        });
        Self {
            service: Some(starting.await.unwrap()),
            runtime: Some(runtime),
        }
    }

    fn service(&self) -> &Service {
        self.service.as_ref().unwrap()
    }

    /// Ends all its tasks where they are: nobody is told anything.
    fn kill(&mut self) {
        self.runtime.take().unwrap().shutdown_background();
    }
}

impl Drop for Mortal {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Returns when copies hear each other.
async fn acquaint(copies: &[&Service]) {
    let mut clients = Vec::new();
    for copy in copies {
        let mut client = copy.connect(&anon()).await;
        client.joined(TOPIC, json!({})).await;
        clients.push(client);
    }
    for from in 0..clients.len() {
        for to in (0..clients.len()).filter(|to| *to != from) {
            let event = format!("{from} to {to}");
            loop {
                clients[from].send(TOPIC, &event, json!({})).await;
                if clients[to].heard_by_now(&event).await {
                    break;
                }
            }
        }
    }
}

/// Subscribes to rows.
async fn listen(client: &mut Client, topic: &str, wanted: Value) {
    client
        .joined(topic, json!({"postgres_changes": [wanted]}))
        .await;
    let system = client.hear_event("system").await;
    assert_eq!(system["message"], "Subscribed to PostgreSQL", "{system:?}");
}
