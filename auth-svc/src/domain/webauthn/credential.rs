//! A credential as it is stored; the form is go-webauthn's.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error as _};
use uuid::Uuid;

use crate::store::passkeys::Passkey;

/// Bytes that JSON has in base64, as Go writes them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Base64(pub Vec<u8>);

impl Serialize for Base64 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&STANDARD.encode(&self.0))
    }
}

impl<'de> Deserialize<'de> for Base64 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        STANDARD.decode(text).map(Self).map_err(D::Error::custom)
    }
}

/// A credential and what is known about it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Credential {
    /// What the authenticator calls it.
    pub id: Base64,
    /// A COSE key.
    pub public_key: Base64,
    /// The format of the statement that it came with.
    pub attestation_type: String,
    /// How a browser may reach the authenticator.
    pub transport: Option<Vec<String>>,
    /// What the authenticator said last.
    pub flags: Flags,
    /// The authenticator.
    pub authenticator: Authenticator,
    /// What proved the credential when it was made; not kept for passkeys.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attestation: Option<Attestation>,
}

/// What an authenticator says of a ceremony.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Flags {
    /// Somebody touched it.
    pub user_present: bool,
    /// Somebody gave a PIN or a finger.
    pub user_verified: bool,
    /// The key may leave the device; never changes.
    pub backup_eligible: bool,
    /// The key has left the device.
    pub backup_state: bool,
}

/// What is known about an authenticator.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Authenticator {
    /// Its model, 16 bytes.
    #[serde(rename = "AAGUID")]
    pub aaguid: Option<Base64>,
    /// How often it signed, for those that count.
    pub sign_count: u32,
    /// The count went back once: there may be a second one with the same key.
    pub clone_warning: bool,
    /// `platform` or `cross-platform`.
    pub attachment: String,
}

impl Authenticator {
    /// Moves the count on, or notes that it went back.
    pub(super) fn count(&mut self, count: u32) {
        if count <= self.sign_count && (count != 0 || self.sign_count != 0) {
            self.clone_warning = true;
        } else {
            self.sign_count = count;
        }
    }
}

/// The parts of the response that made a credential.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Attestation {
    #[serde(rename = "clientDataJSON")]
    pub client_data: Option<Base64>,
    pub client_data_hash: Option<Base64>,
    pub authenticator_data: Option<Base64>,
    pub public_key_algorithm: i64,
    pub object: Option<Base64>,
}

impl Credential {
    /// The model of the authenticator; nil when it did not say.
    pub fn aaguid(&self) -> Uuid {
        self.authenticator
            .aaguid
            .as_ref()
            .and_then(|aaguid| Uuid::from_slice(&aaguid.0).ok())
            .unwrap_or_default()
    }

    /// Of a passkey's row.
    pub fn of_passkey(passkey: &Passkey) -> Self {
        Self {
            id: Base64(passkey.credential_id.clone()),
            public_key: Base64(passkey.public_key.clone()),
            attestation_type: passkey.attestation_type.clone(),
            transport: Some(passkey.transports.0.clone()),
            flags: Flags {
                backup_eligible: passkey.backup_eligible,
                backup_state: passkey.backed_up,
                ..Flags::default()
            },
            authenticator: Authenticator {
                aaguid: passkey.aaguid.map(|id| Base64(id.as_bytes().to_vec())),
                sign_count: u32::try_from(passkey.sign_count).unwrap_or(u32::MAX),
                ..Authenticator::default()
            },
            attestation: None,
        }
    }
}
