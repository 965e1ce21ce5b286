//! Whoever a user is sent to, however that one is spoken to.

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::SecretString;

use super::{
    client::{Client, Grant, Refusal},
    complete::Answer,
    custom::{self, Custom},
    twitter::{self, Twitter},
};
use crate::{app::App, error::Error};

/// A begun sign-in.
pub struct Begun {
    /// Where the user is sent.
    pub url: String,
    /// What has to be known when the user comes back: the verifier of a challenge, or a token with its secret.
    pub kept: Option<SecretString>,
}

/// A provider that users can sign in with.
pub enum Party<'a> {
    /// One that is known here, by OAuth 2.0.
    Known(Client<'a>),
    /// One that an administrator added.
    Custom(Box<Custom>),
    /// Twitter, by OAuth 1.0a.
    Twitter(Twitter<'a>),
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
        if lower == twitter::NAME {
            return Ok(Self::Twitter(Twitter::find(app)?));
        }
        Ok(Self::Known(Client::find(app, &lower).await?))
    }

    /// Its name, which identities carry.
    pub fn name(&self) -> &str {
        match self {
            Self::Known(client) => client.name(),
            Self::Custom(custom) => custom.identifier(),
            Self::Twitter(_) => twitter::NAME,
        }
    }

    /// Whether users without a mail address are taken.
    pub fn email_optional(&self) -> bool {
        match self {
            Self::Known(client) => client.email_optional(),
            Self::Custom(custom) => custom.email_optional(),
            Self::Twitter(twitter) => twitter.email_optional(),
        }
    }

    /// Whether it wants a challenge from us.
    pub fn requires_pkce(&self) -> bool {
        match self {
            Self::Known(client) => client.requires_pkce(),
            Self::Custom(custom) => custom.requires_pkce(),
            Self::Twitter(_) => false,
        }
    }

    /// Where the user is sent, and what has to be known when the user comes back. `more` are parameters
    /// that the app adds. Talks to the provider where it has to know of the user beforehand.
    pub async fn begin(
        &self,
        app: &App,
        state: &str,
        scopes: &str,
        mut more: Vec<(String, String)>,
    ) -> Result<Begun, Error> {
        let verifier = self.requires_pkce().then(|| pkce_verifier(app));
        if let Some(verifier) = &verifier {
            let challenge = digest::digest(&digest::SHA256, verifier.as_bytes());
            more.extend([
                ("code_challenge".into(), URL_SAFE_NO_PAD.encode(challenge)),
                ("code_challenge_method".into(), "S256".into()),
            ]);
        }
        let url = match self {
            Self::Known(client) => client.authorize_url(state, scopes, &more)?,
            Self::Custom(custom) => custom.authorize_url(state, scopes, &more)?,
            Self::Twitter(twitter) => return twitter.begin(app, state).await,
        };
        let kept = verifier.map(SecretString::from);
        Ok(Begun { url, kept })
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
            Self::Twitter(twitter) => twitter.redeem(app, answer, verifier).await,
        }
    }
}

fn pkce_verifier(app: &App) -> String {
    let mut bytes = [0; 32];
    app.random().fill(&mut bytes);
    URL_SAFE_NO_PAD.encode(bytes)
}
