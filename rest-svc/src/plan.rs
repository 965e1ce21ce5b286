//! From a syntax tree to a plan: every embed has its relationship, every condition its place.

mod find;
mod read;

pub use read::{
    Child, Condition, PlannedField, PlannedOrder, ReadPlan, Source, SpreadField, plan_read,
};
