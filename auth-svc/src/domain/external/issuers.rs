//! Who signs ID tokens: where each issuer's keys are, and the keys (OpenID Connect Discovery).

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
};

use chrono::{DateTime, Duration, Utc};
use jsonwebtoken::jwk::Jwk;
use serde::Deserialize;
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
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(default)]
pub struct Document {
    /// Its name.
    pub issuer: String,
    /// Where users are sent.
    pub authorization_endpoint: String,
    /// Where codes are exchanged.
    pub token_endpoint: String,
    /// Where its keys are.
    pub jwks_uri: String,
    /// What it signs with; RS256 if it does not say.
    pub id_token_signing_alg_values_supported: Vec<String>,
}

/// One issuer.
#[derive(Debug)]
pub struct Issuer {
    /// What it publishes.
    pub document: Document,
    known_since: DateTime<Utc>,
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
        let issuer = Arc::new(Issuer {
            document,
            known_since: now,
            keys: Mutex::default(),
        });
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
        let answer = fetch::json(app.http().get(&self.document.jwks_uri)).await?;
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
