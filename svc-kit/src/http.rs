//! Serving HTTP: listening, graceful shutdown and the layers that every service has.

mod linger;
mod request_id;
mod serve;

pub use linger::{Lingering, lingering};
pub use request_id::{REQUEST_ID, request_id_layer};
pub use serve::{serve, shutdown_signal};
