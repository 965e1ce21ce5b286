//! Subscriptions: how they come, change and go.

mod registration;

use std::{
    collections::HashSet,
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use svc_kit::{pg::Caller, wire::Pool};
use tokio::sync::{Notify, OnceCell};
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::{
    catalog::{self, Published},
    index::{Channel, Index, Subscription},
    metrics::Metrics,
    questions::GivenUp,
    sql::{Database, DatabaseError, Statement, plain_array},
    wanted::Wanted,
};
use crate::{bus, socket::Outlet};
use registration::Registered;

/// Rows that wait for their deletion. What is more stays until the next start, and does no harm.
const MAX_REMOVED: usize = 100_000;
/// Rows deleted at a time.
const DELETED_AT_ONCE: usize = 1000;

/// The number of the next [`Subscriber`].
static NEWEST: AtomicU64 = AtomicU64::new(0);

/// On whose behalf a channel listens.
#[derive(Clone, Debug)]
pub(crate) struct Subscriber {
    /// Role and claims. The claims name the role, too.
    pub(crate) caller: Caller,
    /// From then on nothing is delivered.
    pub(crate) expires_at: SystemTime,
    /// The claim `sub`, if it is a UUID.
    pub(super) subject: Option<String>,
    /// Of two of a channel the one with the greater number came later.
    pub(super) number: u64,
}

impl Subscriber {
    pub(crate) fn new(role: &str, claims_json: &str, expires_at: SystemTime) -> Self {
        #[derive(serde::Deserialize)]
        struct Claims {
            sub: String,
        }
        // Other spellings of a UUID are left to Postgres.
        let canonical = |text: &String| text.len() == 36;
        let claims: Option<Claims> = serde_json::from_str(claims_json).ok();
        let subject = claims.map(|claims| claims.sub).filter(canonical);
        let subject: Option<Uuid> = subject.and_then(|text| text.parse().ok());
        Self {
            subject: subject.map(|subject| subject.to_string()),
            number: NEWEST.fetch_add(1, Ordering::Relaxed),
            caller: Caller {
                role: role.to_owned(),
                claims_json: claims_json.to_owned(),
                before_role: Vec::new(),
                settings: Vec::new(),
            },
            expires_at,
        }
    }

    pub(super) fn is_expired(&self) -> bool {
        SystemTime::now() >= self.expires_at
    }
}

/// What the engine may do.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// The publication whose tables can be listened to.
    pub(crate) publication: String,
    /// Changes above this size are cut down.
    pub(crate) max_record_bytes: usize,
    /// How often the publication's tables are looked up.
    pub(crate) refresh: Duration,
    /// How many connections the checks of one batch use.
    pub(crate) parallel: usize,
    /// How long the database may take for an answer.
    pub(crate) patience: Duration,
    /// The number of this copy of the service, where there are others: rows of these stay.
    pub(crate) node: Option<u64>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            publication: "supabase_realtime".to_owned(),
            max_record_bytes: 1024 * 1024,
            refresh: Duration::from_secs(5),
            parallel: 3,
            patience: Duration::from_secs(10),
            node: None,
        }
    }
}

/// Why there is no subscription.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubscribeError {
    /// It would be the same the next time: a text for the client.
    #[error("{0}")]
    Refused(String),
    /// It may work later.
    #[error(transparent)]
    Database(#[from] DatabaseError),
}

/// Why a batch was not delivered; nothing of it was.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EngineError {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("rights keep changing while they are checked")]
    Unsettled,
}

/// Who listens to changes of rows. Clones are one engine.
#[derive(Clone)]
pub(crate) struct Engine(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) database: Database,
    pub(super) settings: Settings,
    pub(super) index: RwLock<Index>,
    pub(super) metrics: Metrics,
    pub(super) given_up: GivenUp,
    /// What was published when it was last looked up; none before the first time.
    published: tokio::sync::Mutex<Option<HashSet<Published>>>,
    /// The tables that need no look at the publication.
    pub(super) known: RwLock<HashSet<u32>>,
    /// Rows of an earlier process are gone.
    cleared: OnceCell<()>,
    /// The roles of all who ever listened.
    pub(super) roles: RwLock<HashSet<String>>,
    removed: Mutex<Vec<Uuid>>,
    has_removed: Notify,
}

impl Engine {
    /// The connections that questions are asked over.
    pub(crate) fn pool(&self) -> &Pool {
        &self.0.database.pool
    }

    /// An engine without listeners; nothing needs to be reachable yet. The pool's role is a superuser.
    pub(crate) fn new(pool: Pool, settings: Settings) -> Self {
        let database = Database {
            pool,
            patience: settings.patience,
        };
        Self(Arc::new(Inner {
            database,
            settings,
            index: RwLock::default(),
            metrics: Metrics::default(),
            given_up: GivenUp::default(),
            published: tokio::sync::Mutex::default(),
            known: RwLock::default(),
            cleared: OnceCell::new(),
            roles: RwLock::default(),
            removed: Mutex::default(),
            has_removed: Notify::new(),
        }))
    }

    /// What was counted so far.
    pub(crate) fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    /// True if nobody listens.
    pub(crate) fn is_empty(&self) -> bool {
        self.read().is_empty()
    }

    /// How many subscriptions there are; one on several tables counts for each.
    pub(crate) fn len(&self) -> usize {
        self.read().len()
    }

    pub(super) fn read(&self) -> std::sync::RwLockReadGuard<'_, Index> {
        self.0.index.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> std::sync::RwLockWriteGuard<'_, Index> {
        self.0.index.write().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes a channel listen; what it listened to before is replaced. It misses nothing that is committed after this
    /// returns.
    pub(crate) async fn subscribe(
        &self,
        channel: u64,
        outlet: Outlet,
        caller: Arc<Subscriber>,
        wanted: Vec<Wanted>,
    ) -> Result<(), SubscribeError> {
        self.clear_once().await?;
        let node = self.0.settings.node;
        let made = wanted.into_iter().map(|wanted| Subscription {
            uuid: node.map_or_else(Uuid::new_v4, bus::subscription_id),
            wanted,
            since: 0,
        });
        let mut subscriptions: Vec<_> = made.collect();
        // If this future is dropped, nobody else knows of the rows.
        let mut rows = Rows {
            engine: self.clone(),
            uuids: subscriptions.iter().map(|it| it.uuid).collect(),
        };
        let registered = self.register(&caller, &subscriptions).await?;
        for subscription in &mut subscriptions {
            subscription.since = registered.position;
        }
        self.note_role(&caller);
        let channel = Arc::new(Channel::new(channel, outlet, caller, subscriptions));
        let mut index = self.write();
        let former = index.insert(&channel);
        if let Some(former) = &former {
            channel.set_caller(former.caller());
        }
        Self::enter(&mut index, &channel, registered, |_| true);
        drop(index);
        rows.uuids.clear();
        if let Some(former) = former {
            self.discard(former.subscriptions.iter().map(|it| it.uuid));
        }
        Ok(())
    }

    /// Ends what a channel listens to: at once, as far as it can tell.
    pub(crate) fn unsubscribe(&self, channel: u64) {
        let former = self.write().remove(channel);
        if let Some(former) = former {
            self.discard(former.subscriptions.iter().map(|it| it.uuid));
        }
    }

    /// Gives a channel new claims, unless it has newer ones; its subscriptions stay as they are. Where they do not allow a
    /// subscription, they count nevertheless; if the database fails, the old ones stay until they expire.
    pub(crate) async fn renew(
        &self,
        channel: u64,
        caller: Arc<Subscriber>,
    ) -> Result<(), SubscribeError> {
        let Some(channel) = self.read().channel(channel).cloned() else {
            return Ok(());
        };
        let registered = self.register(&caller, &channel.subscriptions).await;
        if let Err(error @ SubscribeError::Database(_)) = registered {
            return Err(error);
        }
        if channel.is_gone() {
            self.discard(channel.subscriptions.iter().map(|it| it.uuid));
        }
        self.note_role(&caller);
        channel.set_caller(caller);
        registered.map(|_| ())
    }

    /// Every channel that listens, and the way to it.
    pub(crate) fn outlets(&self) -> Vec<(u64, Outlet)> {
        let index = self.read();
        let outlets = index.channels().map(|it| (it.number, it.outlet.clone()));
        outlets.collect()
    }

    fn note_role(&self, caller: &Subscriber) {
        let role = &caller.caller.role;
        let is_known = |roles: &HashSet<String>| roles.contains(role);
        if !is_known(&self.0.roles.read().unwrap_or_else(PoisonError::into_inner)) {
            let mut roles = self.0.roles.write().unwrap_or_else(PoisonError::into_inner);
            roles.insert(role.clone());
        }
    }

    /// Deletes rows of channels that are gone, and keeps up with what is published, until it is stopped.
    pub(crate) async fn run(&self, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.0.has_removed.notified() => {}
                () = tokio::time::sleep(self.0.settings.refresh), if !self.is_empty() => {
                    if let Err(error) = self.refresh().await {
                        tracing::warn!(%error, "the publication's tables cannot be read");
                    }
                }
            }
            if let Err(error) = self.delete_removed().await {
                tracing::warn!(%error, "rows of subscriptions cannot be deleted");
                tokio::select! {
                    () = stop.cancelled() => return,
                    () = tokio::time::sleep(self.0.settings.refresh) => self.0.has_removed.notify_one(),
                }
            }
        }
    }

    /// Deletes the rows that an earlier process left, before the first of this one.
    async fn clear_once(&self) -> Result<(), DatabaseError> {
        let clear = || async {
            if self.0.settings.node.is_none() {
                let delete = Statement::new("delete from realtime.subscription", []);
                self.0.database.run(&[delete]).await?;
            }
            self.refresh().await
        };
        self.0.cleared.get_or_try_init(clear).await.copied()
    }

    fn discard(&self, uuids: impl IntoIterator<Item = Uuid>) {
        let mut removed = self
            .0
            .removed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let room = MAX_REMOVED.saturating_sub(removed.len());
        removed.extend(uuids.into_iter().take(room));
        drop(removed);
        self.0.has_removed.notify_one();
    }

    pub(super) async fn delete_removed(&self) -> Result<(), DatabaseError> {
        loop {
            let uuids: Vec<_> = {
                let mut removed = self
                    .0
                    .removed
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                let start = removed.len().saturating_sub(DELETED_AT_ONCE);
                removed.drain(start..).collect()
            };
            if uuids.is_empty() {
                return Ok(());
            }
            let list = plain_array(&uuids);
            let delete = Statement::new(
                "delete from realtime.subscription where subscription_id = any ($1::uuid[])",
                [&*list],
            );
            if let Err(error) = self.0.database.run(&[delete]).await {
                self.discard(uuids);
                return Err(error);
            }
        }
    }

    /// Looks up what is published. Tables that came are listened to by those who want them, tables that went are
    /// forgotten.
    pub(super) async fn refresh(&self) -> Result<(), DatabaseError> {
        let mut published = self.0.published.lock().await;
        let found = catalog::published(&self.0.database, &self.0.settings.publication).await?;
        let found: HashSet<_> = found.into_iter().collect();
        let added: Vec<_> = match &*published {
            Some(known) => found.difference(known).cloned().collect(),
            // The first look comes before the first subscription.
            None => Vec::new(),
        };
        let oids: HashSet<_> = found.iter().map(|table| table.oid).collect();
        if published.as_ref() != Some(&found) {
            self.follow(&added, &oids).await?;
        }
        *self.0.known.write().unwrap_or_else(PoisonError::into_inner) = oids;
        *published = Some(found);
        Ok(())
    }

    async fn follow(&self, added: &[Published], oids: &HashSet<u32>) -> Result<(), DatabaseError> {
        let gone = self.write().retain_tables(|oid| oids.contains(&oid));
        if !gone.is_empty() {
            let gone = plain_array(gone);
            let delete = Statement::new(
                "delete from realtime.subscription where entity = any ($1::oid[])",
                [&*gone],
            );
            self.0.database.run(&[delete]).await?;
        }
        let channels: Vec<_> = self.read().channels().cloned().collect();
        let added_oids: HashSet<_> = added.iter().map(|table| table.oid).collect();
        for channel in channels {
            let wants = |it: &&Subscription| {
                added
                    .iter()
                    .any(|table| it.wanted.covers(&table.schema, &table.name))
            };
            let subscriptions: Vec<_> = channel
                .subscriptions
                .iter()
                .filter(wants)
                .cloned()
                .collect();
            if subscriptions.is_empty() {
                continue;
            }
            match self.register(&channel.caller(), &subscriptions).await {
                Ok(registered) => {
                    let mut index = self.write();
                    if channel.is_gone() {
                        self.discard(subscriptions.iter().map(|it| it.uuid));
                    } else {
                        Self::enter(&mut index, &channel, registered, |oid| {
                            added_oids.contains(&oid)
                        });
                    }
                }
                Err(SubscribeError::Refused(reason)) => {
                    tracing::warn!(%reason, "a subscription cannot follow the publication");
                }
                Err(SubscribeError::Database(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Puts what was registered into the index, but for what is there already.
    fn enter(
        index: &mut Index,
        channel: &Arc<Channel>,
        registered: Registered,
        is_new: impl Fn(u32) -> bool,
    ) {
        for (table, entry) in registered.entries(channel) {
            if is_new(table) && !index.has(&entry, table) {
                index.insert_entry(table, entry);
            }
        }
    }
}

/// Rows that are deleted if nobody takes them over.
struct Rows {
    engine: Engine,
    uuids: Vec<Uuid>,
}

impl Drop for Rows {
    fn drop(&mut self) {
        if !self.uuids.is_empty() {
            self.engine.discard(self.uuids.drain(..));
        }
    }
}
