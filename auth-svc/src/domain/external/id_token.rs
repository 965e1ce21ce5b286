//! ID tokens: what an issuer signed about its user (OpenID Connect Core, sections 2 and 3.1.3.7).

mod read;

use std::sync::Arc;

use aws_lc_rs::digest::{self, SHA256, SHA384, SHA512};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation,
    jwk::{Jwk, PublicKeyUse},
};
use serde_json::{Map, Value};
use subtle::ConstantTimeEq as _;

pub use read::profile;

use super::{
    Problem,
    issuers::Issuer,
    spec::{APPLE, APPLE_ALSO, GOOGLE},
};
use crate::app::App;

/// Longer ones are not looked at.
const MAX_LENGTH: usize = 64 * 1024;
/// How far a token may be ahead of our clock, as in the original's library.
const EARLY: i64 = 300;

/// What a token says, after its signature, issuer and times were checked.
#[derive(Clone, Debug)]
pub struct Verified {
    /// The claims.
    pub claims: Map<String, Value>,
    algorithm: Algorithm,
}

/// True for either of Apple's names.
pub fn is_apple(issuer: &str) -> bool {
    issuer == APPLE || issuer == APPLE_ALSO
}

/// The tenant of one of Microsoft's issuers, `https://login.microsoftonline.com/<tenant>/v2.0`.
pub fn azure_tenant(issuer: &str) -> Option<&str> {
    let rest = issuer.strip_prefix("https://login.microsoftonline.com/")?;
    tenant(rest)
}

/// True for an issuer of Microsoft's customer directories, `https://<name>.ciamlogin.com/<tenant>/v2.0`.
pub fn is_azure_customers(issuer: &str) -> bool {
    let host_and_rest = issuer
        .strip_prefix("https://")
        .and_then(|rest| rest.split_once(".ciamlogin.com/"));
    host_and_rest.is_some_and(|(name, rest)| {
        let plain = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
        !name.is_empty() && name.bytes().all(plain) && tenant(rest).is_some()
    })
}

fn tenant(rest: &str) -> Option<&str> {
    let tenant = rest
        .strip_suffix('/')
        .unwrap_or(rest)
        .strip_suffix("/v2.0")?;
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'_');
    (!tenant.is_empty() && tenant.bytes().all(plain)).then_some(tenant)
}

/// Who a token says it is from, before anything was checked. Only for finding the keys to check it with.
pub fn claimed_issuer(token: &str) -> Option<String> {
    let mut parts = token.split('.');
    let (_, claims, _) = (parts.next()?, parts.next()?, parts.next()?);
    if parts.next().is_some() || token.len() > MAX_LENGTH {
        return None;
    }
    let bytes = URL_SAFE_NO_PAD.decode(claims).ok()?;
    let claims: Map<String, Value> = serde_json::from_slice(&bytes).ok()?;
    claims.get("iss")?.as_str().map(str::to_owned)
}

/// Checks signature, issuer and times of a token. Who it is for, the caller checks.
pub async fn verify(app: &App, issuer: &Issuer, token: &str) -> Result<Verified, Problem> {
    if token.len() > MAX_LENGTH {
        return Err(Problem::IdToken("too long"));
    }
    let header = jsonwebtoken::decode_header(token).map_err(|_| Problem::IdToken("malformed"))?;
    let algorithm = header.alg;
    if !is_allowed(
        algorithm,
        &issuer.document.id_token_signing_alg_values_supported,
    ) {
        return Err(Problem::IdToken(
            "an algorithm that the issuer does not use",
        ));
    }
    let kid = header.kid.as_deref();
    let keys = issuer.keys(app, None).await?;
    let mut opened = open(token, algorithm, kid, &keys);
    if opened.is_none() {
        // The issuer may have changed its keys since.
        let newer = issuer.keys(app, Some(&keys)).await?;
        if !Arc::ptr_eq(&keys, &newer) {
            opened = open(token, algorithm, kid, &newer);
        }
    }
    let claims = opened.ok_or(Problem::IdToken("no key fits its signature"))?;
    let verified = Verified { claims, algorithm };
    verified.check_issuer(&issuer.document.issuer)?;
    verified.check_times(app.now().timestamp())?;
    Ok(verified)
}

/// Shared secrets are out of the question: the keys are public.
fn is_allowed(algorithm: Algorithm, advertised: &[String]) -> bool {
    use Algorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
    let asymmetric = [
        ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512,
    ];
    if !asymmetric.contains(&algorithm) {
        return false;
    }
    let name = format!("{algorithm:?}");
    if advertised.is_empty() {
        return algorithm == RS256;
    }
    advertised.contains(&name)
}

fn open(
    token: &str,
    algorithm: Algorithm,
    kid: Option<&str>,
    keys: &[Jwk],
) -> Option<Map<String, Value>> {
    let mut validation = Validation::new(algorithm);
    // Only the signature: what the token says is checked against our own clock and settings.
    validation.required_spec_claims.clear();
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    keys.iter()
        .filter(|key| kid.is_none() || key.common.key_id.as_deref() == kid)
        .filter(|key| key.common.public_key_use != Some(PublicKeyUse::Encryption))
        .find_map(|key| {
            let key = DecodingKey::from_jwk(key).ok()?;
            let opened = jsonwebtoken::decode(token, &key, &validation).ok()?;
            Some(opened.claims)
        })
}

impl Verified {
    /// One claim that is a text.
    pub fn text(&self, name: &str) -> &str {
        self.claims
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
    }

    /// Who it is for.
    pub fn audience(&self) -> Vec<&str> {
        match self.claims.get("aud") {
            Some(Value::String(one)) => vec![one],
            Some(Value::Array(all)) => all.iter().filter_map(Value::as_str).collect(),
            _ => Vec::new(),
        }
    }

    fn check_issuer(&self, expected: &str) -> Result<(), Problem> {
        let said = self.text("iss");
        // Google leaves the scheme out at times, and Apple has two names.
        let google = expected == GOOGLE && Some(said) == GOOGLE.strip_prefix("https://");
        if said == expected || google || (is_apple(expected) && is_apple(said)) {
            return Ok(());
        }
        Err(Problem::IdToken("another issuer"))
    }

    fn check_times(&self, now: i64) -> Result<(), Problem> {
        // Fractions of seconds are cut off, as in the original's library.
        #[expect(
            clippy::cast_possible_truncation,
            reason = "beyond all times that matter"
        )]
        let time = |name: &str| {
            let value = self.claims.get(name)?;
            value.as_i64().or_else(|| value.as_f64().map(|f| f as i64))
        };
        if now > time("exp").ok_or(Problem::IdToken("no expiry"))? {
            return Err(Problem::IdToken("expired"));
        }
        if time("nbf").is_some_and(|nbf| now < nbf.saturating_sub(EARLY)) {
            return Err(Problem::IdToken("not valid yet"));
        }
        Ok(())
    }

    /// Fails if the token names another access token than this one.
    pub fn check_access_token(&self, access_token: &str) -> Result<(), Problem> {
        let stated = self.text("at_hash");
        if stated.is_empty() {
            return Ok(());
        }
        let algorithm = match self.algorithm {
            Algorithm::RS384 | Algorithm::ES384 | Algorithm::PS384 => &SHA384,
            Algorithm::RS512 | Algorithm::PS512 | Algorithm::EdDSA => &SHA512,
            _ => &SHA256,
        };
        let hash = digest::digest(algorithm, access_token.as_bytes());
        let half = hash.as_ref().get(..hash.as_ref().len() / 2);
        let expected = URL_SAFE_NO_PAD.encode(half.unwrap_or_default());
        if bool::from(expected.as_bytes().ct_eq(stated.as_bytes())) {
            return Ok(());
        }
        Err(Problem::IdToken("it came with another access token"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn microsofts_issuers_are_known_by_their_form() {
        let tenant = "https://login.microsoftonline.com/9188040d-6c67/v2.0";
        assert_eq!(azure_tenant(tenant), Some("9188040d-6c67"));
        for wrong in [
            "https://login.microsoftonline.com/v2.0",
            "https://login.microsoftonline.com//v2.0",
            "https://login.microsoftonline.com/a/b/v2.0",
            "https://login.microsoftonline.com.evil.test/a/v2.0",
            "https://evil.test/a/v2.0",
        ] {
            assert_eq!(azure_tenant(wrong), None, "{wrong}");
        }
        assert!(is_azure_customers("https://shop.ciamlogin.com/t-1/v2.0"));
        assert!(!is_azure_customers(
            "https://evil.test/x.ciamlogin.com/t-1/v2.0"
        ));
    }

    #[test]
    fn only_algorithms_with_public_keys_that_the_issuer_names_are_allowed() {
        let named = ["RS256".to_owned(), "ES256".to_owned(), "HS256".to_owned()];
        for (algorithm, advertised, expected) in [
            (Algorithm::RS256, &named[..], true),
            (Algorithm::ES256, &named[..], true),
            (Algorithm::HS256, &named[..], false),
            (Algorithm::PS256, &named[..], false),
            (Algorithm::RS256, &[], true),
            (Algorithm::ES256, &[], false),
        ] {
            assert_eq!(is_allowed(algorithm, advertised), expected, "{algorithm:?}");
        }
    }

    #[test]
    fn the_hash_of_the_access_token_is_that_of_the_specification() {
        // OpenID Connect Core, appendix A.3.
        let verified = Verified {
            claims: serde_json::from_str(r#"{"at_hash": "77QmUPtjPfzWtF2AnpK9RQ"}"#).unwrap(),
            algorithm: Algorithm::RS256,
        };
        let token = "jHkWEdUXMU1BwAsC4vtUsZwnNvTIxEl0z9K3vx5KF0Y";
        assert!(verified.check_access_token(token).is_ok());
        assert!(verified.check_access_token("another").is_err());
    }
}
