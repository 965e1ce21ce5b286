//! Columns that are kept encrypted, in GoTrue's format, so that both read what the other wrote.
//!
//! A value is JSON, `{"key_id", "alg": "aes-gcm-hkdf", "data", "nonce"}`. Its key is derived from the master key
//! and the row's id, so a value that is copied into another row cannot be read there.

use aws_lc_rs::{
    aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey},
    hkdf,
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use secrecy::ExposeSecret as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::clock::Random;
use crate::{
    config::{Encryption, MasterKey},
    error::Error,
};

const ALGORITHM: &str = "aes-gcm-hkdf";
const CONTEXT: &str = "Error decrypting a stored value";

#[derive(Debug, Deserialize, Serialize)]
struct Encrypted {
    key_id: String,
    alg: String,
    data: String,
    nonce: String,
}

/// A value that was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    /// What it is.
    pub text: String,
    /// True when it should be stored again: it is not encrypted, or with an older key than the present one.
    pub is_outdated: bool,
}

fn row_key(master: &MasterKey, row: Uuid) -> Option<LessSafeKey> {
    let salt = hkdf::Salt::new(hkdf::HKDF_SHA256, &[]);
    let row = row.to_string();
    let pseudorandom = salt.extract(master.expose_secret());
    let info = [row.as_bytes()];
    let material = pseudorandom.expand(&info, &AES_256_GCM).ok()?;
    Some(LessSafeKey::new(UnboundKey::from(material)))
}

/// What is stored for a text that belongs to a row: the text itself while nothing is encrypted.
pub fn seal(
    rules: &Encryption,
    random: &dyn Random,
    row: Uuid,
    text: &str,
) -> Result<String, Error> {
    let Some(id) = &rules.encrypt_with else {
        return Ok(text.to_owned());
    };
    let failed = |why| {
        Error::internal(
            "Error encrypting a value",
            anyhow::anyhow!("{why} of key {id}"),
        )
    };
    let master = rules.keys.get(id).ok_or_else(|| failed("the lack"))?;
    let key = row_key(master, row).ok_or_else(|| failed("the derivation"))?;
    let mut nonce = [0; NONCE_LEN];
    random.fill(&mut nonce);
    let mut data = text.as_bytes().to_vec();
    key.seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut data)
        .map_err(|_| failed("the use"))?;
    let stored = Encrypted {
        key_id: id.clone(),
        alg: ALGORITHM.to_owned(),
        data: STANDARD.encode(data),
        nonce: STANDARD.encode(nonce),
    };
    serde_json::to_string(&stored)
        .map_err(|error| Error::internal("Error encrypting a value", error))
}

/// Reads what is stored for a row, encrypted or not.
pub fn open(rules: &Encryption, row: Uuid, stored: &str) -> Result<Opened, Error> {
    let Some((encrypted, nonce, mut data)) = parse(stored) else {
        return Ok(Opened {
            text: stored.to_owned(),
            is_outdated: rules.encrypt_with.is_some(),
        });
    };
    let id = &encrypted.key_id;
    let failed = |why| Error::internal(CONTEXT, anyhow::anyhow!("{why} {id}, row {row}"));
    let master = rules.keys.get(id).ok_or_else(|| failed("no key"))?;
    let key = row_key(master, row).ok_or_else(|| failed("no derived key"))?;
    let text = key
        .open_in_place(nonce, Aad::empty(), &mut data)
        .map_err(|_| failed("not encrypted with key"))?;
    let text = std::str::from_utf8(text).map_err(|error| Error::internal(CONTEXT, error))?;
    Ok(Opened {
        text: text.to_owned(),
        is_outdated: rules.encrypt_with.as_ref().is_some_and(|now| now != id),
    })
}

/// The parts of an encrypted value; nothing when it is none.
fn parse(stored: &str) -> Option<(Encrypted, Nonce, Vec<u8>)> {
    if !stored.starts_with('{') {
        return None;
    }
    let encrypted: Encrypted = serde_json::from_str(stored).ok()?;
    let nonce: [u8; NONCE_LEN] = STANDARD.decode(&encrypted.nonce).ok()?.try_into().ok()?;
    let data = STANDARD.decode(&encrypted.data).ok()?;
    let is_valid = encrypted.alg == ALGORITHM && !encrypted.key_id.is_empty() && !data.is_empty();
    is_valid.then(|| (encrypted, Nonce::assume_unique_for_key(nonce), data))
}

#[cfg(test)]
mod tests {
    use secrecy::SecretBox;

    use super::*;
    use crate::domain::clock::SystemRandom;

    const ROW: Uuid = Uuid::from_u128(0x1111_1111_2222_4333_8444_5555_5555_5555);

    fn rules(encrypt_with: Option<&str>) -> Encryption {
        let key = |byte| SecretBox::new(Box::new([byte; 32]));
        Encryption {
            encrypt_with: encrypt_with.map(str::to_owned),
            keys: [("old".to_owned(), key(1)), ("new".to_owned(), key(2))].into(),
        }
    }

    #[test]
    fn what_was_sealed_opens_in_its_own_row_alone() {
        let rules = rules(Some("new"));
        let stored = seal(&rules, &SystemRandom, ROW, "a secret").unwrap();
        assert!(!stored.contains("a secret"));
        let opened = open(&rules, ROW, &stored).unwrap();
        assert_eq!(
            (opened.text.as_str(), opened.is_outdated),
            ("a secret", false)
        );
        assert!(open(&rules, Uuid::from_u128(1), &stored).is_err());
        assert_ne!(
            stored,
            seal(&rules, &SystemRandom, ROW, "a secret").unwrap()
        );
    }

    #[test]
    fn old_keys_and_plain_texts_are_read_and_called_outdated() {
        let stored = seal(&rules(Some("old")), &SystemRandom, ROW, "x").unwrap();
        let opened = open(&rules(Some("new")), ROW, &stored).unwrap();
        assert_eq!((opened.text.as_str(), opened.is_outdated), ("x", true));
        assert!(!open(&rules(None), ROW, &stored).unwrap().is_outdated);
        assert!(open(&rules(Some("new")), ROW, "plain").unwrap().is_outdated);
        assert!(!open(&rules(None), ROW, "plain").unwrap().is_outdated);
        assert_eq!(
            seal(&rules(None), &SystemRandom, ROW, "plain").unwrap(),
            "plain"
        );
    }

    #[test]
    fn what_gotrue_encrypted_is_read() {
        let master = std::array::from_fn(|index| u8::try_from(index).unwrap_or(0));
        let rules = Encryption {
            encrypt_with: None,
            keys: [("theirs".to_owned(), SecretBox::new(Box::new(master)))].into(),
        };
        let stored = r#"{"key_id":"theirs","alg":"aes-gcm-hkdf","data":"b0D+8kOwsphcLdS79oThjrz09CJjnLl6","nonce":"oZRuOiSSie3mSTKO"}"#;
        assert_eq!(open(&rules, ROW, stored).unwrap().text, "a secret");
    }

    #[test]
    fn a_value_of_an_unknown_key_is_not_taken_for_a_plain_one() {
        let mut rules = rules(Some("old"));
        let stored = seal(&rules, &SystemRandom, ROW, "x").unwrap();
        rules.keys.remove("old");
        assert!(open(&rules, ROW, &stored).is_err());
    }
}
