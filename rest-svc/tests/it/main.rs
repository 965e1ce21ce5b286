//! rest-svc as its clients see it: the real router on a real Postgres.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod callers;
mod calling;
mod errors;
mod logs;
mod media;
mod metrics;
mod reading;
mod reloading;
mod replicas;
mod restarts;
mod sessions;
mod test_app;
mod tls;
mod transactions;
mod writing;
