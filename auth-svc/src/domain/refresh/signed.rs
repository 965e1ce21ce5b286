//! Refresh tokens that carry their session and a counter, signed with a key of the session's own
//! (`GOTRUE_SECURITY_REFRESH_TOKEN_ALGORITHM_VERSION=2`). Nothing is stored per token.
//!
//! Unpadded base64url of: version 0, the session's 16 bytes, the counter as a varint, the first 16 bytes of
//! HMAC-SHA-256 over that, and the first 4 bytes of SHA-256 over all of it, which let most nonsense be refused
//! without a look at the database.

use aws_lc_rs::{digest, hmac};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use subtle::ConstantTimeEq as _;
use uuid::Uuid;

use crate::domain::clock::Random;

const VERSION: u8 = 0;
const SIGNATURE: usize = 16;
const KEY: usize = 32;
const CHECKSUM: usize = 4;
const SHORTEST: usize = 1 + 16 + 1 + SIGNATURE + CHECKSUM;
/// A varint of 64 bits has up to ten bytes.
const LONGEST: usize = SHORTEST + 9;

/// The key that signs the tokens of one session.
pub struct SessionKey(Vec<u8>);

impl SessionKey {
    /// A new one.
    pub fn generate(random: &dyn Random) -> Self {
        let mut bytes = vec![0; KEY];
        random.fill(&mut bytes);
        Self(bytes)
    }

    /// From what [`Self::to_text`] made.
    pub fn parse(text: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        (bytes.len() == KEY).then_some(Self(bytes))
    }

    /// As it is stored.
    pub fn to_text(&self) -> String {
        URL_SAFE_NO_PAD.encode(&self.0)
    }

    fn sign(&self, message: &[u8]) -> [u8; SIGNATURE] {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.0), message);
        let mut signature = [0; SIGNATURE];
        signature.copy_from_slice(&tag.as_ref()[..SIGNATURE]);
        signature
    }

    /// The token of a session with this counter.
    pub fn token(&self, session: Uuid, counter: i64) -> String {
        let mut bytes = Vec::with_capacity(LONGEST);
        bytes.push(VERSION);
        bytes.extend_from_slice(session.as_bytes());
        put_varint(&mut bytes, u64::try_from(counter).unwrap_or(0));
        let signature = self.sign(&bytes);
        bytes.extend_from_slice(&signature);
        let checksum = checksum(&bytes);
        bytes.extend_from_slice(&checksum);
        URL_SAFE_NO_PAD.encode(bytes)
    }
}

/// A well-formed token, whose signature was not looked at yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignedToken {
    /// Whose it says it is.
    pub session: Uuid,
    /// How many came before it.
    pub counter: i64,
    message: Vec<u8>,
    signature: Vec<u8>,
}

impl SignedToken {
    /// Nothing for what cannot be a token.
    pub fn parse(text: &str) -> Option<Self> {
        if text.len() > LONGEST * 4 / 3 + 1 {
            return None;
        }
        let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
        if bytes.len() < SHORTEST || bytes[0] != VERSION {
            return None;
        }
        let (signed, sum) = bytes.split_at(bytes.len() - CHECKSUM);
        if checksum(signed) != sum {
            return None;
        }
        let (message, signature) = signed.split_at(signed.len() - SIGNATURE);
        let session = Uuid::from_slice(&message[1..17]).ok()?;
        Some(Self {
            session,
            counter: varint(&message[17..])?,
            message: message.to_vec(),
            signature: signature.to_vec(),
        })
    }

    /// True when the session's key signed it.
    pub fn is_signed_by(&self, key: &SessionKey) -> bool {
        key.sign(&self.message).ct_eq(&self.signature).into()
    }
}

fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    let hash = digest::digest(&digest::SHA256, bytes);
    let mut sum = [0; CHECKSUM];
    sum.copy_from_slice(&hash.as_ref()[..CHECKSUM]);
    sum
}

fn put_varint(bytes: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).unwrap_or(0) | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).unwrap_or(0));
}

/// The number that the bytes are, all of them.
fn varint(bytes: &[u8]) -> Option<i64> {
    let mut value: u64 = 0;
    for (index, byte) in bytes.iter().enumerate() {
        let part = u64::from(byte & 0x7f);
        let shifted = part.checked_shl(u32::try_from(index).ok()? * 7)?;
        if shifted >> (index * 7) != part {
            return None;
        }
        value |= shifted;
        if byte & 0x80 == 0 {
            let is_last = index + 1 == bytes.len();
            return is_last.then(|| i64::try_from(value).unwrap_or(i64::MAX));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::domain::clock::SystemRandom;

    /// Made by GoTrue's own code: key 0x00…0x1f, the session below, counters 0 and 300.
    const SESSION: Uuid = Uuid::from_u128(0x0001_0203_0405_4607_8809_0a0b_0c0d_0e0f);
    const THEIRS: [(i64, &str); 2] = [
        (0, "AAABAgMEBUYHiAkKCwwNDg8Acq_XBrMuxWftG2ymGjlg0PmCEb8"),
        (300, "AAABAgMEBUYHiAkKCwwNDg-sAnffc1aOB-xE3CXmDzN2tij3_9oI"),
    ];

    #[test]
    fn tokens_are_the_same_as_gotrue_makes() {
        let key = SessionKey((0..32).collect());
        for (counter, token) in THEIRS {
            assert_eq!(key.token(SESSION, counter), token);
            let read = SignedToken::parse(token).unwrap();
            assert_eq!((read.session, read.counter), (SESSION, counter));
            assert!(read.is_signed_by(&key));
            assert!(!read.is_signed_by(&SessionKey::generate(&SystemRandom)));
        }
    }

    #[test]
    fn a_token_with_another_counter_is_not_signed() {
        let key = SessionKey::generate(&SystemRandom);
        let mut bytes = URL_SAFE_NO_PAD.decode(key.token(SESSION, 1)).unwrap();
        bytes[17] = 2;
        let end = bytes.len() - CHECKSUM;
        let sum = checksum(&bytes[..end]);
        bytes[end..].copy_from_slice(&sum);
        let forged = SignedToken::parse(&URL_SAFE_NO_PAD.encode(bytes)).unwrap();
        assert_eq!(forged.counter, 2);
        assert!(!forged.is_signed_by(&key));
    }

    proptest! {
        #[test]
        fn what_is_made_is_read(counter in 0..=i64::MAX) {
            let key = SessionKey::generate(&SystemRandom);
            let read = SignedToken::parse(&key.token(SESSION, counter)).unwrap();
            prop_assert_eq!(read.counter, counter);
            prop_assert!(read.is_signed_by(&key));
        }

        #[test]
        fn nothing_panics(text in "[A-Za-z0-9_-]{0,70}") {
            let _ = SignedToken::parse(&text);
        }

        #[test]
        fn no_bytes_panic(mut bytes in proptest::collection::vec(any::<u8>(), 38..48)) {
            bytes[0] = VERSION;
            let end = bytes.len() - CHECKSUM;
            let sum = checksum(&bytes[..end]);
            bytes[end..].copy_from_slice(&sum);
            let _ = SignedToken::parse(&URL_SAFE_NO_PAD.encode(bytes));
        }
    }
}
