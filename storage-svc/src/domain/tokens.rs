//! Tokens of signed URLs: a path, what may be done with it, and until when.

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use serde::Serialize;
use serde_json::{Value, json};
use svc_kit::jwt::{Claims, KeySet};

use crate::{
    auth::verify,
    error::{Error, Result},
};

/// The keys of signed URLs: the one that signs, and all that verify.
#[derive(Clone)]
pub(crate) struct UrlKeys {
    header: Header,
    signing: EncodingKey,
    verifying: KeySet,
    algorithm: Option<String>,
}

impl std::fmt::Debug for UrlKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UrlKeys").finish_non_exhaustive()
    }
}

/// A key of its own for URLs: `urlSigningKey` of `JWT_JWKS`.
pub(crate) struct SigningKey {
    header: Header,
    key: EncodingKey,
}

/// What a token allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    Download,
    Upload,
}

impl Scope {
    fn text(self) -> &'static str {
        match self {
            Self::Download => "download",
            Self::Upload => "upload",
        }
    }
}

#[derive(Serialize)]
struct DownloadClaims<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    transformations: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    format: Option<&'a str>,
    url: &'a str,
    scope: &'static str,
    iat: u64,
    exp: u64,
}

#[derive(Serialize)]
struct UploadClaims<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    owner: Option<&'a Value>,
    url: &'a str,
    upsert: bool,
    scope: &'static str,
    iat: u64,
    exp: u64,
}

/// What an image of a signed URL is made into.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SignedImage<'a> {
    pub(crate) transformations: Option<&'a str>,
    pub(crate) format: Option<&'a str>,
}

fn bare(algorithm: Algorithm) -> Header {
    Header {
        typ: None,
        ..Header::new(algorithm)
    }
}

/// Seconds since 1970.
pub(crate) fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs()
}

impl UrlKeys {
    pub(crate) fn from_secret(secret: &[u8]) -> Self {
        Self {
            header: bare(Algorithm::HS256),
            signing: EncodingKey::from_secret(secret),
            verifying: KeySet::from_secret(secret),
            algorithm: None,
        }
    }

    /// Reads `urlSigningKey` of a key set, if it has one.
    pub(crate) fn signing_key(jwks: &str) -> Result<Option<SigningKey>, String> {
        use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
        let wrong = |_| "urlSigningKey is no symmetric key".to_owned();
        let Ok(Value::Object(set)) = serde_json::from_str(jwks) else {
            return Ok(None);
        };
        let Some(key) = set.get("urlSigningKey") else {
            return Ok(None);
        };
        let text = |name: &str| key.get(name).and_then(Value::as_str);
        let algorithm: Algorithm = text("alg").unwrap_or("HS256").parse().map_err(wrong)?;
        let secret = text("k").unwrap_or_default().trim_end_matches('=');
        let secret = URL_SAFE_NO_PAD
            .decode(secret)
            .map_err(|_| "urlSigningKey is no symmetric key".to_owned())?;
        Ok(Some(SigningKey {
            header: Header {
                kid: text("kid").map(str::to_owned),
                ..bare(algorithm)
            },
            key: EncodingKey::from_secret(&secret),
        }))
    }

    pub(crate) fn sign_with(&mut self, own: SigningKey) {
        self.header = own.header;
        self.signing = own.key;
    }

    pub(crate) fn also_verify(&mut self, keys: KeySet, algorithm: Option<String>) {
        self.verifying = keys;
        self.algorithm = algorithm;
    }

    /// A token for a role, good for ten years, as the original makes where none is given.
    pub(crate) fn role_token(&self, role: &str) -> String {
        const TEN_YEARS: u64 = 315_576_000;
        let iat = now();
        self.sign(&json!({ "role": role, "iat": iat, "exp": iat + TEN_YEARS }))
    }

    fn sign(&self, claims: &impl Serialize) -> String {
        // HMAC takes any key, and claims are plain JSON.
        encode(&self.header, claims, &self.signing).unwrap_or_default()
    }

    /// A token to read `bucket/key` for so many seconds.
    pub(crate) fn download(&self, path: &str, seconds: u64, image: SignedImage<'_>) -> String {
        let iat = now();
        self.sign(&DownloadClaims {
            transformations: image.transformations,
            format: image.format,
            url: path,
            scope: Scope::Download.text(),
            iat,
            exp: iat.saturating_add(seconds),
        })
    }

    /// A token to write `bucket/key` for so many seconds, for the claim `sub` of who asks.
    pub(crate) fn upload(
        &self,
        path: &str,
        seconds: u64,
        owner: Option<&Value>,
        upsert: bool,
    ) -> String {
        let iat = now();
        self.sign(&UploadClaims {
            owner,
            url: path,
            upsert,
            scope: Scope::Upload.text(),
            iat,
            exp: iat.saturating_add(seconds),
        })
    }

    /// The claims of a token that is good for this and for `bucket/key`.
    pub(crate) fn verify(&self, token: &str, path: &str, scope: Scope) -> Result<Claims> {
        let claims = verify(token, &self.verifying, self.algorithm.as_deref());
        let claims = claims.map_err(Error::invalid_jwt)?;
        // Tokens of older servers have no scope; those for uploads name `upsert`. A user's token names no path.
        let is_scoped = match claims.get("scope") {
            Some(value) => value.as_str() == Some(scope.text()),
            None => (scope == Scope::Upload) == claims.get("upsert").is_some(),
        };
        if !is_scoped {
            let text = format!("Token is not scoped for {}", scope.text());
            return Err(Error::invalid_signature(text));
        }
        if claims.text("url") != Some(path) {
            return Err(Error::invalid_signature("Invalid signature"));
        }
        Ok(claims)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> UrlKeys {
        UrlKeys::from_secret(b"a secret that is long enough for it")
    }

    #[test]
    fn a_token_is_for_one_path_and_one_use() {
        let keys = keys();
        let token = keys.download("b/a b.txt", 60, SignedImage::default());
        assert!(keys.verify(&token, "b/a b.txt", Scope::Download).is_ok());
        let code = |path, scope| keys.verify(&token, path, scope).unwrap_err().code;
        assert_eq!(code("b/other", Scope::Download), "InvalidSignature");
        assert_eq!(code("b/a b.txt", Scope::Upload), "InvalidSignature");
        let other = UrlKeys::from_secret(b"another secret that is long enough");
        let error = other
            .verify(&token, "b/a b.txt", Scope::Download)
            .unwrap_err();
        assert_eq!(error.code, "InvalidJWT");
    }

    #[test]
    fn a_users_token_is_no_url_token_and_older_ones_still_are() {
        let keys = keys();
        let user = keys.sign(&json!({ "role": "anon", "exp": now() + 60 }));
        assert!(keys.verify(&user, "b/k", Scope::Download).is_err());
        assert!(keys.verify(&user, "", Scope::Download).is_err());
        let old = keys.sign(&json!({ "url": "b/k", "exp": now() + 60 }));
        assert!(keys.verify(&old, "b/k", Scope::Download).is_ok());
        assert!(keys.verify(&old, "b/k", Scope::Upload).is_err());
        let old = keys.sign(&json!({ "url": "b/k", "upsert": false, "exp": now() + 60 }));
        assert!(keys.verify(&old, "b/k", Scope::Upload).is_ok());
        assert!(keys.verify(&old, "b/k", Scope::Download).is_err());
        let late = keys.sign(&json!({ "url": "b/k", "exp": now() - 1 }));
        let error = keys.verify(&late, "b/k", Scope::Download).unwrap_err();
        assert_eq!(error.message, "\"exp\" claim timestamp check failed");
    }

    #[test]
    fn urls_may_have_a_key_of_their_own() {
        let jwks = r#"{"keys":[{"kty":"oct","kid":"u","alg":"HS512","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQ"}],
            "urlSigningKey":{"kty":"oct","kid":"u","alg":"HS512","k":"c2VjcmV0LXNlY3JldC1zZWNyZXQ"}}"#;
        let mut own = keys();
        own.sign_with(UrlKeys::signing_key(jwks).unwrap().unwrap());
        own.also_verify(KeySet::from_secret_or_jwks(jwks).unwrap(), None);
        let token = own.download("b/k", 60, SignedImage::default());
        assert!(own.verify(&token, "b/k", Scope::Download).is_ok());
        assert!(keys().verify(&token, "b/k", Scope::Download).is_err());
        assert!(UrlKeys::signing_key(r#"{"keys":[]}"#).unwrap().is_none());
    }
}
