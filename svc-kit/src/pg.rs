//! Postgres: the pool, identifier quoting and transactions under the caller's role.

mod caller;
mod pool;
mod quote;

pub use caller::{Caller, begin_as, set_config_statement};
pub use pool::{PoolSettings, pool};
pub use quote::{quote_ident, quote_literal, write_ident};
