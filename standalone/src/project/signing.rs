//! Which keys a project signs tokens with, and whose tokens it believes.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Duration,
};

use anyhow::{Context as _, bail};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use serde_json::{Map, Value, json};

use super::{Project, config::ThirdParty};
use crate::{keys::Keys, progress::Progress};

/// The private key that every local stack of the CLI signs sessions with. It is public knowledge.
const LOCAL_KEY: &str = r#"[{"kty":"EC","kid":"b81269f1-21d8-4f2e-b719-c2240a840d90","use":"sig","key_ops":["sign","verify"],"alg":"ES256","ext":true,"crv":"P-256","x":"M5Sjqn5zwC9Kl1zVfUUGvv9boQjCGd45G8sdopBExB4","y":"P6IXMvA2WYXSHSOMTBH2jsw_9rrzGy89FjPf6oOsIxQ","d":"dIhR8wywJlqlua4y_yMq2SLhlFXDZJBCvFrY1DCHyVU"}]"#;
/// What of a JWK is not for others.
const PRIVATE: [&str; 8] = ["d", "p", "q", "dp", "dq", "qi", "oth", "k"];

impl Project {
    /// The file of private keys that tokens are signed with.
    pub(crate) fn signing_keys_file(&self) -> Option<PathBuf> {
        let path = &self.config.auth.signing_keys_path;
        (!path.is_empty()).then(|| {
            if Path::new(path).is_absolute() {
                path.into()
            } else {
                self.resolve(path)
            }
        })
    }

    /// The deployment's keys with the project's own in their place.
    pub(crate) async fn keys(&self, mut keys: Keys, progress: &Progress) -> anyhow::Result<Keys> {
        let auth = &self.config.auth;
        let local = keys.are_local();
        if let Some(secret) = text(auth.jwt_secret.as_ref()) {
            if secret.len() < 16 {
                bail!("auth.jwt_secret must have at least 16 characters");
            }
            keys.sign_with(secret)?;
        }
        for (own, field) in [
            (&auth.anon_key, &mut keys.anon_key),
            (&auth.service_role_key, &mut keys.service_role_key),
            (&auth.publishable_key, &mut keys.publishable_key),
            (&auth.secret_key, &mut keys.secret_key),
        ] {
            if let Some(own) = text(own.as_ref()) {
                field.clone_from(own);
            }
        }
        if let Some(path) = self.signing_keys_file() {
            let file = fs::read_to_string(&path)
                .with_context(|| format!("auth.signing_keys_path: {}", path.display()))?;
            keys.signing_keys = Some(file);
        } else if local {
            keys.signing_keys = Some(LOCAL_KEY.to_owned());
        }
        if let Some(private) = &keys.signing_keys {
            let mut believed = public(private).context("auth.signing_keys_path")?;
            believed.extend(self.third_party_keys(progress).await);
            believed.push(json!({
                "kty": "oct",
                "k": URL_SAFE_NO_PAD.encode(&keys.jwt_secret),
            }));
            keys.jwks = Some(json!({ "keys": believed }).to_string());
        }
        Ok(keys)
    }

    /// The keys of whoever else may sign tokens. Somebody who cannot be reached is left out, so that a
    /// machine without a network can work.
    async fn third_party_keys(&self, progress: &Progress) -> Vec<Value> {
        let mut keys = Vec::new();
        for (name, third) in &self.config.auth.third_party {
            if !third.enabled {
                continue;
            }
            let Some(issuer) = issuer(name, third) else {
                progress.warn(format!(
                    "[auth.third_party.{name}] is not known or not complete"
                ));
                continue;
            };
            match fetch(&issuer).await {
                Ok(found) => keys.extend(found),
                Err(error) => progress.warn(format!(
                    "[auth.third_party.{name}] its tokens are not believed: {error:#}"
                )),
            }
        }
        keys
    }
}

fn text(value: Option<&String>) -> Option<&String> {
    value.filter(|text| !text.is_empty() && super::config::reference(text).is_none())
}

/// The public halves of a list of JWKs.
fn public(keys: &str) -> anyhow::Result<Vec<Value>> {
    let keys: Vec<Map<String, Value>> =
        serde_json::from_str(keys).map_err(|_| anyhow::anyhow!("not a JSON array of JWKs"))?;
    Ok(keys
        .into_iter()
        .map(|mut key| {
            key.retain(|name, _| !PRIVATE.contains(&name.as_str()));
            if let Some(Value::Array(operations)) = key.get_mut("key_ops") {
                operations.retain(|operation| operation == "verify");
            }
            Value::Object(key)
        })
        .collect())
}

fn issuer(name: &str, third: &ThirdParty) -> Option<String> {
    let filled = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    match name {
        "firebase" => filled(&third.project_id)
            .map(|project| format!("https://securetoken.google.com/{project}")),
        "auth0" => filled(&third.tenant).map(|tenant| match filled(&third.tenant_region) {
            Some(region) => format!("https://{tenant}.{region}.auth0.com"),
            None => format!("https://{tenant}.auth0.com"),
        }),
        "aws_cognito" => {
            let (pool, region) = (
                filled(&third.user_pool_id)?,
                filled(&third.user_pool_region)?,
            );
            Some(format!("https://cognito-idp.{region}.amazonaws.com/{pool}"))
        }
        "clerk" => filled(&third.domain).map(|domain| format!("https://{domain}")),
        "workos" => filled(&third.issuer_url),
        _ => None,
    }
}

async fn fetch(issuer: &str) -> anyhow::Result<Vec<Value>> {
    let client = reqwest::Client::builder()
        .timeout(Duration::from_secs(10))
        .build()?;
    let get = async |url: &str| -> anyhow::Result<Value> {
        Ok(client
            .get(url)
            .send()
            .await?
            .error_for_status()?
            .json()
            .await?)
    };
    let discovery = get(&format!(
        "{}/.well-known/openid-configuration",
        issuer.trim_end_matches('/')
    ))
    .await?;
    let location = discovery["jwks_uri"].as_str().context("no jwks_uri")?;
    let set = get(location).await?;
    set["keys"].as_array().cloned().context("no keys")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_private_is_published() {
        let keys = public(LOCAL_KEY).unwrap();
        let text = json!(keys).to_string();
        assert!(!text.contains("\"d\""), "{text}");
        assert_eq!(keys[0]["key_ops"], json!(["verify"]));
        assert_eq!(keys[0]["kid"], "b81269f1-21d8-4f2e-b719-c2240a840d90");
    }

    #[test]
    fn issuers_follow_from_what_their_makers_ask_for() {
        let third = ThirdParty {
            tenant: "me".to_owned(),
            tenant_region: "eu".to_owned(),
            domain: "x.clerk.accounts.dev".to_owned(),
            ..ThirdParty::default()
        };
        for (name, expected) in [
            ("auth0", Some("https://me.eu.auth0.com")),
            ("clerk", Some("https://x.clerk.accounts.dev")),
            ("firebase", None),
            ("somebody", None),
        ] {
            assert_eq!(issuer(name, &third).as_deref(), expected, "{name}");
        }
    }
}
