//! One connection of the request path: the extended query protocol with everything of a transaction in one
//! flush and one Sync, read in the task of the request.
//!
//! tokio-postgres makes the connection (start-up, authentication, channel binding) and then hands the stream
//! over; it ends every statement with a Sync of its own, for each of which Postgres sends an answer by itself, and
//! it reads in a task of its own. Both cost more than the rest of a small request.
//!
//! <https://www.postgresql.org/docs/current/protocol-flow.html#PROTOCOL-FLOW-EXT-QUERY>

mod connection;
pub mod frames;
mod handover;
mod pool;
mod reply;
mod target;
mod tls;

pub use connection::{Connection, Session};
pub use handover::{BoxStream, Lent, Tls};
pub use pool::{Lease, Manager, Pool, PoolError, PoolStatus, SessionSettings, pool};
pub use reply::{DbError, Failure, Row};
pub use target::{ConnectError, Driver, Target};
