//! What every service relies on, on a real Postgres.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod caller;
mod migrations;
