//! Realtime: broadcast, presence and database changes over a web socket.
//!
//! So far it answers health, checks the key of a socket, and says of everything else that it cannot do
//! it yet.

mod app;
mod changes;
mod config;
mod error;
mod key;
mod migrations;
mod replication;
mod socket;

pub use app::App;
pub use config::Config;
pub use migrations::{migrate, migrations, service_migrations};
