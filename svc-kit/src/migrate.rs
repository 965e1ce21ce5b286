//! x
pub mod x {}
