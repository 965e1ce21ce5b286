//! WebAuthn, level 2: the relying party's half of making a credential and of using one.
//!
//! Parsing of COSE and CBOR is `coset`'s, signatures are aws-lc's; what is left are the steps of the
//! specification, sections 7.1 and 7.2. The well-known crates for all of it bring a second cryptography
//! library (OpenSSL or RustCrypto's RSA), which this workspace does not have.
//!
//! No authenticator is asked who made it, and no roots of makers are kept. So a statement of attestation is
//! only checked where it could contradict the key itself, see [`finish_creation`].
//!
//! What is stored between and after the ceremonies has the form of go-webauthn, which GoTrue uses: each
//! can go on with what the other wrote.

mod authenticator_data;
mod credential;
mod names;
mod public_key;
mod response;

use base64::{
    Engine as _,
    alphabet::URL_SAFE,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub use credential::{Credential, Flags};
pub use names::friendly_name;

use self::{
    credential::{Attestation, Authenticator, Base64},
    public_key::PublicKey,
    response::{Assertion, ClientData, Creation},
};
use super::clock::Random;
use crate::config::RelyingParty;

/// Browsers leave the padding out, some libraries do not.
const BASE64URL: GeneralPurpose = GeneralPurpose::new(
    &URL_SAFE,
    GeneralPurposeConfig::new()
        .with_encode_padding(false)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);
/// How long a browser may show its dialogue; milliseconds.
const TIMEOUT_MS: u32 = 300_000;

/// Why a ceremony failed; for the log, not for the client.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// The response is not what a browser sends.
    #[error("the response cannot be read: {0}")]
    Malformed(&'static str),
    /// The response can be read and is not right.
    #[error("the response is not right: {0}")]
    Refused(&'static str),
}

/// What a credential is for, which decides what is asked of the authenticator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The user is known; anything that signs will do.
    SecondFactor,
    /// The authenticator has to find the credential, and with it the user, by itself.
    Passkey,
}

/// The user that a credential is made for.
#[derive(Clone, Copy, Debug)]
pub struct UserEntity<'a> {
    /// The user handle, which comes back with every use of a discoverable credential.
    pub handle: &'a str,
    /// The account, to tell it from others.
    pub name: &'a str,
    /// The name of the person.
    pub display_name: &'a str,
}

/// What has to be remembered between the two halves of a ceremony.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Session {
    challenge: String,
    #[serde(rename = "rpId")]
    rp_id: String,
    user_id: Option<Base64>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    allowed_credentials: Vec<Base64>,
    /// go-webauthn's way to say never; our callers have times of their own.
    expires: String,
    #[serde(rename = "userVerification")]
    user_verification: String,
    #[serde(rename = "credParams", skip_serializing_if = "Vec::is_empty")]
    cred_params: Vec<Value>,
}

impl Session {
    fn new(party: &RelyingParty, random: &dyn Random, purpose: Purpose) -> Self {
        let mut challenge = [0; 32];
        random.fill(&mut challenge);
        Self {
            challenge: BASE64URL.encode(challenge),
            rp_id: party.id.clone(),
            expires: "0001-01-01T00:00:00Z".to_owned(),
            user_verification: match purpose {
                Purpose::SecondFactor => String::new(),
                Purpose::Passkey => "preferred".to_owned(),
            },
            ..Self::default()
        }
    }

    fn belongs_to(&self, handle: &str) -> bool {
        self.user_id
            .as_ref()
            .is_some_and(|id| id.0 == handle.as_bytes())
    }
}

fn descriptor(credential: &Credential) -> Value {
    let mut value = json!({ "type": "public-key", "id": BASE64URL.encode(&credential.id.0) });
    if let Some(transports) = credential
        .transport
        .as_ref()
        .filter(|list| !list.is_empty())
    {
        value["transports"] = json!(transports);
    }
    value
}

/// Begins to make a credential: the `publicKey` options for `navigator.credentials.create`, and what to
/// remember. Authenticators that have one of `existing` are passed over.
pub fn begin_creation(
    party: &RelyingParty,
    random: &dyn Random,
    purpose: Purpose,
    user: UserEntity<'_>,
    existing: &[Credential],
) -> (Value, Session) {
    let mut session = Session::new(party, random, purpose);
    session.user_id = Some(Base64(user.handle.as_bytes().to_vec()));
    session.cred_params = public_key::ALGORITHMS
        .iter()
        .map(|algorithm| json!({ "type": "public-key", "alg": algorithm }))
        .collect();
    let mut options = json!({
        "rp": { "name": party.display_name, "id": party.id },
        "user": {
            "name": user.name,
            "displayName": user.display_name,
            "id": BASE64URL.encode(user.handle),
        },
        "challenge": session.challenge,
        "pubKeyCredParams": session.cred_params,
        "timeout": TIMEOUT_MS,
    });
    if !existing.is_empty() {
        options["excludeCredentials"] = existing.iter().map(descriptor).collect();
    }
    match purpose {
        Purpose::SecondFactor => options["authenticatorSelection"] = json!({}),
        Purpose::Passkey => {
            options["authenticatorSelection"] =
                json!({ "residentKey": "required", "userVerification": "preferred" });
            options["attestation"] = "none".into();
        }
    }
    (options, session)
}

/// Begins to use a credential: the `publicKey` options for `navigator.credentials.get`, and what to
/// remember. Without a user the authenticator offers whatever it has for this party.
pub fn begin_assertion(
    party: &RelyingParty,
    random: &dyn Random,
    purpose: Purpose,
    user: Option<(&str, &[Credential])>,
) -> (Value, Session) {
    let mut session = Session::new(party, random, purpose);
    let mut options = json!({
        "challenge": session.challenge,
        "timeout": TIMEOUT_MS,
        "rpId": party.id,
    });
    if let Some((handle, credentials)) = user {
        session.user_id = Some(Base64(handle.as_bytes().to_vec()));
        session.allowed_credentials = credentials.iter().map(|c| c.id.clone()).collect();
        options["allowCredentials"] = credentials.iter().map(descriptor).collect();
    }
    if !session.user_verification.is_empty() {
        options["userVerification"] = session.user_verification.as_str().into();
    }
    (options, session)
}

/// The credential that was made, after section 7.1 of the specification.
///
/// The attestation statement must be empty where it says so, and must be signed with the new key where it
/// says that. Any other kind speaks for the maker of the device and is kept without being looked at.
pub fn finish_creation(
    party: &RelyingParty,
    session: &Session,
    user: &str,
    response: &Value,
) -> Result<Credential, Failure> {
    let creation = Creation::read(response)?;
    if session.cred_params.is_empty() || !session.belongs_to(user) {
        return Err(Failure::Refused("the ceremony is another one"));
    }
    let client = ClientData::read(&creation.client_data)?;
    client.check("webauthn.create", &session.challenge, &party.origins)?;
    let object = &creation.object;
    let data = &object.authenticator_data;
    data.check(&party.id, session.user_verification == "required")?;
    let Some(made) = &data.attested else {
        return Err(Failure::Malformed("no credential"));
    };
    if made.credential_id != creation.id {
        return Err(Failure::Refused("the credential has another id"));
    }
    let key = PublicKey::read(&made.public_key)?;
    let hash = client.hash();
    match object.format.as_str() {
        "none" if !object.statement_is_empty => {
            return Err(Failure::Refused("a statement where there is none"));
        }
        "packed" => {
            if let Some((algorithm, signature)) = &object.self_signed {
                if *algorithm != key.algorithm {
                    return Err(Failure::Refused("the statement has another algorithm"));
                }
                let message = [object.raw.as_slice(), &hash].concat();
                key.verify(&message, signature)?;
            }
        }
        _ => {}
    }
    Ok(Credential {
        id: Base64(made.credential_id.clone()),
        public_key: Base64(made.public_key.clone()),
        attestation_type: object.format.clone(),
        transport: Some(creation.transports),
        flags: data.flags(),
        authenticator: Authenticator {
            aaguid: Some(Base64(made.aaguid.as_bytes().to_vec())),
            sign_count: data.sign_count,
            clone_warning: false,
            attachment: creation.attachment,
        },
        attestation: Some(Attestation {
            client_data: Some(Base64(creation.client_data)),
            client_data_hash: Some(Base64(hash)),
            authenticator_data: Some(Base64(object.raw.clone())),
            public_key_algorithm: key.algorithm,
            object: Some(Base64(creation.raw_object)),
        }),
    })
}

/// A response to [`begin_assertion`] that could be read, before its user is known.
#[derive(Debug)]
pub struct Answer(Assertion);

impl Answer {
    /// Reads what a browser sends.
    pub fn read(response: &Value) -> Result<Self, Failure> {
        Assertion::read(response).map(Self)
    }

    /// The user handle, when it is text, as ours are.
    pub fn user_handle(&self) -> Option<&str> {
        std::str::from_utf8(self.0.user_handle.as_deref()?).ok()
    }
}

/// The credential that was used, after section 7.2 of the specification, with its counter moved on.
///
/// A counter that went back is noted in the credential and does not fail the ceremony, as in the original:
/// authenticators that share keys between devices do not count.
pub fn finish_assertion(
    party: &RelyingParty,
    session: &Session,
    user: &str,
    credentials: &[Credential],
    Answer(assertion): &Answer,
) -> Result<Credential, Failure> {
    if !session.cred_params.is_empty() {
        return Err(Failure::Refused("the ceremony is another one"));
    }
    if session.user_id.as_ref().is_some_and(|id| !id.0.is_empty()) && !session.belongs_to(user) {
        return Err(Failure::Refused("the ceremony is somebody else's"));
    }
    let allowed = &session.allowed_credentials;
    if !allowed.is_empty() && !allowed.iter().any(|id| id.0 == assertion.id) {
        return Err(Failure::Refused("a credential that was not asked for"));
    }
    if let Some(handle) = &assertion.user_handle
        && handle != user.as_bytes()
    {
        return Err(Failure::Refused("the credential is somebody else's"));
    }
    let mut credential = credentials
        .iter()
        .find(|credential| credential.id.0 == assertion.id)
        .cloned()
        .ok_or(Failure::Refused("an unknown credential"))?;
    let client = ClientData::read(&assertion.client_data)?;
    client.check("webauthn.get", &session.challenge, &party.origins)?;
    let data = &assertion.authenticator_data;
    data.check(&party.id, session.user_verification == "required")?;
    let message = [assertion.raw.as_slice(), &client.hash()].concat();
    PublicKey::read(&credential.public_key.0)?.verify(&message, &assertion.signature)?;
    let flags = data.flags();
    if flags.backup_eligible != credential.flags.backup_eligible {
        return Err(Failure::Refused("eligibility for backup has changed"));
    }
    credential.authenticator.count(data.sign_count);
    credential.flags = flags;
    Ok(credential)
}

#[cfg(test)]
mod tests;
