//! Sign-up, sign-in and sessions: a replacement of GoTrue, on the schema `auth`.
//!
//! [`routes`] takes requests apart, [`domain`] decides, [`store`] holds the SQL and [`mail`] writes and
//! sends mail. The wire contract, down to error codes and token formats, is GoTrue's.

pub mod app;
pub mod cli;
pub mod config;
pub mod domain;
pub mod error;
pub mod mail;
pub mod metrics;
pub mod migrations;
pub mod reload;
pub mod routes;
pub mod store;

pub use app::App;
pub use config::Config;
pub use migrations::migrations;
