//! The tokens of sockets, channels and requests.

use std::{
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use http::HeaderMap;
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use svc_kit::jwt::{Claims, JwtError, KeySet};

/// Why a token is not accepted; the texts are the original's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum TokenError {
    #[error("Token has expired {0} seconds ago")]
    Expired(i64),
    #[error("Fields `role` and `exp` are required in JWT")]
    ClaimsMissing,
    #[error("The token provided is not a valid JWT")]
    Malformed,
    #[error("Failed to validate JWT signature")]
    Signature,
    /// No key fits; with the id that the token names, if it names one.
    #[error("Failed to generate JWT signer{}, check your JWT secret or JWKS configuration", .0.as_ref().map(|kid| format!(" for key ID (kid) {}", Value::from(kid.as_str()))).unwrap_or_default())]
    Signer(Option<String>),
    /// A claim that is demanded is missing or has another value.
    #[error("Unknown Error on Channel")]
    Claim,
}

impl TokenError {
    /// The code in front of the reason of a refused join, and in the log.
    pub(crate) fn code(&self) -> &'static str {
        match self {
            Self::Expired(_) | Self::ClaimsMissing | Self::Claim => "InvalidJWTToken",
            Self::Malformed => "MalformedJWT",
            Self::Signature => "JwtSignatureError",
            Self::Signer(_) => "JwtSignerError",
        }
    }
}

/// A token that was verified.
#[derive(Debug, PartialEq)]
pub(crate) struct Token {
    /// As the client sent it.
    pub(crate) text: Box<str>,
    pub(crate) claims: Claims,
    /// The JSON text that `request.jwt.claims` receives.
    pub(crate) claims_json: Box<str>,
    pub(crate) role: Box<str>,
    /// Seconds since 1970.
    pub(crate) expires_at: i64,
}

impl Token {
    /// Seconds until it expires; none are left when it has.
    pub(crate) fn seconds_left(&self) -> u64 {
        u64::try_from(self.expires_at.saturating_sub(now())).unwrap_or(0)
    }

    /// Fails when it has expired.
    pub(crate) fn check_expiry(&self) -> Result<(), TokenError> {
        let late = now().saturating_sub(self.expires_at);
        if late >= 0 {
            return Err(TokenError::Expired(late));
        }
        Ok(())
    }
}

/// True if it is a time that is still to come, in seconds since 1970.
pub(crate) fn is_future(expiry: &Value) -> bool {
    #[expect(clippy::cast_precision_loss, reason = "these seconds fit")]
    let now = now() as f64;
    expiry.as_f64().is_some_and(|expiry| expiry > now)
}

/// Seconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    i64::try_from(since.unwrap_or_default().as_secs()).unwrap_or(i64::MAX)
}

/// What tokens are verified with.
#[derive(Clone, Debug)]
pub(crate) struct Verifier {
    pub(crate) keys: KeySet,
    /// `JWT_CLAIM_VALIDATORS`: claims that must have these values.
    pub(crate) demanded: Map<String, Value>,
}

impl Verifier {
    /// Verifies a token: its signature, that it has not expired, and that it has what a role and an expiry need.
    pub(crate) fn verify(&self, token: &str) -> Result<Arc<Token>, TokenError> {
        let decoded = percent_decode_str(token).decode_utf8_lossy();
        let cleaned: String = decoded.split_whitespace().collect();
        let claims = self.keys.verify(&cleaned).map_err(|error| match error {
            JwtError::Parts(_) | JwtError::Malformed => TokenError::Malformed,
            JwtError::Algorithm | JwtError::UnknownKey => TokenError::Signer(key_id(&cleaned)),
            JwtError::Signature => TokenError::Signature,
        })?;
        let is_demanded = |(name, value): (&String, &Value)| claims.get(name) == Some(value);
        if !self.demanded.iter().all(is_demanded) {
            return Err(TokenError::Claim);
        }
        if claims.get("iat").is_some_and(|iat| !iat.is_number()) {
            return Err(TokenError::Claim);
        }
        let (Some(role), Some(expiry)) = (claims.get("role"), claims.get("exp")) else {
            return Err(TokenError::ClaimsMissing);
        };
        let (Some(role), Some(expiry)) = (role.as_str(), expiry.as_f64()) else {
            return Err(TokenError::Claim);
        };
        let token = Token {
            text: token.into(),
            role: role.into(),
            claims_json: claims.to_json().into(),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a float beyond the range becomes its end"
            )]
            expires_at: expiry.round() as i64,
            claims,
        };
        token.check_expiry()?;
        Ok(Arc::new(token))
    }
}

/// The id that a token's header names, if it is one that only a key of a set can be meant by.
fn key_id(token: &str) -> Option<String> {
    let header = URL_SAFE_NO_PAD.decode(token.split('.').next()?).ok()?;
    let header: Value = serde_json::from_slice(&header).ok()?;
    Some(header.get("kid")?.as_str()?.to_owned())
}

/// The key of a socket: the header wins over the query.
pub(crate) fn of_socket<'a>(headers: &'a HeaderMap, query: Option<&'a str>) -> Option<&'a str> {
    let header = headers.get("x-api-key").and_then(|key| key.to_str().ok());
    header.or(query)
}

/// The token of a request: `Authorization`, else the header `apikey`.
pub(crate) fn of_request(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    match text("authorization").filter(|value| !value.is_empty()) {
        Some(value) => {
            let (scheme, token) = value.split_once(' ')?;
            scheme.eq_ignore_ascii_case("bearer").then_some(token)
        }
        None => text("apikey"),
    }
}
