use proptest::prelude::*;

use super::{authenticator_data::AuthenticatorData, public_key::PublicKey, *};
use crate::domain::clock::SystemRandom;

fn party() -> RelyingParty {
    RelyingParty {
        id: "localhost".to_owned(),
        display_name: "Test".to_owned(),
        origins: vec!["http://localhost:5173".to_owned()],
        challenge_expiry: std::time::Duration::from_secs(300),
    }
}

#[test]
fn what_is_remembered_has_go_webauthns_names() {
    let user = UserEntity {
        handle: "handle",
        name: "ada",
        display_name: "Ada",
    };
    let (options, session) = begin_creation(&party(), &SystemRandom, Purpose::Passkey, user, &[]);
    let stored = serde_json::to_value(&session).unwrap();
    assert_eq!(stored["challenge"], options["challenge"]);
    assert_eq!(stored["rpId"], "localhost");
    assert_eq!(stored["user_id"], "aGFuZGxl");
    assert_eq!(options["user"]["id"], "aGFuZGxl");
    assert_eq!(stored["credParams"].as_array().unwrap().len(), 10);
    let read: Session = serde_json::from_value(stored).unwrap();
    assert!(read.belongs_to("handle") && !read.belongs_to("other"));
}

#[test]
fn a_credential_of_the_originals_can_be_read() {
    let stored = json!({
        "id": "AQID", "publicKey": "BAU=", "attestationType": "none", "transport": null,
        "flags": { "userPresent": true, "userVerified": false, "backupEligible": true,
                   "backupState": false },
        "authenticator": { "AAGUID": "AAAAAAAAAAAAAAAAAAAAAA==", "signCount": 3,
                           "cloneWarning": false, "attachment": "" },
        "attestation": { "clientDataJSON": "e30=", "clientDataHash": null,
                         "authenticatorData": null, "publicKeyAlgorithm": -7, "object": null },
    });
    let credential: Credential = serde_json::from_value(stored).unwrap();
    assert_eq!(credential.id.0, [1, 2, 3]);
    assert!(credential.flags.backup_eligible);
    assert_eq!(credential.authenticator.sign_count, 3);
    assert!(credential.aaguid().is_nil());
}

#[test]
fn a_count_that_goes_back_is_noted_and_not_taken() {
    for (known, given, count, warning) in [
        (0, 0, 0, false),
        (0, 1, 1, false),
        (5, 6, 6, false),
        (5, 5, 5, true),
        (5, 0, 5, true),
    ] {
        let mut authenticator = Authenticator {
            sign_count: known,
            ..Authenticator::default()
        };
        authenticator.count(given);
        assert_eq!(authenticator.sign_count, count);
        assert_eq!(authenticator.clone_warning, warning);
    }
}

#[test]
fn a_key_with_wrong_numbers_is_refused() {
    // {1: 2, 3: -7, -1: 1, -2: h'00', -3: h'00'} and others that are no keys at all.
    for key in ["a501020326200121410022 4100", "a0", "ff", "a1010203", ""] {
        let bytes = hex::decode(key.replace(' ', "")).unwrap();
        assert!(PublicKey::read(&bytes).is_err(), "{key}");
    }
}

/// The ceremonies run in `tests/it`, with ES256 only; here are the other kinds of keys.
#[test]
fn every_kind_of_key_verifies_what_it_signed() {
    use aws_lc_rs::{
        rand::SystemRandom as Rng,
        rsa::{KeyPair as RsaKeyPair, KeySize},
        signature::{self, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _},
    };
    use coset::cbor::value::Value as Cbor;
    use coset::{CborSerializable as _, CoseKey, CoseKeyBuilder, KeyType, Label, iana};

    let rng = Rng::new();
    let message = b"message";
    let check = |mut key: CoseKey, algorithm: iana::Algorithm, signed: &[u8]| {
        key.alg = Some(coset::Algorithm::Assigned(algorithm));
        let key = PublicKey::read(&key.to_vec().unwrap()).unwrap();
        assert_eq!(key.verify(message, signed), Ok(()), "{algorithm:?}");
        assert!(key.verify(b"massage", signed).is_err(), "{algorithm:?}");
        assert!(key.verify(message, &[]).is_err(), "{algorithm:?}");
    };
    for (signing, curve, algorithm) in [
        (
            &signature::ECDSA_P256_SHA256_ASN1_SIGNING,
            iana::EllipticCurve::P_256,
            iana::Algorithm::ES256,
        ),
        (
            &signature::ECDSA_P384_SHA384_ASN1_SIGNING,
            iana::EllipticCurve::P_384,
            iana::Algorithm::ES384,
        ),
        (
            &signature::ECDSA_P521_SHA512_ASN1_SIGNING,
            iana::EllipticCurve::P_521,
            iana::Algorithm::ES512,
        ),
    ] {
        let pair = EcdsaKeyPair::generate(signing).unwrap();
        let point = &pair.public_key().as_ref()[1..];
        let (x, y) = point.split_at(point.len() / 2);
        let key = CoseKeyBuilder::new_ec2_pub_key(curve, x.to_vec(), y.to_vec()).build();
        check(key, algorithm, pair.sign(&rng, message).unwrap().as_ref());
    }
    let pair = Ed25519KeyPair::generate().unwrap();
    let key = CoseKey {
        kty: KeyType::Assigned(iana::KeyType::OKP),
        params: vec![
            (Label::Int(-1), Cbor::from(6)),
            (
                Label::Int(-2),
                Cbor::Bytes(pair.public_key().as_ref().to_vec()),
            ),
        ],
        ..CoseKey::default()
    };
    check(key, iana::Algorithm::EdDSA, pair.sign(message).as_ref());
    let pair = RsaKeyPair::generate(KeySize::Rsa2048).unwrap();
    let public = pair.public_key();
    let key = CoseKey {
        kty: KeyType::Assigned(iana::KeyType::RSA),
        params: vec![
            (
                Label::Int(-1),
                Cbor::Bytes(public.modulus().big_endian_without_leading_zero().to_vec()),
            ),
            (
                Label::Int(-2),
                Cbor::Bytes(public.exponent().big_endian_without_leading_zero().to_vec()),
            ),
        ],
        ..CoseKey::default()
    };
    let sign = |encoding: &'static dyn signature::RsaEncoding| {
        let mut signed = vec![0; pair.public_modulus_len()];
        pair.sign(encoding, &rng, message, &mut signed).unwrap();
        signed
    };
    check(
        key.clone(),
        iana::Algorithm::RS256,
        &sign(&signature::RSA_PKCS1_SHA256),
    );
    check(
        key.clone(),
        iana::Algorithm::RS512,
        &sign(&signature::RSA_PKCS1_SHA512),
    );
    check(
        key,
        iana::Algorithm::PS256,
        &sign(&signature::RSA_PSS_SHA256),
    );
}

proptest! {
    /// Whatever a client sends is read or refused, whole.
    #[test]
    fn no_bytes_stop_a_reader(bytes in proptest::collection::vec(any::<u8>(), 0..400), flags: u8) {
        let _ = AuthenticatorData::read(&bytes);
        let _ = PublicKey::read(&bytes);
        let mut data = [&[0; 32][..], &[flags], &[0; 20], &[0, 4, 1, 2, 3, 4]].concat();
        data.extend(&bytes);
        let _ = AuthenticatorData::read(&data);
        let text = BASE64URL.encode(&bytes);
        let response = json!({
            "id": text, "rawId": text, "type": "public-key",
            "response": {
                "clientDataJSON": text, "attestationObject": text,
                "authenticatorData": BASE64URL.encode(&data), "signature": text,
            },
        });
        let session = Session { cred_params: vec![json!({})], ..Session::default() };
        prop_assert!(finish_creation(&party(), &session, "", &response).is_err());
        let _ = Answer::read(&response);
    }
}
