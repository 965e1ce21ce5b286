//! The changes of the database, as its log tells them.
//!
//! [`Feed`] is the whole of it: a task that reads the log while somebody needs it. [`tend_every`] keeps the
//! partitions of `realtime.messages`.

mod connection;
mod decode;
mod error;
mod event;
mod feed;
mod log;
mod lsn;
mod partitions;
mod publication;
mod read;
mod settings;
mod slot;

use error::ReplicationError;
pub(crate) use event::{Action, Cell, Change, Column, Commit, Event, Identity, Old, Relation};
pub(crate) use feed::{Counters, Feed, FeedItem, Gap, Items, Queue, Status, User, queue};
use log::Log;
pub(crate) use partitions::tend_every;
pub(crate) use settings::Settings;
pub(crate) use slot::drop as drop_slot;

#[cfg(test)]
mod tests;
