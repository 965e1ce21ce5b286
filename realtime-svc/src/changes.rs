//! Changes of rows, for those who asked for them and may see them.
//!
//! A subscription says which tables, actions and rows it wants ([`Wanted`]). The [`Engine`] holds all of them, and takes
//! the changes that the log tells, in batches. What comes out for a change is what the function `realtime.apply_rls` says
//! of it: it is the rule, and the tests hold the two against each other.

mod catalog;
mod deliver;
mod engine;
mod filter;
mod generated;
mod image;
mod index;
mod metrics;
mod owners;
mod questions;
mod render;
mod sql;
#[cfg(test)]
mod tests;
mod types;
mod visibility;
mod wanted;

pub(crate) use self::{
    engine::{Engine, EngineError, Settings, SubscribeError, Subscriber},
    wanted::{Wanted, canonical, id as subscription_id},
};
