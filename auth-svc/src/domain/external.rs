//! Signing in with what another service says about its user: OAuth 2.0 and OpenID Connect.
//!
//! [`client`] talks to a provider, of which [`spec`] says what is special and [`profiles`] how its answers
//! read. [`id_token`] checks signed statements with the keys that [`issuers`] keeps. What comes of it all
//! is a [`Profile`], and [`account`] decides whose account that is.

pub mod account;
pub mod begin;
pub mod client;
pub mod complete;
pub mod custom;
mod exchange;
mod fetch;
pub mod grant;
pub mod id_token;
mod invite;
pub mod issuers;
pub mod linking;
pub mod party;
mod profile;
mod profiles;
mod spec;

pub use profile::{Email, Profile};

/// Why a provider was of no use. For the log: nothing of it goes to the client.
#[derive(Debug, thiserror::Error)]
pub enum Problem {
    /// No answer.
    #[error("no answer: {0}")]
    Unreachable(#[source] reqwest::Error),
    /// Not before the request has to end.
    #[error("it is too slow")]
    Slow,
    /// More than anybody needs.
    #[error("the answer is larger than {0} bytes")]
    TooLarge(usize),
    /// A status that means failure.
    #[error("the answer has status {0}")]
    Status(u16),
    /// An answer that does not say what it should.
    #[error("the answer cannot be used: {0}")]
    Answer(&'static str),
    /// An address that is not one on the internet.
    #[error("its address is not public")]
    NotPublic,
    /// An ID token that is not to be trusted.
    #[error("the ID token cannot be used: {0}")]
    IdToken(&'static str),
}
