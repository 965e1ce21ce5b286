//! The log for all copies: the one that reads it tells the others, and every copy takes each change once.
//!
//! Copies agree on nothing but places in the log. A copy knows the last change that it has taken. One that it is told of
//! again, because another copy has taken over from where the last one had confirmed, is before that and is skipped. Every
//! message names the change before its first, and whoever does not have that one has missed something.

use std::{
    collections::VecDeque,
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use async_nats::Client;
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::{
    sync::{mpsc, watch},
    time::{MissedTickBehavior, interval, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{
    HEARTBEAT, chunks, is_reading,
    link::{Link, limit},
    log::{Log, Place, Placed, weight},
    message::{Message, decode},
};
use crate::replication::{Commit, Event, Feed, FeedItem, Gap, Items, Queue, Status};

/// Items for the service that wait.
pub(super) const QUEUE: usize = 4096;
/// The same in bytes.
pub(super) const QUEUE_BYTES: u32 = 32 * 1024 * 1024;
/// Items of the feed taken at once.
const ITEMS: usize = 512;
/// A message to the others ends at about this many bytes of values.
const MESSAGE_BYTES: usize = 256 * 1024;
/// What waits of other copies' messages. Beyond it everything is lost, which is noticed.
const MAX_WAITING_BYTES: usize = 128 * 1024 * 1024;
const MAX_WAITING: usize = 16_384;
/// How long the connection may take for a message until the others are left to notice that they miss it.
const PATIENCE: Duration = Duration::from_secs(2);

/// How far the log is dealt with.
pub(super) struct Confirmed {
    feed: Feed,
    delivered: AtomicU64,
    told: AtomicU64,
}

impl Confirmed {
    pub(super) fn new(feed: Feed) -> Self {
        Self {
            feed,
            delivered: AtomicU64::new(0),
            told: AtomicU64::new(0),
        }
    }

    /// This copy's clients have everything up to here.
    pub(super) fn delivered(&self, end: u64) {
        self.delivered.fetch_max(end, Ordering::AcqRel);
        self.confirm();
    }

    /// The other copies were told everything up to here.
    fn told(&self, end: u64) {
        self.told.fetch_max(end, Ordering::AcqRel);
        self.confirm();
    }

    fn confirm(&self) {
        let delivered = self.delivered.load(Ordering::Acquire);
        let end = delivered.min(self.told.load(Ordering::Acquire));
        self.feed.confirm(end);
    }
}

/// What decides whether a change is new, and whether some are missing.
#[derive(Debug, Default)]
struct Progress {
    /// The last change that was taken, if any is known.
    at: Option<Place>,
    /// The last change that was read here.
    read: Place,
}

impl Progress {
    /// The place of a change that was read here.
    fn number(&mut self, commit: Commit) -> Place {
        let index = if self.read.commit == commit.lsn {
            self.read.index + 1
        } else {
            1
        };
        self.read = Place {
            commit: commit.lsn,
            index,
        };
        self.read
    }

    /// Another copy goes on after this change. False if that one is missing here.
    fn follows(&mut self, after: Option<Place>) -> bool {
        let misses = after.is_some_and(|after| self.at.is_some_and(|at| at < after));
        if misses || self.at.is_none() {
            self.at = after;
        }
        !misses
    }

    /// True if a change is new; then it is taken.
    fn take(&mut self, place: Place) -> bool {
        let is_new = self.at.is_none_or(|at| at < place);
        if is_new {
            self.at = Some(place);
        }
        is_new
    }
}

pub(super) struct Relay {
    link: Arc<Link>,
    feed: Feed,
    items: Items,
    out: Queue,
    ready: watch::Sender<bool>,
    confirmed: Arc<Confirmed>,
    progress: Progress,
    /// What the service has no room for yet. Nothing more is taken meanwhile.
    waiting: VecDeque<FeedItem>,
    /// When the copy that reads the log was last heard.
    heard: Option<Instant>,
    number: u64,
}

impl Relay {
    pub(super) fn new(
        link: Arc<Link>,
        feed: Feed,
        items: Items,
        out: Queue,
        ready: watch::Sender<bool>,
        confirmed: Arc<Confirmed>,
    ) -> Self {
        Self {
            link,
            feed,
            items,
            out,
            ready,
            confirmed,
            progress: Progress::default(),
            waiting: VecDeque::new(),
            heard: None,
            number: 0,
        }
    }

    /// Runs until the feed ends.
    pub(super) async fn run(mut self, client: Client, silence: Duration, stop: CancellationToken) {
        let (inbox, mut messages) = mpsc::channel(MAX_WAITING);
        let bytes = Arc::new(AtomicUsize::new(0));
        let hearing = hear(self.link.clone(), client.clone(), inbox, bytes.clone());
        tokio::spawn(stop.clone().run_until_cancelled_owned(hearing));
        let (published, ends) = watch::channel(0);
        let telling = tell(client.clone(), ends, self.confirmed.clone(), silence);
        tokio::spawn(stop.run_until_cancelled_owned(telling));
        let mut ticks = interval(HEARTBEAT / 2);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut status = self.feed.status();
        let mut connection = self.link.connection.subscribe();
        let mut losses = connection.borrow().losses;
        let mut taken = Vec::with_capacity(ITEMS);
        loop {
            let (out, is_free) = (self.out.clone(), self.waiting.is_empty());
            let weight = self.waiting.front().map_or(1, |item| out.weight(item));
            tokio::select! {
                room = out.room(weight), if !is_free => match (room, self.waiting.pop_front()) {
                    (Some(room), Some(item)) => room.fill(item),
                    (Some(_), None) => {}
                    (None, _) => return,
                },
                count = self.items.recv_many(&mut taken, ITEMS), if is_free => {
                    if count == 0 {
                        return;
                    }
                    if let Some(end) = self.read(&client, &mut taken).await {
                        published.send_replace(end);
                    }
                }
                Some((node, message)) = messages.recv(), if is_free => {
                    bytes.fetch_sub(Bytes::len(&message), Ordering::Relaxed);
                    self.link.heard(node);
                    self.told(&message);
                }
                _ = ticks.tick() => {
                    if is_reading(&self.feed) {
                        self.publish(&client, self.progress.at, &[], false).await;
                    } else if self.heard.is_some_and(|heard| heard.elapsed() > silence) {
                        self.lose("the copy that reads the log is silent");
                    }
                }
                Ok(()) = status.changed() => {
                    if is_reading(&self.feed) {
                        self.publish(&client, self.progress.at, &[], false).await;
                    }
                }
                _ = connection.changed() => {
                    let is = *connection.borrow_and_update();
                    if losses != is.losses && !is_reading(&self.feed) {
                        self.lose("the connection to the other copies was lost");
                    } else if is.is_up && is_reading(&self.feed) {
                        self.publish(&client, self.progress.at, &[], false).await;
                    }
                    losses = is.losses;
                }
            }
            self.hand_over();
            let is_ready = is_reading(&self.feed) || self.heard.is_some();
            self.ready
                .send_if_modified(|ready| std::mem::replace(ready, is_ready) != is_ready);
        }
    }

    /// Gives the service what it has room for.
    fn hand_over(&mut self) {
        while let Some(item) = self.waiting.pop_front() {
            if let Err(item) = self.out.try_send(item) {
                self.waiting.push_front(item);
                return;
            }
        }
    }

    /// What other copies say from now on does not follow what they said before.
    fn lose(&mut self, why: &str) {
        tracing::warn!(why, "changes may be missing");
        self.heard = None;
        self.progress.at = None;
        // Without users nobody has missed anything.
        if *self.feed.status().borrow() != Status::Idle {
            self.waiting.push_back(FeedItem::Gap(Gap::Unheard));
        }
    }

    /// Takes what was read here: tells the others, and keeps what is new. Gives up to where that is complete.
    async fn read(&mut self, client: &Client, taken: &mut Vec<FeedItem>) -> Option<u64> {
        let mut complete = None;
        let mut changes: Vec<Placed> = Vec::new();
        let mut bytes = 0;
        let mut after = self.progress.at;
        for item in taken.drain(..) {
            match item {
                FeedItem::Event(Event::Change(commit, change)) => {
                    let place = self.progress.number(commit);
                    bytes += weight(&change);
                    changes.push((place, commit, change));
                    if bytes > MESSAGE_BYTES {
                        self.pass(client, after, &mut changes).await;
                        after = self.progress.at;
                        bytes = 0;
                    }
                }
                item @ FeedItem::Event(Event::Committed { end, .. }) => {
                    // The service confirms it when it has everything before.
                    self.pass(client, after, &mut changes).await;
                    after = self.progress.at;
                    bytes = 0;
                    complete = Some(end);
                    self.waiting.push_back(item);
                }
                item @ FeedItem::Gap(_) => {
                    self.pass(client, after, &mut changes).await;
                    self.progress = Progress::default();
                    (after, bytes) = (None, 0);
                    self.publish(client, None, &[], true).await;
                    self.waiting.push_back(item);
                }
                item @ FeedItem::Streaming { .. } => self.waiting.push_back(item),
            }
        }
        self.pass(client, after, &mut changes).await;
        complete
    }

    async fn pass(&mut self, client: &Client, after: Option<Place>, changes: &mut Vec<Placed>) {
        if changes.is_empty() {
            return;
        }
        self.publish(client, after, changes, false).await;
        self.keep(std::mem::take(changes));
    }

    fn keep(&mut self, changes: Vec<Placed>) {
        for (place, commit, change) in changes {
            if self.progress.take(place) {
                self.waiting
                    .push_back(FeedItem::Event(Event::Change(commit, change)));
            }
        }
    }

    /// Tells the others, if that is possible. If it is not, they notice.
    async fn publish(
        &mut self,
        client: &Client,
        after: Option<Place>,
        changes: &[Placed],
        has_gap: bool,
    ) {
        if !self.link.is_up() || !self.link.peers.any() || self.link.has_left() {
            return;
        }
        let mut log = Log::new(after, changes);
        log.has_gap = has_gap;
        let message = Message::Log(log).encode(self.link.node);
        if message.len() > chunks::MAX_MESSAGE {
            tracing::error!(
                bytes = message.len(),
                "a change is too large for other copies"
            );
            return;
        }
        self.number += 1;
        for piece in chunks::split(message, self.number, limit(client)) {
            let publishing = client.publish(self.link.subjects.log.clone(), piece);
            match timeout(PATIENCE, publishing).await {
                Ok(Ok(())) => {}
                Ok(Err(error)) => tracing::warn!(%error, "changes were not sent to other copies"),
                Err(_) => tracing::warn!("changes were not sent to other copies in time"),
            }
        }
    }

    /// Takes what another copy has read.
    fn told(&mut self, frame: &Bytes) {
        let Some(Message::Log(log)) = decode(frame) else {
            return;
        };
        self.heard = Some(Instant::now());
        if log.has_gap {
            self.progress.at = None;
            self.waiting.push_back(FeedItem::Gap(Gap::Unheard));
        } else if !self.progress.follows(log.after) {
            tracing::warn!("a message of the copy that reads the log is missing");
            self.waiting.push_back(FeedItem::Gap(Gap::Unheard));
        }
        match log.changes(frame) {
            Some(changes) => self.keep(changes),
            None => self.lose("changes of another copy make no sense"),
        }
    }
}

/// Puts what other copies say of the log into a queue.
async fn hear(
    link: Arc<Link>,
    client: Client,
    inbox: mpsc::Sender<(u64, Bytes)>,
    bytes: Arc<AtomicUsize>,
) {
    let mut subscriber = match client.subscribe(link.subjects.log.clone()).await {
        Ok(subscriber) => subscriber,
        Err(error) => {
            tracing::error!(%error, "what other copies read cannot be heard");
            return;
        }
    };
    let mut assembler = chunks::Assembler::default();
    while let Some(message) = subscriber.next().await {
        let Some((node, message)) = assembler.take(message.payload) else {
            continue;
        };
        if node == link.node {
            continue;
        }
        let length = message.len();
        let waiting = bytes.fetch_add(length, Ordering::Relaxed);
        if waiting + length > MAX_WAITING_BYTES || inbox.try_send((node, message)).is_err() {
            bytes.fetch_sub(length, Ordering::Relaxed);
            // The next message tells that this one is missing.
            tracing::warn!("this copy is too slow for the log");
        }
    }
}

/// Notes what has left for the other copies. Without a connection that does not happen; then the log must not be kept
/// for ever, and the others notice what they miss.
async fn tell(
    client: Client,
    mut ends: watch::Receiver<u64>,
    confirmed: Arc<Confirmed>,
    silence: Duration,
) {
    while ends.changed().await.is_ok() {
        let end = *ends.borrow_and_update();
        let _ = timeout(silence + HEARTBEAT, client.flush()).await;
        confirmed.told(end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(commit: u64, index: u64) -> Place {
        Place { commit, index }
    }

    fn commit(lsn: u64) -> Commit {
        Commit { lsn, at: 0 }
    }

    #[test]
    fn what_comes_again_from_another_copy_is_taken_once() {
        let mut progress = Progress::default();
        assert!(progress.follows(Some(place(5, 3))));
        // It is not known whether anybody wanted what was before.
        assert!(progress.take(place(6, 1)) && progress.take(place(6, 2)));
        // The one that takes over begins where the last one had confirmed.
        assert!(progress.follows(Some(place(6, 2))));
        assert!(!progress.take(place(5, 3)) && !progress.take(place(6, 2)));
        assert!(progress.take(place(6, 3)) && progress.take(place(7, 1)));
    }

    #[test]
    fn what_is_missing_is_noticed_once() {
        let mut progress = Progress::default();
        assert!(progress.follows(None) && progress.take(place(5, 1)));
        assert!(progress.follows(Some(place(5, 1))));
        assert!(!progress.follows(Some(place(5, 2))));
        assert!(progress.follows(Some(place(5, 2))));
        assert!(progress.take(place(5, 3)));
    }

    #[test]
    fn a_transaction_that_was_interrupted_is_numbered_on() {
        let mut progress = Progress::default();
        assert_eq!(progress.number(commit(5)), place(5, 1));
        assert_eq!(progress.number(commit(5)), place(5, 2));
        assert_eq!(progress.number(commit(9)), place(9, 1));
    }
}
