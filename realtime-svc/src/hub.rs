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
pub(crate) use presence::{Diff, Entry, Presence};
pub(crate) use room::{Member, Membership, Opening, Room};

use crate::{bus::Link, metrics::Metrics};

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
    /// The way to other copies of the service, if there can be any.
    link: Option<Arc<Link>>,
}

impl Hub {
    pub(crate) fn new(metrics: Arc<Metrics>, link: Option<Arc<Link>>) -> Self {
        Self {
            shards: std::array::from_fn(|_| Mutex::default()),
            hasher: std::hash::RandomState::new(),
            metrics,
            link,
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
        let room = self.find_or_make(&mut shard, name);
        room.enter(member, welcome, self)
    }

    fn find_or_make(
        self: &Arc<Self>,
        shard: &mut HashMap<RoomName, Arc<Room>>,
        name: RoomName,
    ) -> Arc<Room> {
        if let Some(room) = shard.get(&name) {
            return room.clone();
        }
        let room = Arc::new(Room::new(name.clone()));
        shard.insert(name, room.clone());
        if let Some(link) = &self.link {
            link.opened(&room);
        }
        room
    }

    /// True if a join has to wait until other copies have said who is in the room.
    pub(crate) fn is_unknown(&self, name: &RoomName) -> bool {
        let is_known = || self.room(name).is_some_and(|it| *it.is_known().borrow());
        self.link.is_some() && !is_known()
    }

    /// Learns who is in a room on other copies, for as long as that may take. The room stays while the answer lives.
    pub(crate) async fn open(self: &Arc<Self>, name: &RoomName) -> Option<Opening> {
        let link = self.link.as_ref()?;
        let opening = {
            let mut shard = self.shard(name);
            let room = self.find_or_make(&mut shard, name.clone());
            room.reserve(1);
            Opening {
                hub: Arc::clone(self),
                room,
            }
        };
        let mut is_known = opening.room.is_known();
        // Given up in any case by the task that asks; this is only for a runtime that ends.
        let _ = tokio::time::timeout(link.patience(), is_known.wait_for(|it| *it)).await;
        Some(opening)
    }

    /// Sends to everybody in a room, on every copy; gives how many of them are connected here.
    pub(crate) fn broadcast(&self, name: &RoomName, message: &Broadcast) -> usize {
        let sent = self.deliver(name, message);
        if let Some(link) = &self.link {
            link.broadcast(name, message);
        }
        sent
    }

    /// Sends to everybody in a room who is connected here; gives how many that were.
    pub(crate) fn deliver(&self, name: &RoomName, message: &Broadcast) -> usize {
        let room = self.room(name);
        room.map_or(0, |room| room.broadcast(message, None, &self.metrics))
    }

    /// A room, if somebody here is in it.
    pub(crate) fn room(&self, name: &RoomName) -> Option<Arc<Room>> {
        self.shard(name).get(name).cloned()
    }

    /// All rooms, one part after the other.
    pub(crate) fn rooms(&self) -> impl Iterator<Item = Arc<Room>> {
        self.shards.iter().flat_map(|shard| {
            let rooms: Vec<_> = lock(shard).values().cloned().collect();
            rooms
        })
    }

    /// Takes over what another copy tells of who is in a room.
    pub(crate) fn learn(&self, room: &Room, change: impl FnOnce(&mut Presence) -> Diff) {
        room.learn(&self.metrics, change);
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
            if let Some(link) = &self.link {
                link.closed(room.name());
            }
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
