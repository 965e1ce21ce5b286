//! One web socket for as long as it lives: what it reads, what it writes, and its channels.
//!
//! Everything of a socket happens in one task, so nothing of it needs a lock. What waits for the database is a future
//! beside the loop, and only its own channel waits for it.

mod broadcast;
mod changes;
mod expiry;
mod join;
mod presence;

use std::{
    collections::HashMap,
    pin::{Pin, pin},
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use axum::extract::ws::{CloseFrame, WebSocket, close_code};
use futures_util::{SinkExt as _, StreamExt as _, future::BoxFuture, stream::FuturesUnordered};
use rand::Rng as _;
use serde_json::json;
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Sleep, sleep_until},
};

use crate::{
    app::App,
    channel::{Channel, JoinError},
    hub::Opening,
    metrics::Gauge,
    policies::{PolicyError, Reads, Write},
    replay::Stored,
    socket::{ChannelId, Frame, Incoming, Order, Outlet, Queue, Ref, Version},
    token::Token,
};

/// A socket that says nothing for so long is gone; clients send a heartbeat every 25 seconds.
const SILENCE: Duration = Duration::from_mins(1);
/// A client that takes nothing for so long is gone.
const WRITE_TIMEOUT: Duration = Duration::from_mins(1);
/// What a client may send while its channels wait for the database; beyond it nothing more is read.
const MAX_WAITING: usize = 256;
const MAX_WAITING_BYTES: usize = 8 * 1024 * 1024;
/// Questions of one socket that are asked at a time.
const QUESTIONS: usize = 2;
/// Joins that a client may have refused and not been told of yet.
const MAX_REFUSED: usize = 1000;
/// How long the last words of a socket may take.
const FAREWELL: Duration = Duration::from_secs(5);
/// Frames that go out with one system call.
const BATCH: usize = 64;
/// When the service stops, sockets are closed one after the other within this time, so that not all come back at once.
const DRAIN_SPREAD: Duration = Duration::from_secs(2);

/// Who is connected, as the handshake said.
#[derive(Clone, Debug)]
pub(crate) struct Client {
    pub(crate) version: Version,
    /// The key of the socket, which channels without a token of their own use.
    pub(crate) key: Arc<Token>,
    /// The `x-` headers of the handshake as a JSON object.
    pub(crate) headers: Arc<str>,
}

/// Why a socket is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// The client has gone, or is given up.
    Gone,
    /// The service stops; the client is to connect again.
    Restart,
    /// The client is silent, or has nothing joined.
    Idle,
    /// The client joins too often.
    Refused,
}

/// What a future beside the loop found out.
enum Done {
    /// A join may go on, or not.
    Joining(ChannelId, Incoming, Result<Joined, JoinError>),
    /// A refused join has waited long enough to be told.
    Refused(Incoming, String),
    /// The channel has ended before its question was asked.
    Moot,
    /// Whether a channel may write.
    Write(
        ChannelId,
        Incoming,
        Write,
        Result<(bool, Option<Reads>), PolicyError>,
    ),
    /// What a channel may read with its new token; nothing was asked for a public one.
    Renewed(ChannelId, Arc<Token>, Result<Option<Reads>, PolicyError>),
    /// What became of a channel's subscriptions to changes.
    Subscribed(ChannelId, changes::Outcome),
    /// Whether messages of the database flow.
    Replication(ChannelId, bool),
}

/// What the database said to a join.
struct Joined {
    reads: Option<Reads>,
    replayed: Vec<Stored>,
    /// The room, as far as other copies of the service know it.
    room: Option<Opening>,
}

/// A socket.
pub(crate) struct Session {
    app: App,
    client: Client,
    queue: Queue,
    channels: HashMap<Box<str>, Channel>,
    work: FuturesUnordered<BoxFuture<'static, Done>>,
    /// True once the socket counts as a user.
    is_user: bool,
    heard_at: Instant,
    /// Since when there has been no channel.
    empty_since: Instant,
    /// What waits in the backlogs of channels.
    waiting: Waiting,
    /// Few questions of one socket are asked at a time, so that it leaves connections to others.
    questions: Arc<Semaphore>,
    end: Option<End>,
}

/// How much clients have sent that their channels cannot handle yet.
#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    frames: usize,
    bytes: usize,
}

impl Waiting {
    /// True if no more is to be read.
    fn is_full(self) -> bool {
        self.frames >= MAX_WAITING || self.bytes >= MAX_WAITING_BYTES
    }
}

impl Session {
    /// Serves a socket until it ends.
    pub(crate) async fn run(app: App, client: Client, socket: WebSocket) {
        let app_of_gauge = app.clone();
        let _gauge = Gauge::new(&app_of_gauge.metrics().sockets);
        let _alive = app.sessions().token();
        let (queue, orders) = Queue::new();
        let session = Self {
            app,
            client,
            queue,
            channels: HashMap::new(),
            work: FuturesUnordered::new(),
            is_user: false,
            heard_at: Instant::now(),
            empty_since: Instant::now(),
            waiting: Waiting::default(),
            questions: Arc::new(Semaphore::new(QUESTIONS)),
            end: None,
        };
        session.serve(socket, orders).await;
    }

    async fn serve(mut self, mut socket: WebSocket, mut orders: mpsc::Receiver<Order>) {
        let queue = self.queue.clone();
        let mut drained = pin!(self.app.connected().cancelled_owned());
        let mut is_draining = false;
        let mut alarm = pin!(sleep_until((Instant::now() + SILENCE).into()));
        let mut rings_at = Instant::now() + SILENCE;
        let end = loop {
            if let Some(end) = self.end {
                break end;
            }
            let due = self.due();
            if due < rings_at {
                set(alarm.as_mut(), &mut rings_at, due);
            }
            tokio::select! {
                // A client that sends faster than its channels can handle waits, as it does for a slow network.
                message = socket.recv(), if !self.waiting.is_full() => match message {
                    Some(Ok(message)) => self.hear(&message),
                    // Too large a frame is one of these; the socket cannot go on after it.
                    Some(Err(_)) | None => break End::Gone,
                },
                order = orders.recv() => {
                    let Some(order) = order else { break End::Gone };
                    let writing = self.obey(order, &mut orders, &mut socket);
                    let written = tokio::select! {
                        written = writing => written,
                        () = queue.overflowed() => {
                            self.overflowed();
                            false
                        }
                    };
                    if !written {
                        break End::Gone;
                    }
                }
                Some(done) = self.work.next(), if !self.work.is_empty() => self.go_on(done),
                () = queue.overflowed() => {
                    self.overflowed();
                    break End::Gone;
                }
                () = alarm.as_mut() => {
                    if is_draining {
                        self.end = Some(End::Restart);
                        continue;
                    }
                    self.look();
                    let due = self.due();
                    set(alarm.as_mut(), &mut rings_at, due);
                }
                () = drained.as_mut(), if !is_draining => {
                    is_draining = true;
                    self.announce_restart();
                    let delay = rand::rng().random_range(Duration::ZERO..DRAIN_SPREAD);
                    set(alarm.as_mut(), &mut rings_at, Instant::now() + delay);
                    // Nothing may move the alarm any more.
                    rings_at = Instant::now();
                }
            }
        };
        // What the client has sent before it went is still sent on.
        let _ = tokio::time::timeout(FAREWELL, self.finish()).await;
        self.leave_all();
        let farewell = match end {
            End::Gone => return,
            End::Restart => close_code::RESTART,
            End::Idle => close_code::NORMAL,
            End::Refused => close_code::AWAY,
        };
        let goodbye = async {
            // What is queued is still said.
            while let Ok(order) = orders.try_recv() {
                if let Order::Send(frame) = order {
                    socket.feed(frame).await?;
                }
            }
            let frame = CloseFrame {
                code: farewell,
                reason: "".into(),
            };
            socket.send(Frame::Close(Some(frame))).await
        };
        let _ = tokio::time::timeout(FAREWELL, goodbye).await;
    }

    /// Goes on until no joined channel has anything left to handle.
    async fn finish(&mut self) {
        let is_busy = |channel: &Channel| channel.is_waiting && channel.membership.is_some();
        while self.channels.values().any(is_busy) {
            let Some(done) = self.work.next().await else {
                return;
            };
            self.go_on(done);
        }
    }

    fn overflowed(&self) {
        tracing::warn!("a socket that takes less than it is sent is closed");
        self.app.metrics().overflows.fetch_add(1, Ordering::Relaxed);
    }

    /// Does an order and those behind it, with one flush; false if the socket is gone.
    async fn obey(
        &mut self,
        first: Order,
        orders: &mut mpsc::Receiver<Order>,
        socket: &mut WebSocket,
    ) -> bool {
        let mut next = Some(first);
        let mut bytes = 0;
        for _ in 0..BATCH {
            let Some(order) = next.take().or_else(|| orders.try_recv().ok()) else {
                break;
            };
            match order {
                Order::Send(frame) => {
                    self.queue.popped(&frame);
                    bytes += length(&frame);
                    let fed = tokio::time::timeout(WRITE_TIMEOUT, socket.feed(frame)).await;
                    if !matches!(fed, Ok(Ok(()))) {
                        return false;
                    }
                }
                Order::Shutdown(channel, message) => self.shut_down(channel, message),
                Order::Interrupt(channel) => self.interrupt(channel),
            }
        }
        let output = &self.app.metrics().output_bytes;
        output.fetch_add(bytes, Ordering::Relaxed);
        let flushed = tokio::time::timeout(WRITE_TIMEOUT, socket.flush()).await;
        matches!(flushed, Ok(Ok(())))
    }

    /// Reads a frame.
    fn hear(&mut self, message: &Frame) {
        self.heard_at = Instant::now();
        let input = &self.app.metrics().input_bytes;
        input.fetch_add(length(message), Ordering::Relaxed);
        let version = self.client.version;
        let incoming = match message {
            Frame::Text(text) => version.read_text(text),
            Frame::Binary(bytes) => version.read_binary(bytes),
            // The library answers a ping, and an end is read as one.
            _ => return,
        };
        match incoming {
            Ok(incoming) => self.receive(incoming),
            Err(error) => tracing::debug!(%error, "MalformedWebSocketMessage"),
        }
    }

    fn receive(&mut self, incoming: Incoming) {
        match (&*incoming.topic, &*incoming.event) {
            ("phoenix", "heartbeat") => self.reply(&incoming, &Ref::null(), true, "{}"),
            (topic, "phx_join") if topic.starts_with("realtime:") => self.join(incoming),
            (topic, event) => match self.channels.get_mut(topic) {
                None if event == "phx_leave" => {
                    self.reply(&incoming, &incoming.join_ref, true, "{}");
                }
                None => {
                    let reason = json!({ "reason": "unmatched topic" }).to_string();
                    self.reply(&incoming, &incoming.join_ref, false, &reason);
                }
                // Who leaves while it still joins need not wait for that. Later what was sent before counts first.
                Some(channel)
                    if channel.is_waiting
                        && (event != "phx_leave" || channel.membership.is_some()) =>
                {
                    self.waiting.frames += 1;
                    self.waiting.bytes += incoming.payload.len();
                    channel.backlog.push_back(incoming);
                }
                Some(_) => self.handle(incoming),
            },
        }
    }

    /// An event for a channel that waits for nothing.
    fn handle(&mut self, incoming: Incoming) {
        match &*incoming.event {
            "phx_leave" => self.leave(&incoming),
            "broadcast" => self.hear_broadcast(incoming),
            "presence" => self.hear_presence(incoming),
            "access_token" => self.hear_token(&incoming),
            // Events that nothing knows are counted, not answered.
            _ => self.app.metrics().events.add(1),
        }
    }

    /// Goes on where a question to the database was asked.
    fn go_on(&mut self, done: Done) {
        match done {
            Done::Joining(channel, incoming, result) => self.joined(channel, &incoming, result),
            Done::Refused(incoming, reason) => {
                let response = json!({ "reason": reason }).to_string();
                self.reply(&incoming, &incoming.join_ref, false, &response);
            }
            Done::Write(channel, incoming, what, result) => {
                self.write_decided(channel, incoming, what, result);
            }
            Done::Renewed(channel, token, result) => self.renewed(channel, token, result),
            Done::Moot => {}
            Done::Subscribed(channel, outcome) => self.subscribed(channel, outcome),
            Done::Replication(channel, is_ready) => self.replication(channel, is_ready),
        }
    }

    /// Handles what came for a channel while it waited.
    fn catch_up(&mut self, id: ChannelId) {
        while let Some(channel) = self.by_id(id).filter(|channel| !channel.is_waiting) {
            let Some(incoming) = channel.backlog.pop_front() else {
                return;
            };
            self.waiting.frames -= 1;
            self.waiting.bytes -= incoming.payload.len();
            self.handle(incoming);
        }
    }

    fn by_id(&mut self, id: ChannelId) -> Option<&mut Channel> {
        self.channels.values_mut().find(|channel| channel.id == id)
    }

    /// Does something that takes time.
    fn spawn(&mut self, work: impl Future<Output = Done> + Send + 'static) {
        self.work.push(Box::pin(work));
    }

    /// Asks the database for a channel, after the questions before it, unless the channel has ended by then.
    fn ask_database(
        &mut self,
        alive: &Arc<()>,
        question: impl Future<Output = Done> + Send + 'static,
    ) {
        let (questions, alive) = (Arc::clone(&self.questions), Arc::downgrade(alive));
        self.spawn(async move {
            let Ok(_turn) = questions.acquire().await else {
                return Done::Moot;
            };
            if alive.strong_count() == 0 {
                return Done::Moot;
            }
            question.await
        });
    }

    fn reply(&self, to: &Incoming, join_ref: &Ref, is_ok: bool, response: &str) {
        self.push(self.client.version.reply(to, join_ref, is_ok, response));
    }

    fn push(&self, frame: Frame) {
        // Without room the loop ends by itself.
        let _ = self.queue.push(frame);
    }

    /// A `system` message of a channel.
    fn system(&self, channel: &Channel, extension: &str, is_ok: bool, message: &str) {
        let payload = json!({
            "extension": extension,
            "status": if is_ok { "ok" } else { "error" },
            "message": message,
            "channel": &**channel.name(),
        });
        let version = self.client.version;
        let (join_ref, topic) = (&channel.join_ref, channel.outlet.topic());
        self.push(version.push(Some(join_ref), topic, "system", &payload.to_string()));
    }

    /// Ends a channel and says why.
    fn shut_down(&mut self, id: ChannelId, message: &str) {
        let Some(channel) = self.take(id) else { return };
        tracing::debug!(channel = &**channel.name(), message, "ChannelShutdown");
        self.system(&channel, "system", false, message);
        self.close(&channel);
    }

    /// The client leaves a channel.
    fn leave(&mut self, incoming: &Incoming) {
        let id = self.channels.get(&incoming.topic).map(|channel| channel.id);
        let Some(channel) = id.and_then(|id| self.take(id)) else {
            return;
        };
        self.reply(incoming, &channel.join_ref, true, "{}");
        self.close(&channel);
    }

    fn close(&self, channel: &Channel) {
        let (join_ref, topic) = (&channel.join_ref, channel.outlet.topic());
        self.push(self.client.version.close(join_ref, topic, "phx_close"));
    }

    /// Removes a channel; when it is dropped, its room is left.
    fn take(&mut self, id: ChannelId) -> Option<Channel> {
        let topic = self.by_id(id)?.outlet.topic().clone();
        let channel = self.channels.remove(&*topic)?;
        self.app.unsubscribe(id);
        self.waiting.frames -= channel.backlog.len();
        let bytes: usize = channel.backlog.iter().map(|it| it.payload.len()).sum();
        self.waiting.bytes -= bytes;
        if channel.membership.is_some() {
            self.app.metrics().channels.fetch_sub(1, Ordering::Relaxed);
        }
        if self.channels.is_empty() {
            self.empty_since = Instant::now();
        }
        Some(channel)
    }

    fn leave_all(&mut self) {
        let ids: Vec<_> = self.channels.values().map(|channel| channel.id).collect();
        for id in ids {
            self.take(id);
        }
        self.count_as_user(false);
    }

    /// A socket is a user from its first join to its end.
    fn count_as_user(&mut self, is_user: bool) {
        let users = &self.app.metrics().users;
        match (self.is_user, is_user) {
            (false, true) => users.fetch_add(1, Ordering::Relaxed),
            (true, false) => users.fetch_sub(1, Ordering::Relaxed),
            _ => return,
        };
        self.is_user = is_user;
    }

    /// Tells every channel that the service stops. This message is the project's, so it names no channel.
    fn announce_restart(&self) {
        let payload = json!({
            "extension": "system",
            "status": "ok",
            "message": "Server requested disconnect",
        });
        let payload = payload.to_string();
        for channel in self.channels.values() {
            let topic = channel.outlet.topic();
            self.push(self.client.version.fan_out(topic, "system", &payload));
        }
    }

    /// When something is to be looked at again.
    fn due(&self) -> Instant {
        let silent = self.heard_at + SILENCE;
        if self.channels.is_empty() {
            return silent.min(self.empty_since + self.app.config().no_channel_timeout);
        }
        let channels = self.channels.values().filter(|it| !it.is_renewing);
        let confirm = channels.map(|channel| channel.confirm_at);
        confirm.min().map_or(silent, |confirm| confirm.min(silent))
    }

    /// Looks at what time brings: silence, idleness, tokens.
    fn look(&mut self) {
        let now = Instant::now();
        let is_idle = self.channels.is_empty()
            && now >= self.empty_since + self.app.config().no_channel_timeout;
        if now >= self.heard_at + SILENCE || is_idle {
            self.end = Some(End::Idle);
            return;
        }
        self.confirm_tokens(now);
    }

    /// The way to a channel of this socket.
    fn outlet(&self, topic: &str, is_legacy: bool) -> Outlet {
        Outlet::new(
            self.queue.clone(),
            self.client.version,
            topic.into(),
            is_legacy,
        )
    }
}

fn set(alarm: Pin<&mut Sleep>, rings_at: &mut Instant, at: Instant) {
    *rings_at = at;
    alarm.reset(at.into());
}

fn length(frame: &Frame) -> u64 {
    match frame {
        Frame::Text(text) => text.len() as u64,
        Frame::Binary(bytes) => bytes.len() as u64,
        _ => 0,
    }
}
