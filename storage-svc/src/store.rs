//! The SQL, a file per table, and what its rows become.

pub(crate) mod buckets;
pub(crate) mod listing;
pub(crate) mod objects;
pub(crate) mod values;
