//! The engine on a real database, with the changes that its log really has.

mod decode;
mod delivery;
mod leaks;
mod load;
mod oracle;
mod subscribing;

use std::{
    collections::BTreeMap,
    sync::Arc,
    time::{Duration, SystemTime},
};

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, PgPool};
use svc_kit::{
    testing::{Template, TestDb},
    wire::{self, Target},
};
use tokio::sync::mpsc::Receiver;

use super::{Engine, Settings, SubscribeError, Subscriber, Wanted};
use crate::{
    replication::{Change, Commit},
    socket::{Frame, Order, Outlet, Queue, Version},
};

const SLOT: &str = "changes";

/// A database, its log, and an engine with channels on it.
struct World {
    db: TestDb,
    pool: PgPool,
    /// Holds the slot.
    log: PgConnection,
    engine: Engine,
    channels: BTreeMap<u64, Receiver<Order>>,
}

/// What a channel was sent: the ids and the data.
type Message = (Vec<u64>, Value);

impl World {
    async fn new(fixture: &str) -> Self {
        let template = Template::new("realtime_changes")
            .migrated(crate::migrations())
            .migrated(crate::service_migrations());
        let db = TestDb::new(&template).await;
        let pool = db.pool();
        execute(&pool, fixture).await;
        let target = Target::new(db.url(), "realtime", |_| None).unwrap();
        let wire = wire::pool(target, 4, Duration::from_secs(10)).unwrap();
        let mut log = PgConnection::connect(db.url()).await.unwrap();
        let slot = format!("{SLOT}_{}", uuid::Uuid::new_v4().simple());
        sqlx::query("select pg_create_logical_replication_slot($1, 'pgoutput', true)")
            .bind(&slot)
            .execute(&mut log)
            .await
            .unwrap();
        sqlx::query(
            "select set_config('app.slot', $1, false), set_config('TimeZone', 'UTC', false)",
        )
        .bind(&slot)
        .execute(&mut log)
        .await
        .unwrap();
        Self {
            db,
            pool,
            log,
            engine: Engine::new(wire, Settings::default()),
            channels: BTreeMap::new(),
        }
    }

    /// Lets a new channel listen.
    async fn listen(
        &mut self,
        channel: u64,
        claims: Value,
        wanted: &[Value],
    ) -> Result<(), SubscribeError> {
        let (queue, frames) = Queue::new();
        let outlet = Outlet::new(queue, Version::V2, "realtime:room".into(), false);
        let wanted = wanted.iter().map(|it| Wanted::parse(it).unwrap()).collect();
        self.channels.insert(channel, frames);
        self.engine
            .subscribe(channel, outlet, subscriber(&claims), wanted)
            .await
    }

    async fn execute(&self, sql: &str) {
        execute(&self.pool, sql).await;
    }

    /// What the log has since the last look.
    async fn changes(&mut self) -> Vec<(Commit, Change)> {
        let messages: Vec<Vec<u8>> = sqlx::query_scalar(
            "select data from pg_logical_slot_get_binary_changes(current_setting('app.slot'), null, null,
                'proto_version', '1', 'publication_names', 'supabase_realtime')",
        )
        .fetch_all(&mut self.log)
        .await
        .unwrap();
        decode::changes(&messages)
    }

    /// Delivers what the log has; gives what every channel was sent.
    async fn deliver(&mut self) -> BTreeMap<u64, Vec<Message>> {
        let batch = self.changes().await;
        self.engine.deliver(&batch).await.unwrap();
        self.sent()
    }

    /// What every channel was sent, without those that were sent nothing.
    fn sent(&mut self) -> BTreeMap<u64, Vec<Message>> {
        let mut sent = BTreeMap::new();
        for (channel, frames) in &mut self.channels {
            let messages: Vec<_> = std::iter::from_fn(|| frames.try_recv().ok())
                .map(message)
                .collect();
            if !messages.is_empty() {
                sent.insert(*channel, messages);
            }
        }
        sent
    }

    /// Who was sent how many messages.
    async fn deliver_and_count(&mut self) -> Vec<(u64, usize)> {
        let sent = self.deliver().await;
        sent.into_iter()
            .map(|(channel, messages)| (channel, messages.len()))
            .collect()
    }
}

fn message(order: Order) -> Message {
    let Order::Send(Frame::Text(text)) = order else {
        panic!("{order:?}")
    };
    let frame: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(frame[3], "postgres_changes");
    let ids = frame[4]["ids"].as_array().unwrap().iter();
    (
        ids.map(|id| id.as_u64().unwrap()).collect(),
        frame[4]["data"].clone(),
    )
}

fn subscriber(claims: &Value) -> Arc<Subscriber> {
    let later = SystemTime::now() + Duration::from_hours(1);
    let role = claims["role"].as_str().unwrap();
    Arc::new(Subscriber::new(role, &claims.to_string(), later))
}

/// The claims of a user.
fn user(sub: &str) -> Value {
    json!({"role": "authenticated", "sub": sub})
}

fn service() -> Value {
    json!({"role": "service_role"})
}

fn on(table: &str) -> Value {
    json!({"event": "*", "schema": "public", "table": table})
}

async fn execute(pool: &PgPool, sql: &str) {
    // The cluster of the tests does not wait for its log, which cannot be read before it is written.
    let sql = format!("set synchronous_commit to on; {sql}");
    sqlx::raw_sql(AssertSqlSafe(sql))
        .execute(pool)
        .await
        .unwrap();
}

/// A table of notes that their owners see.
const NOTES: &str = "

    create table public.notes (id int primary key, owner text not null, body text);
    alter table public.notes enable row level security;
    create policy own on public.notes for select to authenticated
        using (owner = current_setting('request.jwt.claims', true)::jsonb ->> 'sub');
    grant select on public.notes to authenticated, anon, service_role;
    alter publication supabase_realtime add table public.notes;";
