//! From the text of a request to a syntax tree. Pure functions: no database, no catalog, no panic.

mod cursor;
mod filter;
mod media;
mod names;
mod order;
mod payload;
mod preferences;
mod query;
mod range;
mod select;
mod tree;

pub use cursor::ParseError;
pub use media::{Accept, MediaType, PlanFormat, parse_accept};
pub use payload::{Payload, PayloadKind, parse_form, parse_payload};
pub use preferences::{Count, Handling, Missing, Preferences, Resolution, Return, Transaction};
pub use query::{QueryParams, parse_arguments, parse_query};
pub use range::Range;
pub use tree::*;
