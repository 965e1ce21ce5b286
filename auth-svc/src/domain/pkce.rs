//! The proof that who collects a session is who asked for it (RFC 7636).

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq as _;

use crate::error::{Code, Error};

/// How a challenge was made from its verifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The SHA-256 of it.
    S256,
    /// The verifier itself.
    Plain,
}

impl Method {
    /// The name in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::S256 => "s256",
            Self::Plain => "plain",
        }
    }

    /// Reads the name, in any case.
    pub fn parse(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().as_str() {
            "s256" => Some(Self::S256),
            "plain" => Some(Self::Plain),
            _ => None,
        }
    }
}

/// What a client sends to begin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Challenge {
    /// The value to compare with.
    pub value: String,
    /// How it was made.
    pub method: Method,
}

impl Challenge {
    /// Reads the pair of parameters: both, or neither.
    pub fn read(value: &str, method: &str) -> Result<Option<Self>, Error> {
        if value.is_empty() != method.is_empty() {
            return Err(Error::invalid(
                "PKCE flow requires code_challenge_method and code_challenge",
            ));
        }
        if value.is_empty() {
            return Ok(None);
        }
        if !(43..=128).contains(&value.len()) {
            return Err(Error::invalid(
                "code challenge has to be between 43 and 128 characters",
            ));
        }
        let unreserved = |b: u8| b.is_ascii_alphanumeric() || b"._~-".contains(&b);
        if !value.bytes().all(unreserved) {
            return Err(Error::invalid(
                "code challenge can only contain alphanumeric characters, hyphens, periods, underscores and tildes",
            ));
        }
        let method = Method::parse(method)
            .ok_or_else(|| Error::invalid("Unsupported code challenge method"))?;
        Ok(Some(Self {
            value: value.to_owned(),
            method,
        }))
    }

    /// Fails unless the challenge was made from this verifier.
    pub fn verify(&self, verifier: &str) -> Result<(), Error> {
        let made = match self.method {
            Method::S256 => {
                URL_SAFE_NO_PAD.encode(digest::digest(&digest::SHA256, verifier.as_bytes()))
            }
            Method::Plain => verifier.to_owned(),
        };
        if bool::from(made.as_bytes().ct_eq(self.value.as_bytes())) {
            return Ok(());
        }
        Err(Error::bad_request(
            Code::BadCodeVerifier,
            "code challenge does not match previously saved code verifier",
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    const VERIFIER: &str = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
    const CHALLENGE: &str = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

    #[test]
    fn only_the_verifier_of_a_challenge_fits() {
        let challenge = Challenge::read(CHALLENGE, "S256").unwrap().unwrap();
        assert!(challenge.verify(VERIFIER).is_ok());
        assert!(challenge.verify("other").is_err());
        let plain = Challenge::read(VERIFIER, "plain").unwrap().unwrap();
        assert!(plain.verify(VERIFIER).is_ok());
    }

    #[test]
    fn the_pair_must_be_complete_and_plain() {
        assert_eq!(Challenge::read("", "").unwrap(), None);
        let forty = "a".repeat(40);
        let odd = format!("{}!", "a".repeat(43));
        for (value, method) in [
            (CHALLENGE, ""),
            ("", "s256"),
            (&forty, "s256"),
            (&odd, "s256"),
        ] {
            assert!(Challenge::read(value, method).is_err(), "{value} {method}");
        }
    }
}
