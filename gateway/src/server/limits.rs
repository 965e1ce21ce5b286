//! How many connections there may be.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, PoisonError, atomic::Ordering},
};

use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::{Serving, metrics::Metrics};

/// Descriptors for everything but connections.
const RESERVE: u64 = 128;

/// Lets the process open as many files as the system allows it, and returns how many that is.
pub fn raise_open_files() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else {
        return 1024;
    };
    if soft < hard && setrlimit(Resource::RLIMIT_NOFILE, hard, hard).is_ok() {
        return hard;
    }
    soft
}

/// The limits of the whole process.
#[derive(Debug)]
pub(super) struct Limits {
    all: usize,
    per_ip: Option<usize>,
    by_ip: Arc<ByIp>,
    metrics: Arc<Metrics>,
}

/// Counts a connection until it ends.
#[derive(Debug)]
pub(super) struct Permit(Option<(IpAddr, Arc<ByIp>)>);

type ByIp = Mutex<HashMap<IpAddr, usize>>;

impl Limits {
    pub(super) fn new(serving: &Serving, metrics: &Arc<Metrics>) -> Self {
        // Each may need another one, to a service.
        let files = getrlimit(Resource::RLIMIT_NOFILE).map_or(1024, |(soft, _)| soft);
        let most = usize::try_from(files.saturating_sub(RESERVE) / 2).unwrap_or(usize::MAX);
        Self {
            all: serving.max_connections.unwrap_or(most.max(64)),
            per_ip: serving.max_connections_per_ip,
            by_ip: Arc::default(),
            metrics: Arc::clone(metrics),
        }
    }

    /// Room for one more connection from this address.
    pub(super) fn permit(&self, address: IpAddr) -> Option<Permit> {
        let permit = self.has_room().then(|| self.permit_of(address)).flatten();
        if permit.is_none() {
            self.metrics
                .refused_connections
                .fetch_add(1, Ordering::Relaxed);
        }
        permit
    }

    fn has_room(&self) -> bool {
        usize::try_from(self.metrics.connections()).unwrap_or(0) < self.all
    }

    fn permit_of(&self, address: IpAddr) -> Option<Permit> {
        let Some(most) = self.per_ip else {
            return Some(Permit(None));
        };
        let mut by_ip = self.by_ip.lock().unwrap_or_else(PoisonError::into_inner);
        let count = by_ip.entry(address).or_default();
        if *count >= most {
            return None;
        }
        *count += 1;
        Some(Permit(Some((address, Arc::clone(&self.by_ip)))))
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let Some((address, by_ip)) = &self.0 else {
            return;
        };
        let mut by_ip = by_ip.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = by_ip.get_mut(address) {
            *count -= 1;
            if *count == 0 {
                by_ip.remove(address);
            }
        }
    }
}
