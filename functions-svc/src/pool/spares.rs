//! Processes that are started before they are needed.
//!
//! Starting Deno takes longer than loading most functions. What a process may do is said when it starts, so each is for
//! one function: those that were started last, which are those most likely to be started again.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::Pool;
use crate::{function::Function, process::Process};

/// A start of a function should have the processor for itself.
const CALM: Duration = Duration::from_millis(500);
/// After a spare could not be started, or ended.
const AFTER_FAILURE: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Spares {
    size: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    /// Most recently wanted first; at most `size`.
    wanted: VecDeque<Arc<Function>>,
    ready: Vec<(Arc<Function>, Process)>,
    not_before: Option<Instant>,
}

impl Spares {
    pub(super) fn new(size: usize) -> Self {
        Self {
            size,
            inner: Mutex::default(),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The spare of a function, if it has one.
    pub(super) fn take(&self, function: &Arc<Function>) -> Option<Process> {
        let mut inner = self.lock();
        let at = inner.ready.iter().position(|(owner, process)| {
            Arc::ptr_eq(owner, function) && process.ended().is_none()
        })?;
        Some(inner.ready.swap_remove(at).1)
    }

    /// Puts a function in front of those that have a spare.
    pub(super) fn want(&self, function: &Arc<Function>) {
        let mut inner = self.lock();
        inner
            .wanted
            .retain(|wanted| !Arc::ptr_eq(wanted, function) && !wanted.is_replaced());
        inner.wanted.push_front(function.clone());
        inner.wanted.truncate(self.size);
        inner.not_before = Some(Instant::now() + CALM);
    }

    /// Ends what is no longer wanted, and gives one function that lacks its spare.
    fn missing(&self) -> Option<Arc<Function>> {
        let mut inner = self.lock();
        let Inner {
            wanted,
            ready,
            not_before,
        } = &mut *inner;
        wanted.retain(|function| !function.is_replaced());
        let mut died = false;
        ready.retain(|(owner, process)| {
            let alive = process.ended().is_none();
            died |= !alive;
            alive && wanted.iter().any(|wanted| Arc::ptr_eq(wanted, owner))
        });
        if died {
            *not_before = Some(Instant::now() + AFTER_FAILURE);
        }
        if not_before.is_some_and(|at| Instant::now() < at) {
            return None;
        }
        wanted
            .iter()
            .find(|wanted| {
                wanted.prepared().is_some()
                    && !ready.iter().any(|(owner, _)| Arc::ptr_eq(owner, wanted))
            })
            .cloned()
    }

    pub(super) fn clear(&self) {
        let mut inner = self.lock();
        inner.wanted.clear();
        inner.ready.clear();
    }
}

impl Pool {
    /// Starts one spare, if one is missing.
    pub(super) async fn refill_spares(&self) {
        let Some(function) = self.spares.missing() else {
            return;
        };
        let Some(prepared) = function.prepared() else {
            return;
        };
        match self.spawn(&function, prepared).await {
            Ok(process) => self.spares.lock().ready.push((function, process)),
            Err(_) => self.spares.lock().not_before = Some(Instant::now() + AFTER_FAILURE),
        }
    }
}
