//! API keys: which are known, whose they are, and which token a service gets in their place.

mod list;

use std::borrow::Cow;

use aws_lc_rs::constant_time::verify_slices_are_equal;
use http::{HeaderMap, HeaderValue, header};
use percent_encoding::percent_decode_str;
use sha2::{Digest as _, Sha256};
use svc_kit::env::Reader;

use crate::error::Error;

/// Who a key stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Consumer {
    Anon,
    Service,
}

/// The keys of a deployment. Every text is a secret and is never logged.
///
/// Of each kind there may be several, all valid at once, so that a key can be replaced before the former one
/// is taken away; the first is the one that others are translated to.
#[derive(Clone, Default)]
pub struct ApiKeys {
    known: Vec<Known>,
    /// What the front end is given.
    public: Option<String>,
}

/// A key and everything that is sent in its place, made once.
#[derive(Clone)]
pub(crate) struct Known {
    text: String,
    pub(crate) consumer: Consumer,
    /// The token that stands for the key: itself, unless it is opaque and translated.
    pub(crate) token: HeaderValue,
    /// `Bearer` and the token.
    bearer: HeaderValue,
    is_translated: bool,
    /// Names the key where the key itself must not appear.
    pub(crate) fingerprint: u64,
}

impl std::fmt::Debug for ApiKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("ApiKeys(…)")
    }
}

/// The texts of one kind of keys, by who they stand for.
#[derive(Default)]
struct Texts {
    anon: Vec<String>,
    service: Vec<String>,
}

impl ApiKeys {
    pub(crate) fn read(reader: &mut Reader<'_>) -> Self {
        let jwt = Texts {
            anon: list::read(reader, &["ANON_KEY", "SUPABASE_ANON_KEY"]),
            service: list::read(reader, &["SERVICE_ROLE_KEY", "SUPABASE_SERVICE_KEY"]),
        };
        let opaque = Texts {
            anon: list::read(
                reader,
                &["SUPABASE_PUBLISHABLE_KEY", "SUPABASE_PUBLISHABLE_KEYS"],
            ),
            service: list::read(reader, &["SUPABASE_SECRET_KEY", "SUPABASE_SECRET_KEYS"]),
        };
        let asymmetric = Texts {
            anon: list::read(reader, &["ANON_KEY_ASYMMETRIC"]),
            service: list::read(reader, &["SERVICE_ROLE_KEY_ASYMMETRIC"]),
        };
        let keys = Self::new(&jwt, &opaque, &asymmetric);
        keys.unwrap_or_else(|| {
            reader.problem("an API key has characters that no header can hold");
            Self::default()
        })
    }

    fn new(jwt: &Texts, opaque: &Texts, asymmetric: &Texts) -> Option<Self> {
        // Translation is on only when both kinds of opaque keys are set, as in the originals.
        let translates = !opaque.anon.is_empty() && !opaque.service.is_empty();
        let anon_token = asymmetric.anon.first().or(jwt.anon.first());
        let service_token = asymmetric.service.first().or(jwt.service.first());
        let mut known = Vec::new();
        for (texts, token, consumer) in [
            (&jwt.anon, None, Consumer::Anon),
            (&asymmetric.anon, None, Consumer::Anon),
            (&opaque.anon, anon_token, Consumer::Anon),
            (&jwt.service, None, Consumer::Service),
            (&asymmetric.service, None, Consumer::Service),
            (&opaque.service, service_token, Consumer::Service),
        ] {
            let token = token.filter(|_| translates);
            for text in texts {
                known.push(Known::new(text, token, consumer)?);
            }
        }
        Some(Self {
            known,
            public: opaque.anon.first().or(jwt.anon.first()).cloned(),
        })
    }

    /// True if pages and apps have a key to use.
    pub(crate) fn has_public(&self) -> bool {
        self.public.is_some()
    }

    /// The key that pages are told, never one of the service role.
    pub(crate) fn public(&self) -> Option<&str> {
        self.public.as_deref()
    }

    /// The key with this text, found in a time that does not depend on how much of it is right.
    pub(crate) fn find(&self, given: &[u8]) -> Option<&Known> {
        let mut found = None;
        for known in &self.known {
            if verify_slices_are_equal(known.text.as_bytes(), given).is_ok() {
                found = Some(known);
            }
        }
        found
    }

    /// The key of a request: the header `apikey`, else the query parameter.
    pub(crate) fn given<'a>(
        &'a self,
        headers: &'a HeaderMap,
        query: Option<&'a str>,
    ) -> Option<Given<'a>> {
        let text = match headers.get("apikey") {
            Some(value) => Cow::Borrowed(value.as_bytes()),
            None => Cow::from(percent_decode_str(in_query(query?)?)),
        };
        let known = self.find(&text);
        (!text.is_empty()).then_some(Given { text, known })
    }
}

/// The first `apikey` in a query, as it is written there.
fn in_query(query: &str) -> Option<&str> {
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("apikey="))
}

impl Known {
    fn new(text: &str, token: Option<&String>, consumer: Consumer) -> Option<Self> {
        let shown = token.map_or(text, String::as_str);
        let mut value = HeaderValue::from_str(shown).ok()?;
        value.set_sensitive(true);
        let mut bearer = HeaderValue::try_from(format!("Bearer {shown}")).ok()?;
        bearer.set_sensitive(true);
        let digest = Sha256::digest(text.as_bytes());
        let mut start = [0; 8];
        start.copy_from_slice(&digest[..8]);
        Some(Self {
            text: text.to_owned(),
            consumer,
            token: value,
            bearer,
            is_translated: token.is_some(),
            fingerprint: u64::from_be_bytes(start),
        })
    }
}

/// What a request gave as its key.
pub(crate) struct Given<'a> {
    text: Cow<'a, [u8]>,
    pub(crate) known: Option<&'a Known>,
}

impl Given<'_> {
    /// The token that the key stands for, or what was given.
    pub(crate) fn token(&self) -> Result<HeaderValue, Error> {
        match self.known {
            Some(known) => Ok(known.token.clone()),
            None => secret_value(&self.text),
        }
    }

    fn bearer(&self) -> Result<HeaderValue, Error> {
        match self.known {
            Some(known) => Ok(known.bearer.clone()),
            None => secret_value(&[b"Bearer ", self.text.as_ref()].concat()),
        }
    }
}

fn secret_value(bytes: &[u8]) -> Result<HeaderValue, Error> {
    let mut value = HeaderValue::from_bytes(bytes).map_err(|_| Error::InvalidApiKey)?;
    value.set_sensitive(true);
    Ok(value)
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

/// The `Authorization` that the upstream gets in place of the client's, if it is to be another one.
///
/// A session token, a self-made token and a SigV4 signature stay as they are. Without any, no header is
/// made either: presigned S3 URLs depend on that.
pub(crate) fn authorization(
    headers: &HeaderMap,
    keys: &ApiKeys,
    given: Option<&Given<'_>>,
    synthesis: Synthesis,
) -> Result<Option<HeaderValue>, Error> {
    if synthesis == Synthesis::None {
        return Ok(None);
    }
    let present = headers
        .get(header::AUTHORIZATION)
        .map(HeaderValue::as_bytes);
    let opaque = present
        .and_then(|value| value.strip_prefix(b"Bearer "))
        .filter(|token| token.starts_with(b"sb_"));
    match (present, opaque, given) {
        // Old clients put the opaque key into both headers.
        (_, Some(_), Some(given)) => given.bearer().map(Some),
        (_, Some(opaque), None) => Ok(keys.find(opaque).map(|known| known.bearer.clone())),
        (Some(_), None, _) | (None, None, None) => Ok(None),
        (None, None, Some(given)) => {
            let is_translated = given.known.is_some_and(|known| known.is_translated);
            if synthesis == Synthesis::Bare && !is_translated {
                given.token().map(Some)
            } else {
                given.bearer().map(Some)
            }
        }
    }
}

#[cfg(test)]
mod tests;
