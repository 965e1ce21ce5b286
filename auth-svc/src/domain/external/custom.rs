//! A provider that an administrator added: nothing about it is known here but its row.

mod claims;

use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value};
use sqlx::types::Json;
use url::{Url, form_urlencoded};

use super::{
    Problem, Profile,
    client::{Grant, Refusal},
    exchange::{Exchange, Tokens},
    fetch, id_token,
    issuers::Issuer,
    spec::Credentials,
};
use crate::{
    app::App,
    domain::encryption,
    error::Error,
    store::custom_providers::{self, CustomProvider},
};

/// What the identifiers of all of them begin with; no other provider is called so.
pub const PREFIX: &str = "custom:";

/// One of them, ready for use.
pub struct Custom {
    provider: CustomProvider,
    secret: SecretString,
    redirect_uri: String,
    issuer: Option<Arc<Issuer>>,
}

fn unsupported(reason: &str) -> Error {
    Error::invalid(format!("Unsupported provider: {reason}"))
}

/// Its issuer, as it is published at the place that the row names.
pub async fn issuer(app: &App, provider: &CustomProvider) -> Result<Arc<Issuer>, Problem> {
    let name = provider.issuer.as_deref().unwrap_or_default();
    let found = app.issuers();
    found.find_at(app, name, &provider.discovery_url()).await
}

impl Custom {
    /// The one of this identifier. Fails with `validation_failed` when it is unknown or disabled.
    pub async fn find(app: &App, identifier: &str) -> Result<Self, Error> {
        let config = app.config();
        if !config.custom_oauth.enabled {
            return Err(unsupported("custom OAuth providers are disabled"));
        }
        let mut conn = app.connection().await?;
        let provider = custom_providers::find(&mut conn, identifier)
            .await?
            .ok_or_else(|| unsupported(&format!("custom provider {identifier} not found")))?;
        drop(conn);
        if !provider.enabled {
            let reason = format!("custom provider {identifier} is disabled");
            return Err(unsupported(&reason));
        }
        let rules = &config.security.encryption;
        let secret = encryption::open(rules, provider.id, &provider.client_secret)?.text;
        let issuer = if provider.is_oidc() {
            Some(issuer(app, &provider).await.map_err(|problem| {
                tracing::warn!(provider = identifier, %problem, "the issuer cannot be used");
                unsupported("error creating OIDC provider: its issuer cannot be reached")
            })?)
        } else {
            None
        };
        let external_url = config.custom_oauth.external_url.as_ref();
        let external_url = external_url.unwrap_or(&config.api.external_url).as_str();
        Ok(Self {
            provider,
            secret: secret.into(),
            redirect_uri: format!("{}/callback", external_url.trim_end_matches('/')),
            issuer,
        })
    }

    /// Its identifier, which identities carry.
    pub fn name(&self) -> &str {
        &self.provider.identifier
    }

    /// Whether users without a mail address are taken.
    pub fn email_optional(&self) -> bool {
        self.provider.email_optional
    }

    /// Whether it gets a challenge from us.
    pub fn requires_pkce(&self) -> bool {
        self.provider.pkce_enabled
    }

    fn endpoint(&self, own: Option<&String>, of_issuer: fn(&Issuer) -> &str) -> String {
        match &self.issuer {
            Some(issuer) => of_issuer(issuer).to_owned(),
            None => own.cloned().unwrap_or_default(),
        }
    }

    /// Where the user is sent. `scopes` are separated by spaces and replace those of the row.
    pub fn authorize_url(
        &self,
        state: &str,
        scopes: &str,
        more: &[(String, String)],
    ) -> Result<String, Error> {
        let endpoint = self.endpoint(self.provider.authorization_url.as_ref(), |issuer| {
            &issuer.document.authorization_endpoint
        });
        let mut url = Url::parse(&endpoint)
            .map_err(|error| Error::internal("the provider's address is no URL", error))?;
        let mut wished: Vec<&str> = scopes.split_whitespace().collect();
        if wished.is_empty() {
            wished = self.provider.scopes.iter().map(String::as_str).collect();
        }
        if self.provider.is_oidc() && !wished.contains(&"openid") {
            wished.insert(0, "openid");
        }
        let mut pairs = vec![
            ("response_type", "code".to_owned()),
            ("client_id", self.provider.client_id.clone()),
            ("redirect_uri", self.redirect_uri.clone()),
            ("state", state.to_owned()),
        ];
        if !wished.is_empty() {
            pairs.push(("scope", wished.join(" ")));
        }
        let Json(own) = &self.provider.authorization_params;
        let own = own.iter().filter_map(|(name, value)| {
            let value = value.as_str()?;
            Some((name.as_str(), value.to_owned()))
        });
        let more = more
            .iter()
            .map(|(name, value)| (name.as_str(), value.clone()));
        // What the administrator set wins over what an app adds.
        for (name, value) in more.chain(own) {
            pairs.retain(|(taken, _)| *taken != name);
            pairs.push((name, value));
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
        let endpoint = self.endpoint(self.provider.token_url.as_ref(), |issuer| {
            &issuer.document.token_endpoint
        });
        let outside = app.outside();
        let endpoint = outside
            .place(&endpoint)
            .map_err(|_| Refusal::Code(Problem::NotPublic))?;
        let exchange = Exchange {
            endpoint: &endpoint,
            client_id: &self.provider.client_id,
            secret: &self.secret,
            redirect_uri: &self.redirect_uri,
            code,
            verifier,
            credentials: Credentials::Either,
        };
        let tokens = exchange.run(outside.http()).await.map_err(Refusal::Code)?;
        let profile = self.profile(app, &tokens).await.map_err(Refusal::Profile)?;
        Ok(Grant {
            profile,
            access_token: tokens.access_token,
            refresh_token: tokens.refresh_token,
        })
    }

    async fn profile(&self, app: &App, tokens: &Tokens) -> Result<Profile, Problem> {
        let Json(mapping) = &self.provider.attribute_mapping;
        let allowed = &self.provider.custom_claims_allowlist;
        if let (Some(issuer), Some(token)) = (&self.issuer, &tokens.id_token) {
            let verified = id_token::verify(app, issuer, token).await?;
            let audience = verified.audience();
            if !self.audience().any(|id| audience.contains(&id)) {
                return Err(Problem::IdToken("for another client"));
            }
            let mut profile = id_token::profile(&verified)?;
            let mut typed = profile.claims;
            // The address stays what the token says: a mapping changes what is shown, not who it is.
            if let Some(email) = profile.emails.first() {
                typed.insert("email".into(), email.address.clone().into());
            }
            claims::capture(&verified.claims, allowed, &mut typed);
            profile.claims = claims::mapped(typed, mapping);
            profile.claims.remove("email");
            profile.claims.remove("email_verified");
            return with_subject(profile);
        }
        let userinfo = self.endpoint(self.provider.userinfo_url.as_ref(), |issuer| {
            &issuer.document.userinfo_endpoint
        });
        if userinfo.is_empty() {
            return Err(Problem::Answer(
                "no ID token or userinfo endpoint available",
            ));
        }
        let raw = self.userinfo(app, &userinfo, tokens).await?;
        let mut typed = claims::typed(&raw)?;
        claims::capture(&raw, allowed, &mut typed);
        let mut typed = claims::mapped(typed, mapping);
        let email = typed.remove("email");
        let verified = typed.remove("email_verified") == Some(Value::Bool(true));
        let profile = Profile {
            claims: typed,
            ..Profile::default()
        };
        let email = email.as_ref().and_then(Value::as_str).unwrap_or_default();
        with_subject(profile.mailed(email, verified))
    }

    fn audience(&self) -> impl Iterator<Item = &str> {
        let more = self.provider.acceptable_client_ids.iter();
        std::iter::once(&self.provider.client_id)
            .chain(more)
            .map(String::as_str)
            .filter(|id| !id.is_empty())
    }

    async fn userinfo(
        &self,
        app: &App,
        url: &str,
        tokens: &Tokens,
    ) -> Result<Map<String, Value>, Problem> {
        let url = app.outside().place(url).map_err(|_| Problem::NotPublic)?;
        let access_token = tokens.access_token.expose_secret();
        let request = app.outside().http().get(url).bearer_auth(access_token);
        match fetch::json(request).await? {
            Value::Object(raw) => Ok(raw),
            _ => Err(Problem::Answer("the profile is no object")),
        }
    }
}

/// An identity without a subject would be everybody's.
fn with_subject(profile: Profile) -> Result<Profile, Problem> {
    if profile.subject().is_empty() {
        return Err(Problem::Answer("the profile has no id"));
    }
    Ok(profile)
}
