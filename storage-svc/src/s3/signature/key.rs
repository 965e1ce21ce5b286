//! Keys, and what is signed with them.

use aws_lc_rs::{digest, hmac};
use secrecy::{ExposeSecret as _, SecretString};
use subtle::ConstantTimeEq as _;

use crate::s3::signature::{ALGORITHM, SERVICE};

/// SHA-256 of nothing.
pub(super) const EMPTY_HASH: &str =
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// The name of a key and its secret.
#[derive(Debug, Clone, Copy)]
pub(crate) struct KeyPair<'a> {
    pub(crate) access_key: &'a str,
    pub(crate) secret: &'a SecretString,
}

impl KeyPair<'_> {
    pub(super) fn is_named(&self, access_key: &str) -> bool {
        self.access_key
            .as_bytes()
            .ct_eq(access_key.as_bytes())
            .into()
    }
}

/// Signs for one key, day and region.
#[derive(Debug, Clone)]
pub(crate) struct Signer {
    /// More than a kilobyte.
    key: Box<hmac::Key>,
    scope: String,
    long_date: String,
}

fn sha256_hex(bytes: &[u8]) -> String {
    hex::encode(digest::digest(&digest::SHA256, bytes))
}

fn derived(key: &hmac::Key, part: &str) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, hmac::sign(key, part.as_bytes()).as_ref())
}

impl Signer {
    pub(super) fn new(keys: &KeyPair<'_>, short_date: &str, region: &str, long_date: &str) -> Self {
        let secret = format!("AWS4{}", keys.secret.expose_secret());
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        let key = [short_date, region, SERVICE, "aws4_request"]
            .iter()
            .fold(key, |key, part| derived(&key, part));
        Self {
            key: Box::new(key),
            scope: format!("{short_date}/{region}/{SERVICE}/aws4_request"),
            long_date: long_date.to_owned(),
        }
    }

    /// Whether `signature`, in hexadecimal, is the one of `message`.
    pub(super) fn verifies(&self, message: &[u8], signature: &str) -> bool {
        hex::decode(signature).is_ok_and(|tag| hmac::verify(&self.key, message, &tag).is_ok())
    }

    pub(super) fn verifies_request(&self, canonical: &[u8], signature: &str) -> bool {
        let hash = sha256_hex(canonical);
        let text = format!("{ALGORITHM}\n{}\n{}\n{hash}", self.long_date, self.scope);
        self.verifies(text.as_bytes(), signature)
    }

    /// Whether a chunk of the body was signed by whoever signed the one before it.
    pub(crate) fn verifies_chunk(&self, previous: &str, hash: &[u8], signature: &str) -> bool {
        let hash = hex::encode(hash);
        let text = format!(
            "{ALGORITHM}-PAYLOAD\n{}\n{}\n{previous}\n{EMPTY_HASH}\n{hash}",
            self.long_date, self.scope
        );
        self.verifies(text.as_bytes(), signature)
    }

    /// The same for the trailing headers; `lines` are theirs, each ended by a line feed.
    pub(crate) fn verifies_trailer(&self, previous: &str, lines: &str, signature: &str) -> bool {
        let hash = sha256_hex(lines.as_bytes());
        let text = format!(
            "{ALGORITHM}-TRAILER\n{}\n{}\n{previous}\n{hash}",
            self.long_date, self.scope
        );
        self.verifies(text.as_bytes(), signature)
    }

    /// As a client of the tests has it.
    #[cfg(test)]
    pub(crate) fn for_tests(
        keys: &KeyPair<'_>,
        short_date: &str,
        region: &str,
        long_date: &str,
    ) -> Self {
        Self::new(keys, short_date, region, long_date)
    }

    /// The signature of a message, for tests that act as a client.
    #[cfg(test)]
    pub(crate) fn sign(&self, message: &[u8]) -> String {
        hex::encode(hmac::sign(&self.key, message))
    }
}
