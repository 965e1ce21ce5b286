//! Is this caller allowed to call a function at all?

use std::time::{SystemTime, UNIX_EPOCH};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::{HeaderMap, header};
use serde::Deserialize;
use serde_json::Value;
use svc_kit::jwt::{JwtError, KeySet};

use crate::error::Error;

#[derive(Deserialize)]
struct Header {
    alg: String,
}

/// Signature and expiry decide; role and audience are the function's business.
pub(crate) fn check(headers: &HeaderMap, keys: &KeySet) -> Result<(), Error> {
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
    let invalid = match algorithm(token)?.as_str() {
        "HS256" => Error::InvalidSharedSecretJwt,
        "ES256" | "RS256" => Error::InvalidAsymmetricJwt,
        _ => return Err(Error::UnsupportedAlgorithm),
    };
    let claims = keys.verify(token).map_err(|error| match error {
        JwtError::Parts(_) | JwtError::Malformed => Error::InvalidJwtFormat,
        JwtError::Algorithm | JwtError::UnknownKey | JwtError::Signature => invalid,
    })?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    match claims.get("exp").map(Value::as_f64) {
        Some(None) => Err(invalid),
        Some(Some(expiry)) if expiry <= now => Err(invalid),
        _ => Ok(()),
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
