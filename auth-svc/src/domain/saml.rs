//! Single sign-on with SAML 2.0: this service as a service provider.
//!
//! [`xml`] reads documents strictly, [`c14n`] and [`signature`] prove who wrote an element, [`decrypt`]
//! opens what was sealed for us. [`response`] applies the rules of the Web Browser SSO profile and gives an
//! [`assertion`], which [`mapping`] turns into claims. [`metadata`] is what identity providers say about
//! themselves, [`sp`] what we say about us, with the certificates of [`key`].
//!
//! Everything that is trusted is read from the very nodes whose canonical form was digested, so that moving
//! a signed element elsewhere in a document is of no use to anybody.

mod assertion;
pub mod begin;
mod c14n;
pub mod complete;
mod decrypt;
mod fetch;
pub mod key;
pub mod mapping;
mod metadata;
pub mod providers;
mod response;
mod signature;
pub mod sp;
#[cfg(test)]
mod tests;
mod xml;

use std::borrow::Cow;

/// Why a document is of no use. For the log: nothing of it goes to the client.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Problem(Cow<'static, str>);

impl Problem {
    fn new(reason: impl Into<Cow<'static, str>>) -> Self {
        Self(reason.into())
    }
}

fn refuse<T>(reason: impl Into<Cow<'static, str>>) -> Result<T, Problem> {
    Err(Problem::new(reason))
}
