use base64::{
    Engine as _, engine::general_purpose::STANDARD, engine::general_purpose::URL_SAFE_NO_PAD,
};
use jsonwebtoken::{
    Algorithm, DecodingKey, Validation, decode, decode_header,
    jwk::{Jwk, JwkSet, KeyAlgorithm},
};
use serde_json::{Map, Value};

use super::Claims;

/// Why a token was not accepted.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JwtError {
    /// The text does not have the three parts of a token; the number is how many it has.
    #[error("token has {0} parts, expected 3")]
    Parts(usize),
    /// The header or the payload is not JSON in base64url.
    #[error("token is malformed")]
    Malformed,
    /// The algorithm is `none`, unknown, or not one that any key here may be used with.
    #[error("signing algorithm is not accepted")]
    Algorithm,
    /// No key has the id that the token names.
    #[error("no key with this id")]
    UnknownKey,
    /// The signature is not made with one of the keys.
    #[error("signature is invalid")]
    Signature,
}

/// Why key material could not be used. Never contains the material.
#[derive(Debug, thiserror::Error)]
pub enum KeySetError {
    /// The text looks like a JWK or a set of them but is none.
    #[error("not a valid JWK or JWK set")]
    Jwk(#[source] serde_json::Error),
    /// The base64 of a secret could not be decoded.
    #[error("the secret is not valid base64")]
    Base64(#[source] base64::DecodeError),
    /// A key of the set has an unsupported type.
    #[error("unsupported key in the JWK set")]
    Unsupported(#[source] jsonwebtoken::errors::Error),
}

/// One key with what it may verify.
#[derive(Clone)]
struct Key {
    id: Option<String>,
    algorithms: Vec<Algorithm>,
    decoding: DecodingKey,
}

/// The keys that tokens are verified with: a shared secret, a JWK, or a set of JWKs.
#[derive(Clone, Default)]
pub struct KeySet {
    keys: Vec<Key>,
}

impl std::fmt::Debug for KeySet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "KeySet({} keys)", self.keys.len())
    }
}

const HMAC: [Algorithm; 3] = [Algorithm::HS256, Algorithm::HS384, Algorithm::HS512];

impl KeySet {
    /// Reads what PostgREST's `jwt-secret` may hold: a JWK set, a single JWK, or else a raw secret.
    pub fn from_secret_or_jwks(text: &str) -> Result<Self, KeySetError> {
        let trimmed = text.trim_start();
        if trimmed.starts_with('{') {
            let value: Value = serde_json::from_str(trimmed).map_err(KeySetError::Jwk)?;
            return Self::from_jwks(&value);
        }
        Ok(Self::from_secret(text.as_bytes()))
    }

    /// A shared secret for the HMAC family.
    pub fn from_secret(secret: &[u8]) -> Self {
        let mut set = Self::default();
        set.push_secret(secret);
        set
    }

    /// A shared secret given in base64 (standard or URL alphabet).
    pub fn from_base64_secret(text: &str) -> Result<Self, KeySetError> {
        let secret = decode_base64(text).map_err(KeySetError::Base64)?;
        Ok(Self::from_secret(&secret))
    }

    /// A JWK set `{"keys": […]}`, or a single JWK.
    pub fn from_jwks(value: &Value) -> Result<Self, KeySetError> {
        let set: JwkSet = if value.get("keys").is_some() {
            JwkSet::deserialize_lenient(value)?
        } else {
            JwkSet {
                keys: vec![serde_json::from_value(value.clone()).map_err(KeySetError::Jwk)?],
            }
        };
        let mut keys = Vec::with_capacity(set.keys.len());
        for jwk in set.keys {
            keys.push(Key {
                id: jwk.common.key_id.clone(),
                algorithms: algorithms_of(&jwk),
                decoding: DecodingKey::from_jwk(&jwk).map_err(KeySetError::Unsupported)?,
            });
        }
        Ok(Self { keys })
    }

    /// Adds a shared secret; tokens without a key id are tried against it.
    pub fn push_secret(&mut self, secret: &[u8]) {
        self.keys.push(Key {
            id: None,
            algorithms: HMAC.to_vec(),
            decoding: DecodingKey::from_secret(secret),
        });
    }

    /// Adds all keys of another set.
    pub fn extend(&mut self, other: Self) {
        self.keys.extend(other.keys);
    }

    /// True when nothing can be verified.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Verifies the signature and gives the claims. Times, audience and role are the caller's to check.
    pub fn verify(&self, token: &str) -> Result<Claims, JwtError> {
        let parts = token.split('.').count();
        if parts != 3 {
            return Err(JwtError::Parts(parts));
        }
        let header = decode_header(token).map_err(|_| header_error(token))?;
        let fitting = |key: &&Key| key.algorithms.contains(&header.alg);
        if !self.keys.iter().any(|key| fitting(&key)) {
            return Err(JwtError::Algorithm);
        }
        // A key without an id may be meant by any id; a key with one only by its own.
        let mut candidates = self
            .keys
            .iter()
            .filter(fitting)
            .filter(|key| match (&header.kid, &key.id) {
                (Some(wanted), Some(id)) => wanted == id,
                _ => true,
            })
            .peekable();
        if candidates.peek().is_none() {
            return Err(JwtError::UnknownKey);
        }
        let mut validation = Validation::new(header.alg);
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_nbf = false;
        validation.validate_aud = false;
        for key in candidates {
            match decode::<Map<String, Value>>(token, &key.decoding, &validation) {
                Ok(data) => return Ok(Claims::from(data.claims)),
                Err(error) => match error.kind() {
                    jsonwebtoken::errors::ErrorKind::Json(_)
                    | jsonwebtoken::errors::ErrorKind::Utf8(_) => return Err(JwtError::Malformed),
                    _ => {}
                },
            }
        }
        Err(JwtError::Signature)
    }
}

/// Tells a header that names an algorithm we do not know from one that is no header at all.
fn header_error(token: &str) -> JwtError {
    let header = token
        .split('.')
        .next()
        .and_then(|part| URL_SAFE_NO_PAD.decode(part).ok())
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    match header {
        Some(Value::Object(map)) if map.contains_key("alg") => JwtError::Algorithm,
        _ => JwtError::Malformed,
    }
}

fn algorithms_of(jwk: &Jwk) -> Vec<Algorithm> {
    use jsonwebtoken::jwk::{AlgorithmParameters, EllipticCurve};
    if let Some(algorithm) = jwk.common.key_algorithm {
        return match algorithm {
            KeyAlgorithm::HS256 => vec![Algorithm::HS256],
            KeyAlgorithm::HS384 => vec![Algorithm::HS384],
            KeyAlgorithm::HS512 => vec![Algorithm::HS512],
            KeyAlgorithm::RS256 => vec![Algorithm::RS256],
            KeyAlgorithm::RS384 => vec![Algorithm::RS384],
            KeyAlgorithm::RS512 => vec![Algorithm::RS512],
            KeyAlgorithm::PS256 => vec![Algorithm::PS256],
            KeyAlgorithm::PS384 => vec![Algorithm::PS384],
            KeyAlgorithm::PS512 => vec![Algorithm::PS512],
            KeyAlgorithm::ES256 => vec![Algorithm::ES256],
            KeyAlgorithm::ES384 => vec![Algorithm::ES384],
            KeyAlgorithm::EdDSA => vec![Algorithm::EdDSA],
            _ => Vec::new(),
        };
    }
    match &jwk.algorithm {
        AlgorithmParameters::OctetKey(_) => HMAC.to_vec(),
        AlgorithmParameters::RSA(_) => vec![
            Algorithm::RS256,
            Algorithm::RS384,
            Algorithm::RS512,
            Algorithm::PS256,
            Algorithm::PS384,
            Algorithm::PS512,
        ],
        AlgorithmParameters::EllipticCurve(parameters) => match parameters.curve {
            EllipticCurve::P256 => vec![Algorithm::ES256],
            EllipticCurve::P384 => vec![Algorithm::ES384],
            _ => Vec::new(),
        },
        AlgorithmParameters::OctetKeyPair(_) => vec![Algorithm::EdDSA],
        _ => Vec::new(),
    }
}

fn decode_base64(text: &str) -> Result<Vec<u8>, base64::DecodeError> {
    let standard = text.trim().replace('-', "+").replace('_', "/");
    STANDARD.decode(pad(standard))
}

fn pad(mut text: String) -> String {
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

/// Reading a set must not fail because of one key of a kind that nothing here verifies with.
trait Lenient: Sized {
    fn deserialize_lenient(value: &Value) -> Result<Self, KeySetError>;
}

impl Lenient for JwkSet {
    fn deserialize_lenient(value: &Value) -> Result<Self, KeySetError> {
        let list = value
            .get("keys")
            .and_then(Value::as_array)
            .cloned()
            .unwrap_or_default();
        let total = list.len();
        let mut first_error = None;
        let keys: Vec<Jwk> = list
            .into_iter()
            .filter_map(|key| {
                serde_json::from_value(key)
                    .map_err(|error| first_error.get_or_insert(error).to_string())
                    .ok()
            })
            .collect();
        match first_error {
            Some(error) if keys.is_empty() && total > 0 => Err(KeySetError::Jwk(error)),
            _ => Ok(Self { keys }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use jsonwebtoken::{EncodingKey, Header, encode};
    use serde_json::json;

    const SECRET: &[u8] = b"a-secret-that-is-at-least-32-bytes-long!";

    fn signed(header: &Header, secret: &[u8]) -> String {
        encode(
            header,
            &json!({"role": "anon", "exp": 1}),
            &EncodingKey::from_secret(secret),
        )
        .unwrap()
    }

    #[test]
    fn a_token_of_ours_gives_its_claims_even_when_expired() {
        let claims = KeySet::from_secret(SECRET)
            .verify(&signed(&Header::default(), SECRET))
            .unwrap();
        assert_eq!(claims.role(), Some("anon"));
    }

    #[test]
    fn a_token_is_refused_for_the_right_reason() {
        let keys = KeySet::from_secret(SECRET);
        let good = signed(&Header::default(), SECRET);
        let none = format!(
            "{}.{}.",
            URL_SAFE_NO_PAD.encode(r#"{"alg":"none","typ":"JWT"}"#),
            URL_SAFE_NO_PAD.encode(r#"{"role":"service_role"}"#)
        );
        for (token, expected) in [
            ("abc".to_owned(), JwtError::Parts(1)),
            ("a.b".to_owned(), JwtError::Parts(2)),
            ("a.b.c".to_owned(), JwtError::Malformed),
            (none, JwtError::Algorithm),
            (
                signed(
                    &Header::default(),
                    b"another secret, as long as the first one",
                ),
                JwtError::Signature,
            ),
            (format!("{}x", &good[..good.len() - 1]), JwtError::Signature),
        ] {
            assert_eq!(keys.verify(&token), Err(expected), "{token}");
        }
    }

    #[test]
    fn an_unknown_key_id_is_told_from_a_bad_signature() {
        let set = json!({"keys": [{"kty": "oct", "kid": "one", "alg": "HS256", "k": URL_SAFE_NO_PAD.encode(SECRET)}]});
        let keys = KeySet::from_jwks(&set).unwrap();
        let header = Header {
            kid: Some("two".to_owned()),
            ..Header::default()
        };
        assert_eq!(
            keys.verify(&signed(&header, SECRET)),
            Err(JwtError::UnknownKey)
        );
        assert!(keys.verify(&signed(&Header::default(), SECRET)).is_ok());
    }
}
