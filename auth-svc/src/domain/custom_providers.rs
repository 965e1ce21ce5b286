//! What administrators may say about a provider of their own.

use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::types::Json;

use super::{account::time, clock, encryption, external::custom, external::issuers};
use crate::{
    app::App,
    error::{Code, Error},
    store::custom_providers::{self, CustomProvider},
};

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
const OPENID: &str = "openid";

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

/// A provider as administrators see it: without its secret.
pub fn to_json(provider: &CustomProvider) -> Value {
    let mut body = json!({
        "id": provider.id,
        "provider_type": provider.provider_type,
        "identifier": provider.identifier,
        "name": provider.name,
        "client_id": provider.client_id,
        "acceptable_client_ids": provider.acceptable_client_ids,
        "scopes": provider.scopes,
        "pkce_enabled": provider.pkce_enabled,
        "attribute_mapping": provider.attribute_mapping,
        "custom_claims_allowlist": provider.custom_claims_allowlist,
        "authorization_params": provider.authorization_params,
        "enabled": provider.enabled,
        "email_optional": provider.email_optional,
        "skip_nonce_check": provider.skip_nonce_check,
        "created_at": time(provider.created_at),
        "updated_at": time(provider.updated_at),
    });
    if let Some(document) = &provider.cached_discovery {
        body["discovery_document"] = document.0.clone();
    }
    for (name, value) in [
        ("issuer", &provider.issuer),
        ("discovery_url", &provider.discovery_url),
        ("authorization_url", &provider.authorization_url),
        ("token_url", &provider.token_url),
        ("userinfo_url", &provider.userinfo_url),
        ("jwks_uri", &provider.jwks_uri),
    ] {
        if let Some(value) = value {
            body[name] = value.as_str().into();
        }
    }
    body
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

fn not_empty(text: &str) -> Option<String> {
    (!text.is_empty()).then(|| text.to_owned())
}

impl Wish {
    fn is_oidc(&self) -> bool {
        self.provider_type == "oidc"
    }

    fn check_complete(&self) -> Result<(), Error> {
        if !["oauth2", "oidc"].contains(&self.provider_type.as_str()) {
            return Err(Error::invalid(
                "provider_type must be either 'oauth2' or 'oidc'",
            ));
        }
        check_identifier(&self.identifier)?;
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

    /// Fails when it reaches for what is ours.
    fn check_reach(&self) -> Result<(), Error> {
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
    async fn check_urls(&self, app: &App, is_oidc: bool) -> Result<(), Error> {
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

fn with_openid(mut scopes: Vec<String>) -> Vec<String> {
    if !scopes.iter().any(|scope| scope == OPENID) {
        scopes.insert(0, OPENID.to_owned());
    }
    scopes
}

async fn discover(app: &App, provider: &mut CustomProvider) -> Result<(), Error> {
    let url = provider.discovery_url();
    let issuer = provider.issuer.as_deref().unwrap_or_default();
    let document = issuers::look_up(app, issuer, &url)
        .await
        .map_err(|reason| {
            Error::invalid(format!("OIDC discovery from {url:?} failed: {reason}"))
        })?;
    let fields = [
        ("authorization_endpoint", &document.authorization_endpoint),
        ("token_endpoint", &document.token_endpoint),
        ("jwks_uri", &document.jwks_uri),
    ];
    let missing: Vec<&str> = fields
        .iter()
        .filter(|(_, value)| value.is_empty())
        .map(|(name, _)| *name)
        .collect();
    if !missing.is_empty() {
        return Err(Error::invalid(format!(
            "OIDC discovery document is missing required fields: {}",
            missing.join(", ")
        )));
    }
    let document = serde_json::to_value(document)
        .map_err(|error| Error::internal("the discovery document cannot be kept", error))?;
    provider.cached_discovery = Some(Json(document));
    provider.discovery_cached_at = Some(app.now());
    Ok(())
}

/// Adds a provider.
pub async fn create(app: &App, wish: Wish) -> Result<CustomProvider, Error> {
    wish.check_complete()?;
    wish.check_reach()?;
    let mut conn = app.connection().await?;
    let max = app.config().custom_oauth.max_providers;
    if max > 0 {
        let count = custom_providers::count(&mut conn)
            .await
            .map_err(Error::database("Error checking provider quota"))?;
        if count >= max {
            return Err(Error::bad_request(
                Code::OverCustomProviderQuota,
                "Maximum number of custom OAuth/OIDC providers reached",
            ));
        }
    }
    let known = custom_providers::find(&mut conn, &wish.identifier)
        .await
        .map_err(Error::database("Error checking for existing provider"))?;
    // Names are looked up and documents fetched with no connection at hand.
    drop(conn);
    wish.check_urls(app, wish.is_oidc()).await?;
    if known.is_some() {
        return Err(Error::bad_request(
            Code::Conflict,
            "A custom OAuth provider with this identifier already exists",
        ));
    }
    let secret = wish.client_secret.clone();
    let mut provider = new(app, wish);
    if provider.is_oidc() {
        discover(app, &mut provider).await?;
    }
    provider.client_secret = seal(app, &provider, &secret)?;
    let mut conn = app.connection().await?;
    custom_providers::save(&mut conn, &provider)
        .await
        .map_err(Error::database("Error creating custom OAuth provider"))?;
    Ok(provider)
}

fn seal(app: &App, provider: &CustomProvider, secret: &str) -> Result<String, Error> {
    let rules = &app.config().security.encryption;
    encryption::seal(rules, app.random(), provider.id, secret)
}

fn new(app: &App, wish: Wish) -> CustomProvider {
    let now: DateTime<Utc> = app.now();
    let is_oidc = wish.is_oidc();
    let scopes = wish.scopes.unwrap_or_default();
    CustomProvider {
        id: clock::id(app.random()),
        scopes: if is_oidc { with_openid(scopes) } else { scopes },
        provider_type: wish.provider_type,
        identifier: wish.identifier,
        name: wish.name,
        client_id: wish.client_id,
        client_secret: String::new(),
        acceptable_client_ids: wish.acceptable_client_ids.unwrap_or_default(),
        pkce_enabled: wish.pkce_enabled.unwrap_or(true),
        attribute_mapping: Json(wish.attribute_mapping.unwrap_or_default()),
        custom_claims_allowlist: wish.custom_claims_allowlist.unwrap_or_default(),
        authorization_params: Json(wish.authorization_params.unwrap_or_default()),
        enabled: wish.enabled.unwrap_or(true),
        email_optional: wish.email_optional.unwrap_or(false),
        issuer: is_oidc.then_some(wish.issuer),
        discovery_url: wish.discovery_url.filter(|url| is_oidc && !url.is_empty()),
        skip_nonce_check: is_oidc && wish.skip_nonce_check.unwrap_or(false),
        cached_discovery: None,
        discovery_cached_at: None,
        authorization_url: (!is_oidc).then_some(wish.authorization_url),
        token_url: (!is_oidc).then_some(wish.token_url),
        userinfo_url: (!is_oidc).then_some(wish.userinfo_url),
        jwks_uri: wish.jwks_uri.filter(|url| !is_oidc && !url.is_empty()),
        created_at: now,
        updated_at: now,
    }
}

/// None of this identifier.
pub fn not_found() -> Error {
    Error::refused(
        404,
        Code::CustomProviderNotFound,
        "Custom OAuth provider not found",
    )
}

/// Changes a provider.
pub async fn update(app: &App, identifier: &str, wish: Wish) -> Result<CustomProvider, Error> {
    const LOADING: &str = "Error retrieving custom OAuth provider";
    wish.check_reach()?;
    let mut conn = app.connection().await?;
    let mut provider = custom_providers::find(&mut conn, identifier)
        .await
        .map_err(Error::database(LOADING))?
        .ok_or_else(not_found)?;
    drop(conn);
    let is_oidc = provider.is_oidc();
    wish.check_urls(app, is_oidc).await?;
    let moved = is_oidc && (!wish.issuer.is_empty() || wish.discovery_url.is_some());
    let secret = wish.client_secret.clone();
    change(&mut provider, wish);
    if moved {
        discover(app, &mut provider).await?;
    }
    if !secret.is_empty() {
        provider.client_secret = seal(app, &provider, &secret)?;
    }
    provider.updated_at = app.now();
    let mut tx = app.begin().await?;
    // It may have been removed while its issuer was asked.
    if custom_providers::find(&mut tx, identifier).await?.is_none() {
        return Err(not_found());
    }
    custom_providers::save(&mut tx, &provider)
        .await
        .map_err(Error::database("Error updating custom OAuth provider"))?;
    tx.commit().await?;
    forget(app, &provider);
    Ok(provider)
}

fn change(provider: &mut CustomProvider, wish: Wish) {
    fn put<T>(place: &mut T, wished: Option<T>) {
        if let Some(wished) = wished {
            *place = wished;
        }
    }
    let is_oidc = provider.is_oidc();
    put(&mut provider.name, not_empty(&wish.name));
    put(&mut provider.client_id, not_empty(&wish.client_id));
    put(
        &mut provider.acceptable_client_ids,
        wish.acceptable_client_ids,
    );
    let scopes = wish.scopes;
    put(
        &mut provider.scopes,
        if is_oidc {
            scopes.map(with_openid)
        } else {
            scopes
        },
    );
    put(&mut provider.pkce_enabled, wish.pkce_enabled);
    put(
        &mut provider.attribute_mapping,
        wish.attribute_mapping.map(Json),
    );
    put(
        &mut provider.custom_claims_allowlist,
        wish.custom_claims_allowlist,
    );
    put(
        &mut provider.authorization_params,
        wish.authorization_params.map(Json),
    );
    put(&mut provider.enabled, wish.enabled);
    put(&mut provider.email_optional, wish.email_optional);
    let given = |url: &str| not_empty(url).map(Some);
    let optional = |url: Option<String>| url.filter(|url| !url.is_empty()).map(Some);
    if is_oidc {
        put(&mut provider.issuer, given(&wish.issuer));
        put(&mut provider.discovery_url, optional(wish.discovery_url));
        put(&mut provider.skip_nonce_check, wish.skip_nonce_check);
    } else {
        put(
            &mut provider.authorization_url,
            given(&wish.authorization_url),
        );
        put(&mut provider.token_url, given(&wish.token_url));
        put(&mut provider.userinfo_url, given(&wish.userinfo_url));
        put(&mut provider.jwks_uri, optional(wish.jwks_uri));
    }
}

/// What its issuer published is asked for again when it is next needed.
pub fn forget(app: &App, provider: &CustomProvider) {
    let name = provider.issuer.as_deref().unwrap_or_default();
    app.issuers().forget_at(name, &provider.discovery_url());
}
