//! The SQL, a file per table.

pub(crate) mod buckets;
