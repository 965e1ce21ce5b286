//! Keys for the columns that are kept encrypted: `GOTRUE_SECURITY_DB_ENCRYPTION_*`.

use std::collections::BTreeMap;

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretBox};
use svc_kit::env::Reader;

/// A key of 256 bits, from which the key of each row is derived.
pub type MasterKey = SecretBox<[u8; 32]>;

/// What is encrypted, with what, and what can be read.
#[derive(Debug, Default)]
pub struct Encryption {
    /// The key that new values are encrypted with; none when new values are stored as they are.
    pub encrypt_with: Option<String>,
    /// All keys by their names. What an old one encrypted stays readable until it is taken out.
    pub keys: BTreeMap<String, MasterKey>,
}

impl Clone for Encryption {
    fn clone(&self) -> Self {
        let copy = |key: &MasterKey| SecretBox::new(Box::new(*key.expose_secret()));
        Self {
            encrypt_with: self.encrypt_with.clone(),
            keys: self
                .keys
                .iter()
                .map(|(name, key)| (name.clone(), copy(key)))
                .collect(),
        }
    }
}

fn key(text: &str) -> Option<MasterKey> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    Some(SecretBox::new(Box::new(bytes.try_into().ok()?)))
}

pub(super) fn read(r: &mut Reader<'_>) -> Encryption {
    const PREFIX: &str = "GOTRUE_SECURITY_DB_ENCRYPTION_";
    let name = |rest: &str| format!("{PREFIX}{rest}");
    let mut keys = BTreeMap::new();
    for pair in super::read::list(r.text(&[&name("DECRYPTION_KEYS")])) {
        let parsed = pair
            .split_once(':')
            .and_then(|(id, text)| Some((id.to_owned(), key(text)?)));
        match parsed {
            Some((id, key)) => {
                keys.insert(id, key);
            }
            // The text is not repeated: it may be a key with a slip in it.
            None => r.problem(format!(
                "{PREFIX}DECRYPTION_KEYS: expected id:key,… with keys of 256 bits in unpadded base64url"
            )),
        }
    }
    let mut encrypt_with = None;
    if r.flag(&[&name("ENCRYPT")], false) {
        let id = r.text_or(&[&name("ENCRYPTION_KEY_ID")], "");
        let own = r.text(&[&name("ENCRYPTION_KEY")]).and_then(key);
        match (own, keys.get(&id)) {
            _ if id.is_empty() => r.problem(format!("{PREFIX}ENCRYPTION_KEY_ID is required")),
            (None, _) => r.problem(format!(
                "{PREFIX}ENCRYPTION_KEY: expected 256 bits in unpadded base64url"
            )),
            (Some(own), Some(same)) if own.expose_secret() == same.expose_secret() => {
                encrypt_with = Some(id);
            }
            (Some(_), _) => r.problem(format!(
                "{PREFIX}DECRYPTION_KEYS must have the encryption key too"
            )),
        }
    }
    Encryption { encrypt_with, keys }
}
