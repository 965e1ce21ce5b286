//! The one way in: API keys, routing by prefix, CORS, limits, and the built front end.
//!
//! The gateway does not know the services' crates. It routes to an [`Upstream`], which is a URL or a
//! router handed to it, and no route knows which.

mod app;
mod config;
mod cors;
mod error;
mod frontend;
mod health;
mod keys;
mod proxy;
mod routes;
mod upstream;

pub use app::App;
pub use config::Config;
pub use keys::ApiKeys;
pub use routes::Service;
pub use upstream::{Upstream, Upstreams};
