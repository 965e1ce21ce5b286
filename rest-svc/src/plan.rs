//! From a syntax tree to a plan: every embed has its relationship, every condition its place.

mod columns;
mod find;
mod read;
mod tree;

pub use read::plan_read;
pub use tree::{Child, Condition, PlannedField, PlannedOrder, ReadPlan, Source, SpreadField};
