//! An authenticator and the browser before it, in software.

use aws_lc_rs::{
    digest::{SHA256, digest},
    rand::SystemRandom,
    signature::{ECDSA_P256_SHA256_ASN1_SIGNING, EcdsaKeyPair, KeyPair as _},
};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use coset::{
    CborSerializable as _, CoseKeyBuilder,
    cbor::{ser::into_writer, value::Value as Cbor},
    iana,
};
use serde_json::{Value, json};

pub(crate) const RP_ID: &str = "app.test";
pub(crate) const ORIGIN: &str = "https://app.test";

/// Holds one credential. What it says of itself can be changed, to see who notices.
pub(crate) struct Authenticator {
    key: EcdsaKeyPair,
    pub(crate) id: Vec<u8>,
    handle: Vec<u8>,
    pub(crate) origin: &'static str,
    pub(crate) rp_id: &'static str,
    pub(crate) aaguid: [u8; 16],
    pub(crate) count: u32,
    /// User present and verified.
    pub(crate) flags: u8,
}

impl Authenticator {
    pub(crate) fn new() -> Self {
        let random = SystemRandom::new();
        let mut id = vec![0; 16];
        aws_lc_rs::rand::fill(&mut id).unwrap();
        let pkcs8 = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, &random).unwrap();
        Self {
            key: EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_ASN1_SIGNING, pkcs8.as_ref()).unwrap(),
            id,
            handle: Vec::new(),
            origin: ORIGIN,
            rp_id: RP_ID,
            aaguid: [0; 16],
            count: 0,
            flags: 0x05,
        }
    }

    fn client_data(&self, kind: &str, options: &Value) -> Vec<u8> {
        json!({
            "type": kind,
            "challenge": options["challenge"],
            "origin": self.origin,
            "crossOrigin": false,
        })
        .to_string()
        .into_bytes()
    }

    fn data(&mut self, more: u8) -> Vec<u8> {
        self.count += 1;
        let mut data = digest(&SHA256, self.rp_id.as_bytes()).as_ref().to_vec();
        data.push(self.flags | more);
        data.extend(self.count.to_be_bytes());
        data
    }

    fn sign(&self, data: &[u8], client_data: &[u8]) -> Vec<u8> {
        let message = [data, digest(&SHA256, client_data).as_ref()].concat();
        let signature = self.key.sign(&SystemRandom::new(), &message).unwrap();
        signature.as_ref().to_vec()
    }

    /// `navigator.credentials.create`
    pub(crate) fn create(&mut self, options: &Value) -> Value {
        self.create_with(options, |_, _| ("none", Vec::new()))
    }

    /// The same, with a statement of attestation.
    pub(crate) fn create_with(
        &mut self,
        options: &Value,
        statement: impl FnOnce(&Self, (&[u8], &[u8])) -> (&'static str, Vec<(Cbor, Cbor)>),
    ) -> Value {
        let handle = options["user"]["id"].as_str().unwrap();
        self.handle = URL_SAFE_NO_PAD.decode(handle).unwrap();
        let client_data = self.client_data("webauthn.create", options);
        let mut data = self.data(0x40);
        data.extend(self.aaguid);
        data.extend(u16::try_from(self.id.len()).unwrap().to_be_bytes());
        data.extend(&self.id);
        let point = self.key.public_key().as_ref();
        let key = CoseKeyBuilder::new_ec2_pub_key(
            iana::EllipticCurve::P_256,
            point[1..33].to_vec(),
            point[33..].to_vec(),
        )
        .algorithm(iana::Algorithm::ES256)
        .build();
        data.extend(key.to_vec().unwrap());
        let (format, statement) = statement(self, (&data, &client_data));
        let object = Cbor::Map(vec![
            ("fmt".into(), format.into()),
            ("attStmt".into(), Cbor::Map(statement)),
            ("authData".into(), Cbor::Bytes(data)),
        ]);
        let mut bytes = Vec::new();
        into_writer(&object, &mut bytes).unwrap();
        self.response(&json!({
            "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
            "attestationObject": URL_SAFE_NO_PAD.encode(bytes),
            "transports": ["internal"],
        }))
    }

    /// A statement that the new key itself makes.
    pub(crate) fn self_attested(&self, data: &[u8], client_data: &[u8]) -> Vec<(Cbor, Cbor)> {
        vec![
            ("alg".into(), (-7).into()),
            ("sig".into(), Cbor::Bytes(self.sign(data, client_data))),
        ]
    }

    /// `navigator.credentials.get`
    pub(crate) fn get(&mut self, options: &Value) -> Value {
        let client_data = self.client_data("webauthn.get", options);
        let data = self.data(0);
        let signature = self.sign(&data, &client_data);
        self.response(&json!({
            "clientDataJSON": URL_SAFE_NO_PAD.encode(client_data),
            "authenticatorData": URL_SAFE_NO_PAD.encode(data),
            "signature": URL_SAFE_NO_PAD.encode(signature),
            "userHandle": URL_SAFE_NO_PAD.encode(&self.handle),
        }))
    }

    fn response(&self, response: &Value) -> Value {
        let id = URL_SAFE_NO_PAD.encode(&self.id);
        json!({
            "id": id,
            "rawId": id,
            "type": "public-key",
            "response": response,
            "clientExtensionResults": {},
            "authenticatorAttachment": "platform",
        })
    }
}
