//! A private Postgres: finds server binaries, makes a cluster, starts, stops and recovers it.
//!
//! Used by `standalone` and by the tests. Speaks to the server only through its files, its signals and
//! its exit status, so it needs no database driver.

mod account;
mod cluster;
mod error;
mod find;
mod port;
mod recover;

pub use cluster::{Cluster, ClusterConfig};
pub use error::Error;
pub use find::{Binaries, SUPPORTED_MAJORS, find};
pub use port::free_port;
