//! The key that a socket comes with.

use std::time::{SystemTime, UNIX_EPOCH};

use http::HeaderMap;
use serde::Deserialize;
use serde_json::Value;
use svc_kit::jwt::{JwtError, KeySet};

use crate::error::Error;

/// The query parameters of a socket that matter so far.
#[derive(Debug, Deserialize)]
pub(crate) struct SocketQuery {
    apikey: Option<String>,
}

/// The header wins over the query. A key needs a role and an expiry that is still to come.
pub(crate) fn check(headers: &HeaderMap, query: &SocketQuery, keys: &KeySet) -> Result<(), Error> {
    let header = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    let token: String = header
        .or(query.apikey.as_deref())
        .filter(|key| !key.is_empty())
        .ok_or(Error::KeyMissing)?
        .split_whitespace()
        .collect();
    let claims = keys.verify(&token).map_err(|error| match error {
        JwtError::Parts(_) | JwtError::Malformed => Error::KeyMalformed,
        JwtError::Algorithm => Error::KeyAlgorithm,
        JwtError::UnknownKey | JwtError::Signature => Error::KeySignature,
    })?;
    let (Some(_), Some(expiry)) = (claims.role(), claims.get("exp").and_then(Value::as_f64)) else {
        return Err(Error::ClaimsMissing);
    };
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    if expiry <= now {
        return Err(Error::KeyExpired);
    }
    Ok(())
}
