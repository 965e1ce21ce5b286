//! The requests of `net.http_get`, `http_post` and `http_delete`: a queue in the database and whoever sends them.
//!
//! A request leaves the queue in the transaction that notes its answer, so none is lost; one whose answer could not
//! be noted any more is sent again. Any number of copies work on one queue: each row belongs to a session of the
//! database, and goes back when that session is gone.

mod queue;
mod send;
mod worker;

pub(super) use queue::depth;
pub(super) use worker::run;
