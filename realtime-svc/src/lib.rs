//! Realtime: broadcast, presence and database changes over a web socket.
//!
//! A socket is one task ([`session`]) that owns its channels ([`channel`]). Channels of one topic meet in a room
//! ([`hub`]), which encodes a message once and puts the shared bytes into the queue of every socket ([`socket`]).
//! What policies allow is asked of Postgres ([`policies`]); what happens in the database comes from its log
//! ([`replication`]),
//! from where it goes to the rooms or, by subscription and visibility, to channels ([`changes`]). Copies of the service
//! tell each other what happens in them ([`bus`]).

mod app;
mod bus;
mod changes;
mod channel;
mod config;
mod error;
mod hub;
mod intake;
mod limits;
mod messages;
mod metrics;
mod migrations;
mod policies;
mod replay;
mod replication;
mod routes;
mod session;
mod socket;
mod token;

pub use app::App;
pub use config::{Config, Limits};
pub use migrations::{migrate, migrations, service_migrations};
