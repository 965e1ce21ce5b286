//! The S3 protocol at `/s3`, for tools that speak to Amazon's storage.
//!
//! A request is recognised ([`operation`]), its signature verified ([`signature`]), its body unpacked
//! ([`streaming`]) and its answer written as XML ([`xml`]); nothing of that knows the database. [`routes`] leads it to
//! its operation, which does with objects what the REST surface does too.

mod auth;
mod body;
mod bucket;
mod error;
mod headers;
mod list;
mod multipart;
mod object;
mod operation;
mod page;
mod post;
mod query;
mod request;
mod routes;
mod sealed;
mod signature;
mod store;
mod streaming;
mod xml;

pub(crate) use routes::answer;
