//! The changes of the database, as its log tells them.

mod event;

pub(crate) use event::{Action, Cell, Change, Column, Commit, Event, Identity, Old, Relation};
