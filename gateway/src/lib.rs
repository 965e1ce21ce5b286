//! The one way in: API keys, routing by prefix, CORS, limits, and the built front end.
//!
//! The gateway does not know the services' crates. It routes to an [`Upstream`], which is one or several URLs or a
//! router handed to it, and no route knows which.

mod access_log;
mod admin;
mod app;
mod compress;
mod config;
mod cors;
mod error;
mod forward;
mod frontend;
mod headers;
mod health;
mod inbound;
mod keys;
mod metrics;
mod rates;
mod request_id;
mod routes;
mod server;
mod tls;
mod tunnel;
mod upstream;

pub use app::App;
pub use config::{
    AccessLogTarget, AcmeSettings, Balancing, Config, Serving, TlsSettings, TlsSource, with_file,
};
pub use keys::ApiKeys;
pub use rates::{Rate, RateSettings};
pub use routes::Service;
pub use server::{Server, raise_open_files};
pub use upstream::{Upstream, Upstreams};
