//! The whole platform in one process: hands the services' routers to the gateway, and owns no behaviour
//! of its own but the private Postgres, the mailbox and the keys.

pub mod cli;
pub mod compose;
pub mod database;
pub mod keys;
pub mod mailbox;
mod pictures;
pub mod settings;
pub mod state;
