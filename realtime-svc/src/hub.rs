//! The rooms: who has joined a topic, and what is sent to all of them.

mod broadcast;
mod presence;
mod room;

use std::{
    collections::HashMap,
    hash::BuildHasher as _,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

pub(crate) use broadcast::{Body, Broadcast};
pub(crate) use room::{Member, Membership, Room};

use crate::metrics::Metrics;

/// Rooms are found under this many locks, so that joins of different rooms seldom meet.
const SHARDS: usize = 64;

/// Public and private channels of one topic are separate rooms.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RoomName {
    /// Without `realtime:`.
    pub(crate) topic: Arc<str>,
    pub(crate) is_private: bool,
}

/// All rooms of this process.
#[derive(Debug)]
pub(crate) struct Hub {
    shards: [Mutex<HashMap<RoomName, Arc<Room>>>; SHARDS],
    hasher: std::hash::RandomState,
    metrics: Arc<Metrics>,
}

impl Hub {
    pub(crate) fn new(metrics: Arc<Metrics>) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: std::hash::RandomState::new(),
            metrics,
        }
    }

    fn shard(&self, name: &RoomName) -> MutexGuard<'_, HashMap<RoomName, Arc<Room>>> {
        let hash = self.hasher.hash_one(name);
        #[expect(
            clippy::cast_possible_truncation,
            reason = "any part of a hash will do"
        )]
        let index = hash as usize % SHARDS;
        lock(&self.shards[index])
    }

    /// Puts a channel into a room, which is made for the first one. `welcome` runs before anything that happens in the
    /// room can reach the channel; it is given the state of presence as JSON text.
    pub(crate) fn join(
        self: &Arc<Self>,
        name: RoomName,
        member: Member,
        welcome: impl FnOnce(&dyn Fn() -> String),
    ) -> Membership {
        // The shard stays locked so that nobody removes a room that was found empty.
        let mut shard = self.shard(&name);
        let room = shard
            .entry(name.clone())
            .or_insert_with(|| Arc::new(Room::new(name)))
            .clone();
        room.enter(member, welcome, self)
    }

    /// Sends to everybody in a room; gives how many that were.
    pub(crate) fn broadcast(&self, name: &RoomName, message: &Broadcast) -> usize {
        let room = self.shard(name).get(name).cloned();
        room.map_or(0, |room| room.broadcast(message, None, &self.metrics))
    }

    /// Forgets a room if nobody is in it any more.
    fn remove_if_empty(&self, room: &Arc<Room>) {
        let mut shard = self.shard(room.name());
        if room.is_empty()
            && shard
                .get(room.name())
                .is_some_and(|it| Arc::ptr_eq(it, room))
        {
            shard.remove(room.name());
        }
    }

    /// How many rooms there are.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| lock(shard).len()).sum()
    }
}

/// A panic elsewhere does not make what it held useless: every change under these locks is one step.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
