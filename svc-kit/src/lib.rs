//! What every Nilam service shares, and nothing else.
//!
//! Configuration from the environment ([`env`]), token verification and claims ([`jwt`]), the pool and
//! "run as this caller" ([`pg`]), migrations ([`migrate`]), serving HTTP ([`http`]) and logs
//! ([`telemetry`]). With the feature `testing`, a Postgres database for each test.

pub mod env;
pub mod http;
pub mod jwt;
pub mod migrate;
pub mod pg;
pub mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
