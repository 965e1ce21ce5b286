//! Edge functions, as the edge runtime serves them.
//!
//! So far it answers health, checks tokens, and says of every function that it cannot run it yet.

mod app;
mod config;
mod error;
mod jobs;
mod token;

pub use app::App;
pub use config::Config;
pub use jobs::{CronConfig, JobsConfig, NetConfig, migrations};
