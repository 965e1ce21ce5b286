use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering},
    },
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value};
use tokio::sync::watch;
use uuid::Uuid;

use super::{
    Broadcast, Hub, RoomName, lock,
    presence::{Diff, Entry, Holder, Presence},
};
use crate::{
    metrics::Metrics,
    socket::{ChannelId, Frame, Outlet},
};

/// A channel in a room.
#[derive(Debug)]
pub(crate) struct Member {
    pub(crate) channel: ChannelId,
    pub(crate) outlet: Outlet,
    /// The key that it tracks itself under.
    pub(crate) key: Arc<str>,
    /// Whether policies let it receive broadcasts.
    pub(crate) reads_broadcast: bool,
    /// Whether policies let it see presence; nobody has asked yet where it is none.
    pub(crate) reads_presence: Option<bool>,
    /// Messages that it was given as replays.
    pub(crate) replayed: HashSet<Uuid>,
}

/// The channels that joined one topic.
#[derive(Debug)]
pub(crate) struct Room {
    name: RoomName,
    state: Mutex<State>,
    /// True once it is known who is in the room on other copies of the service, as far as they answer.
    is_known: watch::Sender<bool>,
}

#[derive(Debug, Default)]
struct State {
    members: HashMap<ChannelId, Member>,
    presence: Presence,
    /// Joins that wait for what other copies say.
    openings: usize,
    /// Copies that have not answered yet.
    asked: HashSet<u64>,
}

impl Room {
    pub(super) fn new(name: RoomName) -> Self {
        Self {
            name,
            state: Mutex::default(),
            is_known: watch::channel(false).0,
        }
    }

    pub(crate) fn name(&self) -> &RoomName {
        &self.name
    }

    pub(super) fn is_empty(&self) -> bool {
        let state = lock(&self.state);
        state.members.is_empty() && state.openings == 0
    }

    /// Whether other copies were asked, now and later.
    pub(crate) fn is_known(&self) -> watch::Receiver<bool> {
        self.is_known.subscribe()
    }

    pub(super) fn reserve(&self, by: isize) {
        let mut state = lock(&self.state);
        state.openings = state.openings.saturating_add_signed(by);
    }

    /// Notes whose answers are waited for.
    pub(crate) fn ask(&self, nodes: HashSet<u64>) {
        let is_alone = nodes.is_empty();
        lock(&self.state).asked = nodes;
        if is_alone {
            self.is_known.send_replace(true);
        }
    }

    /// Notes that a copy has answered.
    pub(crate) fn answered(&self, node: u64) {
        let mut state = lock(&self.state);
        if state.asked.remove(&node) && state.asked.is_empty() {
            self.is_known.send_replace(true);
        }
    }

    /// Waits no longer for answers.
    pub(crate) fn give_up(&self) {
        lock(&self.state).asked.clear();
        self.is_known.send_replace(true);
    }

    /// Calls this with the entries of this copy's clients; nothing of them changes meanwhile.
    pub(crate) fn with_own<T>(&self, tell: impl FnOnce(Vec<Entry>) -> T) -> T {
        let state = lock(&self.state);
        tell(state.presence.own())
    }

    /// Takes over what another copy tells of its clients, and tells its own.
    pub(crate) fn learn(&self, metrics: &Metrics, change: impl FnOnce(&mut Presence) -> Diff) {
        let mut state = lock(&self.state);
        let diff = change(&mut state.presence);
        if !diff.is_empty() {
            Self::announce(&state, &diff, metrics);
        }
    }

    pub(super) fn enter(
        self: Arc<Self>,
        member: Member,
        welcome: impl FnOnce(&dyn Fn() -> String),
        hub: &Arc<Hub>,
    ) -> Membership {
        let (channel, key) = (member.channel, member.key.clone());
        {
            let mut state = lock(&self.state);
            welcome(&|| state.presence.state());
            state.members.insert(channel, member);
        }
        Membership {
            hub: Arc::clone(hub),
            room: self,
            channel,
            key,
        }
    }

    /// Sends to everybody but `from`; gives how many that were.
    pub(super) fn broadcast(
        &self,
        message: &Broadcast,
        from: Option<ChannelId>,
        metrics: &Metrics,
    ) -> usize {
        let state = lock(&self.state);
        let mut frames = Frames::new(|outlet| message.frame(outlet.version(), outlet.topic()));
        let mut sent = 0;
        let is_over = metrics.events.is_reached();
        for member in state.members.values() {
            let is_replayed = || message.id.is_some_and(|id| member.replayed.contains(&id));
            if Some(member.channel) == from || !member.reads_broadcast || is_replayed() {
                continue;
            }
            if let Some(frame) = frames.of(&member.outlet) {
                // A socket that has no room for it closes itself.
                let _ = member.outlet.push(frame);
            }
            sent += 1;
            if is_over {
                member
                    .outlet
                    .shutdown(member.channel, "Too many messages per second");
            }
        }
        metrics.events.add(sent);
        sent
    }

    fn announce(state: &State, diff: &Diff, metrics: &Metrics) {
        let payload = diff.payload();
        let mut frames = Frames::new(|outlet| {
            let version = outlet.version();
            Some(version.fan_out(outlet.topic(), "presence_diff", &payload))
        });
        let mut sent = 0;
        for member in state.members.values() {
            if member.reads_presence != Some(true) {
                continue;
            }
            if let Some(frame) = frames.of(&member.outlet) {
                let _ = member.outlet.push(frame);
                sent += 1;
            }
        }
        metrics.presence_events.add(sent);
    }
}

/// Frames of one message: made once for all sockets that get the same bytes, which nearly always is all of them.
struct Frames<F> {
    make: F,
    made: Vec<(crate::socket::Version, Arc<str>, Option<Frame>)>,
}

impl<F: Fn(&Outlet) -> Option<Frame>> Frames<F> {
    fn new(make: F) -> Self {
        Self {
            make,
            made: Vec::new(),
        }
    }

    fn of(&mut self, outlet: &Outlet) -> Option<Frame> {
        let (version, topic, _) = outlet.key();
        let known = self.made.iter().find(|(known, name, _)| {
            *known == version && (Arc::ptr_eq(name, topic) || name == topic)
        });
        if let Some((_, _, frame)) = known {
            return frame.clone();
        }
        let frame = (self.make)(outlet);
        self.made.push((version, topic.clone(), frame.clone()));
        frame
    }
}

/// A channel's place in a room, which it leaves when this is dropped.
#[derive(Debug)]
pub(crate) struct Membership {
    hub: Arc<Hub>,
    room: Arc<Room>,
    channel: ChannelId,
    key: Arc<str>,
}

impl Membership {
    /// Sends to the room, to this channel only if `to_self`.
    pub(crate) fn broadcast(&self, message: &Broadcast, to_self: bool) -> usize {
        let from = (!to_self).then_some(self.channel);
        let sent = self.room.broadcast(message, from, &self.hub.metrics);
        if let Some(link) = &self.hub.link {
            link.broadcast(&self.room.name, message);
        }
        sent
    }

    /// Tells the room of this channel, which from now on is told of the others if it may be.
    pub(crate) fn track(&self, payload: &Map<String, Value>) {
        let mut state = lock(&self.room.state);
        let reference = new_reference();
        let diff = state
            .presence
            .track(self.holder(), &self.key, payload, reference.clone());
        Room::announce(&state, &diff, &self.hub.metrics);
        if let (Some(link), Some(text)) = (&self.hub.link, diff.joined()) {
            let entry = Entry {
                channel: self.channel,
                key: self.key.clone(),
                reference: reference.into(),
                text: text.clone(),
            };
            link.present(&self.room.name, &entry);
        }
    }

    /// Takes back what this channel told.
    pub(crate) fn untrack(&self) {
        self.forget(&mut lock(&self.room.state));
    }

    fn forget(&self, state: &mut State) {
        if let Some(diff) = state.presence.untrack(self.holder(), &self.key) {
            Room::announce(state, &diff, &self.hub.metrics);
            if let Some(link) = &self.hub.link {
                link.absent(&self.room.name, self.channel, &self.key);
            }
        }
    }

    /// Notes what policies say after they were asked anew.
    pub(crate) fn set_reads(&self, broadcast: bool, presence: Option<bool>) {
        let mut state = lock(&self.room.state);
        if let Some(member) = state.members.get_mut(&self.channel) {
            member.reads_broadcast = broadcast;
            member.reads_presence = presence;
        }
    }

    fn holder(&self) -> Holder {
        Holder {
            node: None,
            channel: self.channel,
        }
    }
}

impl Drop for Membership {
    fn drop(&mut self) {
        let is_empty = {
            let mut state = lock(&self.room.state);
            state.members.remove(&self.channel);
            self.forget(&mut state);
            state.members.is_empty()
        };
        if is_empty {
            self.hub.remove_if_empty(&self.room);
        }
    }
}

/// A join on its way: the room stays, and what other copies tell of it is noted.
#[derive(Debug)]
pub(crate) struct Opening {
    pub(super) hub: Arc<Hub>,
    pub(super) room: Arc<Room>,
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.room.reserve(-1);
        self.hub.remove_if_empty(&self.room);
    }
}

/// A `phx_ref` that no other entry of any copy of the service has.
fn new_reference() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    static START: std::sync::OnceLock<u64> = std::sync::OnceLock::new();
    let start = *START.get_or_init(rand::random);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let mut bytes = [0; 12];
    bytes[..6].copy_from_slice(&start.to_be_bytes()[..6]);
    bytes[6..].copy_from_slice(&count.to_be_bytes()[2..]);
    URL_SAFE_NO_PAD.encode(bytes)
}
