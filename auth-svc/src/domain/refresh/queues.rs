//! Where requests with the same refresh token wait for each other.

use std::{
    collections::hash_map::RandomState,
    hash::{BuildHasher as _, Hash as _, Hasher as _},
};

use tokio::sync::{Mutex, MutexGuard};

use super::Presented;

/// More than enough that few different tokens share one at a time.
const QUEUES: usize = 1024;

/// A queue for each token; some share one, which costs them a moment and nothing else.
#[derive(Debug)]
pub struct Queues {
    keys: RandomState,
    queues: Vec<Mutex<()>>,
}

impl Default for Queues {
    fn default() -> Self {
        Self {
            keys: RandomState::new(),
            queues: (0..QUEUES).map(|_| Mutex::new(())).collect(),
        }
    }
}

impl Queues {
    /// Waits for one's turn, which lasts as long as what is given.
    pub(super) async fn turn(&self, presented: &Presented) -> MutexGuard<'_, ()> {
        let mut hasher = self.keys.build_hasher();
        match presented {
            Presented::Opaque(text) => text.hash(&mut hasher),
            Presented::Signed(token) => token.session.hash(&mut hasher),
        }
        let index = hasher.finish() % QUEUES as u64;
        self.queues[usize::try_from(index).unwrap_or(0)]
            .lock()
            .await
    }
}
