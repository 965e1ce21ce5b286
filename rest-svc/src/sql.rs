//! From a plan to one statement whose text depends on the request's shape alone.

mod builder;
mod call;
mod condition;
mod mutate;
mod read;
mod values;
mod wrap;

pub use builder::{Param, Sql};
pub use call::{Arguments, call};
pub use mutate::{Mutation, MutationKind, OnConflict, mutate};
pub use read::{count_of, read, window};
pub use wrap::{Body, Kind, Totals, explain, wrap};
