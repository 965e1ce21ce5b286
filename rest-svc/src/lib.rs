//! rest-svc: PostgREST's API over any Postgres database.
//!
//! A request is compiled: its text is parsed ([`parse`]), planned against the cached catalog ([`plan`],
//! [`schema_cache`]), rendered to one statement ([`sql`]) and run in one transaction ([`transaction`]). The JSON
//! that Postgres makes goes to the socket as it is.

mod access_log;
mod admin;
mod app;
mod auth;
pub mod cli;
mod config;
mod error;
mod log;
mod openapi;
pub mod parse;
pub mod plan;
mod routes;
pub mod schema_cache;
pub mod sql;
mod traffic;
mod transaction;
mod workers;

/// The release of PostgREST whose behaviour this is.
pub const VERSION: &str = "14.12";

pub use app::{Address, App};
pub use config::{Config, LogLevel};
pub use error::Error;
pub use log::Lines;

/// The configuration with what the database says in it, as far as it can be asked.
pub async fn with_database_settings(config: Config) -> Config {
    let asked = async {
        let target = config.target()?;
        let mut client = target.client().await?;
        let settings = config::database::read(&mut client, &config).await?;
        anyhow::Ok(config.reloaded(settings)?)
    };
    match asked.await {
        Ok(config) => config,
        Err(error) => {
            let told = Error::beside(&error).to_json();
            tracing::warn!("Failed to query database settings for the config parameters.{told}");
            config
        }
    }
}

/// The catalog as JSON. Its form may change.
pub async fn describe_schema(config: Config) -> anyhow::Result<serde_json::Value> {
    let config = if config.db_config {
        with_database_settings(config).await
    } else {
        config
    };
    let target = config.target()?;
    let mut client = target.client().await?;
    let cache = schema_cache::load(&mut client, &config.schemas, &config.extra_search_path).await?;
    Ok(cache.describe())
}
