//! Who signs ID tokens: where each issuer's keys are, and the keys (OpenID Connect Discovery).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::jwk::Jwk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Problem, fetch};
use crate::app::App;

/// For so long a discovery document is not asked for again, as in the original.
const FRESH: Duration = Duration::hours(1);
/// For so long keys are not asked for again because a token names an unknown one. Anybody can send such
/// tokens; nobody shall make us ask the issuer for each.
const KEYS_AT_LEAST: Duration = Duration::seconds(30);
/// Issuers are configured, but those of tenants come from tokens; so many are remembered.
const MAX_ISSUERS: usize = 256;

/// What an issuer publishes about itself.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(default)]
pub struct Document {
    /// Its name.
    pub issuer: String,
    /// Where users are sent.
    pub authorization_endpoint: String,
    /// Where codes are exchanged.
    pub token_endpoint: String,
    /// Where access tokens open a profile.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub userinfo_endpoint: String,
    /// Where its keys are.
    pub jwks_uri: String,
    /// What it signs with; RS256 if it does not say.
    #[serde(skip_serializing)]
    pub id_token_signing_alg_values_supported: Vec<String>,
    /// What clients may ask for. This and the rest are kept for administrators to see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes_supported: Vec<String>,
    #[expect(missing_docs, reason = "a field of the specification")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub response_types_supported: Vec<String>,
    #[expect(missing_docs, reason = "a field of the specification")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub grant_types_supported: Vec<String>,
    #[expect(missing_docs, reason = "a field of the specification")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub subject_types_supported: Vec<String>,
}

/// One issuer.
#[derive(Debug)]
pub struct Issuer {
    /// What it publishes.
    pub document: Document,
    known_since: DateTime<Utc>,
    /// Somebody chose it who must not reach our own network through us.
    is_custom: bool,
    keys: Mutex<Option<KeySet>>,
}

/// Keys, and since when we have them.
#[derive(Clone, Debug)]
struct KeySet {
    since: DateTime<Utc>,
    keys: Arc<Vec<Jwk>>,
}

/// The issuers that were asked for.
#[derive(Debug, Default)]
pub struct Issuers(Mutex<HashMap<String, Arc<Issuer>>>);

impl Issuers {
    /// Notes what an issuer publishes, as if it had been asked.
    pub fn remember(&self, name: &str, document: Document, now: DateTime<Utc>) -> Arc<Issuer> {
        self.keep(
            name,
            Issuer {
                document,
                known_since: now,
                is_custom: false,
                keys: Mutex::default(),
            },
        )
    }

    fn keep(&self, name: &str, issuer: Issuer) -> Arc<Issuer> {
        let issuer = Arc::new(issuer);
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if known.len() >= MAX_ISSUERS {
            known.clear();
        }
        known.insert(name.to_owned(), issuer.clone());
        issuer
    }

    fn known(&self, name: &str) -> Option<Arc<Issuer>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.get(name).cloned()
    }

    /// Finds an issuer by its name, which is also its address. One that cannot be reached is taken as it
    /// was known.
    pub async fn find(&self, app: &App, name: &str) -> Result<Arc<Issuer>, Problem> {
        let known = self.known(name);
        if let Some(issuer) = &known
            && app.now() - issuer.known_since < FRESH
        {
            return Ok(issuer.clone());
        }
        match discover(app, name).await {
            Ok(document) => Ok(self.remember(name, document, app.now())),
            Err(problem) => known.ok_or(problem),
        }
    }

    /// The same for one that an administrator added, who also says where it publishes. What is known of it
    /// is kept apart from the issuers of the settings, whose names it may bear.
    pub async fn find_at(&self, app: &App, name: &str, url: &str) -> Result<Arc<Issuer>, Problem> {
        let key = custom_key(name, url);
        let known = self.known(&key);
        if let Some(issuer) = &known
            && app.now() - issuer.known_since < FRESH
        {
            return Ok(issuer.clone());
        }
        match look_up(app, name, url).await {
            Ok(document) => {
                let issuer = Issuer {
                    document,
                    known_since: app.now(),
                    is_custom: true,
                    keys: Mutex::default(),
                };
                Ok(self.keep(&key, issuer))
            }
            Err(reason) => {
                tracing::warn!(issuer = name, reason, "an issuer cannot be asked");
                known.ok_or(Problem::Answer("no discovery document"))
            }
        }
    }

    /// Forgets one of those.
    pub fn forget_at(&self, name: &str, url: &str) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.remove(&custom_key(name, url));
    }
}

/// No name of an issuer has a space in it.
fn custom_key(name: &str, url: &str) -> String {
    format!("custom {name} {url}")
}

/// What an issuer publishes at an address that an administrator chose, or, in words for that person, why
/// there is none.
pub async fn look_up(app: &App, name: &str, url: &str) -> Result<Document, String> {
    let outside = app.outside();
    let failed = |reason: &str| format!("oidc: discovery request to {url} failed: {reason}");
    let place = outside
        .place(url)
        .map_err(|error| failed(&error.to_string()))?;
    let answer = fetch::send(outside.http().get(place)).await;
    let answer = answer.map_err(|problem| {
        tracing::info!(%problem, "a discovery document was not to be had");
        failed("Failed to fetch URL")
    })?;
    if answer.status != 200 {
        let status = http::StatusCode::from_u16(answer.status)
            .map_or_else(|_| answer.status.to_string(), |status| status.to_string());
        return Err(format!(
            "oidc: discovery request to {url} returned {status}"
        ));
    }
    let document: Document = serde_json::from_slice(&answer.body).map_err(|error| {
        format!("oidc: failed to decode discovery document from {url}: {error}")
    })?;
    if document.issuer != name {
        let found: String = document.issuer.chars().take(200).collect();
        return Err(format!(
            "oidc: issuer mismatch, expected {name:?} got {found:?}"
        ));
    }
    Ok(document)
}

async fn discover(app: &App, name: &str) -> Result<Document, Problem> {
    let base = name.trim_end_matches('/');
    let url = format!("{base}/.well-known/openid-configuration");
    let document: Document = serde_json::from_value(fetch::json(app.http().get(url)).await?)
        .map_err(|_| Problem::Answer("no discovery document"))?;
    // Apple publishes one document under both of its names.
    if document.issuer != name && !super::id_token::is_apple(name) {
        return Err(Problem::Answer("the document is of another issuer"));
    }
    Ok(document)
}

impl Issuer {
    /// Its keys; anew, if `known` did not fit and they are old enough.
    pub(super) async fn keys(
        &self,
        app: &App,
        known: Option<&Arc<Vec<Jwk>>>,
    ) -> Result<Arc<Vec<Jwk>>, Problem> {
        let cached = {
            let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            keys.clone()
        };
        if let Some(KeySet { since, keys }) = cached {
            let age = app.now() - since;
            if age < KEYS_AT_LEAST || (known.is_none() && age < FRESH) {
                return Ok(keys);
            }
        }
        let uri = &self.document.jwks_uri;
        let request = if self.is_custom {
            let place = app.outside().place(uri).map_err(|_| Problem::NotPublic)?;
            app.outside().http().get(place)
        } else {
            app.http().get(uri)
        };
        let answer = fetch::json(request).await?;
        let keys = Arc::new(read(&answer)?);
        let mut cached = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        *cached = Some(KeySet {
            since: app.now(),
            keys: keys.clone(),
        });
        Ok(keys)
    }
}

/// Keys of kinds that we do not know are passed over.
fn read(answer: &Value) -> Result<Vec<Jwk>, Problem> {
    let list = answer
        .get("keys")
        .and_then(Value::as_array)
        .ok_or(Problem::Answer("no key set"))?;
    Ok(list
        .iter()
        .filter_map(|key| serde_json::from_value(key.clone()).ok())
        .collect())
}
