//! From a syntax tree to a plan: every embed has its relationship, every condition its place.

mod find;
mod read;

pub(crate) use read::join_columns;
pub use read::{Child, Condition, PlannedField, PlannedOrder, ReadPlan, Source, plan_read};
