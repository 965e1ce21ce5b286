//! Our own keys, and the certificates that providers know them by.

use std::{fmt, sync::Arc};

use aws_lc_rs::{
    error::Unspecified,
    rand::SystemRandom,
    rsa::{KeyPair, OaepAlgorithm, OaepPrivateDecryptingKey, PrivateDecryptingKey},
    signature::{KeyPair as _, RSA_PKCS1_SHA256},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use url::Url;

use crate::domain::jwt::der::{self, BIT_STRING, OCTET_STRING, SEQUENCE};

/// rsaEncryption without parameters.
const RSA: [u8; 15] = [
    0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
];
/// sha256WithRSAEncryption.
const RSA_SHA256: [u8; 15] = [
    0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x0b, 0x05, 0x00,
];
const COMMON_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x04, 0x03];
const KEY_USAGE: [u8; 5] = [0x06, 0x03, 0x55, 0x1d, 0x0f];
const SUBJECT_ALT_NAME: [u8; 5] = [0x06, 0x03, 0x55, 0x1d, 0x11];
const TRUE: [u8; 3] = [0x01, 0x01, 0xff];
const SET: u8 = 0x31;
const UTF8_STRING: u8 = 0x0c;
const PRINTABLE_STRING: u8 = 0x13;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

/// A private key with its certificate.
#[derive(Clone)]
pub struct Key(Arc<Inner>);

struct Inner {
    signing: KeyPair,
    decrypting: OaepPrivateDecryptingKey,
    certificate: Vec<u8>,
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(RSA)")
    }
}

impl Key {
    /// Reads a PKCS#1 key in base64, and makes the certificate for it. The certificate is the same for the
    /// same key and address each time, and the same that the original makes: providers keep it.
    pub fn read(text: &str, external_url: &Url, may_encrypt: bool) -> Result<Self, &'static str> {
        let der = STANDARD
            .decode(text)
            .map_err(|_| "the key is not in standard Base64 format")?;
        let signing = KeyPair::from_der(&der).map_err(|reason| {
            if reason.to_string() == "TooSmall" {
                "the key must be at least RSA 2048"
            } else {
                "the key is not in PKCS#1 format"
            }
        })?;
        if signing
            .public_key()
            .modulus()
            .big_endian_without_leading_zero()
            .len()
            < 256
        {
            return Err("the key must be at least RSA 2048");
        }
        if signing
            .public_key()
            .exponent()
            .big_endian_without_leading_zero()
            != [1, 0, 1]
        {
            return Err("the key should use the 65537 (0x10001) RSA public exponent");
        }
        let unusable = |_| "the key cannot be used";
        let decrypting = PrivateDecryptingKey::from_pkcs8(&der::pkcs8(&RSA, &der))
            .map_err(|_| "the key cannot be used")?;
        let decrypting = OaepPrivateDecryptingKey::new(decrypting).map_err(unusable)?;
        let certificate = certificate(&signing, external_url, may_encrypt).map_err(unusable)?;
        Ok(Self(Arc::new(Inner {
            signing,
            decrypting,
            certificate,
        })))
    }

    /// The certificate, in DER.
    pub fn certificate(&self) -> &[u8] {
        &self.0.certificate
    }

    /// Signs with RSA and SHA-256.
    pub fn sign(&self, text: &[u8]) -> Result<Vec<u8>, Unspecified> {
        sign(&self.0.signing, text)
    }

    pub(super) fn decrypt(
        &self,
        algorithm: &'static OaepAlgorithm,
        ciphertext: &[u8],
    ) -> Result<Vec<u8>, Unspecified> {
        let key = &self.0.decrypting;
        let mut plain = vec![0; key.min_output_size()];
        let length = key.decrypt(algorithm, ciphertext, &mut plain, None)?.len();
        plain.truncate(length);
        Ok(plain)
    }
}

fn sign(key: &KeyPair, text: &[u8]) -> Result<Vec<u8>, Unspecified> {
    let mut signature = vec![0; key.public_modulus_len()];
    key.sign(
        &RSA_PKCS1_SHA256,
        &SystemRandom::new(),
        text,
        &mut signature,
    )?;
    Ok(signature)
}

fn sequence(parts: &[&[u8]]) -> Vec<u8> {
    der::element(SEQUENCE, &parts.concat())
}

/// A text in the smallest of the two types that can hold it.
fn string(text: &str) -> Vec<u8> {
    let printable = |b: u8| b.is_ascii_alphanumeric() || b" '()+,-./:=?".contains(&b);
    let tag = if text.bytes().all(printable) {
        PRINTABLE_STRING
    } else {
        UTF8_STRING
    };
    der::element(tag, text.as_bytes())
}

fn host(external_url: &Url) -> &str {
    let host = external_url.host_str().unwrap_or_default();
    if external_url.port().is_some() {
        return host.trim_start_matches('[').trim_end_matches(']');
    }
    host
}

/// Nothing in it counts but the key; names and times are fixed.
fn certificate(
    key: &KeyPair,
    external_url: &Url,
    may_encrypt: bool,
) -> Result<Vec<u8>, Unspecified> {
    let host = host(external_url);
    let common_name = string(&format!("SAML 2.0 Certificate for {host}"));
    let name = sequence(&[&der::element(SET, &sequence(&[&COMMON_NAME, &common_name]))]);
    let validity = sequence(&[
        &der::element(UTC_TIME, b"700101000000Z"),
        &der::element(GENERALIZED_TIME, b"21700101000000Z"),
    ]);
    let public = [&[0], key.public_key().as_ref()].concat();
    let public = sequence(&[&RSA, &der::element(BIT_STRING, &public)]);
    // digitalSignature alone, or with dataEncipherment.
    let usage: &[u8] = if may_encrypt { &[4, 0x90] } else { &[7, 0x80] };
    let usage = der::element(OCTET_STRING, &der::element(BIT_STRING, usage));
    let alternative = der::element(0x82, format!("_samlsp.{host}").as_bytes());
    let alternative = der::element(OCTET_STRING, &sequence(&[&alternative]));
    let extensions = sequence(&[
        &sequence(&[&KEY_USAGE, &TRUE, &usage]),
        &sequence(&[&SUBJECT_ALT_NAME, &alternative]),
    ]);
    let to_be_signed = sequence(&[
        &der::element(0xa0, &der::integer(&[2])),
        &der::integer(&[0]),
        &RSA_SHA256,
        &name,
        &validity,
        &name,
        &public,
        &der::element(0xa3, &extensions),
    ]);
    let signature = [vec![0], sign(key, &to_be_signed)?].concat();
    let signature = der::element(BIT_STRING, &signature);
    Ok(sequence(&[&to_be_signed, &RSA_SHA256, &signature]))
}
