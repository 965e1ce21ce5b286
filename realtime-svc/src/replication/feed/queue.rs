//! The way to the consumer: so many items, and so many bytes.

use std::{mem, sync::Arc};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc};

use super::FeedItem;
use crate::replication::{Cell, Event, Old};

/// What an item and a cell take by themselves, roughly.
const ITEM: usize = 256;
const CELL: usize = mem::size_of::<Cell>();

type Weighed = (FeedItem, OwnedSemaphorePermit);

/// The end that the feed has.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    items: mpsc::Sender<Weighed>,
    bytes: Arc<Semaphore>,
    max_bytes: u32,
}

/// What comes out of the feed, in order.
#[derive(Debug)]
pub(crate) struct Items(mpsc::Receiver<Weighed>);

/// Room for an item.
#[derive(Debug)]
pub(crate) struct Room<'a>(mpsc::Permit<'a, Weighed>, OwnedSemaphorePermit);

/// Makes both ends.
pub(crate) fn queue(max_items: usize, max_bytes: u32) -> (Queue, Items) {
    let (sender, receiver) = mpsc::channel(max_items.max(1));
    let queue = Queue {
        items: sender,
        bytes: Arc::new(Semaphore::new(max_bytes as usize)),
        max_bytes,
    };
    (queue, Items(receiver))
}

impl Items {
    /// Waits for the next item; none if the feed has ended. Nothing is lost if it is given up.
    pub(crate) async fn recv(&mut self) -> Option<FeedItem> {
        let (item, _bytes) = self.0.recv().await?;
        Some(item)
    }

    /// The next item, if it is there.
    pub(crate) fn try_recv(&mut self) -> Option<FeedItem> {
        let (item, _bytes) = self.0.try_recv().ok()?;
        Some(item)
    }

    /// Waits for the next items, up to so many; gives how many they are, none if the feed has ended.
    pub(crate) async fn recv_many(&mut self, into: &mut Vec<FeedItem>, max: usize) -> usize {
        let Some(first) = self.recv().await else {
            return 0;
        };
        into.push(first);
        let more = std::iter::from_fn(|| self.try_recv()).take(max - 1);
        let before = into.len();
        into.extend(more);
        into.len() - before + 1
    }

    /// How many items wait.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }
}

impl Queue {
    /// Waits until nobody receives.
    pub(crate) async fn closed(&self) {
        self.items.closed().await;
    }

    /// Sends the item, or gives it back if there is no room or nobody to receive it.
    pub(crate) fn try_send(&self, item: FeedItem) -> Result<(), FeedItem> {
        let bytes = Arc::clone(&self.bytes).try_acquire_many_owned(self.weight(&item));
        match (self.items.try_reserve(), bytes) {
            (Ok(room), Ok(bytes)) => {
                room.send((item, bytes));
                Ok(())
            }
            _ => Err(item),
        }
    }

    /// Waits for room; none if nobody receives.
    pub(crate) async fn room(&self, weight: u32) -> Option<Room<'_>> {
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(weight).await;
        let room = self.items.reserve().await;
        Some(Room(room.ok()?, bytes.ok()?))
    }

    /// How many bytes the item counts for: an item that is larger than all may have waits until it is alone.
    pub(crate) fn weight(&self, item: &FeedItem) -> u32 {
        let cells = |cells: &[Cell]| -> usize {
            let bytes = |cell: &Cell| match cell {
                Cell::Text(text) => CELL + text.len(),
                Cell::Null | Cell::Unchanged => CELL,
            };
            cells.iter().map(bytes).sum()
        };
        let row = match item {
            FeedItem::Event(Event::Change(_, change)) => {
                let old = match &change.old {
                    Old::None => 0,
                    Old::Key(old) | Old::Full(old) => cells(old),
                };
                old + change.new.as_deref().map_or(0, cells)
            }
            _ => 0,
        };
        u32::try_from(ITEM + row)
            .unwrap_or(u32::MAX)
            .min(self.max_bytes)
    }
}

impl Room<'_> {
    /// Puts the item there.
    pub(crate) fn fill(self, item: FeedItem) {
        self.0.send((item, self.1));
    }
}
