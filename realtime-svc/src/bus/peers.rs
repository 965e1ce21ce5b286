//! The other copies of the service that are alive.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// So many copies that went are remembered.
const MAX_GONE: usize = 1024;

/// What hearing of a copy means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Heard {
    Known,
    /// It was never there before.
    New,
    /// It was held to be gone, and what it said meanwhile was lost.
    Back,
}

/// Who is alive.
#[derive(Debug, Default)]
pub(super) struct Peers {
    state: Mutex<State>,
    /// The same as the state says, without its lock.
    any: AtomicBool,
}

#[derive(Debug, Default)]
struct State {
    alive: HashMap<u64, Peer>,
    gone: HashSet<u64>,
    /// They said that they stop. What is heard of them later was said before, by another way; their numbers do not come
    /// again.
    left: HashSet<u64>,
}

#[derive(Debug)]
struct Peer {
    heard: Instant,
    wants_feed: bool,
}

impl Peers {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// False if nobody would hear what is said.
    pub(super) fn any(&self) -> bool {
        self.any.load(Ordering::Acquire)
    }

    /// Notes that a copy is alive.
    pub(super) fn heard(&self, node: u64, now: Instant) -> Heard {
        let mut state = self.lock();
        if let Some(peer) = state.alive.get_mut(&node) {
            peer.heard = now;
            return Heard::Known;
        }
        if state.left.contains(&node) {
            return Heard::Known;
        }
        let peer = Peer {
            heard: now,
            wants_feed: false,
        };
        state.alive.insert(node, peer);
        self.any.store(true, Ordering::Release);
        if state.gone.remove(&node) {
            Heard::Back
        } else {
            Heard::New
        }
    }

    /// False if a copy is gone, or says what it had said before it went.
    pub(super) fn is_alive(&self, node: u64) -> bool {
        self.lock().alive.contains_key(&node)
    }

    /// Notes whether a copy needs the log.
    pub(super) fn wants_feed(&self, node: u64, wants: bool) {
        if let Some(peer) = self.lock().alive.get_mut(&node) {
            peer.wants_feed = wants;
        }
    }

    /// True if some copy needs the log.
    pub(super) fn any_wants_feed(&self) -> bool {
        self.lock().alive.values().any(|peer| peer.wants_feed)
    }

    /// Notes that a copy is gone.
    pub(super) fn remove(&self, node: u64) {
        let mut state = self.lock();
        if state.alive.remove(&node).is_some() && state.gone.len() < MAX_GONE {
            state.gone.insert(node);
        }
        self.any.store(!state.alive.is_empty(), Ordering::Release);
    }

    /// Notes that a copy has said that it stops.
    pub(super) fn leave(&self, node: u64) {
        let mut state = self.lock();
        if state.left.len() >= MAX_GONE {
            state.left.clear();
        }
        state.left.insert(node);
        drop(state);
        self.remove(node);
    }

    /// The copies that have been silent for so long; from now on they are gone.
    pub(super) fn expire(&self, now: Instant, timeout: Duration) -> Vec<u64> {
        let silent: Vec<_> = {
            let state = self.lock();
            let is_silent = |peer: &Peer| now.saturating_duration_since(peer.heard) > timeout;
            let silent = state.alive.iter().filter(|(_, peer)| is_silent(peer));
            silent.map(|(node, _)| *node).collect()
        };
        for node in &silent {
            self.remove(*node);
        }
        silent
    }

    /// Who is alive.
    pub(super) fn alive(&self) -> HashSet<u64> {
        self.lock().alive.keys().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_silent_copy_goes_and_is_known_when_it_comes_back() {
        let (peers, start) = (Peers::default(), Instant::now());
        let timeout = Duration::from_secs(5);
        assert!(!peers.any());
        assert_eq!(peers.heard(1, start), Heard::New);
        assert_eq!(peers.heard(2, start + timeout), Heard::New);
        assert_eq!(peers.heard(2, start + timeout), Heard::Known);
        peers.wants_feed(1, true);
        assert!(peers.any() && peers.any_wants_feed());
        let later = start + timeout + Duration::from_secs(1);
        assert_eq!(peers.expire(later, timeout), [1]);
        assert!(!peers.any_wants_feed());
        assert_eq!(peers.alive(), HashSet::from([2]));
        assert_eq!(peers.heard(1, later), Heard::Back);
        peers.remove(1);
        peers.leave(2);
        assert_eq!(peers.heard(2, later), Heard::Known);
        assert!(!peers.is_alive(2));
        assert!(!peers.any());
    }
}
