use std::{
    fmt::Write as _,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use tokio::sync::{Notify, mpsc};

use super::{Frame, Version};

/// What waits for a socket is bounded by number and by bytes: a client that does not read must not fill the memory.
const MAX_QUEUED: usize = 65_536;
const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;

/// The socket is gone, or so slow that it is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Closed;

/// A channel of a socket, by a number that no other channel of the process has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct ChannelId(pub(crate) u64);

/// What others want of a socket.
#[derive(Clone, Debug)]
pub(crate) enum Order {
    /// To write this.
    Send(Frame),
    /// To end a channel with a system message.
    Shutdown(ChannelId, &'static str),
    /// To end a channel whose changes were lost.
    Interrupt(ChannelId),
}

/// The sending end of what a socket is to do; never waits.
#[derive(Clone, Debug)]
pub(crate) struct Queue(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    orders: mpsc::Sender<Order>,
    bytes: AtomicUsize,
    overflow: Notify,
}

impl Queue {
    /// A queue and its other end.
    pub(crate) fn new() -> (Self, mpsc::Receiver<Order>) {
        let (orders, receiver) = mpsc::channel(MAX_QUEUED);
        let inner = Inner {
            orders,
            bytes: AtomicUsize::new(0),
            overflow: Notify::new(),
        };
        (Self(Arc::new(inner)), receiver)
    }

    /// Puts a frame behind the others.
    pub(crate) fn push(&self, frame: Frame) -> Result<(), Closed> {
        let length = length(&frame);
        let waiting = self.0.bytes.fetch_add(length, Ordering::Relaxed);
        // A single frame may be larger than what may wait.
        let is_full = waiting > 0 && waiting + length > MAX_QUEUED_BYTES;
        if is_full || self.0.orders.try_send(Order::Send(frame)).is_err() {
            self.0.bytes.fetch_sub(length, Ordering::Relaxed);
            self.0.overflow.notify_one();
            return Err(Closed);
        }
        Ok(())
    }

    /// Asks for something that has no bytes.
    fn order(&self, order: Order) {
        if self.0.orders.try_send(order).is_err() {
            self.0.overflow.notify_one();
        }
    }

    /// To be called with every frame that left the queue.
    pub(crate) fn popped(&self, frame: &Frame) {
        self.0.bytes.fetch_sub(length(frame), Ordering::Relaxed);
    }

    /// Returns when something found no room: the client has missed it and is to be closed.
    pub(crate) async fn overflowed(&self) {
        self.0.overflow.notified().await;
    }
}

fn length(frame: &Frame) -> usize {
    match frame {
        Frame::Text(text) => text.len(),
        Frame::Binary(bytes) => bytes.len(),
        _ => 0,
    }
}

/// The way to one channel of one socket.
#[derive(Clone, Debug)]
pub(crate) struct Outlet {
    queue: Queue,
    version: Version,
    topic: Arc<str>,
    /// True if the client joined without a configuration, as clients of 2021 do: it then gets a change as the whole
    /// payload of an event that is named for the action.
    is_legacy: bool,
}

impl Outlet {
    /// `topic` is the one that the client joined, `realtime:` included.
    pub(crate) fn new(queue: Queue, version: Version, topic: Arc<str>, is_legacy: bool) -> Self {
        Self {
            queue,
            version,
            topic,
            is_legacy,
        }
    }

    /// Outlets with the same key get the same bytes of the same message.
    pub(crate) fn key(&self) -> (Version, &Arc<str>, bool) {
        (self.version, &self.topic, self.is_legacy)
    }

    /// The version of the socket's frames.
    pub(crate) fn version(&self) -> Version {
        self.version
    }

    /// The topic, `realtime:` included.
    pub(crate) fn topic(&self) -> &Arc<str> {
        &self.topic
    }

    /// The frame of a change of a row. `ids` are those of the channel's own subscriptions that it matched, `action`
    /// is `INSERT`, `UPDATE` or `DELETE`, and `data` the JSON text of the change.
    pub(crate) fn change(&self, ids: &[u32], action: &str, data: &str) -> Frame {
        if self.is_legacy {
            return self.version.fan_out(&self.topic, action, data);
        }
        let mut payload = String::with_capacity(data.len() + 32 + ids.len() * 10);
        payload.push_str(r#"{"ids":["#);
        for (index, id) in ids.iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            let _ = write!(payload, "{separator}{id}");
        }
        payload.push_str(r#"],"data":"#);
        payload.push_str(data);
        payload.push('}');
        self.version
            .fan_out(&self.topic, "postgres_changes", &payload)
    }

    /// Sends a frame made for this outlet's key.
    pub(crate) fn push(&self, frame: Frame) -> Result<(), Closed> {
        self.queue.push(frame)
    }

    /// Asks the socket to end the channel with a system message.
    pub(crate) fn shutdown(&self, channel: ChannelId, message: &'static str) {
        self.queue.order(Order::Shutdown(channel, message));
    }

    /// Tells the socket that the channel has missed changes.
    pub(crate) fn interrupt(&self, channel: ChannelId) {
        self.queue.order(Order::Interrupt(channel));
    }
}
