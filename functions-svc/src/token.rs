//! Is this caller allowed to call a function at all?

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, header};
use serde::Deserialize;
use svc_kit::jwt::{JwtError, KeySet};
use url::Url;

use crate::error::Error;

mod remote;

use remote::Published;

/// What tokens are verified with.
#[derive(Debug)]
pub(crate) struct Keys {
    given: KeySet,
    /// Where asymmetric keys come from if none were given.
    published: Option<Published>,
}

impl Keys {
    pub(crate) fn new(given: KeySet, published: Option<Url>) -> anyhow::Result<Self> {
        Ok(Self {
            given,
            published: published.map(Published::new).transpose()?,
        })
    }
}

#[derive(Deserialize)]
struct Header {
    alg: String,
}

/// Signature and times decide; role and audience are the function's business.
pub(crate) async fn check(headers: &HeaderMap, keys: &Keys) -> Result<(), Error> {
    let value = headers
        .get(header::AUTHORIZATION)
        .ok_or(Error::NoAuthHeader)?;
    let token = value
        .to_str()
        .ok()
        .and_then(|text| text.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, token)| token.trim())
        .ok_or(Error::InvalidJwtFormat)?;
    let (invalid, published) = match algorithm(token)?.as_str() {
        "HS256" => (Error::InvalidSharedSecretJwt, None),
        "ES256" | "RS256" => (Error::InvalidAsymmetricJwt, keys.published.as_ref()),
        _ => return Err(Error::UnsupportedAlgorithm),
    };
    let verified = match published {
        Some(published) => verify_published(token, published).await,
        None => keys.given.verify(token),
    };
    let claims = verified.map_err(|error| match error {
        JwtError::Parts(_) | JwtError::Malformed => Error::InvalidJwtFormat,
        JwtError::Algorithm | JwtError::UnknownKey | JwtError::Signature => invalid,
    })?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    let time = |name| match claims.get(name) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or(invalid),
    };
    let (expiry, beginning) = (time("exp")?, time("nbf")?);
    if expiry.is_some_and(|at| at <= now) || beginning.is_some_and(|at| at.floor() > now) {
        return Err(invalid);
    }
    Ok(())
}

/// A key that is not there yet may have been published since they were last read.
async fn verify_published(
    token: &str,
    published: &Published,
) -> Result<svc_kit::jwt::Claims, JwtError> {
    let known: Arc<KeySet> = published.keys().await;
    match known.verify(token) {
        Err(JwtError::UnknownKey | JwtError::Algorithm) => {
            published.keys_after(&known).await.verify(token)
        }
        verified => verified,
    }
}

fn algorithm(token: &str) -> Result<String, Error> {
    let first = token.split('.').next().unwrap_or_default();
    let bytes = URL_SAFE_NO_PAD
        .decode(first)
        .map_err(|_| Error::InvalidJwtFormat)?;
    let header: Header = serde_json::from_slice(&bytes).map_err(|_| Error::InvalidJwtFormat)?;
    Ok(header.alg)
}
