//! Who listens to which table, in memory: a change finds its listeners without looking at the others.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex, PoisonError, RwLock,
        atomic::{AtomicBool, Ordering},
    },
};

use uuid::Uuid;

use super::{Subscriber, filter::Filter, types::Kind, wanted::Wanted};
use crate::{replication::Action, socket::Outlet};

/// A channel that listens.
#[derive(Debug)]
pub(super) struct Channel {
    pub(super) number: u64,
    pub(super) outlet: Outlet,
    caller: RwLock<Arc<Subscriber>>,
    is_gone: AtomicBool,
    pub(super) subscriptions: Vec<Subscription>,
    /// The numbers of the channel's entries, by table.
    entries: Mutex<HashMap<u32, Vec<u64>>>,
}

/// One of a channel's subscriptions.
#[derive(Clone, Debug)]
pub(super) struct Subscription {
    /// Its rows in the database.
    pub(super) uuid: Uuid,
    pub(super) wanted: Wanted,
    /// Earlier commits are not for it.
    pub(super) since: u64,
}

impl Channel {
    pub(super) fn new(
        number: u64,
        outlet: Outlet,
        caller: Arc<Subscriber>,
        subscriptions: Vec<Subscription>,
    ) -> Self {
        Self {
            number,
            outlet,
            caller: RwLock::new(caller),
            is_gone: AtomicBool::new(false),
            subscriptions,
            entries: Mutex::default(),
        }
    }

    pub(super) fn caller(&self) -> Arc<Subscriber> {
        let caller = self.caller.read().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(&caller)
    }

    /// The newer one stays: two may have been registered at the same time.
    pub(super) fn set_caller(&self, caller: Arc<Subscriber>) {
        let mut current = self.caller.write().unwrap_or_else(PoisonError::into_inner);
        if caller.number >= current.number {
            *current = caller;
        }
    }

    pub(super) fn is_gone(&self) -> bool {
        self.is_gone.load(Ordering::Acquire)
    }
}

/// A subscription on one table.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) channel: Arc<Channel>,
    uuid: Uuid,
    /// What the client knows it by.
    pub(super) id: u32,
    pub(super) since: u64,
    event: &'static str,
    /// All must hold.
    pub(super) filters: Vec<Filter>,
    /// Sorted.
    pub(super) select: Option<Arc<[String]>>,
}

impl Entry {
    pub(super) fn new(
        channel: &Arc<Channel>,
        subscription: &Subscription,
        filters: Vec<Filter>,
    ) -> Self {
        let select = subscription.wanted.select.clone().map(|mut names| {
            names.sort_unstable();
            names.dedup();
            names.into()
        });
        Self {
            channel: Arc::clone(channel),
            uuid: subscription.uuid,
            id: subscription.wanted.id,
            since: subscription.since,
            event: subscription.wanted.event,
            filters,
            select,
        }
    }
}

type Entries = HashMap<u64, Arc<Entry>>;

/// The listeners to one action on one table.
#[derive(Debug, Default)]
struct Bucket {
    all: Entries,
    /// Those of which it takes a look at each.
    unkeyed: HashSet<u64>,
    /// Those that only certain values of a column can concern, by column and value.
    keyed: HashMap<Box<str>, Keyed>,
}

#[derive(Debug)]
struct Keyed {
    kind: Kind,
    type_oid: u32,
    values: HashMap<Box<str>, HashSet<u64>>,
    /// Everyone in `values`.
    members: HashSet<u64>,
}

/// All listeners.
#[derive(Debug, Default)]
pub(super) struct Index {
    channels: HashMap<u64, Arc<Channel>>,
    tables: HashMap<u32, [Bucket; 3]>,
    newest: u64,
    /// Every entry once.
    entries: usize,
}

impl Index {
    pub(super) fn channel(&self, number: u64) -> Option<&Arc<Channel>> {
        self.channels.get(&number)
    }

    pub(super) fn channels(&self) -> impl Iterator<Item = &Arc<Channel>> {
        self.channels.values()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.channels.is_empty()
    }

    /// How many subscriptions there are, each counted for every table.
    pub(super) fn len(&self) -> usize {
        self.entries
    }

    /// Adds a channel; gives the one that had its number.
    pub(super) fn insert(&mut self, channel: &Arc<Channel>) -> Option<Arc<Channel>> {
        let former = self.remove(channel.number);
        self.channels.insert(channel.number, Arc::clone(channel));
        former
    }

    /// Adds what a channel listens to on a table.
    pub(super) fn insert_entry(&mut self, table: u32, entry: Entry) {
        self.newest += 1;
        self.entries += 1;
        let entries = &entry.channel.entries;
        let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.entry(table).or_default().push(self.newest);
        drop(entries);
        let entry = Arc::new(entry);
        let buckets = self.tables.entry(table).or_default();
        for action in [Action::Insert, Action::Update, Action::Delete] {
            if matches!(entry.event, "*") || entry.event == name(action) {
                buckets[slot(action)].insert(self.newest, &entry);
            }
        }
    }

    /// Takes a channel and everything of it out; nothing is delivered to it any more.
    pub(super) fn remove(&mut self, number: u64) -> Option<Arc<Channel>> {
        let channel = self.channels.remove(&number)?;
        channel.is_gone.store(true, Ordering::Release);
        let mut entries = channel
            .entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        for (table, numbers) in entries.drain() {
            self.remove_entries(table, &numbers);
        }
        drop(entries);
        Some(channel)
    }

    /// Takes out what is no longer published; gives the tables.
    pub(super) fn retain_tables(&mut self, is_published: impl Fn(u32) -> bool) -> Vec<u32> {
        let gone: Vec<_> = self
            .tables
            .keys()
            .copied()
            .filter(|it| !is_published(*it))
            .collect();
        for channel in self.channels.values() {
            let entries = &channel.entries;
            let mut entries = entries.lock().unwrap_or_else(PoisonError::into_inner);
            for table in &gone {
                self.entries -= entries.remove(table).map_or(0, |numbers| numbers.len());
            }
        }
        for table in &gone {
            self.tables.remove(table);
        }
        gone
    }

    fn remove_entries(&mut self, table: u32, numbers: &[u64]) {
        let Some(buckets) = self.tables.get_mut(&table) else {
            return;
        };
        for number in numbers {
            for bucket in &mut *buckets {
                bucket.remove(*number);
            }
        }
        self.entries -= numbers.len();
        if buckets.iter().all(|bucket| bucket.all.is_empty()) {
            self.tables.remove(&table);
        }
    }

    /// Everybody who listens to an action on a table.
    pub(super) fn listeners(
        &self,
        table: u32,
        action: Action,
    ) -> impl Iterator<Item = &Arc<Entry>> {
        let bucket = self
            .tables
            .get(&table)
            .map(|buckets| &buckets[slot(action)]);
        bucket.into_iter().flat_map(|bucket| bucket.all.values())
    }

    /// Those whom a row can concern: `value` gives a column's type and value, outer none if the row does not have it.
    pub(super) fn concerned<'v>(
        &self,
        table: u32,
        action: Action,
        value: impl Fn(&str) -> Option<(u32, Option<&'v str>)>,
        mut found: impl FnMut(&Arc<Entry>),
    ) {
        let Some(buckets) = self.tables.get(&table) else {
            return;
        };
        let bucket = &buckets[slot(action)];
        let mut give = |numbers: &HashSet<u64>| {
            for entry in numbers.iter().filter_map(|number| bucket.all.get(number)) {
                found(entry);
            }
        };
        give(&bucket.unkeyed);
        for (column, keyed) in &bucket.keyed {
            let Some((type_oid, text)) = value(column) else {
                continue;
            };
            if type_oid != keyed.type_oid {
                // The column has another type by now.
                give(&keyed.members);
                continue;
            }
            // No null is equal to anything.
            let Some(text) = text else { continue };
            match keyed.kind.key(text) {
                Some(key) => {
                    if let Some(numbers) = keyed.values.get(&*key as &str) {
                        give(numbers);
                    }
                }
                None => give(&keyed.members),
            }
        }
    }

    /// True if the subscription has its entry for the table.
    pub(super) fn has(&self, entry: &Entry, table: u32) -> bool {
        let numbers = entry
            .channel
            .entries
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let Some((numbers, buckets)) = numbers.get(&table).zip(self.tables.get(&table)) else {
            return false;
        };
        let mut found = numbers
            .iter()
            .flat_map(|number| buckets.iter().filter_map(|it| it.all.get(number)));
        found.any(|it| it.uuid == entry.uuid)
    }

    /// True if anybody listens to the action on the table.
    pub(super) fn is_heard(&self, table: u32, action: Action) -> bool {
        let buckets = self.tables.get(&table);
        buckets.is_some_and(|buckets| !buckets[slot(action)].all.is_empty())
    }
}

impl Bucket {
    fn insert(&mut self, number: u64, entry: &Arc<Entry>) {
        self.all.insert(number, Arc::clone(entry));
        let suitable = entry.filters.iter().find_map(|filter| {
            let (keys, kind) = (filter.keys()?, filter.kind()?);
            let column = filter.condition.column.as_str();
            let is_free = self
                .keyed
                .get(column)
                .is_none_or(|keyed| keyed.type_oid == filter.type_oid);
            is_free.then_some((filter, column, keys, kind))
        });
        let Some((filter, column, keys, kind)) = suitable else {
            self.unkeyed.insert(number);
            return;
        };
        let keyed = self.keyed.entry(column.into()).or_insert_with(|| Keyed {
            kind,
            type_oid: filter.type_oid,
            values: HashMap::new(),
            members: HashSet::new(),
        });
        keyed.members.insert(number);
        for key in keys {
            keyed.values.entry(key.clone()).or_default().insert(number);
        }
    }

    fn remove(&mut self, number: u64) {
        let Some(entry) = self.all.remove(&number) else {
            return;
        };
        if self.unkeyed.remove(&number) {
            return;
        }
        for filter in &entry.filters {
            let column = filter.condition.column.as_str();
            let Some((keys, keyed)) = filter.keys().zip(self.keyed.get_mut(column)) else {
                continue;
            };
            if !keyed.members.remove(&number) {
                continue;
            }
            for key in keys {
                if let Some(members) = keyed.values.get_mut(key) {
                    members.remove(&number);
                    if members.is_empty() {
                        keyed.values.remove(key);
                    }
                }
            }
            if keyed.members.is_empty() {
                self.keyed.remove(column);
            }
        }
    }
}

fn slot(action: Action) -> usize {
    match action {
        Action::Insert => 0,
        Action::Update => 1,
        Action::Delete => 2,
    }
}

/// What an action is called in the database and by clients.
pub(super) fn name(action: Action) -> &'static str {
    match action {
        Action::Insert => "INSERT",
        Action::Update => "UPDATE",
        Action::Delete => "DELETE",
    }
}
