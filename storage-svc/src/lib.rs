//! Object storage: buckets, and the objects in them.
//!
//! `routes` is the REST surface; what it shares with S3 and resumable uploads is in `domain`. Rows are in Postgres
//! (`store`), where policies decide who may do what; bytes are in a blob store (`blobs`).

mod app;
mod auth;
mod blobs;
mod config;
mod db;
mod domain;
mod error;
mod migrations;
mod names;
mod routes;
mod s3;
mod schema;
mod store;
mod tus;

pub use app::App;
pub use config::{Backend, Config, S3};
pub use domain::sweep::Swept;
pub use migrations::{migrate, migrations};
