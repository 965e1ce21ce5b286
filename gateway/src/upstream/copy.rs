//! A copy of a service: one address, its idle connections and its health.

use std::{
    cell::Cell,
    net::SocketAddr,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use http::HeaderValue;

use super::link::Link;

/// Where the connections of a thread are kept, so that threads need not wait for each other, and a connection stays
/// with the thread that the system wakes for it.
const SHARDS: usize = 32;

thread_local! {
    static SHARD: Cell<usize> = const { Cell::new(0) };
}

/// Gives the calling thread connections of its own. Threads that never call this share one shelf.
pub(crate) fn set_shard(index: usize) {
    SHARD.set(1 + index % (SHARDS - 1));
}

/// After a first failure nobody is sent to a copy for this long; each further one doubles it.
const FIRST_PAUSE: Duration = Duration::from_millis(500);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);
/// That many answers have to break off before a copy that takes connections is left alone.
const BROKEN: u32 = 3;

/// One address of a service.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(super) address: SocketAddr,
    /// The path in front of all paths, without a slash at the end.
    pub(super) prefix: Box<str>,
    pub(super) host: HeaderValue,
    /// `address` for logs.
    name: Arc<str>,
    idle: [Mutex<Vec<Link>>; SHARDS],
    in_flight: AtomicUsize,
    failures: AtomicU32,
    /// Milliseconds from `started` until which it is left alone.
    paused_until: AtomicU64,
    /// Its own answer to the question whether it is ready.
    is_unready: AtomicBool,
    started: Instant,
}

impl Copy {
    pub(super) fn new(address: SocketAddr, prefix: &str, host: HeaderValue) -> Self {
        Self {
            address,
            prefix: prefix.into(),
            host,
            name: address.to_string().into(),
            idle: std::array::from_fn(|_| Mutex::default()),
            in_flight: AtomicUsize::new(0),
            failures: AtomicU32::new(0),
            paused_until: AtomicU64::new(0),
            is_unready: AtomicBool::new(false),
            started: Instant::now(),
        }
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// The address, for logs.
    pub(crate) fn name(&self) -> &Arc<str> {
        &self.name
    }

    fn shelf(&self) -> std::sync::MutexGuard<'_, Vec<Link>> {
        self.idle[SHARD.get()]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection that was used last.
    pub(super) fn take(&self, max_age: Duration) -> Option<Link> {
        let link = self.shelf().pop()?;
        // The others are older still, and swept away soon.
        (link.since.elapsed() < max_age).then_some(link)
    }

    /// Keeps a connection that is free, if there is room.
    pub(super) fn put(&self, mut link: Link, room: usize) {
        link.since = Instant::now();
        let mut shelf = self.shelf();
        if shelf.len() < room {
            shelf.push(link);
        }
    }

    /// Closes what was idle for too long, and what the service closed.
    pub(super) fn sweep(&self, max_age: Duration) {
        for shelf in &self.idle {
            let mut shelf = shelf.lock().unwrap_or_else(PoisonError::into_inner);
            shelf.retain(|link| link.since.elapsed() < max_age && link.is_alive());
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// True if requests should go here while there is a choice.
    pub(crate) fn is_available(&self) -> bool {
        !self.is_unready.load(Ordering::Relaxed)
            && match self.paused_until.load(Ordering::Relaxed) {
                0 => true,
                until => self.now() >= until,
            }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.in_flight.load(Ordering::Relaxed)
    }

    /// It took a connection or answered.
    pub(crate) fn succeeded(&self) {
        if self.failures.load(Ordering::Relaxed) != 0 {
            self.failures.store(0, Ordering::Relaxed);
            self.paused_until.store(0, Ordering::Relaxed);
        }
    }

    /// It refused a connection.
    pub(crate) fn refused(&self) {
        let failures = self.failures.fetch_add(1, Ordering::Relaxed);
        let pause = FIRST_PAUSE
            .saturating_mul(1 << failures.min(6))
            .min(LONGEST_PAUSE);
        let pause = u64::try_from(pause.as_millis()).unwrap_or(u64::MAX);
        self.paused_until
            .store(self.now() + pause, Ordering::Relaxed);
    }

    /// Nobody is sent here, while there is a choice, until it says that it is ready.
    pub(super) fn ask_before_use(&self) {
        self.is_unready.store(true, Ordering::Relaxed);
    }

    /// It took a request and gave no answer.
    pub(super) fn broke(&self) {
        if self.failures.load(Ordering::Relaxed) + 1 >= BROKEN {
            self.refused();
        } else {
            self.failures.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// What it says of itself.
    pub(super) fn set_ready(&self, is_ready: bool) {
        if self.is_unready.swap(!is_ready, Ordering::Relaxed) == is_ready {
            tracing::warn!(copy = &*self.name, is_ready, "a copy changed its mind");
        }
        if is_ready {
            self.succeeded();
        }
    }
}

/// A request that is on its way; dropping it ends it.
#[derive(Debug)]
pub(crate) struct Slot(Arc<Copy>);

impl Slot {
    pub(super) fn new(copy: Arc<Copy>) -> Self {
        copy.in_flight.fetch_add(1, Ordering::Relaxed);
        Self(copy)
    }

    pub(crate) fn copy(&self) -> &Arc<Copy> {
        &self.0
    }
}

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.in_flight.fetch_sub(1, Ordering::Relaxed);
    }
}
