//! This service as an OAuth 2.1 server: who its clients are, what they may ask for, and the ID tokens it makes.

mod client;
mod id_token;
mod request;

pub use client::{Credentials, Registration, Update, authenticate, new_secret};
pub use id_token::{id_token, profile};
pub use request::{Request, has_scope, scopes, with_parameters};
