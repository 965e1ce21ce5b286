//! What a browser sends when a ceremony is over: `PublicKeyCredential.toJSON()`.

use aws_lc_rs::digest;
use base64::Engine as _;
use coset::cbor::{de::from_reader, value::Value as Cbor};
use serde::Deserialize;
use serde_json::Value;
use subtle::ConstantTimeEq as _;
use url::{Origin, Url};

use super::{BASE64URL, Failure, authenticator_data::AuthenticatorData};

/// The largest response, as JSON: what is kept of one is shown with every picture of the user. Statements with
/// chains of certificates take a few KiB.
const MAX_RESPONSE: usize = 64 << 10;
/// More names of transports than there are, and longer ones.
const MAX_TRANSPORTS: usize = 16;
const MAX_TRANSPORT: usize = 32;

fn text<'a>(value: &'a Value, name: &'static str) -> Result<&'a str, Failure> {
    value
        .get(name)
        .and_then(Value::as_str)
        .ok_or(Failure::Malformed(name))
}

fn bytes(value: &Value, name: &'static str) -> Result<Vec<u8>, Failure> {
    BASE64URL
        .decode(text(value, name)?)
        .map_err(|_| Failure::Malformed(name))
}

/// The id of the credential, which is there twice, of a response that is worth reading.
fn credential_id(response: &Value) -> Result<Vec<u8>, Failure> {
    if response.to_string().len() > MAX_RESPONSE {
        return Err(Failure::Malformed("the response is too large"));
    }
    if text(response, "type")? != "public-key" {
        return Err(Failure::Malformed("type"));
    }
    let id = bytes(response, "id")?;
    if id.is_empty() || id != bytes(response, "rawId")? {
        return Err(Failure::Malformed("id"));
    }
    Ok(id)
}

/// The response of a ceremony that made a credential.
#[derive(Debug)]
pub(super) struct Creation {
    pub(super) id: Vec<u8>,
    pub(super) client_data: Vec<u8>,
    pub(super) object: AttestationObject,
    pub(super) raw_object: Vec<u8>,
    pub(super) transports: Vec<String>,
    pub(super) attachment: String,
}

impl Creation {
    pub(super) fn read(response: &Value) -> Result<Self, Failure> {
        let id = credential_id(response)?;
        let inner = response.get("response").unwrap_or(&Value::Null);
        let raw_object = bytes(inner, "attestationObject")?;
        let transports = inner
            .get("transports")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .filter(|name| name.len() <= MAX_TRANSPORT)
            .take(MAX_TRANSPORTS)
            .map(str::to_owned)
            .collect();
        let attachment = response
            .get("authenticatorAttachment")
            .and_then(Value::as_str)
            .filter(|name| ["platform", "cross-platform"].contains(name))
            .unwrap_or_default();
        Ok(Self {
            id,
            client_data: bytes(inner, "clientDataJSON")?,
            object: AttestationObject::read(&raw_object)?,
            raw_object,
            transports,
            attachment: attachment.to_owned(),
        })
    }
}

/// What the authenticator hands over with a new credential.
#[derive(Debug)]
pub(super) struct AttestationObject {
    pub(super) format: String,
    pub(super) raw: Vec<u8>,
    pub(super) authenticator_data: AuthenticatorData,
    pub(super) statement_is_empty: bool,
    /// The algorithm and signature of a statement without a maker's certificate.
    pub(super) self_signed: Option<(i64, Vec<u8>)>,
}

impl AttestationObject {
    fn read(object: &[u8]) -> Result<Self, Failure> {
        const WRONG: Failure = Failure::Malformed("attestationObject");
        let mut rest = object;
        let Ok(Cbor::Map(map)) = from_reader::<Cbor, _>(&mut rest) else {
            return Err(WRONG);
        };
        let field = |map: &[(Cbor, Cbor)], name: &str| -> Option<Cbor> {
            map.iter()
                .find(|(key, _)| key.as_text() == Some(name))
                .map(|(_, value)| value.clone())
        };
        let format = field(&map, "fmt").and_then(|fmt| fmt.into_text().ok());
        let raw = field(&map, "authData").and_then(|data| data.into_bytes().ok());
        let (Some(format), Some(raw), true) = (format, raw, rest.is_empty()) else {
            return Err(WRONG);
        };
        let statement = match field(&map, "attStmt") {
            Some(Cbor::Map(statement)) => statement,
            None => Vec::new(),
            Some(_) => return Err(WRONG),
        };
        let self_signed = if field(&statement, "x5c").is_some() || format != "packed" {
            None
        } else {
            let algorithm = field(&statement, "alg")
                .and_then(|alg| alg.as_integer())
                .and_then(|alg| i64::try_from(alg).ok())
                .ok_or(WRONG)?;
            let signature = field(&statement, "sig")
                .and_then(|sig| sig.into_bytes().ok())
                .ok_or(WRONG)?;
            Some((algorithm, signature))
        };
        Ok(Self {
            // Registered names have at most 32 characters.
            format: format.chars().take(32).collect(),
            authenticator_data: AuthenticatorData::read(&raw)?,
            raw,
            statement_is_empty: statement.is_empty(),
            self_signed,
        })
    }
}

/// The response of a ceremony that used a credential.
#[derive(Debug)]
pub(super) struct Assertion {
    pub(super) id: Vec<u8>,
    pub(super) client_data: Vec<u8>,
    pub(super) raw: Vec<u8>,
    pub(super) authenticator_data: AuthenticatorData,
    pub(super) signature: Vec<u8>,
    pub(super) user_handle: Option<Vec<u8>>,
}

impl Assertion {
    pub(super) fn read(response: &Value) -> Result<Self, Failure> {
        let id = credential_id(response)?;
        let inner = response.get("response").unwrap_or(&Value::Null);
        let raw = bytes(inner, "authenticatorData")?;
        let user_handle = match inner.get("userHandle") {
            None | Some(Value::Null) => None,
            Some(_) => Some(bytes(inner, "userHandle")?).filter(|handle| !handle.is_empty()),
        };
        Ok(Self {
            id,
            client_data: bytes(inner, "clientDataJSON")?,
            authenticator_data: AuthenticatorData::read(&raw)?,
            raw,
            signature: bytes(inner, "signature")?,
            user_handle,
        })
    }
}

/// What the browser says of a ceremony.
#[derive(Debug, Deserialize)]
pub(super) struct ClientData<'a> {
    r#type: String,
    challenge: String,
    origin: String,
    #[serde(default, rename = "crossOrigin")]
    cross_origin: bool,
    #[serde(default, rename = "topOrigin")]
    top_origin: Option<String>,
    #[serde(skip)]
    json: &'a [u8],
}

impl<'a> ClientData<'a> {
    pub(super) fn read(json: &'a [u8]) -> Result<Self, Failure> {
        let parsed: Self =
            serde_json::from_slice(json).map_err(|_| Failure::Malformed("clientDataJSON"))?;
        Ok(Self { json, ..parsed })
    }

    /// What the authenticator signs of it.
    pub(super) fn hash(&self) -> Vec<u8> {
        digest::digest(&digest::SHA256, self.json).as_ref().to_vec()
    }

    /// Fails unless it is about this ceremony and comes from a page of the relying party, and so does a
    /// page around that one.
    pub(super) fn check(
        &self,
        ceremony: &str,
        challenge: &str,
        origins: &[String],
    ) -> Result<(), Failure> {
        if self.r#type != ceremony {
            return Err(Failure::Refused("another kind of ceremony"));
        }
        if !bool::from(self.challenge.as_bytes().ct_eq(challenge.as_bytes())) {
            return Err(Failure::Refused("another challenge"));
        }
        if !is_listed(&self.origin, origins) {
            return Err(Failure::Refused("another origin"));
        }
        match self
            .top_origin
            .as_deref()
            .filter(|origin| !origin.is_empty())
        {
            Some(top) if !self.cross_origin || !is_listed(top, origins) => {
                Err(Failure::Refused("within a page of another origin"))
            }
            _ => Ok(()),
        }
    }
}

/// Pages are compared by scheme, host and port; apps, which have no such thing, by their whole name.
fn is_listed(origin: &str, origins: &[String]) -> bool {
    let page = |text: &str| {
        Url::parse(text)
            .ok()
            .map(|url| url.origin())
            .filter(Origin::is_tuple)
    };
    let given = page(origin);
    origins
        .iter()
        .any(|listed| listed == origin || (given.is_some() && page(listed) == given))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origins_are_compared_by_scheme_host_and_port() {
        let origins = [
            "https://example.com".to_owned(),
            "android:apk-key-hash:abc".to_owned(),
        ];
        for (origin, expected) in [
            ("https://example.com", true),
            ("https://EXAMPLE.com:443", true),
            ("https://example.com:8443", false),
            ("http://example.com", false),
            ("https://example.com.evil.test", false),
            ("android:apk-key-hash:abc", true),
            ("android:apk-key-hash:abd", false),
            ("", false),
        ] {
            assert_eq!(is_listed(origin, &origins), expected, "{origin}");
        }
    }
}
