//! On a real Postgres.

mod changes;
mod failures;
mod servers;
mod upkeep;

use std::{
    sync::atomic::{AtomicU32, Ordering},
    time::Duration,
};

use sqlx::{AssertSqlSafe, PgPool, postgres::PgPoolOptions};
use svc_kit::{
    testing::{Template, TestDb},
    wire::Target,
};
use tokio::time::timeout;
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use url::Url;

use super::{
    feed::Source,
    partitions::{Tended, tend},
    *,
};

/// How long something may take that is bound to happen.
const PATIENCE: Duration = Duration::from_secs(60);

/// A database with a slot of its own, which goes with the test.
struct Fixture {
    url: Url,
    pool: PgPool,
    settings: Settings,
}

/// A feed and what comes out of it.
struct Running {
    feed: Feed,
    items: Items,
    tracker: TaskTracker,
    stop: CancellationToken,
}

async fn fixture() -> Fixture {
    let template = Template::new("replication")
        .migrated(crate::migrations())
        .fixture("drop publication if exists supabase_realtime");
    Fixture::new(TestDb::new(&template).await.url())
}

impl Fixture {
    fn new(url: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let target = Target::new(url, "realtime-test", |_| None).unwrap();
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let suffix = format!("t{}_{count}", std::process::id());
        let mut settings = Settings::new(target, Some(&suffix));
        settings.check_every = Duration::from_millis(200);
        Self {
            url: Url::parse(url).unwrap(),
            pool: pool(url),
            settings,
        }
    }

    async fn execute(&self, sql: &str) {
        let done = sqlx::raw_sql(AssertSqlSafe(sql.to_owned()))
            .execute(&self.pool)
            .await;
        done.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The process that reads the slot; nothing if there is no slot.
    async fn holder(&self) -> Option<Option<i32>> {
        let state = slot::state(&self.pool, &self.settings.slot).await.unwrap();
        state.map(|state| state.active_pid)
    }

    fn run(&self) -> Running {
        self.run_with(self.settings.clone())
    }

    fn run_with(&self, settings: Settings) -> Running {
        let tracker = TaskTracker::new();
        let stop = CancellationToken::new();
        let (feed, items) = Feed::spawn(settings, self.pool.clone(), &tracker, stop.clone());
        tracker.close();
        Running {
            feed,
            items,
            tracker,
            stop,
        }
    }

    /// Drops what the test left behind.
    async fn end(self) {
        assert!(
            slot::drop(&self.pool, &self.settings.slot, PATIENCE)
                .await
                .unwrap()
        );
    }
}

impl Running {
    async fn item(&mut self) -> FeedItem {
        let item = timeout(PATIENCE, self.items.recv()).await;
        item.expect("nothing came").expect("the feed has ended")
    }

    async fn streaming(&mut self) -> u64 {
        match self.item().await {
            FeedItem::Streaming { lsn } => lsn,
            item => panic!("{item:?}"),
        }
    }

    /// The changes of the next transaction that is not empty, confirmed; what else comes is left out.
    async fn transaction(&mut self) -> Vec<Change> {
        let mut changes = Vec::new();
        loop {
            match self.item().await {
                FeedItem::Event(Event::Change(_, change)) => changes.push(change),
                FeedItem::Event(Event::Committed { end, .. }) => {
                    self.feed.confirm(end);
                    if !changes.is_empty() {
                        return changes;
                    }
                }
                FeedItem::Streaming { .. } => {}
                FeedItem::Gap(gap) => panic!("{gap:?}"),
            }
        }
    }

    /// The first column of the rows of the next transaction.
    async fn ids(&mut self) -> Vec<String> {
        let changes = self.transaction().await;
        let row = |change: Change| match change.new.unwrap().swap_remove(0) {
            Cell::Text(text) => String::from_utf8(text.to_vec()).unwrap(),
            cell => panic!("{cell:?}"),
        };
        changes.into_iter().map(row).collect()
    }

    async fn until(&self, wanted: impl Fn(&Status) -> bool) {
        let mut status = self.feed.status();
        let reached = timeout(PATIENCE, status.wait_for(|status| wanted(status))).await;
        reached
            .unwrap_or_else(|_| panic!("{:?}", self.feed.status().borrow()))
            .unwrap();
    }

    async fn stop(self) {
        self.stop.cancel();
        timeout(PATIENCE, self.tracker.wait()).await.unwrap();
    }
}

fn pool(url: &str) -> PgPool {
    let options = PgPoolOptions::new().max_connections(2);
    options.connect_lazy(url).unwrap()
}

fn text(text: &str) -> Cell {
    Cell::Text(text.to_owned().into())
}
