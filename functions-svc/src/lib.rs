//! Edge functions, as the edge runtime serves them.
//!
//! A request's first path segment names a function, which is a folder with a module in it. Each function has a Deno
//! process of its own behind a unix socket: `catalog` knows the functions, `registry` keeps them in step with the disk,
//! `function` starts processes, `pool` bounds, watches and ends them, `proxy` hands requests over.

mod app;
mod catalog;
mod cli;
mod config;
mod connections;
mod deno;
mod error;
mod function;
mod inspector;
mod jobs;
mod metrics;
mod pool;
mod prepare;
mod process;
mod proxy;
mod registry;
mod routes;
mod settings;
mod token;
mod worker;

pub use app::App;
pub use cli::Cli;
pub use config::{Config, Deno, FunctionEnv, Inspect, InspectMode, Limits, Policy, Source};
pub use jobs::{CronConfig, JobsConfig, NetConfig, migrations};
pub use settings::{FunctionSettings, SettingsByName};
