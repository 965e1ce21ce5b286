//! Opens the log when it is needed, opens it again when it broke, and drops the slot in the end.

use std::{
    collections::VecDeque,
    pin::pin,
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use sqlx::PgPool;
use tokio::{
    sync::watch,
    time::{Instant, sleep, timeout},
};
use tokio_util::sync::CancellationToken;

use super::{Counters, FeedItem, Gap, Status, place::Place, queue::Queue, session::End};
use crate::replication::{ReplicationError, Settings, slot};

/// How long it takes until the first attempt after a failure; then twice as long, up to the last.
const FIRST: Duration = Duration::from_millis(100);
const LAST: Duration = Duration::from_secs(5);
/// How long a connection must have lasted to count as one that works.
const LASTED: Duration = Duration::from_secs(10);
/// How often it is looked whether the other copy has gone.
const STANDBY: Duration = Duration::from_secs(1);
/// How long another copy has to take the slot before it is dropped for want of users.
const SUCCESSION: Duration = Duration::from_secs(3);
/// How long is waited for the last words of the server.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long is waited for the server to notice that we have gone.
const DROP_WITHIN: Duration = Duration::from_secs(8);

pub(super) struct Worker {
    pub(super) settings: Settings,
    pub(super) pool: PgPool,
    pub(super) items: Queue,
    /// What waits for room in the queue.
    pub(super) pending: VecDeque<FeedItem>,
    pub(super) confirmed: watch::Receiver<u64>,
    pub(super) status: watch::Sender<Status>,
    pub(super) counters: Arc<Counters>,
    pub(super) place: Place,
    /// Ends a connection that works.
    pub(super) quit: CancellationToken,
    /// The server's process that has sent to us last.
    pub(super) pid: Option<i32>,
    /// True if the slot has been there since somebody needs it: if it is missing then, changes are.
    pub(super) expects_slot: bool,
}

/// Why the log is not needed any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    Idle,
    Stop,
}

impl Worker {
    pub(super) fn new(
        settings: Settings,
        pool: PgPool,
        items: Queue,
        confirmed: watch::Receiver<u64>,
        status: watch::Sender<Status>,
        counters: Arc<Counters>,
    ) -> Self {
        Self {
            settings,
            pool,
            items,
            pending: VecDeque::new(),
            confirmed,
            status,
            counters,
            place: Place::default(),
            quit: CancellationToken::new(),
            pid: None,
            expects_slot: false,
        }
    }

    pub(super) async fn run(mut self, mut users: watch::Receiver<usize>, stop: CancellationToken) {
        loop {
            let items = self.items.clone();
            tokio::select! {
                biased;
                () = stop.cancelled() => return,
                () = items.closed() => return,
                wanted = users.wait_for(|users| *users > 0) => if wanted.is_err() {
                    return;
                }
            }
            let leave = self.serve(&mut users, &stop).await;
            self.close(leave).await;
            if leave == Leave::Stop {
                return;
            }
        }
    }

    /// Reads the log until it is not needed any more.
    async fn serve(
        &mut self,
        users: &mut watch::Receiver<usize>,
        stop: &CancellationToken,
    ) -> Leave {
        let idle_after = self.settings.idle_after;
        let (items, status) = (self.items.clone(), self.status.clone());
        let quit = CancellationToken::new();
        self.quit = quit.clone();
        let mut following = pin!(self.follow());
        let leave = tokio::select! {
            biased;
            () = stop.cancelled() => Leave::Stop,
            () = items.closed() => Leave::Stop,
            () = unused(users, idle_after, &status) => Leave::Idle,
            () = &mut following => return Leave::Stop,
        };
        quit.cancel();
        if timeout(FAREWELL, following).await.is_err() {
            tracing::debug!("the server does not take its leave");
        }
        leave
    }

    /// Reads the log, through all that may happen to the connection. Returns when nobody receives, or when it is told
    /// to quit.
    async fn follow(&mut self) {
        let quit = self.quit.clone();
        let mut pause = FIRST;
        loop {
            let began = Instant::now();
            let opened = tokio::select! {
                biased;
                () = quit.cancelled() => return,
                opened = self.open() => opened,
            };
            let ended = match opened {
                Ok((log, names)) => self.stream(log, &names).await,
                Err(error) => Err(error),
            };
            if began.elapsed() > LASTED {
                pause = FIRST;
            }
            let recovered = async {
                match ended {
                    Ok(End::Publications) => self.show(Status::Connecting),
                    Err(ReplicationError::InUse(_)) => self.stand_by().await,
                    Ok(End::Unheard | End::Quit) => return false,
                    Err(error) => {
                        self.recover(error).await;
                        sleep(pause).await;
                        pause = (pause * 2).min(LAST);
                        self.counters.reconnects.fetch_add(1, Ordering::Relaxed);
                    }
                }
                true
            };
            tokio::select! {
                biased;
                () = quit.cancelled() => return,
                goes_on = recovered => if !goes_on {
                    return;
                }
            }
        }
    }

    /// Makes the best of a failure before the next attempt.
    async fn recover(&mut self, error: ReplicationError) {
        let gap = match error {
            ReplicationError::Behind(bytes) => Gap::Behind(bytes),
            ReplicationError::Lost(_) => Gap::Lost,
            ReplicationError::PublicationMissing(_) => Gap::Unpublished,
            error => return self.show(Status::Failed(error.to_string())),
        };
        self.renew(gap).await;
    }

    /// Waits until the slot is free, or nobody can tell.
    async fn stand_by(&mut self) {
        self.show(Status::Standby);
        self.expects_slot = true;
        loop {
            sleep(STANDBY).await;
            match slot::state(&self.pool, &self.settings.slot).await {
                Ok(Some(state)) if state.active_pid.is_some() => {
                    // Ours, on a connection that broke without the server's noticing.
                    if state.active_pid == self.pid {
                        self.release().await;
                    }
                }
                _ => return,
            }
        }
    }

    /// Drops the slot, so that it is made anew, and says that changes are lost.
    async fn renew(&mut self, gap: Gap) {
        tracing::warn!(?gap, slot = self.settings.slot, "changes are lost");
        self.show(Status::Connecting);
        self.release().await;
        match slot::drop(&self.pool, &self.settings.slot, DROP_WITHIN).await {
            Ok(true) => self.lost(gap),
            // Another copy has it and sees to it.
            Ok(false) => {}
            Err(error) => self.show(Status::Failed(error.to_string())),
        }
    }

    /// Tells of a gap, behind what came before it.
    pub(super) fn lost(&mut self, gap: Gap) {
        self.place = Place::default();
        self.expects_slot = false;
        self.counters.gaps.fetch_add(1, Ordering::Relaxed);
        self.announce(FeedItem::Gap(gap));
    }

    /// Puts news about the feed itself behind what waits. What is no news any more goes, so that a consumer that sleeps
    /// does not find more and more of it.
    pub(super) fn announce(&mut self, item: FeedItem) {
        while let Some(FeedItem::Streaming { .. }) = self.pending.back() {
            self.pending.pop_back();
        }
        match (self.pending.back(), &item) {
            (Some(FeedItem::Gap(_)), FeedItem::Gap(_)) => {}
            _ => self.pending.push_back(item),
        }
    }

    /// Ends the server's process that has sent to us, if it still has the slot.
    pub(super) async fn release(&mut self) {
        if let Some(pid) = self.pid.take()
            && let Err(error) = slot::release(&self.pool, &self.settings.slot, pid).await
        {
            tracing::debug!(%error, "cannot end the server's process");
        }
    }

    /// Lets go of the slot, the connection being closed.
    async fn close(&mut self, leave: Leave) {
        let ours = self.pid;
        self.release().await;
        let keep = self.settings.keep_slot_on_stop;
        if leave == Leave::Idle && keep {
            sleep(SUCCESSION).await;
        }
        if leave == Leave::Idle || !keep {
            let slot = self.settings.slot.as_str();
            match drop_unless_taken(&self.pool, slot, ours).await {
                Ok(true) => {}
                Ok(false) => tracing::debug!(slot, "the slot is left to another copy"),
                Err(error) => {
                    tracing::warn!(%error, slot, "the slot stays, and holds the log back");
                }
            }
        }
        self.place = Place::default();
        self.pending.clear();
        self.expects_slot = false;
        self.counters.lag_bytes.store(0, Ordering::Relaxed);
        self.show(Status::Idle);
    }

    pub(super) fn show(&self, status: Status) {
        self.status.send_if_modified(|shown| {
            if *shown == status {
                return false;
            }
            match &status {
                Status::Failed(reason) => tracing::warn!(reason, "the log cannot be read"),
                status => tracing::debug!(?status, "the log"),
            }
            *shown = status;
            true
        });
    }
}

/// Drops the slot. False if another process has it than ours, which may be about to end.
async fn drop_unless_taken(pool: &PgPool, slot: &str, ours: Option<i32>) -> sqlx::Result<bool> {
    let holder = slot::state(pool, slot)
        .await?
        .and_then(|state| state.active_pid);
    if holder.is_some() && holder != ours {
        return Ok(false);
    }
    slot::drop(pool, slot, DROP_WITHIN).await
}

/// Waits until there were no users for that long, and says so before the next one can come: who comes later must not
/// take it that changes flow.
async fn unused(
    users: &mut watch::Receiver<usize>,
    idle_after: Duration,
    status: &watch::Sender<Status>,
) {
    loop {
        if users.wait_for(|users| *users == 0).await.is_err() {
            return;
        }
        let wanted = timeout(idle_after, users.wait_for(|users| *users > 0)).await;
        match wanted.map(|wanted| wanted.is_ok()) {
            Ok(true) => {}
            Ok(false) => return,
            Err(_) => {
                let users = users.borrow();
                if *users == 0 {
                    status.send_replace(Status::Connecting);
                    return;
                }
            }
        }
    }
}
