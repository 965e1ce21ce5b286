//! The secret and the keys of a deployment.

use std::{
    fs::{self, File},
    io::Write as _,
    net::IpAddr,
    os::unix::fs::OpenOptionsExt as _,
    path::Path,
};

use anyhow::Context as _;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use jsonwebtoken::{EncodingKey, Header, encode};
use rand::{TryRngCore as _, rngs::OsRng};
use serde::{Deserialize, Serialize};
use serde_json::json;

/// The end of life of the keys of every local stack, in September 2032.
const LOCAL_EXPIRY: u64 = 1_983_812_996;

/// What signs tokens and what clients present.
#[derive(Clone, Serialize, Deserialize)]
pub struct Keys {
    /// The shared secret that signs tokens.
    pub jwt_secret: String,
    /// The token of the role `anon`.
    pub anon_key: String,
    /// The token of the role `service_role`.
    pub service_role_key: String,
    /// The opaque public key.
    pub publishable_key: String,
    /// The opaque secret key.
    pub secret_key: String,
    /// Signs the calls of the send-SMS hook, in the form of Standard Webhooks.
    pub sms_hook_secret: String,
    /// A JSON array of private JWKs that sessions are signed with in place of the secret, if there is one.
    #[serde(default, skip_serializing)]
    pub signing_keys: Option<String>,
    /// The JWK set of everybody whose tokens are believed, if the secret is not the only key.
    #[serde(default, skip_serializing)]
    pub jwks: Option<String>,
}

impl Keys {
    /// The keys that every local Supabase stack has. They are public, so only for loopback.
    pub fn local() -> anyhow::Result<Self> {
        let jwt_secret = svc_kit::jwt::LOCAL_JWT_SECRET.to_owned();
        Ok(Self {
            anon_key: role_token(&jwt_secret, "supabase-demo", "anon", LOCAL_EXPIRY)?,
            service_role_key: role_token(
                &jwt_secret,
                "supabase-demo",
                "service_role",
                LOCAL_EXPIRY,
            )?,
            jwt_secret,
            publishable_key: "sb_publishable_ACJWlzQHlZjBrEguHvfOxg_3BJgxAaH".to_owned(),
            secret_key: "sb_secret_N7UND0UgjKTVK-Uodkm0Hg_xSvEMPvz".to_owned(),
            sms_hook_secret: random_hook_secret()?,
            signing_keys: None,
            jwks: None,
        })
    }

    /// Keys of this deployment's own, from `<data-dir>/keys.json`, which is made with mode 0600 if missing.
    fn own(data_dir: &Path) -> anyhow::Result<Self> {
        let path = data_dir.join("keys.json");
        if let Ok(text) = fs::read_to_string(&path) {
            return serde_json::from_str(&text)
                .with_context(|| format!("{} is damaged", path.display()));
        }
        let keys = Self::generate()?;
        fs::create_dir_all(data_dir).with_context(|| data_dir.display().to_string())?;
        // Written beside and renamed, so that a crash cannot leave half a file that a later start trusts.
        let unfinished = path.with_extension("unfinished");
        let mut file = File::options()
            .create(true)
            .write(true)
            .truncate(true)
            .mode(0o600)
            .open(&unfinished)?;
        file.write_all(serde_json::to_string_pretty(&keys)?.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &path)?;
        Ok(keys)
    }

    fn generate() -> anyhow::Result<Self> {
        let jwt_secret = random(36)?;
        let ten_years = jsonwebtoken::get_current_timestamp() + 10 * 365 * 24 * 3600;
        Ok(Self {
            anon_key: role_token(&jwt_secret, "nilam", "anon", ten_years)?,
            service_role_key: role_token(&jwt_secret, "nilam", "service_role", ten_years)?,
            publishable_key: format!("sb_publishable_{}_{}", random(16)?, random(6)?),
            secret_key: format!("sb_secret_{}_{}", random(24)?, random(6)?),
            jwt_secret,
            sms_hook_secret: random_hook_secret()?,
            signing_keys: None,
            jwks: None,
        })
    }

    /// The id and the secret of the S3 protocol's credentials: those of every local stack, or made of this
    /// deployment's own secret.
    pub fn s3_credentials(&self) -> anyhow::Result<(String, String)> {
        if self.are_local() {
            return Ok((
                "625729a08b95bf1b7ff351a663f3a23c".to_owned(),
                "850181e4652dd023b7a98c58ae0d2d34bd487ee0cc3254aed6eda37307425907".to_owned(),
            ));
        }
        let key = EncodingKey::from_secret(self.jwt_secret.as_bytes());
        let derive = |purpose: &str| {
            jsonwebtoken::crypto::sign(purpose.as_bytes(), &key, jsonwebtoken::Algorithm::HS256)
        };
        let id: String = derive("s3 access key id")?.chars().take(32).collect();
        Ok((id, derive("s3 secret access key")?))
    }

    /// True for the keys that everybody knows.
    pub fn are_local(&self) -> bool {
        self.jwt_secret == svc_kit::jwt::LOCAL_JWT_SECRET
    }

    /// Takes another secret, with tokens that fit it.
    pub fn sign_with(&mut self, secret: &str) -> anyhow::Result<()> {
        secret.clone_into(&mut self.jwt_secret);
        self.anon_key = role_token(secret, "supabase-demo", "anon", LOCAL_EXPIRY)?;
        self.service_role_key = role_token(secret, "supabase-demo", "service_role", LOCAL_EXPIRY)?;
        Ok(())
    }

    /// What rest, storage, realtime and functions verify tokens with: the set, else the secret.
    pub fn verification(&self) -> &str {
        self.jwks.as_deref().unwrap_or(&self.jwt_secret)
    }

    /// The well-known keys on loopback, and our own as soon as anybody else could reach us.
    pub fn for_host(host: IpAddr, data_dir: &Path) -> anyhow::Result<Self> {
        if host.is_loopback() {
            Self::local()
        } else {
            Self::own(data_dir)
        }
    }
}

fn role_token(secret: &str, issuer: &str, role: &str, expires: u64) -> anyhow::Result<String> {
    let claims = json!({ "iss": issuer, "role": role, "exp": expires });
    // Field order matters: local tools compare the keys byte for byte.
    let header = URL_SAFE_NO_PAD.encode(r#"{"alg":"HS256","typ":"JWT"}"#);
    let token = encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(secret.as_bytes()),
    )?;
    if token.starts_with(&header) {
        return Ok(token);
    }
    let payload = URL_SAFE_NO_PAD.encode(claims.to_string());
    let message = format!("{header}.{payload}");
    let signature = jsonwebtoken::crypto::sign(
        message.as_bytes(),
        &EncodingKey::from_secret(secret.as_bytes()),
        jsonwebtoken::Algorithm::HS256,
    )?;
    Ok(format!("{message}.{signature}"))
}

fn random(bytes: usize) -> anyhow::Result<String> {
    let mut buffer = vec![0; bytes];
    OsRng
        .try_fill_bytes(&mut buffer)
        .context("the system gives no random numbers")?;
    Ok(URL_SAFE_NO_PAD.encode(buffer))
}

fn random_hook_secret() -> anyhow::Result<String> {
    let mut buffer = [0; 32];
    OsRng
        .try_fill_bytes(&mut buffer)
        .context("the system gives no random numbers")?;
    Ok(format!(
        "v1,whsec_{}",
        base64::engine::general_purpose::STANDARD.encode(buffer)
    ))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const LOOPBACK: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);
    const ANY: IpAddr = IpAddr::V4(std::net::Ipv4Addr::UNSPECIFIED);

    #[test]
    fn loopback_has_the_keys_that_every_local_stack_has() {
        let dir = tempfile::tempdir().unwrap();
        let keys = Keys::for_host(LOOPBACK, dir.path()).unwrap();
        assert_eq!(
            keys.anon_key,
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJpc3MiOiJzdXBhYmFzZS1kZW1vIiwicm9sZSI6ImFub24iLCJleHAiOjE5ODM4MTI5OTZ9.CRXP1A7WOeoJeXxjNni43kdQwgnWNReilDMblYTn_I0"
        );
        assert!(!dir.path().join("keys.json").exists());
    }

    #[test]
    fn anywhere_else_the_keys_are_our_own_and_stay() {
        let dir = tempfile::tempdir().unwrap();
        let (local, own) = (
            Keys::local().unwrap(),
            Keys::for_host(ANY, dir.path()).unwrap(),
        );
        assert_ne!(own.jwt_secret, local.jwt_secret);
        assert_ne!(own.secret_key, local.secret_key);
        assert_ne!(own.publishable_key, local.publishable_key);
        let mode = fs::metadata(dir.path().join("keys.json"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
        assert_eq!(
            Keys::for_host(ANY, dir.path()).unwrap().anon_key,
            own.anon_key
        );
        let verifier = svc_kit::jwt::KeySet::from_secret(own.jwt_secret.as_bytes());
        assert_eq!(
            verifier.verify(&own.service_role_key).unwrap().role(),
            Some("service_role")
        );
    }
}
