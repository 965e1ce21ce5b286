//! What an administrator says about a provider, as far as the request alone can be wrong.

use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{app::App, domain::external::custom, error::Error};

/// What we say to a provider ourselves.
const RESERVED: [&str; 9] = [
    "client_id",
    "client_secret",
    "redirect_uri",
    "response_type",
    "state",
    "code_challenge",
    "code_challenge_method",
    "code_verifier",
    "nonce",
];
/// What is not a provider's business.
const PROTECTED: [&str; 13] = [
    "id",
    "aud",
    "role",
    "app_metadata",
    "created_at",
    "updated_at",
    "confirmed_at",
    "email_confirmed_at",
    "phone_confirmed_at",
    "email_verified",
    "phone_verified",
    "banned_until",
    "is_super_admin",
];
/// The table holds no longer ones.
const MAX_URL: usize = 2048;

/// A wish for a new provider, or for changes of one: what is absent stays as it is.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
#[expect(missing_docs, reason = "the fields of the request")]
pub struct Wish {
    pub provider_type: String,
    pub identifier: String,
    pub name: String,
    pub client_id: String,
    pub client_secret: String,
    pub acceptable_client_ids: Option<Vec<String>>,
    pub scopes: Option<Vec<String>>,
    pub pkce_enabled: Option<bool>,
    pub attribute_mapping: Option<Map<String, Value>>,
    pub custom_claims_allowlist: Option<Vec<String>>,
    pub authorization_params: Option<Map<String, Value>>,
    pub enabled: Option<bool>,
    pub email_optional: Option<bool>,
    pub issuer: String,
    pub discovery_url: Option<String>,
    pub skip_nonce_check: Option<bool>,
    pub authorization_url: String,
    pub token_url: String,
    pub userinfo_url: String,
    pub jwks_uri: Option<String>,
}

/// Fails for an identifier that none of them can have.
pub fn check_identifier(identifier: &str) -> Result<(), Error> {
    if identifier.is_empty() {
        return Err(Error::invalid("identifier is required"));
    }
    if identifier.starts_with(custom::PREFIX) {
        return Ok(());
    }
    let shown: String = identifier.chars().take(100).collect();
    Err(Error::invalid(format!(
        "identifier must start with 'custom:' prefix, e.g. 'custom:{shown}'"
    )))
}

/// The form that the table insists on.
fn is_well_formed(identifier: &str) -> bool {
    let plain = |b: &u8| b.is_ascii_lowercase() || b.is_ascii_digit();
    let bytes = identifier.as_bytes();
    (2..=50).contains(&bytes.len())
        && bytes.iter().all(|b| plain(b) || matches!(b, b':' | b'-'))
        && bytes.last().is_some_and(plain)
}

impl Wish {
    pub(super) fn is_oidc(&self) -> bool {
        self.provider_type == "oidc"
    }

    pub(super) fn check_complete(&self) -> Result<(), Error> {
        if !["oauth2", "oidc"].contains(&self.provider_type.as_str()) {
            return Err(Error::invalid(
                "provider_type must be either 'oauth2' or 'oidc'",
            ));
        }
        check_identifier(&self.identifier)?;
        if !is_well_formed(&self.identifier) {
            return Err(Error::invalid(
                "identifier must have 2 to 50 lower-case letters, digits, hyphens and colons, and begin and end with a letter or digit",
            ));
        }
        for (name, value) in [
            ("name", &self.name),
            ("client_id", &self.client_id),
            ("client_secret", &self.client_secret),
        ] {
            if value.is_empty() {
                return Err(Error::invalid(format!("{name} is required")));
            }
        }
        if self.is_oidc() {
            if self.issuer.is_empty() {
                return Err(Error::invalid("issuer is required for OIDC providers"));
            }
            return Ok(());
        }
        for (name, value) in [
            ("authorization_url", &self.authorization_url),
            ("token_url", &self.token_url),
            ("userinfo_url", &self.userinfo_url),
        ] {
            if value.is_empty() {
                let message = format!("{name} is required for OAuth2 providers");
                return Err(Error::invalid(message));
            }
        }
        Ok(())
    }

    /// Fails when it reaches for what is ours, or is longer than what the table holds.
    pub(super) fn check_reach(&self) -> Result<(), Error> {
        let optional = |url: &Option<String>| url.as_ref().map_or(0, String::len);
        for (name, length, most) in [
            ("name", self.name.chars().count(), 100),
            ("client_id", self.client_id.chars().count(), 512),
            ("client_secret", self.client_secret.len(), 4096),
            ("issuer", self.issuer.len(), MAX_URL),
            ("discovery_url", optional(&self.discovery_url), MAX_URL),
            ("authorization_url", self.authorization_url.len(), MAX_URL),
            ("token_url", self.token_url.len(), MAX_URL),
            ("userinfo_url", self.userinfo_url.len(), MAX_URL),
            ("jwks_uri", optional(&self.jwks_uri), MAX_URL),
        ] {
            if length > most {
                return Err(Error::invalid(format!(
                    "{name} cannot be longer than {most} characters"
                )));
            }
        }
        for (name, value) in self.authorization_params.iter().flatten() {
            if RESERVED.contains(&name.as_str()) {
                return Err(Error::invalid(format!(
                    "Cannot override reserved OAuth parameter: {name}"
                )));
            }
            if !value.is_string() {
                return Err(Error::invalid(format!(
                    "Authorization parameter {name:?} must be a string"
                )));
            }
        }
        for target in self.attribute_mapping.iter().flat_map(Map::keys) {
            if PROTECTED.contains(&target.as_str()) {
                return Err(Error::invalid(format!(
                    "Cannot map to protected system field: {target}"
                )));
            }
        }
        let allowed = self.custom_claims_allowlist.iter().flatten();
        if allowed.into_iter().any(|name| name.trim().is_empty()) {
            return Err(Error::invalid(
                "custom_claims_allowlist entries must be non-empty strings",
            ));
        }
        Ok(())
    }

    /// Fails when an address of it is not public.
    pub(super) async fn check_urls(&self, app: &App, is_oidc: bool) -> Result<(), Error> {
        let optional = |url: &'_ Option<String>| url.clone().unwrap_or_default();
        let urls = if is_oidc {
            vec![self.issuer.clone(), optional(&self.discovery_url)]
        } else {
            vec![
                self.authorization_url.clone(),
                self.token_url.clone(),
                self.userinfo_url.clone(),
                optional(&self.jwks_uri),
            ]
        };
        for url in urls.iter().filter(|url| !url.is_empty()) {
            app.outside().check(url).await?;
        }
        Ok(())
    }
}
