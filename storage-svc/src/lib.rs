//! Object storage: buckets and, later, what is in them.
//!
//! So far it reads buckets under the caller's policies, and says of everything else that it cannot do it
//! yet.

mod app;
mod auth;
mod config;
mod error;
pub mod image;
mod migrations;
mod routes;
mod store;

pub use app::App;
pub use config::Config;
pub use migrations::{migrate, migrations};
