//! What a copy does again and again: it says that it is there, and notices who is not.

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use sqlx::PgPool;
use tokio::{
    sync::watch,
    time::{MissedTickBehavior, interval},
};

use super::{
    HEARTBEAT, is_reading,
    link::{Connection, Link},
    message::Message,
    rows,
};
use crate::replication::{Feed, User};

/// How long the others have to say that they are there.
const DISCOVERY: Duration = Duration::from_millis(250);
/// Heartbeats between two looks at what is not needed any more.
const TIDY: u64 = 30;
/// Rooms are asked about in groups of so many, so that answers find room.
const ROOMS: usize = 256;
/// The pause between two groups.
const PAUSE: Duration = Duration::from_millis(20);

pub(super) struct Upkeep {
    link: Arc<Link>,
    feed: Feed,
    users: watch::Receiver<usize>,
    /// On behalf of other copies.
    guest: Option<User>,
    catalog: PgPool,
    timeout: Duration,
}

impl Upkeep {
    pub(super) fn new(link: Arc<Link>, feed: Feed, catalog: PgPool, timeout: Duration) -> Self {
        Self {
            link,
            users: feed.users(),
            feed,
            guest: None,
            catalog,
            timeout,
        }
    }

    pub(super) async fn run(mut self) {
        let mut connection = self.link.connection.subscribe();
        connection.mark_changed();
        let mut was = Connection::default();
        let mut ticks = interval(HEARTBEAT);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut count: u64 = 0;
        let mut said = None;
        let link = self.link.clone();
        loop {
            let mut is_new = false;
            let mut is_due = false;
            tokio::select! {
                _ = ticks.tick() => {
                    count += 1;
                    is_due = true;
                }
                () = link.changed.notified() => is_due = true,
                _ = self.users.changed() => {}
                _ = connection.changed() => {
                    let is = *connection.borrow_and_update();
                    is_new = is.is_up && (is.losses, true) != (was.losses, was.is_up);
                    was = is;
                }
            }
            if is_new {
                self.arrive();
            }
            self.look_for_the_gone();
            self.mind_the_feed();
            let wants_feed = self.wants_feed();
            if is_due || is_new || said != Some(wants_feed) {
                said = Some(wants_feed);
                let asks = is_new;
                let message = Message::Here { wants_feed, asks };
                link.push(link.subjects.here.clone(), &message);
            }
            if link.is_up() {
                self.make_good();
            }
            if is_due && count > 0 && count.is_multiple_of(TIDY) {
                self.tidy().await;
            }
        }
    }

    /// The connection is there, or there again.
    fn arrive(&self) {
        let link = self.link.clone();
        link.untold.store(true, Ordering::Release);
        link.unheard.store(true, Ordering::Release);
        if !*link.is_settled.borrow() {
            tokio::spawn(async move {
                tokio::time::sleep(DISCOVERY).await;
                link.is_settled.send_replace(true);
            });
        }
    }

    fn look_for_the_gone(&self) {
        for node in self.link.peers.expire(Instant::now(), self.timeout) {
            tracing::warn!(node = format!("{node:x}"), "another copy is silent");
            self.link.gone(node);
        }
    }

    /// True if clients of this copy need the log.
    fn wants_feed(&self) -> bool {
        *self.users.borrow() > usize::from(self.guest.is_some())
    }

    /// Whoever may read the log does so as long as anybody needs it.
    fn mind_the_feed(&mut self) {
        match (self.link.peers.any_wants_feed(), &self.guest) {
            (true, None) => self.guest = Some(self.feed.user()),
            (false, Some(_)) => self.guest = None,
            _ => {}
        }
    }

    /// Tells and asks anew where something of presence may have been lost.
    fn make_good(&self) {
        let untold = self.link.untold.swap(false, Ordering::AcqRel);
        let unheard = self.link.unheard.swap(false, Ordering::AcqRel);
        let link = self.link.clone();
        let Some(hub) = link.hub().filter(|_| untold || unheard) else {
            return;
        };
        tokio::spawn(async move {
            for (number, room) in hub.rooms().enumerate() {
                if untold {
                    room.with_own(|entries| link.state(room.name(), &entries));
                }
                if unheard {
                    link.ask(&room).await;
                }
                if number % ROOMS == ROOMS - 1 {
                    tokio::time::sleep(PAUSE).await;
                }
            }
        });
    }

    /// Gives up what is not needed any more.
    async fn tidy(&self) {
        for slot in &self.link.slots {
            let is_empty = slot.rooms.load(Ordering::Acquire) == 0;
            if slot.was_empty.swap(is_empty, Ordering::Relaxed) && is_empty {
                let mut task = slot.task.lock().await;
                if slot.rooms.load(Ordering::Acquire) == 0 {
                    *task = None;
                }
            }
        }
        if is_reading(&self.feed) && self.link.is_up() {
            let mut alive = self.link.peers.alive();
            alive.insert(self.link.node);
            if let Err(error) = rows::delete_of_others(&self.catalog, &alive).await {
                tracing::warn!(%error, "subscriptions of copies that are gone cannot be deleted");
            }
        }
    }
}
