//! Who calls: from the token to a role and claims.

use std::{
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    time::{SystemTime, UNIX_EPOCH},
};

use http::{HeaderMap, header};
use serde_json::{Map, Value};
use svc_kit::jwt::{Claims, JwtError};

use crate::{
    admin::Metrics,
    config::Config,
    error::{Error, Result},
};

/// The caller of a request.
#[derive(Clone, Debug)]
pub(crate) struct Identity {
    /// The database role.
    pub role: String,
    /// The claims, with `role` as it is in effect.
    pub claims: Claims,
    /// The same as JSON text.
    pub claims_json: String,
    /// True if the role is that of callers without a token.
    pub is_anonymous: bool,
}

/// Callers whose tokens' signatures were verified, by token. It belongs to one `Config`, so that other keys start
/// with an empty one. What time decides is checked at each use.
#[derive(Debug)]
pub(crate) struct TokenCache {
    kept: Option<quick_cache::sync::Cache<String, Arc<Identity>>>,
    inserted: AtomicU64,
}

impl TokenCache {
    /// Keeps so many, or none.
    pub(crate) fn new(max_entries: i64) -> Self {
        let max = usize::try_from(max_entries).unwrap_or(0);
        Self {
            kept: (max > 0).then(|| quick_cache::sync::Cache::new(max)),
            inserted: AtomicU64::new(0),
        }
    }

    fn get(&self, token: &str) -> Option<Arc<Identity>> {
        self.kept.as_ref()?.get(token)
    }

    fn insert(&self, token: &str, identity: &Arc<Identity>) {
        if let Some(kept) = &self.kept {
            kept.insert(token.to_owned(), Arc::clone(identity));
            self.inserted.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// How many had to make place for others.
    pub(crate) fn evictions(&self) -> u64 {
        let kept = self.kept.as_ref().map_or(0, |kept| kept.len() as u64);
        self.inserted.load(Ordering::Relaxed).saturating_sub(kept)
    }
}

/// Clocks differ by so much, in seconds.
const SKEW: f64 = 30.0;

/// Reads the token and finds the role.
pub(crate) fn identify(
    config: &Config,
    headers: &HeaderMap,
    metrics: &Metrics,
) -> Result<Arc<Identity>> {
    let Some(token) = bearer(headers) else {
        return Ok(Arc::new(identity_of(config, Map::new())?));
    };
    metrics.token_lookups.fetch_add(1, Ordering::Relaxed);
    tracing::debug!("Looked up a JWT in JWT cache");
    if let Some(identity) = config.tokens.get(token) {
        metrics.token_hits.fetch_add(1, Ordering::Relaxed);
        check(config, &identity.claims)?;
        return Ok(identity);
    }
    let claims = verify(config, token)?;
    check(config, &claims)?;
    let identity = Arc::new(identity_of(config, claims.as_map().clone())?);
    config.tokens.insert(token, &identity);
    Ok(identity)
}

fn identity_of(config: &Config, mut claims: Map<String, Value>) -> Result<Identity> {
    let role = config
        .role_claim
        .find(&claims)
        .or_else(|| config.anon_role.clone());
    let Some(role) = role else {
        return Err(Error::jwt("302", "Anonymous access is disabled", None));
    };
    let is_anonymous = config.anon_role.as_ref() == Some(&role);
    claims.insert("role".to_owned(), Value::String(role.clone()));
    let claims = Claims::from(claims);
    Ok(Identity {
        role,
        claims_json: claims.to_json(),
        claims,
        is_anonymous,
    })
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let value = headers.get(header::AUTHORIZATION)?.to_str().ok()?;
    let (scheme, token) = value.split_once(' ').unwrap_or((value, ""));
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn verify(config: &Config, token: &str) -> Result<Claims> {
    if token.is_empty() {
        return Err(Error::jwt(
            "301",
            "Empty JWT is sent in Authorization header",
            None,
        ));
    }
    let Some(keys) = &config.keys else {
        return Err(Error::new(500, "300", "Server lacks JWT secret"));
    };
    keys.verify(token).map_err(|error| match error {
        JwtError::Parts(count) => Error::jwt(
            "301",
            &format!("Expected 3 parts in JWT; got {count}"),
            None,
        ),
        JwtError::Malformed => Error::jwt("301", "JWT cryptographic operation failed", None),
        JwtError::Algorithm if is_unsecured(token) => Error::jwt(
            "301",
            "Wrong or unsupported encoding algorithm",
            Some("JWT is unsecured but expected 'alg' was not 'none'"),
        ),
        JwtError::UnknownKey => Error::jwt(
            "301",
            "No suitable key or wrong key type",
            Some("No suitable key was found to decode the JWT"),
        ),
        JwtError::Algorithm | JwtError::Signature => Error::jwt(
            "301",
            "No suitable key or wrong key type",
            Some("None of the keys was able to decode the JWT"),
        ),
    })
}

fn is_unsecured(token: &str) -> bool {
    use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
    let header = token
        .split('.')
        .next()
        .and_then(|part| URL_SAFE_NO_PAD.decode(part).ok());
    let header = header.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    header.is_some_and(|header| header["alg"] == "none")
}

fn check(config: &Config, claims: &Claims) -> Result<()> {
    let refused = |message: &str| Error::jwt("303", message, None);
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0.0, |elapsed| elapsed.as_secs_f64());
    let time = |name: &str| match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value
            .as_f64()
            .map(Some)
            .ok_or_else(|| refused(&format!("The JWT '{name}' claim must be a number"))),
    };
    if time("exp")?.is_some_and(|exp| now > exp + SKEW) {
        return Err(refused("JWT expired"));
    }
    if time("nbf")?.is_some_and(|nbf| now < nbf - SKEW) {
        return Err(refused("JWT not yet valid"));
    }
    if time("iat")?.is_some_and(|iat| now < iat - SKEW) {
        return Err(refused("JWT issued at future"));
    }
    let given: Vec<&str> = match claims.get("aud") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(one)) => vec![one],
        Some(Value::Array(many)) if many.iter().all(Value::is_string) => {
            many.iter().filter_map(Value::as_str).collect()
        }
        Some(_) => {
            return Err(refused(
                "The JWT 'aud' claim must be a string or an array of strings",
            ));
        }
    };
    match &config.audience {
        Some(wanted) if !given.is_empty() && !given.contains(&wanted.as_str()) => {
            Err(refused("JWT not in audience"))
        }
        _ => Ok(()),
    }
}
