//! The functions that are served now, kept in step with the disk.

use std::{
    collections::HashMap,
    sync::Arc,
    time::{Duration, Instant},
};

use arc_swap::ArcSwap;
use tokio::sync::{Mutex, Notify};
use tokio_util::sync::CancellationToken;

use crate::{Config, Policy, catalog::Catalog, function::Function, pool::Pool};

/// How soon the disk is looked at again for a function that nobody knows.
const PATIENCE: Duration = Duration::from_millis(200);

/// All functions by name.
#[derive(Debug)]
pub(crate) struct Registry {
    config: Config,
    served: ArcSwap<Served>,
    /// When the disk was last looked at; held while it is.
    looked: Mutex<Option<Instant>>,
    changed: Notify,
}

#[derive(Debug)]
struct Served {
    functions: HashMap<String, Arc<Function>>,
    policy: Policy,
}

impl Registry {
    pub(crate) fn new(config: Config) -> Self {
        let served = Served {
            functions: HashMap::new(),
            policy: Policy::PerWorker,
        };
        Self {
            config,
            served: ArcSwap::from_pointee(served),
            looked: Mutex::new(None),
            changed: Notify::new(),
        }
    }

    /// A function and how it is to be run.
    pub(crate) fn get(&self, name: &str) -> Option<(Arc<Function>, Policy)> {
        let served = self.served.load();
        Some((served.functions.get(name)?.clone(), served.policy))
    }

    /// The same, after another look at the disk if there is none: it may have been written just now.
    pub(crate) async fn find(&self, name: &str, pool: &Pool) -> Option<(Arc<Function>, Policy)> {
        if let Some(found) = self.get(name) {
            return Some(found);
        }
        if !crate::catalog::is_name(name) {
            return None;
        }
        self.look(PATIENCE, pool).await;
        self.get(name)
    }

    /// Brings the functions in step with the disk, unless that was done less than `patience` ago.
    pub(crate) async fn look(&self, patience: Duration, pool: &Pool) {
        let mut looked = self.looked.lock().await;
        if looked.is_some_and(|at| at.elapsed() < patience) {
            return;
        }
        let config = self.config.clone();
        let Ok(catalog) = tokio::task::spawn_blocking(move || Catalog::load(&config)).await else {
            return;
        };
        *looked = Some(Instant::now());
        self.apply(catalog, pool);
    }

    fn apply(&self, catalog: Catalog, pool: &Pool) {
        let before = self.served.load_full();
        let policy = self
            .config
            .policy
            .or(catalog.policy)
            .unwrap_or(Policy::PerWorker);
        let mut functions = HashMap::with_capacity(catalog.functions.len());
        let mut fresh = Vec::new();
        for (name, definition) in catalog.functions {
            let kept = before
                .functions
                .get(&name)
                .filter(|function| function.definition.fingerprint == definition.fingerprint);
            let same = kept
                .filter(|function| function.definition.verify_jwt == definition.verify_jwt)
                .cloned();
            let function = same.unwrap_or_else(|| {
                let function = Arc::new(Function::new(definition));
                fresh.push(function.clone());
                function
            });
            functions.insert(name, function);
        }
        let gone: Vec<_> = before
            .functions
            .iter()
            .filter(|(name, function)| {
                functions
                    .get(*name)
                    .is_none_or(|now| !Arc::ptr_eq(now, function))
            })
            .map(|(_, function)| function.clone())
            .collect();
        if fresh.is_empty() && gone.is_empty() && policy == before.policy {
            return;
        }
        self.served.store(Arc::new(Served { functions, policy }));
        // After the new ones are in place, so that no request finds neither.
        for function in &gone {
            function.replace();
        }
        for function in &fresh {
            tracing::debug!(
                function = function.definition.name,
                "the function is new or changed"
            );
            let had_worker = gone
                .iter()
                .any(|old| old.definition.name == function.definition.name);
            if had_worker || before.functions.is_empty() {
                pool.want_spare(function);
            }
        }
        self.changed.notify_one();
    }

    /// One function at a time: requests matter more.
    async fn prepare_all(&self, pool: &Pool) {
        let served = self.served.load_full();
        for function in served.functions.values() {
            if function.prepared().is_none() && !function.is_replaced() {
                // A failure is told, and tried again when somebody calls.
                let _ = function.prepare(pool).await;
            }
        }
        for function in served.functions.values() {
            if pool.bundles && function.lacks_bundle() && !function.is_replaced() {
                function.make_bundle(pool).await;
            }
        }
    }

    /// Fetches what functions need before they are called.
    pub(crate) async fn prepare(self: Arc<Self>, pool: Arc<Pool>, stop: CancellationToken) {
        loop {
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.prepare_all(&pool) => {}
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = self.changed.notified() => {}
            }
        }
    }

    /// Looks at the disk again and again.
    pub(crate) async fn watch(self: Arc<Self>, pool: Arc<Pool>, stop: CancellationToken) {
        self.look(Duration::ZERO, &pool).await;
        loop {
            let interval = self.config.source.watch_interval;
            if interval.is_zero() {
                return;
            }
            tokio::select! {
                () = stop.cancelled() => return,
                () = tokio::time::sleep(interval) => {}
            }
            self.look(Duration::ZERO, &pool).await;
        }
    }
}
