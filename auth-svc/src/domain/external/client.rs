//! One provider as this project set it up: where it is and how it is spoken to.

use std::sync::Arc;

use aws_lc_rs::hmac;
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::Value;
use url::{Url, form_urlencoded};

use super::{
    Problem, Profile,
    exchange::{Exchange, Tokens},
    fetch,
    id_token::{self, azure_tenant, is_azure_customers},
    issuers::Issuer,
    spec::{self, Extra, Place, Source, Spec},
};
use crate::{app::App, config::Provider, error::Error};

/// A provider that users can sign in with.
#[derive(Clone)]
pub struct Client<'a> {
    spec: &'static Spec,
    config: &'a Provider,
    id: &'a str,
    /// Of a provider whose addresses its issuer publishes.
    issuer: Option<Arc<Issuer>>,
}

/// What a provider gave for a code.
#[derive(Debug)]
pub struct Grant {
    /// What it says about the user.
    pub profile: Profile,
    /// Opens its API for the app.
    pub access_token: SecretString,
    /// Gets the next access token.
    pub refresh_token: Option<SecretString>,
}

/// Why a code led to nothing.
#[derive(Debug)]
pub enum Refusal {
    /// The code was not taken.
    Code(Problem),
    /// It was, but who the user is did not come out.
    Profile(Problem),
}

/// A provider that cannot be used, in the original's words.
fn unsupported(reason: &str) -> Error {
    Error::invalid(format!("Unsupported provider: {reason}"))
}

impl<'a> Client<'a> {
    /// The provider of this name, in any case.
    ///
    /// Fails with `validation_failed` when it is unknown, disabled or not set up.
    pub async fn find(app: &'a App, name: &str) -> Result<Self, Error> {
        let name: String = name.chars().take(64).collect::<String>().to_lowercase();
        let config = app
            .config()
            .external
            .providers
            .get(&name)
            .ok_or_else(|| unsupported(&format!("Provider {name} could not be found")))?;
        if !config.enabled {
            return Err(unsupported("provider is not enabled"));
        }
        let Some(spec) = spec::find(&name) else {
            return Err(Error::disabled(format!(
                "The provider {name} is not available on this server"
            )));
        };
        let id = config
            .client_ids
            .first()
            .ok_or_else(|| unsupported("missing OAuth client ID"))?;
        if config.secret.expose_secret().is_empty() {
            return Err(unsupported("missing OAuth secret"));
        }
        if config.redirect_uri.is_empty() {
            return Err(unsupported("missing redirect URI"));
        }
        if spec.name == "keycloak" && config.url.is_empty() {
            return Err(unsupported("unable to find URL for the Keycloak provider"));
        }
        let issuer = match spec.source {
            Source::IdToken { issuer } => {
                let found = app.issuers().find(app, issuer).await;
                Some(found.map_err(|problem| {
                    tracing::warn!(provider = spec.name, %problem, "the issuer cannot be used");
                    unsupported("its issuer cannot be reached")
                })?)
            }
            _ => None,
        };
        Ok(Self {
            spec,
            config,
            id,
            issuer,
        })
    }

    /// Its name, which identities carry.
    pub fn name(&self) -> &'static str {
        self.spec.name
    }

    /// Whether users without a mail address are taken.
    pub fn email_optional(&self) -> bool {
        self.config.email_optional
    }

    /// Whether it wants a challenge from us.
    pub fn requires_pkce(&self) -> bool {
        self.spec.pkce
    }

    /// The public host, or the project's own installation.
    fn base(&self, (host, path): Place) -> String {
        if self.config.url.is_empty() {
            return format!("https://{host}{path}");
        }
        // Where GitHub is installed by others, its API is a path and not a host.
        let path = if host == "api.github.com" {
            "/api/v3"
        } else {
            path
        };
        format!("{}{path}", self.config.url)
    }

    fn endpoint(&self, place: Place, of_issuer: fn(&Issuer) -> &str) -> String {
        match &self.issuer {
            Some(issuer) if place.1.is_empty() => of_issuer(issuer).to_owned(),
            _ => self.base(place),
        }
    }

    /// Where the user is sent. `more` are parameters that the app adds, `scopes` are separated by commas.
    pub fn authorize_url(
        &self,
        state: &str,
        scopes: &str,
        more: &[(String, String)],
    ) -> Result<String, Error> {
        let endpoint = self.endpoint(self.spec.authorize, |issuer| {
            &issuer.document.authorization_endpoint
        });
        let mut url = Url::parse(&endpoint)
            .map_err(|error| Error::internal("the provider's address is no URL", error))?;
        let mut wished: Vec<&str> = self.spec.scopes.to_vec();
        if self.spec.more_scopes {
            wished.extend(scopes.split(',').filter(|scope| !scope.is_empty()));
        }
        let mut pairs: Vec<(&str, String)> = vec![
            ("response_type", "code".to_owned()),
            ("client_id", self.id.to_owned()),
            ("redirect_uri", self.config.redirect_uri.clone()),
            ("state", state.to_owned()),
        ];
        if !wished.is_empty() {
            pairs.push(("scope", wished.join(" ")));
        }
        if self.spec.name == "apple" {
            // It posts a form to us as soon as it is asked for a name or an address, and takes no more.
            pairs.push(("response_mode", "form_post".to_owned()));
        } else {
            for (name, value) in more {
                pairs.retain(|(taken, _)| taken != name);
                pairs.push((name, value.clone()));
            }
        }
        pairs.sort_by(|a, b| a.0.cmp(b.0));
        let query = form_urlencoded::Serializer::new(url.query().unwrap_or_default().to_owned())
            .extend_pairs(pairs)
            .finish();
        url.set_query(Some(&query));
        Ok(url.into())
    }

    /// Trades a code for tokens, and asks who the user is.
    pub async fn redeem(
        &self,
        app: &App,
        code: &str,
        verifier: Option<&str>,
    ) -> Result<Grant, Refusal> {
        let endpoint = self.endpoint(self.spec.token, |issuer| &issuer.document.token_endpoint);
        let exchange = Exchange {
            endpoint: &endpoint,
            client_id: self.id,
            secret: &self.config.secret,
            redirect_uri: &self.config.redirect_uri,
            code,
            verifier,
            credentials: self.spec.credentials,
        };
        let tokens = exchange.run(app.http()).await.map_err(Refusal::Code)?;
        let profile = self.profile(app, &tokens).await.map_err(Refusal::Profile)?;
        Ok(Grant {
            profile,
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
        })
    }

    async fn profile(&self, app: &App, tokens: &Tokens) -> Result<Profile, Problem> {
        const UNREADABLE: Problem = Problem::Answer("the profile has no id");
        match self.spec.source {
            Source::Pages {
                base,
                pages,
                extra,
                read,
            } => {
                let base = self.base(base);
                let mut answers = Vec::with_capacity(pages.len());
                for page in pages {
                    answers.push(self.page(app, &base, page, extra, tokens).await?);
                }
                read(&base, &answers).ok_or(UNREADABLE)
            }
            Source::Answer { base, read } => {
                read(&self.base(base), &tokens.answer).ok_or(UNREADABLE)
            }
            Source::IdToken { .. } => match (&self.issuer, &tokens.id_token) {
                (Some(issuer), Some(token)) => self.signed(app, issuer, token, tokens).await,
                (Some(_), None) if self.spec.name == "google" => {
                    self.google_without_id_token(app, tokens).await
                }
                _ => Err(Problem::Answer("no ID token")),
            },
            Source::Azure => {
                let token = tokens.id_token.as_deref();
                let token = token.ok_or(Problem::Answer("no ID token"))?;
                let issuer = self.azure_issuer(token)?;
                let issuer = app.issuers().find(app, &issuer).await?;
                self.signed(app, &issuer, token, tokens).await
            }
        }
    }

    async fn page(
        &self,
        app: &App,
        base: &str,
        page: &str,
        extra: Extra,
        tokens: &Tokens,
    ) -> Result<Value, Problem> {
        let access_token = tokens.access_token.expose_secret();
        let mut url = format!("{base}{page}");
        if extra == Extra::AppSecretProof {
            let secret = self.config.secret.expose_secret().as_bytes();
            let key = hmac::Key::new(hmac::HMAC_SHA256, secret);
            let proof = hex::encode(hmac::sign(&key, access_token.as_bytes()));
            url = format!("{url}&appsecret_proof={proof}");
        }
        let mut request = app.http().get(url).bearer_auth(access_token);
        match extra {
            Extra::Header(name, value) => request = request.header(name, value),
            Extra::ClientId(name) => request = request.header(name, self.id),
            Extra::Nothing | Extra::AppSecretProof => {}
        }
        fetch::json(request).await
    }

    async fn signed(
        &self,
        app: &App,
        issuer: &Issuer,
        token: &str,
        tokens: &Tokens,
    ) -> Result<Profile, Problem> {
        let verified = id_token::verify(app, issuer, token).await?;
        if !verified.audience().contains(&self.id) {
            return Err(Problem::IdToken("for another client"));
        }
        verified.check_access_token(tokens.access_token.expose_secret())?;
        id_token::profile(&verified)
    }

    /// Every tenant signs for itself; one that was chosen in the settings is the only one.
    fn azure_issuer(&self, token: &str) -> Result<String, Problem> {
        let said = id_token::claimed_issuer(token).ok_or(Problem::IdToken("malformed"))?;
        let own = format!("{}/v2.0", self.config.url);
        let own_tenant = azure_tenant(&own)
            .is_some_and(|tenant| tenant != "common" && tenant != "organizations")
            || is_azure_customers(&own);
        let is_fine = if own_tenant {
            said == own
        } else {
            // An installation elsewhere can only be one for tests or of a cloud of its own.
            azure_tenant(&said).is_some() || (!self.config.url.is_empty() && said == own)
        };
        if is_fine {
            return Ok(said);
        }
        Err(Problem::IdToken("another issuer"))
    }

    /// Google sends an ID token with every code; this is for the day it does not, as in the original.
    async fn google_without_id_token(
        &self,
        app: &App,
        tokens: &Tokens,
    ) -> Result<Profile, Problem> {
        const USER: &str = "https://www.googleapis.com/userinfo/v2/me";
        let request = app.http().get(USER);
        let user = fetch::json(request.bearer_auth(tokens.access_token.expose_secret())).await?;
        let text = |name: &str| user.get(name).and_then(Value::as_str).unwrap_or_default();
        let verified = user.get("verified_email") == Some(&Value::Bool(true));
        let profile =
            Profile::of(USER, text("id")).ok_or(Problem::Answer("the profile has no id"))?;
        Ok(profile
            .with_provider_id()
            .named(text("name"))
            .pictured(text("picture"))
            .mailed(text("email"), verified))
    }
}
