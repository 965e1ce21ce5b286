//! Whose signature it is.

use aws_lc_rs::signature::{ED25519, UnparsedPublicKey};
use base64::{
    Engine as _, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};
use sha3::{Digest as _, Keccak256};

use super::{Chain, message::Message};
use crate::error::Error;

/// A signature, not looked at yet. Nothing where the text had the length but not the form.
pub(super) struct Signed(Option<Vec<u8>>);

/// Reads a signature in the form of its chain.
pub(super) fn read(chain: Chain, text: &str) -> Result<Signed, Error> {
    match chain {
        Chain::Ethereum => {
            if text.strip_prefix("0x").unwrap_or(text).len() != 130 {
                return Err(Error::invalid(
                    "signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string",
                ));
            }
            let digits = text.strip_prefix("0x").unwrap_or_default();
            Ok(Signed(hex::decode(digits).ok()))
        }
        Chain::Solana => {
            if text.len() != 86 && text.len() != 88 {
                return Err(Error::invalid(
                    "signature must be 64 bytes encoded as base64 with or without padding",
                ));
            }
            let lenient = GeneralPurposeConfig::new()
                .with_decode_allow_trailing_bits(true)
                .with_decode_padding_mode(DecodePaddingMode::RequireNone);
            // Both alphabets are in use.
            let text = text
                .trim_end_matches('=')
                .replace('-', "+")
                .replace('_', "/");
            GeneralPurpose::new(&alphabet::STANDARD, lenient)
                .decode(text)
                .map(|bytes| Signed(Some(bytes)))
                .map_err(|_| Error::invalid("signature does not contain valid base64 characters"))
        }
    }
}

/// True when the key of the message's address signed it.
pub(super) fn fits(chain: Chain, signed: &Signed, text: &str, message: &Message<'_>) -> bool {
    let Some(signature) = &signed.0 else {
        return false;
    };
    match chain {
        Chain::Ethereum => recover(text, signature)
            .is_some_and(|found| found.eq_ignore_ascii_case(message.address)),
        Chain::Solana => signed_by_solana(text, signature, message).unwrap_or(false),
    }
}

/// The address whose key made the signature (EIP-191, version 0x45, "personal_sign").
fn recover(text: &str, signature: &[u8]) -> Option<String> {
    let (scalars, recovery) = signature.split_at_checked(64)?;
    let &[recovery] = recovery else { return None };
    let recovery = if recovery >= 27 {
        recovery - 27
    } else {
        recovery
    };
    let mut recovery = RecoveryId::from_byte(recovery)?;
    let mut signature = Signature::from_slice(scalars).ok()?;
    // Each signature has a twin that anybody can make of it. Wallets of old give either.
    if let Some(twin) = signature.normalize_s() {
        signature = twin;
        recovery = RecoveryId::new(!recovery.is_y_odd(), recovery.is_x_reduced());
    }
    let mut digest = Keccak256::new();
    digest.update(format!("\x19Ethereum Signed Message:\n{}", text.len()));
    digest.update(text);
    let key = VerifyingKey::recover_from_prehash(&digest.finalize(), &signature, recovery).ok()?;
    let point = key.to_encoded_point(false);
    let hash = Keccak256::digest(point.as_bytes().get(1..)?);
    Some(format!("0x{}", hex::encode(hash.get(12..)?)))
}

fn signed_by_solana(text: &str, signature: &[u8], message: &Message<'_>) -> Option<bool> {
    let address = bs58::decode(message.address).into_vec().ok()?;
    if address.len() != 32 {
        return None;
    }
    let key = UnparsedPublicKey::new(&ED25519, &address);
    if key.verify(text.as_bytes(), signature).is_ok() {
        return Some(true);
    }
    let wrapped = off_chain(text, message.domain, &address)?;
    Some(key.verify(&wrapped, signature).is_ok())
}

/// What Ledger devices sign in place of a message: they show nothing that could be a transaction.
fn off_chain(text: &str, domain: &str, address: &[u8]) -> Option<Vec<u8>> {
    let length = u16::try_from(text.len()).ok()?;
    let mut application = [0; 32];
    for (to, from) in application.iter_mut().zip(domain.bytes()) {
        *to = from;
    }
    let mut wrapped = b"\xffsolana offchain\x00".to_vec();
    wrapped.extend_from_slice(&application);
    // Plain ASCII, one signer.
    wrapped.extend_from_slice(&[0, 1]);
    wrapped.extend_from_slice(address);
    wrapped.extend_from_slice(&length.to_le_bytes());
    wrapped.extend_from_slice(text.as_bytes());
    Some(wrapped)
}
