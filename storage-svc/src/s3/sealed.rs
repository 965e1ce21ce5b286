//! How far an upload in parts has come, sealed: whoever can write the column `in_progress_size` still cannot
//! raise the limit of an upload, because the number stands in `upload_signature` too, encrypted.
//!
//! The form is the original's: AES-256-CBC under a key derived from `AUTH_ENCRYPTION_KEY` and a salt, as OpenSSL
//! writes it.

use aws_lc_rs::{
    cipher::{
        AES_256, DecryptionContext, EncryptionContext, PaddedBlockDecryptingKey,
        PaddedBlockEncryptingKey, UnboundCipherKey,
    },
    iv::FixedLength,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use md5::{Digest as _, Md5};

use crate::error::{Error, Result};

const MAGIC: &[u8; 8] = b"Salted__";
const PREFIX: &str = "progress:";
/// No number of bytes is longer.
const LONGEST: usize = 128;

/// The key and the initialisation vector for a salt.
fn derive(passphrase: &str, salt: [u8; 8]) -> ([u8; 32], [u8; 16]) {
    let round = |previous: &[u8]| -> [u8; 16] {
        let mut hash = Md5::new();
        hash.update(previous);
        hash.update(passphrase.as_bytes());
        hash.update(salt);
        hash.finalize().into()
    };
    let first = round(&[]);
    let second = round(&first);
    let mut key = [0; 32];
    key[..16].copy_from_slice(&first);
    key[16..].copy_from_slice(&second);
    (key, round(&second))
}

/// Seals a number of bytes.
pub(super) fn seal(passphrase: &str, progress: i64) -> Result<String> {
    let salt: [u8; 8] = rand::random();
    let (key, iv) = derive(passphrase, salt);
    let mut text = format!("{PREFIX}{progress}").into_bytes();
    let mut encrypt = || {
        let key = PaddedBlockEncryptingKey::cbc_pkcs7(UnboundCipherKey::new(&AES_256, &key)?)?;
        let iv = EncryptionContext::Iv128(FixedLength::from(iv));
        key.less_safe_encrypt(&mut text, iv)?;
        Ok::<_, aws_lc_rs::error::Unspecified>(())
    };
    encrypt().map_err(|_| Error::internal())?;
    Ok(STANDARD.encode([&MAGIC[..], &salt, &text].concat()))
}

/// The number that was sealed; an error if it was not, or with another key.
pub(super) fn open(passphrase: &str, sealed: &str) -> Result<i64> {
    let invalid = || Error::new("InvalidUploadSignature", 400, "Invalid upload Signature");
    if sealed.len() > LONGEST {
        return Err(invalid());
    }
    let bytes = STANDARD.decode(sealed).map_err(|_| invalid())?;
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(invalid)?;
    let (salt, text) = rest.split_first_chunk::<8>().ok_or_else(invalid)?;
    let (key, iv) = derive(passphrase, *salt);
    let mut text = text.to_vec();
    let mut decrypt = || {
        let key = PaddedBlockDecryptingKey::cbc_pkcs7(UnboundCipherKey::new(&AES_256, &key)?)?;
        let iv = DecryptionContext::Iv128(FixedLength::from(iv));
        let plain = key.decrypt(&mut text, iv)?;
        Ok::<_, aws_lc_rs::error::Unspecified>(plain.to_vec())
    };
    let plain = decrypt().map_err(|_| invalid())?;
    str::from_utf8(&plain)
        .ok()
        .and_then(|text| text.strip_prefix(PREFIX)?.parse().ok())
        .ok_or_else(invalid)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_opens_with_the_same_key_only() {
        let sealed = seal("key", 5_368_709_120).unwrap();
        assert_eq!(open("key", &sealed).unwrap(), 5_368_709_120);
        assert!(open("other", &sealed).is_err());
        assert_ne!(seal("key", 1).unwrap(), seal("key", 1).unwrap());
    }

    #[test]
    fn what_the_original_sealed_opens() {
        // `openssl enc -aes-256-cbc -md md5 -pass pass:secret -S 0102030405060708` of `progress:10240`.
        assert_eq!(open("secret", ORIGINALS).unwrap(), 10_240);
    }

    #[test]
    fn nonsense_is_an_error_of_the_caller() {
        for text in [
            "",
            "x",
            "U2FsdGVkX18=",
            "U2FsdGVkX18AAAAAAAAAAA==",
            &"A".repeat(4000),
        ] {
            assert_eq!(
                open("key", text).unwrap_err().code,
                "InvalidUploadSignature",
                "{text}"
            );
        }
    }

    const ORIGINALS: &str = "U2FsdGVkX18BAgMEBQYHCEQxsRVp6A+8UgrKQZK0jXM=";
}
