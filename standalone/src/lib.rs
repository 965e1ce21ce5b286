//! The whole platform in one process: hands the services' routers to the gateway, and owns no behaviour
//! of its own but the private Postgres, the mailbox, the keys, and what a project folder asks for.

pub mod cli;
pub mod compose;
pub mod control;
pub mod database;
pub mod keys;
pub mod mailbox;
mod meta;
mod pictures;
mod progress;
mod project;
mod server;
pub mod settings;
pub mod state;
mod target;
mod wiring;
