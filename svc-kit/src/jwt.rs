//! JSON web tokens: the keys that verify them and the claims inside.
//!
//! Only the signature is decided here. What a missing or wrong claim means, and in which words it is
//! refused, differs between the services, as it does between the originals.

mod claims;
mod keys;

pub use claims::Claims;
pub use keys::{JwtError, KeySet, KeySetError};

/// The secret of every local Supabase stack. Only ever accepted on loopback.
pub const LOCAL_JWT_SECRET: &str = "super-secret-jwt-token-with-at-least-32-characters-long";
