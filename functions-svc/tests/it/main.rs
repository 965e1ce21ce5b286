//! What a caller of the functions service sees.

#![expect(
    clippy::unwrap_used,
    reason = "a test fails where something unexpected happens"
)]

mod inspector;
mod isolation;
mod lifecycle;
mod logs;
mod modules;
mod serving;
mod streaming;
mod support;
mod tmp;
mod tokens;
