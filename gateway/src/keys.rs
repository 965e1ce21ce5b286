//! API keys: which are known, whose they are, and which token a service gets in their place.

use std::borrow::Cow;

use http::{HeaderMap, HeaderValue, header};
use percent_encoding::percent_decode_str;
use subtle::ConstantTimeEq as _;
use svc_kit::env::Reader;

use crate::error::Error;

/// Who a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consumer {
    Anon,
    Service,
}

/// The keys of a deployment. Every text is a secret and is never logged.
#[derive(Clone, Default)]
pub struct ApiKeys {
    /// The token of the role `anon`.
    pub anon_jwt: Option<String>,
    /// The token of the role `service_role`.
    pub service_jwt: Option<String>,
    /// The opaque public key, `sb_publishable_…`.
    pub publishable: Option<String>,
    /// The opaque secret key, `sb_secret_…`.
    pub secret: Option<String>,
    /// The asymmetrically signed token of `anon`.
    pub anon_asymmetric: Option<String>,
    /// The asymmetrically signed token of `service_role`.
    pub service_asymmetric: Option<String>,
}

impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKeys(…)")
    }
}

impl ApiKeys {
    pub(crate) fn read(reader: &Reader<'_>) -> Self {
        let key = |names: &[&str]| reader.text(names).map(str::to_owned);
        Self {
            anon_jwt: key(&["ANON_KEY", "SUPABASE_ANON_KEY"]),
            service_jwt: key(&["SERVICE_ROLE_KEY", "SUPABASE_SERVICE_KEY"]),
            publishable: key(&["SUPABASE_PUBLISHABLE_KEY"]),
            secret: key(&["SUPABASE_SECRET_KEY"]),
            anon_asymmetric: key(&["ANON_KEY_ASYMMETRIC"]),
            service_asymmetric: key(&["SERVICE_ROLE_KEY_ASYMMETRIC"]),
        }
    }

    /// Whose key this is, found in a time that does not depend on how much of it is right.
    pub(crate) fn consumer(&self, given: &str) -> Option<Consumer> {
        let known = [
            (&self.anon_jwt, Consumer::Anon),
            (&self.publishable, Consumer::Anon),
            (&self.anon_asymmetric, Consumer::Anon),
            (&self.service_jwt, Consumer::Service),
            (&self.secret, Consumer::Service),
            (&self.service_asymmetric, Consumer::Service),
        ];
        let mut found = None;
        for (key, consumer) in known {
            if key.as_ref().is_some_and(|key| same(key, given)) {
                found = Some(consumer);
            }
        }
        found
    }

    /// The token that stands for a key: an opaque key becomes a token, anything else stays.
    pub(crate) fn token_for<'a>(&'a self, given: &'a str) -> &'a str {
        let translated = |key: &Option<String>| key.as_ref().is_some_and(|key| same(key, given));
        // Translation is on only when both opaque keys are set, as in the originals.
        if self.publishable.is_none() || self.secret.is_none() {
            return given;
        }
        let token = if translated(&self.secret) {
            self.service_asymmetric
                .as_ref()
                .or(self.service_jwt.as_ref())
        } else if translated(&self.publishable) {
            self.anon_asymmetric.as_ref().or(self.anon_jwt.as_ref())
        } else {
            None
        };
        token.map_or(given, String::as_str)
    }
}

fn same(a: &str, b: &str) -> bool {
    a.as_bytes().ct_eq(b.as_bytes()).into()
}

/// The key of a request: the header `apikey`, else the query parameter.
pub(crate) fn given_key<'a>(
    headers: &'a HeaderMap,
    query: Option<&'a str>,
) -> Option<Cow<'a, str>> {
    if let Some(value) = headers.get("apikey").and_then(|value| value.to_str().ok()) {
        return Some(Cow::Borrowed(value)).filter(|key| !key.is_empty());
    }
    query?
        .split('&')
        .find_map(|pair| pair.strip_prefix("apikey="))
        .filter(|value| !value.is_empty())
        .map(|value| percent_decode_str(value).decode_utf8_lossy())
}

/// How a service wants a key that came without an `Authorization` header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Synthesis {
    /// `Authorization: Bearer <token>`.
    Bearer,
    /// As Kong sends it, without a scheme: auth's own error for it is what SDK tests match.
    Bare,
    /// Leave `Authorization` alone.
    None,
}

/// Sets `Authorization` for the upstream.
///
/// A session token, a self-made token and a SigV4 signature stay as they are. Without any, no header is
/// made either: presigned S3 URLs depend on that.
pub(crate) fn authorize(
    headers: &mut HeaderMap,
    keys: &ApiKeys,
    given: Option<&str>,
    synthesis: Synthesis,
) -> Result<(), Error> {
    if synthesis == Synthesis::None {
        return Ok(());
    }
    let present = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    let opaque_bearer = present
        .and_then(|value| value.strip_prefix(b"Bearer "))
        .filter(|token| token.starts_with(b"sb_"))
        .and_then(|token| std::str::from_utf8(token).ok());
    let value = match (present, opaque_bearer, given) {
        // Old clients put the opaque key into both headers.
        (_, Some(opaque), given) => format!("Bearer {}", keys.token_for(given.unwrap_or(opaque))),
        (Some(_), None, _) | (None, None, None) => return Ok(()),
        (None, None, Some(given)) => {
            let token = keys.token_for(given);
            if synthesis == Synthesis::Bare && token == given {
                token.to_owned()
            } else {
                format!("Bearer {token}")
            }
        }
    };
    let mut value = HeaderValue::try_from(value).map_err(|_| Error::InvalidApiKey)?;
    value.set_sensitive(true);
    headers.insert(header::AUTHORIZATION, value);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> ApiKeys {
        ApiKeys {
            anon_jwt: Some("anon.jwt".into()),
            service_jwt: Some("service.jwt".into()),
            publishable: Some("sb_publishable_x".into()),
            secret: Some("sb_secret_x".into()),
            ..ApiKeys::default()
        }
    }

    fn authorized(
        present: Option<&str>,
        given: Option<&str>,
        synthesis: Synthesis,
    ) -> Option<String> {
        let mut headers = HeaderMap::new();
        if let Some(present) = present {
            headers.insert(header::AUTHORIZATION, present.parse().unwrap());
        }
        authorize(&mut headers, &keys(), given, synthesis).unwrap();
        headers
            .get(header::AUTHORIZATION)
            .map(|value| value.to_str().unwrap().to_owned())
    }

    #[test]
    fn a_key_becomes_the_token_it_stands_for() {
        use Synthesis::{Bare, Bearer};
        for (present, given, synthesis, expected) in [
            (
                None,
                Some("sb_secret_x"),
                Bearer,
                Some("Bearer service.jwt"),
            ),
            (
                None,
                Some("sb_publishable_x"),
                Bearer,
                Some("Bearer anon.jwt"),
            ),
            (None, Some("anon.jwt"), Bearer, Some("Bearer anon.jwt")),
            (None, Some("anon.jwt"), Bare, Some("anon.jwt")),
            (None, Some("sb_secret_x"), Bare, Some("Bearer service.jwt")),
            (
                Some("Bearer sb_publishable_x"),
                Some("sb_publishable_x"),
                Bearer,
                Some("Bearer anon.jwt"),
            ),
            (
                Some("Bearer user.jwt"),
                Some("sb_secret_x"),
                Bearer,
                Some("Bearer user.jwt"),
            ),
            (
                Some("AWS4-HMAC-SHA256 x"),
                Some("anon.jwt"),
                Bearer,
                Some("AWS4-HMAC-SHA256 x"),
            ),
            (None, None, Bearer, None),
            (None, Some("anon.jwt"), Synthesis::None, None),
        ] {
            let found = authorized(present, given, synthesis);
            assert_eq!(
                found.as_deref(),
                expected,
                "{present:?} {given:?} {synthesis:?}"
            );
        }
    }

    #[test]
    fn a_key_is_known_only_byte_for_byte() {
        let keys = keys();
        assert_eq!(keys.consumer("sb_secret_x"), Some(Consumer::Service));
        assert_eq!(keys.consumer("anon.jwt"), Some(Consumer::Anon));
        for wrong in ["sb_secret_", "sb_secret_xx", "SB_SECRET_X", ""] {
            assert_eq!(keys.consumer(wrong), None, "{wrong}");
        }
    }
}
