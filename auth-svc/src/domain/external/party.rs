//! Whoever a user is sent to, however that one is spoken to.

use super::{
    client::{Client, Grant, Refusal},
    complete::Answer,
    custom::{self, Custom},
};
use crate::{app::App, error::Error};

/// A provider that users can sign in with.
pub enum Party<'a> {
    /// One that is known here, by OAuth 2.0.
    Known(Client<'a>),
    /// One that an administrator added.
    Custom(Box<Custom>),
}

impl<'a> Party<'a> {
    /// The provider of this name, in any case.
    ///
    /// Fails with `validation_failed` when it is unknown, disabled or not set up.
    pub async fn find(app: &'a App, name: &str) -> Result<Self, Error> {
        let lower: String = name.chars().take(64).collect::<String>().to_lowercase();
        if lower.starts_with(custom::PREFIX) {
            return Ok(Self::Custom(Box::new(Custom::find(app, &lower).await?)));
        }
        Ok(Self::Known(Client::find(app, &lower).await?))
    }

    /// Its name, which identities carry.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(client) => client.name(),
            Self::Custom(custom) => custom.name(),
        }
    }

    /// Whether users without a mail address are taken.
    pub fn email_optional(&self) -> bool {
        match self {
            Self::Known(client) => client.email_optional(),
            Self::Custom(custom) => custom.email_optional(),
        }
    }

    /// Whether it wants a challenge from us.
    pub fn requires_pkce(&self) -> bool {
        match self {
            Self::Known(client) => client.requires_pkce(),
            Self::Custom(custom) => custom.requires_pkce(),
        }
    }

    /// Where the user is sent. `more` are parameters that the app adds.
    pub async fn authorize_url(
        &self,
        state: &str,
        scopes: &str,
        more: &[(String, String)],
    ) -> Result<String, Error> {
        match self {
            Self::Known(client) => client.authorize_url(state, scopes, more),
            Self::Custom(custom) => custom.authorize_url(state, scopes, more),
        }
    }

    /// Trades what the user came back with for tokens, and asks who the user is.
    pub async fn redeem(
        &self,
        app: &App,
        answer: &Answer,
        verifier: Option<&str>,
    ) -> Result<Grant, Refusal> {
        match self {
            Self::Known(client) => client.redeem(app, &answer.code, verifier).await,
            Self::Custom(custom) => custom.redeem(app, &answer.code, verifier).await,
        }
    }
}
