//! What operators see of a service: requests and pools as metrics, and a line per request in the log.
//!
//! A service has one [`Requests`]. It wraps [`ObserveLayer`] around its routes, or calls [`Requests::begin`] itself where a layer costs
//! too much, and appends [`Requests::render`] and [`render_pools`] to its metrics. Names and labels are OpenTelemetry's
//! semantic conventions, in the spelling of Prometheus.

mod layer;
mod line;
mod pools;
mod requests;
mod series;
mod text;

pub use layer::{Observe, ObserveFuture, ObserveLayer};
pub use line::{Severity, TARGET};
pub use pools::{PoolState, Waiters, render_pools};
pub use requests::{Counted, Pending, Requests, Route};
pub use text::{CONTENT_TYPE, Kind, Text};
