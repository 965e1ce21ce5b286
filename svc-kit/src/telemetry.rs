//! Logs: one line per event on standard error, as text or, with `LOG_FORMAT=json`, as JSON.

use tracing_subscriber::{EnvFilter, fmt, prelude::*};

use crate::env::Vars;

/// Installs the process's subscriber. `LOG_LEVEL` takes a level or a filter such as `info,sqlx=warn`.
///
/// A second call does nothing, which tests rely on.
pub fn init(vars: &Vars) {
    let filter = EnvFilter::try_new(vars.non_empty("LOG_LEVEL").unwrap_or("info"))
        .unwrap_or_else(|_| EnvFilter::new("info"));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = fmt::layer().with_writer(std::io::stderr).with_target(true);
    // Failing means that a subscriber is installed already.
    let _ = if vars.get("LOG_FORMAT") == Some("json") {
        registry.with(layer.json()).try_init()
    } else {
        registry.with(layer).try_init()
    };
}
