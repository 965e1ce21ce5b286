//! One connection of the feed, from its beginning to its end.

use std::{
    pin::pin,
    sync::{Arc, atomic::Ordering},
};

use sqlx::PgPool;
use tokio::{sync::mpsc::error::TrySendError, time::sleep};

use super::{Counters, FeedItem, Gap, Status, worker::Worker};
use crate::replication::{
    Event, Log, ReplicationError, Settings, publication,
    slot::{self, SlotState},
};

/// Why a connection was given up that works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Others are to be read.
    Publications,
    /// The server keeps this many bytes of the log for us, which is too much.
    Behind(u64),
    /// Nobody receives.
    Unheard,
    /// It was told to.
    Quit,
}

/// What a look at the catalog found.
enum Finding {
    Publications(publication::Found),
    Behind(u64),
}

impl Worker {
    /// Connects and hands over what comes, until something ends it.
    pub(super) async fn session(&mut self) -> Result<End, ReplicationError> {
        if !matches!(*self.status.borrow(), Status::Standby | Status::Failed(_)) {
            self.show(Status::Connecting);
        }
        let state = slot::state(&self.pool, &self.settings.slot).await?;
        if let Some(holder) = state.and_then(|state| state.active_pid) {
            if self.pid != Some(holder) {
                return Err(ReplicationError::InUse(self.settings.slot.clone()));
            }
            // Our last connection broke, and the server has not noticed yet.
            self.release().await;
        }
        if let Some(bytes) = behind(state, &self.settings, &self.counters) {
            return Ok(End::Behind(bytes));
        }
        if let Err(error) = publication::ensure_messages(&self.pool, &self.settings.messages).await
        {
            tracing::warn!(%error, "cannot make the publication of realtime.messages");
        }
        let names = publication::find(&self.pool, &self.settings).await?.names;
        if names.is_empty() {
            return Err(ReplicationError::NoPublication);
        }
        let settings = self.settings.clone();
        let reading = Log::connect(&settings).await?;
        self.pid = Some(reading.pid());
        let log = reading.start(&names, self.place.after).await?;
        if log.created() && self.expects_slot {
            self.lost(Gap::Dropped).await;
        }
        self.expects_slot = true;
        self.stream(log, &names).await
    }

    async fn stream(&mut self, mut log: Log, names: &[String]) -> Result<End, ReplicationError> {
        self.place.begin(names);
        log.confirm(*self.confirmed.borrow_and_update());
        let (pool, settings) = (self.pool.clone(), self.settings.clone());
        let counters = Arc::clone(&self.counters);
        let mut look = pin!(watch(&pool, &settings, &counters, names));
        let mut streaming = Some(FeedItem::Streaming {
            lsn: log.position(),
        });
        // Where in the log other publications begin.
        let mut others_at = None;
        self.show(Status::Streaming);
        loop {
            if others_at.is_some_and(|at| at <= log.position()) && !log.in_transaction() {
                return Ok(End::Publications);
            }
            if self.pending.is_none() {
                self.pending = streaming.take();
            }
            let waits = self.pending.is_some();
            let items = self.items.clone();
            tokio::select! {
                biased;
                () = self.quit.cancelled() => {
                    log.confirm(*self.confirmed.borrow_and_update());
                    log.close().await?;
                    return Ok(End::Quit);
                }
                moved = self.confirmed.changed() => {
                    if moved.is_err() {
                        return Ok(End::Unheard);
                    }
                    let end = *self.confirmed.borrow_and_update();
                    log.confirm(end);
                }
                found = &mut look, if others_at.is_none() => match found {
                    Finding::Behind(bytes) => return Ok(End::Behind(bytes)),
                    Finding::Publications(found) => {
                        // One that is gone is left out at once: it can only cause errors. One that is new does not
                        // exist further back, and there Postgres stumbles over it.
                        let grows = found.names.iter().any(|name| !names.contains(name));
                        others_at = Some(if grows { found.at } else { 0 });
                    }
                },
                room = items.reserve(), if waits => match (room, self.pending.take()) {
                    (Ok(room), Some(item)) => room.send(item),
                    (Ok(_), None) => {}
                    (Err(_), _) => return Ok(End::Unheard),
                },
                read = log.next(!waits) => {
                    let mut next = read?;
                    if next.is_none() && !log.in_transaction() {
                        self.place.pass(log.position());
                    }
                    while let Some(event) = next {
                        if !self.hand_over(event) {
                            break;
                        }
                        next = log.arrived()?;
                    }
                }
            }
        }
    }

    /// Puts an event into the queue. False if it has to wait for room.
    fn hand_over(&mut self, event: Event) -> bool {
        if !self.place.advance(&event) {
            return true;
        }
        match &event {
            Event::Change(..) => self.counters.changes.fetch_add(1, Ordering::Relaxed),
            Event::Committed { .. } => self.counters.transactions.fetch_add(1, Ordering::Relaxed),
        };
        match self.items.try_send(FeedItem::Event(event)) {
            Ok(()) => true,
            Err(TrySendError::Full(item) | TrySendError::Closed(item)) => {
                self.pending = Some(item);
                false
            }
        }
    }
}

/// Looks at the catalog now and then, until there is something to find.
async fn watch(
    pool: &PgPool,
    settings: &Settings,
    counters: &Counters,
    names: &[String],
) -> Finding {
    loop {
        sleep(settings.check_every).await;
        let looked = async {
            let state = slot::state(pool, &settings.slot).await?;
            if let Some(bytes) = behind(state, settings, counters) {
                return Ok(Some(Finding::Behind(bytes)));
            }
            let found = publication::find(pool, settings).await?;
            Ok::<_, sqlx::Error>((found.names != names).then_some(Finding::Publications(found)))
        };
        match looked.await {
            Ok(Some(finding)) => return finding,
            Ok(None) => {}
            Err(error) => tracing::debug!(%error, "cannot look at the catalog"),
        }
    }
}

/// How many bytes of the log the server keeps for us, if they are too many.
fn behind(state: Option<SlotState>, settings: &Settings, counters: &Counters) -> Option<u64> {
    let lag = state.map_or(0, |state| u64::try_from(state.lag).unwrap_or(0));
    counters.lag_bytes.store(lag, Ordering::Relaxed);
    (lag > settings.max_lag_bytes).then_some(lag)
}
