//! What a caller of the storage service sees, on a real database and real files.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod buckets;
mod changes;
mod crash;
mod listing;
mod reads;
mod refusals;
mod rendering;
mod s3;
mod service;
mod signing;
mod sweeping;
mod telling;
mod tus;
mod tus_access;
mod tus_breaks;
mod uploads;

pub(crate) use service::{SECRET, Service, now, signed, token};
