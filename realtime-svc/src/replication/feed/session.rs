//! One connection of the feed, from its beginning to its end.

use std::{
    pin::pin,
    sync::{Arc, atomic::Ordering},
};

use sqlx::PgPool;
use tokio::time::sleep;

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
    /// Takes the slot and begins to read the publications that exist.
    pub(super) async fn open(&mut self) -> Result<(Log, Vec<String>), ReplicationError> {
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
            return Err(ReplicationError::Behind(bytes));
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
            self.lost(Gap::Dropped);
        }
        self.expects_slot = true;
        Ok((log, names))
    }

    /// Hands over what comes, until something ends it.
    pub(super) async fn stream(
        &mut self,
        mut log: Log,
        names: &[String],
    ) -> Result<End, ReplicationError> {
        self.place.begin(names);
        log.confirm(*self.confirmed.borrow_and_update());
        let (pool, settings) = (self.pool.clone(), self.settings.clone());
        let counters = Arc::clone(&self.counters);
        let mut look = pin!(watch(&pool, &settings, &counters, names));
        self.announce(FeedItem::Streaming {
            lsn: log.position(),
        });
        // Other publications, and where in the log they begin.
        let mut others: Option<publication::Found> = None;
        self.show(Status::Streaming);
        loop {
            let begins = |others: &publication::Found| others.at <= log.position();
            if others.as_ref().is_some_and(begins) && !log.in_transaction() {
                // Before this the others need not exist, so nobody must look there for them.
                self.place.pass(log.position());
                return Ok(End::Publications);
            }
            let items = self.items.clone();
            let waiting = self.pending.front().map(|item| items.weight(item));
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
                found = &mut look => {
                    match found {
                        Finding::Behind(bytes) => return Err(ReplicationError::Behind(bytes)),
                        Finding::Publications(found) => {
                            if others.as_ref().is_none_or(|others| others.names != found.names) {
                                others = Some(found.since(names));
                            }
                        }
                    }
                    look.set(watch(&pool, &settings, &counters, names));
                },
                room = items.room(waiting.unwrap_or_default()), if waiting.is_some() => {
                    match (room, self.pending.pop_front()) {
                        (Some(room), Some(item)) => room.fill(item),
                        (Some(_), None) => {}
                        (None, _) => return Ok(End::Unheard),
                    }
                }
                read = log.next(waiting.is_none()) => {
                    let mut next = read?;
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
            Err(item) => {
                self.pending.push_back(item);
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
