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
    /// `GOTRUE_SAML_EXTERNAL_URL`, default `API_EXTERNAL_URL`: what our addresses begin with. As it was
    /// written, because providers compare our name letter by letter.
    pub external_url: String,
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
        Url::parse(text)
            .map(|_| text.to_owned())
            .map_err(|error| error.to_string())
    });
    let api = r.text(&["API_EXTERNAL_URL", "GOTRUE_API_EXTERNAL_URL"]);
    let api = api.unwrap_or(api_external_url.as_str()).to_owned();
    Some(Saml {
        key: key?,
        next_key,
        allow_encrypted_assertions,
        relay_state_validity: if validity.is_zero() {
            two_minutes
        } else {
            validity
        },
        external_url: external_url.unwrap_or(api),
    })
}

#[cfg(test)]
mod tests {
    use svc_kit::env::Vars;

    use super::*;

    fn read_vars(vars: &[(&str, &str)]) -> Result<Option<Saml>, String> {
        let vars: Vars = vars.iter().copied().collect();
        let mut reader = Reader::new(&vars);
        let url = Url::parse("https://auth.test").unwrap();
        let saml = read(&mut reader, &url);
        reader.finish().map_err(|error| error.to_string())?;
        Ok(saml)
    }

    #[test]
    fn a_key_is_needed_and_has_to_be_good() {
        let (on, key) = (("GOTRUE_SAML_ENABLED", "true"), "GOTRUE_SAML_PRIVATE_KEY");
        assert!(read_vars(&[(key, "wrong")]).unwrap().is_none());
        let missing = read_vars(&[on]).unwrap_err();
        assert!(
            missing.contains("GOTRUE_SAML_PRIVATE_KEY is required"),
            "{missing}"
        );
        let wrong = read_vars(&[on, (key, "secret"), ("GOTRUE_SAML_PRIVATE_KEY_NEXT", "%")]);
        let wrong = wrong.unwrap_err();
        for name in ["GOTRUE_SAML_PRIVATE_KEY:", "GOTRUE_SAML_PRIVATE_KEY_NEXT:"] {
            assert!(wrong.contains(name), "{wrong}");
        }
        assert!(!wrong.contains("secret"), "{wrong}");
    }
}
