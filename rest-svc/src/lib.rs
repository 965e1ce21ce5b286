//! rest-svc: PostgREST's API over any Postgres database.
//!
//! A request is compiled: its text is parsed ([`parse`]), planned against the cached catalog ([`plan`],
//! [`schema_cache`]), rendered to one statement ([`sql`]) and run in one transaction ([`db`]). The JSON
//! that Postgres makes goes to the socket as it is.

mod app;
mod auth;
mod config;
mod db;
mod error;
mod openapi;
pub mod parse;
pub mod plan;
mod routes;
pub mod schema_cache;
pub mod sql;
mod workers;

/// The release of PostgREST whose behaviour this is.
pub(crate) const VERSION: &str = "14.12";

pub use app::App;
pub use config::Config;
pub use error::Error;
