use std::time::Duration;

use svc_kit::env::Reader;
use url::Url;

use crate::domain::saml::key::Key;

/// Single sign-on with SAML 2.0.
#[derive(Clone, Debug)]
pub struct Saml {
    /// `GOTRUE_SAML_PRIVATE_KEY`: PKCS#1 in base64, RSA of at least 2048 bits. Signs, and opens what was
    /// sealed.
    pub key: Key,
    /// `GOTRUE_SAML_PRIVATE_KEY_NEXT`: announced to providers, and opens what they sealed with it already.
    pub next_key: Option<Key>,
    /// `GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS`.
    pub allow_encrypted_assertions: bool,
    /// `GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD`, default 2 min: how long a user may be at the provider.
    pub relay_state_validity: Duration,
    /// `GOTRUE_SAML_EXTERNAL_URL`, default `API_EXTERNAL_URL`: what our addresses begin with.
    pub external_url: Url,
}

/// Nothing unless `GOTRUE_SAML_ENABLED`.
pub(super) fn read(r: &mut Reader<'_>, api_external_url: &Url) -> Option<Saml> {
    const VALIDITY: &str = "GOTRUE_SAML_RELAY_STATE_VALIDITY_PERIOD";
    if !r.flag(&["GOTRUE_SAML_ENABLED"], false) {
        return None;
    }
    let allow_encrypted_assertions = r.flag(&["GOTRUE_SAML_ALLOW_ENCRYPTED_ASSERTIONS"], false);
    let read_key = |text: &str| {
        Key::read(text, api_external_url, allow_encrypted_assertions).map_err(str::to_owned)
    };
    let key = r.parse_with(&["GOTRUE_SAML_PRIVATE_KEY"], read_key);
    if key.is_none() && r.text(&["GOTRUE_SAML_PRIVATE_KEY"]).is_none() {
        r.problem("GOTRUE_SAML_PRIVATE_KEY is required with GOTRUE_SAML_ENABLED");
    }
    let next_key = r.parse_with(&["GOTRUE_SAML_PRIVATE_KEY_NEXT"], read_key);
    let two_minutes = Duration::from_secs(120);
    let validity = r.duration(&[VALIDITY], two_minutes);
    let external_url = r.parse_with(&["GOTRUE_SAML_EXTERNAL_URL"], |text| {
        Url::parse(text).map_err(|error| error.to_string())
    });
    Some(Saml {
        key: key?,
        next_key,
        allow_encrypted_assertions,
        relay_state_validity: if validity.is_zero() {
            two_minutes
        } else {
            validity
        },
        external_url: external_url.unwrap_or_else(|| api_external_url.clone()),
    })
}
