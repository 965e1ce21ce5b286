use std::{
    sync::{
        Arc, OnceLock, Weak,
        atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::{Client, Subject};
use bytes::Bytes;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use tokio_util::task::AbortOnDropHandle;

use super::{
    chunks,
    message::{Message, Said},
    peers::{Heard, Peers},
    subjects::{SLOTS, Subjects, slot},
};
use crate::{
    hub::{Broadcast, Entry, Hub, Room, RoomName},
    socket::ChannelId,
};

/// What waits to be published is bounded by number and by bytes. Beyond it broadcasts are lost to other copies, and
/// presence is told anew.
const MAX_QUEUED: usize = 16_384;
const MAX_QUEUED_BYTES: usize = 128 * 1024 * 1024;
/// How long the first join of a room waits for what other copies say of it.
const ANSWERS: Duration = Duration::from_millis(300);
/// How long after its start a copy waits for the others to say that they are there.
const START: Duration = Duration::from_secs(1);
/// What the server needs of a message for itself.
const PROTOCOL_BYTES: usize = 256;

/// Something for the task that publishes.
pub(crate) enum Outgoing {
    Publish(Subject, Bytes),
    /// Everything before it was given to the connection.
    Done(oneshot::Sender<()>),
}

/// The connection to the server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Connection {
    pub(super) is_up: bool,
    /// How often something may have been missed.
    pub(super) losses: u64,
}

/// The way to the other copies: nothing here waits. Until the bus's tasks run, it leads nowhere.
pub(crate) struct Link {
    /// The number of this copy, of 48 bits.
    pub(super) node: u64,
    pub(super) subjects: Subjects,
    pub(super) peers: Peers,
    pub(super) connection: watch::Sender<Connection>,
    /// True once the others have had time to say that they are there.
    pub(super) is_settled: watch::Sender<bool>,
    /// Something has changed that is to be looked at soon.
    pub(super) changed: Notify,
    /// Presence was not told, and is to be told anew.
    pub(super) untold: AtomicBool,
    /// Others may have told of presence what was not heard, and are to be asked anew.
    pub(super) unheard: AtomicBool,
    pub(super) slots: Vec<Slot>,
    queue: mpsc::Sender<Outgoing>,
    queued: AtomicUsize,
    dropped: AtomicU64,
    /// True once this copy has said that it stops.
    has_left: AtomicBool,
    client: OnceLock<Client>,
    hub: OnceLock<Weak<Hub>>,
    born: Instant,
}

/// The rooms of one subject.
#[derive(Debug, Default)]
pub(super) struct Slot {
    /// How many there are here.
    pub(super) rooms: AtomicUsize,
    /// True if there were none when this was last looked at.
    pub(super) was_empty: AtomicBool,
    /// The subscription.
    pub(super) task: tokio::sync::Mutex<Option<AbortOnDropHandle<()>>>,
}

impl std::fmt::Debug for Link {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Link")
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}

impl Link {
    /// A link, and what is put into it.
    pub(crate) fn new(subjects: Subjects) -> (Arc<Self>, mpsc::Receiver<Outgoing>) {
        let (queue, queued) = mpsc::channel(MAX_QUEUED);
        let link = Self {
            node: rand::random::<u64>() >> 16,
            subjects,
            peers: Peers::default(),
            connection: watch::channel(Connection::default()).0,
            is_settled: watch::channel(false).0,
            changed: Notify::new(),
            untold: AtomicBool::new(false),
            unheard: AtomicBool::new(false),
            slots: (0..SLOTS).map(|_| Slot::default()).collect(),
            queue,
            queued: AtomicUsize::new(0),
            dropped: AtomicU64::new(0),
            has_left: AtomicBool::new(false),
            client: OnceLock::new(),
            hub: OnceLock::new(),
            born: Instant::now(),
        };
        (Arc::new(link), queued)
    }

    /// The number of this copy, of 48 bits.
    pub(crate) fn node(&self) -> u64 {
        self.node
    }

    pub(super) fn set_hub(&self, hub: &Arc<Hub>) {
        // The bus is started once.
        let _ = self.hub.set(Arc::downgrade(hub));
    }

    pub(super) fn hub(&self) -> Option<Arc<Hub>> {
        self.hub.get()?.upgrade()
    }

    pub(super) fn set_client(&self, client: Client) {
        let _ = self.client.set(client);
    }

    /// Notes that the connection is there, or is not any more.
    pub(super) fn connected(&self, is_up: bool) {
        self.connection.send_modify(|connection| {
            connection.losses += u64::from(connection.is_up && !is_up);
            connection.is_up = is_up;
        });
    }

    /// Notes that something was missed although the connection is there.
    pub(super) fn missed(&self) {
        tracing::warn!("this copy is too slow for what others say");
        self.connection
            .send_modify(|connection| connection.losses += 1);
    }

    pub(super) fn is_up(&self) -> bool {
        self.connection.borrow().is_up
    }

    /// True once this copy has said that it stops.
    pub(super) fn has_left(&self) -> bool {
        self.has_left.load(Ordering::Acquire)
    }

    /// Notes that a copy was heard.
    pub(super) fn heard(&self, node: u64) {
        match self.peers.heard(node, Instant::now()) {
            Heard::Known => return,
            Heard::New => tracing::info!(node = format!("{node:x}"), "another copy is there"),
            Heard::Back => {
                tracing::warn!(node = format!("{node:x}"), "another copy is back");
                self.unheard.store(true, Ordering::Release);
                self.untold.store(true, Ordering::Release);
            }
        }
        self.changed.notify_one();
    }

    /// Puts a message behind the others.
    pub(super) fn push(&self, subject: Subject, message: &Message<'_>) {
        if self.has_left() {
            return;
        }
        let bytes = message.encode(self.node);
        let length = bytes.len();
        let waiting = self.queued.fetch_add(length, Ordering::Relaxed);
        let is_full = waiting + length > MAX_QUEUED_BYTES;
        let pushed = !is_full
            && length <= chunks::MAX_MESSAGE
            && self
                .queue
                .try_send(Outgoing::Publish(subject, bytes))
                .is_ok();
        if !pushed {
            self.queued.fetch_sub(length, Ordering::Relaxed);
            self.untold.store(true, Ordering::Release);
            let before = self.dropped.fetch_add(1, Ordering::Relaxed);
            if before.is_power_of_two() || before == 0 {
                tracing::error!(count = before + 1, "messages to other copies were dropped");
            }
        }
    }

    /// Sends to everybody in a room who is connected elsewhere.
    pub(crate) fn broadcast(&self, name: &RoomName, message: &Broadcast) {
        if !self.peers.any() {
            return;
        }
        let id = message.id.map(uuid::Uuid::into_bytes);
        let said = Said::from(&message.body);
        self.push(
            self.subjects.room(slot(name)),
            &Message::Broadcast(name.into(), id, said),
        );
    }

    /// Tells that a client of this copy tells of itself.
    pub(crate) fn present(&self, name: &RoomName, entry: &Entry) {
        if self.peers.any() {
            let message = Message::Present(name.into(), entry.into());
            self.push(self.subjects.room(slot(name)), &message);
        }
    }

    /// Tells that a client of this copy took back what it told.
    pub(crate) fn absent(&self, name: &RoomName, channel: ChannelId, key: &str) {
        if self.peers.any() {
            let message = Message::Absent(name.into(), channel.0, key);
            self.push(self.subjects.room(slot(name)), &message);
        }
    }

    /// Tells all that clients of this copy tell of themselves in a room.
    pub(super) fn state(&self, name: &RoomName, entries: &[Entry]) {
        let present = entries.iter().map(Into::into).collect();
        let message = Message::State(name.into(), present);
        self.push(self.subjects.room(slot(name)), &message);
    }

    /// A room was made here: from now on what others say in it is heard.
    pub(crate) fn opened(self: &Arc<Self>, room: &Arc<Room>) {
        self.slots[slot(room.name())]
            .rooms
            .fetch_add(1, Ordering::AcqRel);
        tokio::spawn(self.clone().learn(room.clone()));
    }

    /// A room that was [`opened`](Self::opened) is no more.
    pub(crate) fn closed(&self, name: &RoomName) {
        self.slots[slot(name)].rooms.fetch_sub(1, Ordering::AcqRel);
    }

    /// The longest that [`opened`](Self::opened) takes until a room is known.
    pub(crate) fn patience(&self) -> Duration {
        START.saturating_sub(self.born.elapsed()) + ANSWERS + ANSWERS
    }

    /// Asks the other copies who is in a room, and waits for their answers.
    async fn learn(self: Arc<Self>, room: Arc<Room>) {
        let mut is_settled = self.is_settled.subscribe();
        let start = START.saturating_sub(self.born.elapsed());
        let _ = tokio::time::timeout(start, is_settled.wait_for(|it| *it)).await;
        let answers = async {
            if !self.is_up() {
                return;
            }
            let mut is_known = room.is_known();
            self.ask(&room).await;
            let _ = is_known.wait_for(|it| *it).await;
        };
        if tokio::time::timeout(ANSWERS, answers).await.is_err() {
            tracing::debug!(topic = &*room.name().topic, "not every copy has answered");
        }
        room.give_up();
    }

    /// Asks the other copies who is in a room, whose subject is heard from now on.
    pub(super) async fn ask(self: &Arc<Self>, room: &Room) {
        let Some(client) = self.client.get() else {
            return;
        };
        self.listen(client, slot(room.name())).await;
        room.ask(self.peers.alive());
        // Not through the queue: others may answer only when the subscription, which has gone this way, is there.
        let bytes = Message::Ask(room.name().into()).encode(self.node);
        if let Err(error) = client.publish(self.subjects.ask.clone(), bytes).await {
            tracing::debug!(%error, "other copies cannot be asked");
        }
    }

    async fn listen(self: &Arc<Self>, client: &Client, slot: usize) {
        let mut task = self.slots[slot].task.lock().await;
        if task.as_ref().is_some_and(|task| !task.is_finished()) {
            return;
        }
        match client.subscribe(self.subjects.room(slot)).await {
            Ok(subscriber) => {
                let hearing = super::rooms::hear(self.clone(), subscriber);
                *task = Some(AbortOnDropHandle::new(tokio::spawn(hearing)));
            }
            Err(error) => tracing::warn!(%error, "what other copies say cannot be heard"),
        }
    }

    /// Says that this copy stops; returns when that has left.
    pub(super) async fn goodbye(&self) {
        self.push(self.subjects.here.clone(), &Message::Bye);
        // Whatever came now would be a sign of life.
        self.has_left.store(true, Ordering::Release);
        let (done, is_done) = oneshot::channel();
        if self.queue.send(Outgoing::Done(done)).await.is_ok()
            && is_done.await.is_ok()
            && let Some(client) = self.client.get().filter(|_| self.is_up())
        {
            let _ = client.flush().await;
        }
    }
}

/// How large a message may be for the server.
pub(super) fn limit(client: &Client) -> usize {
    client
        .max_payload()
        .saturating_sub(PROTOCOL_BYTES)
        .max(1024)
}

/// Publishes what is put into the link. Without a connection it goes nowhere: late is worse than never, and presence is
/// told anew.
pub(super) async fn publish(link: Arc<Link>, client: Client, mut queue: mpsc::Receiver<Outgoing>) {
    let mut number = 0;
    while let Some(outgoing) = queue.recv().await {
        match outgoing {
            Outgoing::Publish(subject, message) => {
                link.queued.fetch_sub(message.len(), Ordering::Relaxed);
                if !link.is_up() {
                    continue;
                }
                number += 1;
                for piece in chunks::split(message, number, limit(&client)) {
                    if let Err(error) = client.publish(subject.clone(), piece).await {
                        tracing::warn!(%error, "a message to other copies was not sent");
                        link.untold.store(true, Ordering::Release);
                    }
                }
            }
            Outgoing::Done(done) => {
                let _ = done.send(());
            }
        }
    }
}
