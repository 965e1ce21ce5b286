//! Access tokens: the keys that sign them, those that verify them, and what they say.

pub(in crate::domain) mod der;

use std::fmt;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Map, Value, json};
use svc_kit::jwt::{Claims, JwtError, KeySet};

/// The keys of the service.
#[derive(Clone)]
pub struct Keys {
    signing: EncodingKey,
    header: Header,
    verifying: KeySet,
    allowed: Vec<String>,
    public: Vec<Value>,
}

impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Keys({:?}, {} public)",
            self.header.alg,
            self.public.len()
        )
    }
}

/// Why a token was not accepted, in words that clients see.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum Invalid {
    /// Not three parts, or not JSON.
    #[error("token is malformed: {0}")]
    Malformed(&'static str),
    /// An algorithm that no key is for.
    #[error("token signature is invalid: signing method {0} is invalid")]
    Method(String),
    /// No key fits.
    #[error(
        "token is unverifiable: error while executing keyfunc: unrecognized JWT kid {kid} for algorithm {alg}"
    )]
    UnknownKey {
        /// The id that the token names.
        kid: String,
        /// Its algorithm.
        alg: String,
    },
    /// Not signed by us.
    #[error("token signature is invalid: signature is invalid")]
    Signature,
    /// Too old.
    #[error("token has invalid claims: token is expired")]
    Expired,
    /// Too young.
    #[error("token has invalid claims: token is not valid yet")]
    NotYet,
}

impl Keys {
    /// One HS256 key.
    pub fn from_secret(secret: &str) -> Self {
        Self {
            signing: EncodingKey::from_secret(secret.as_bytes()),
            header: Header::new(Algorithm::HS256),
            verifying: KeySet::from_secret(secret.as_bytes()),
            allowed: vec!["HS256".to_owned()],
            public: Vec::new(),
        }
    }

    /// The keys of a JSON array of private JWKs, exactly one of which signs; without one, the secret.
    /// Tokens that name no key are always checked against the secret.
    pub fn new(
        secret: &str,
        key_id: Option<&str>,
        jwks: Option<&str>,
        methods: &[String],
    ) -> Result<Self, String> {
        let mut keys = Self::from_secret(secret);
        keys.header.kid = key_id.map(str::to_owned);
        if let Some(text) = jwks {
            keys.read(&SecretString::from(text.to_owned()), secret)?;
        }
        if !methods.is_empty() {
            keys.allowed = methods.to_vec();
        }
        Ok(keys)
    }

    fn read(&mut self, text: &SecretString, secret: &str) -> Result<(), String> {
        let list: Vec<Map<String, Value>> = serde_json::from_str(text.expose_secret())
            .map_err(|_| "expected a JSON array of JWKs".to_owned())?;
        let mut signing = Vec::new();
        let mut public = Vec::new();
        let mut allowed = Vec::new();
        let mut shared = KeySet::default();
        for jwk in &list {
            let algorithm = algorithm(jwk)?;
            allowed.push(name(algorithm).to_owned());
            if operations(jwk).any(|operation| operation == "sign") {
                signing.push((jwk, algorithm));
            }
            if field(jwk, "kty")? == "oct" {
                let mut key = jwk.clone();
                key.insert("alg".into(), name(algorithm).into());
                key.remove("key_ops");
                let set = KeySet::from_jwks(&Value::Object(key)).map_err(|e| e.to_string())?;
                shared.extend(set);
            } else {
                public.push(published(jwk, algorithm));
            }
        }
        let [(jwk, algorithm)] = signing[..] else {
            return Err("exactly one key must have the operation sign".to_owned());
        };
        self.signing = encoding_key(jwk)?;
        self.header = Header::new(algorithm);
        self.header.kid = jwk.get("kid").and_then(Value::as_str).map(str::to_owned);
        let mut verifying =
            KeySet::from_jwks(&json!({ "keys": public })).map_err(|e| e.to_string())?;
        verifying.extend(shared);
        verifying.push_secret(secret.as_bytes());
        self.verifying = verifying;
        allowed.dedup();
        allowed.push("HS256".to_owned());
        self.allowed = allowed;
        self.public = public;
        Ok(())
    }

    /// The public halves, for `/.well-known/jwks.json`.
    pub fn published(&self) -> &[Value] {
        &self.public
    }

    /// The name of the algorithm that signs.
    pub fn signing_algorithm(&self) -> &'static str {
        name(self.header.alg)
    }

    /// Signs claims.
    pub fn sign(&self, claims: &Map<String, Value>) -> Result<String, jsonwebtoken::errors::Error> {
        jsonwebtoken::encode(&self.header, claims, &self.signing)
    }

    /// Checks signature and times.
    pub fn verify(&self, token: &str, now: i64) -> Result<Claims, Invalid> {
        let header = token.split('.').next().unwrap_or_default();
        let header: Map<String, Value> = URL_SAFE_NO_PAD
            .decode(header)
            .ok()
            .and_then(|bytes| serde_json::from_slice(&bytes).ok())
            .unwrap_or_default();
        let text = |name: &str| header.get(name).and_then(Value::as_str).map(str::to_owned);
        let alg = text("alg").unwrap_or_default();
        if token.split('.').count() == 3 && !alg.is_empty() && !self.allowed.contains(&alg) {
            return Err(Invalid::Method(alg));
        }
        let claims = self.verifying.verify(token).map_err(|error| match error {
            JwtError::Parts(_) => {
                Invalid::Malformed("token contains an invalid number of segments")
            }
            JwtError::Malformed => Invalid::Malformed("could not JSON decode header or claims"),
            JwtError::Algorithm => Invalid::Method(alg.clone()),
            JwtError::UnknownKey => Invalid::UnknownKey {
                kid: text("kid").unwrap_or_default(),
                alg: alg.clone(),
            },
            JwtError::Signature => Invalid::Signature,
        })?;
        let time = |name: &str| claims.get(name).and_then(Value::as_f64);
        // Seconds since 1970 are exact in a float for the next millions of years.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let now = now as f64;
        if time("exp").is_some_and(|exp| now >= exp) {
            return Err(Invalid::Expired);
        }
        if time("nbf").is_some_and(|nbf| now < nbf) {
            return Err(Invalid::NotYet);
        }
        Ok(claims)
    }
}

fn field<'a>(jwk: &'a Map<String, Value>, name: &str) -> Result<&'a str, String> {
    jwk.get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| format!("a key has no {name}"))
}

fn bytes(jwk: &Map<String, Value>, name: &str) -> Result<Vec<u8>, String> {
    URL_SAFE_NO_PAD
        .decode(field(jwk, name)?.trim_end_matches('='))
        .map_err(|_| format!("the field {name} of a key is not base64url"))
}

fn operations(jwk: &Map<String, Value>) -> impl Iterator<Item = &str> {
    jwk.get("key_ops")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// The algorithm that a key names, or the usual one of its kind.
fn algorithm(jwk: &Map<String, Value>) -> Result<Algorithm, String> {
    let named = jwk.get("alg").and_then(Value::as_str);
    match (named, field(jwk, "kty")?) {
        (Some("HS256") | None, "oct") => Ok(Algorithm::HS256),
        (Some("RS256") | None, "RSA") => Ok(Algorithm::RS256),
        (Some("RS512"), "RSA") => Ok(Algorithm::RS512),
        (Some("ES256") | None, "EC") => Ok(Algorithm::ES256),
        (Some("EdDSA" | "Ed25519") | None, "OKP") => Ok(Algorithm::EdDSA),
        _ => Err("a key has an algorithm that is not supported".to_owned()),
    }
}

fn name(algorithm: Algorithm) -> &'static str {
    match algorithm {
        Algorithm::RS256 => "RS256",
        Algorithm::RS512 => "RS512",
        Algorithm::ES256 => "ES256",
        Algorithm::EdDSA => "EdDSA",
        _ => "HS256",
    }
}

/// What others need to verify with a key, and nothing of what they must not have.
fn published(jwk: &Map<String, Value>, algorithm: Algorithm) -> Value {
    let mut public = Map::new();
    for member in ["kty", "kid", "crv", "x", "y", "n", "e"] {
        if let Some(value) = jwk.get(member) {
            public.insert(member.to_owned(), value.clone());
        }
    }
    public.insert("alg".into(), name(algorithm).into());
    public.insert("use".into(), "sig".into());
    public.insert("key_ops".into(), json!(["verify"]));
    Value::Object(public)
}

fn encoding_key(jwk: &Map<String, Value>) -> Result<EncodingKey, String> {
    match (field(jwk, "kty")?, jwk.get("crv").and_then(Value::as_str)) {
        ("oct", _) => Ok(EncodingKey::from_secret(&bytes(jwk, "k")?)),
        ("RSA", _) => {
            let mut numbers = vec![Vec::new()];
            for member in ["n", "e", "d", "p", "q", "dp", "dq", "qi"] {
                numbers.push(bytes(jwk, member)?);
            }
            Ok(EncodingKey::from_rsa_der(&der::rsa_private_key(&numbers)))
        }
        ("EC", Some("P-256")) => {
            let [d, x, y] = [bytes(jwk, "d")?, bytes(jwk, "x")?, bytes(jwk, "y")?];
            Ok(EncodingKey::from_ec_der(&der::p256_private_key(&d, &x, &y)))
        }
        ("OKP", Some("Ed25519")) => {
            let key = der::ed25519_private_key(&bytes(jwk, "d")?);
            Ok(EncodingKey::from_ed_der(&key))
        }
        _ => Err("a key has a type that cannot sign".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a-secret-of-more-than-32-characters-length";
    /// The keys of RFC 7515, appendix A.3, and RFC 8037, appendix A.1.
    const EC: &str = r#"{"kty":"EC","kid":"ec","alg":"ES256","crv":"P-256","key_ops":["sign"],
        "d":"jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
        "x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}"#;
    const OKP: &str = r#"{"kty":"OKP","kid":"ed","alg":"EdDSA","crv":"Ed25519","key_ops":["sign"],
        "d":"nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}"#;

    fn claims(exp: i64) -> Map<String, Value> {
        let Value::Object(map) = json!({"sub": "me", "exp": exp}) else {
            unreachable!()
        };
        map
    }

    #[test]
    fn what_we_sign_we_accept_until_it_expires() {
        let keys = Keys::from_secret(SECRET);
        let token = keys.sign(&claims(100)).unwrap();
        assert_eq!(keys.verify(&token, 99).unwrap().subject(), Some("me"));
        assert_eq!(keys.verify(&token, 100), Err(Invalid::Expired));
        let other = Keys::from_secret("another-secret-of-more-than-32-characters");
        assert_eq!(other.verify(&token, 1), Err(Invalid::Signature));
        assert!(matches!(keys.verify("abc", 1), Err(Invalid::Malformed(_))));
    }

    #[test]
    fn a_token_without_a_key_id_is_checked_against_the_secret() {
        let jwks = format!(
            r#"[{{"kty":"oct","k":"{}","kid":"k1","alg":"HS256","key_ops":["sign","verify"]}}]"#,
            URL_SAFE_NO_PAD.encode("quite another secret, also long enough")
        );
        let keys = Keys::new(SECRET, None, Some(&jwks), &[]).unwrap();
        let anon = Keys::from_secret(SECRET).sign(&claims(100)).unwrap();
        assert!(keys.verify(&anon, 1).is_ok());
        let own = keys.sign(&claims(100)).unwrap();
        assert!(keys.verify(&own, 1).is_ok());
        assert!(keys.published().is_empty());
        assert!(Keys::from_secret(SECRET).verify(&own, 1).is_err());
    }

    #[test]
    fn an_asymmetric_key_signs_and_only_its_public_half_is_published() {
        for (jwk, alg) in [(EC, "ES256"), (OKP, "EdDSA")] {
            let keys = Keys::new(SECRET, None, Some(&format!("[{jwk}]")), &[]).unwrap();
            assert_eq!(keys.signing_algorithm(), alg);
            let token = keys.sign(&claims(100)).unwrap();
            assert!(keys.verify(&token, 1).is_ok(), "{alg}");
            let anon = Keys::from_secret(SECRET).sign(&claims(100)).unwrap();
            assert!(keys.verify(&anon, 1).is_ok(), "{alg}");
            let published = &keys.published()[0];
            assert_eq!(published["use"], "sig");
            assert!(published.get("d").is_none(), "{published}");
        }
    }

    #[test]
    fn there_must_be_exactly_one_signing_key() {
        let verify_only = r#"[{"kty":"oct","k":"AAAA","key_ops":["verify"]}]"#;
        assert!(Keys::new(SECRET, None, Some(verify_only), &[]).is_err());
        assert!(Keys::new(SECRET, None, Some("no json"), &[]).is_err());
        let twice = format!("[{EC},{EC}]");
        assert!(Keys::new(SECRET, None, Some(&twice), &[]).is_err());
    }

    #[test]
    fn an_unsigned_token_is_refused() {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let token = format!(
            "{}.{}.",
            part(json!({"alg": "none"})),
            part(json!({"sub": "x"}))
        );
        assert_eq!(
            Keys::from_secret(SECRET).verify(&token, 1),
            Err(Invalid::Method("none".into()))
        );
    }
}
