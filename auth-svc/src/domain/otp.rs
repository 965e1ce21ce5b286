//! One-time codes and the hashes that stand for them in the database.

use aws_lc_rs::digest;
use chrono::{DateTime, Utc};
use std::time::Duration;
use subtle::ConstantTimeEq as _;

use super::clock::{self, Random};

/// Marks the hash of a code that was asked for with a PKCE challenge.
pub const PKCE_PREFIX: &str = "pkce_";

/// A code of so many digits.
pub fn generate(random: &dyn Random, digits: u8) -> String {
    let width = usize::from(digits);
    let number = clock::below(random, 10_u64.pow(u32::from(digits)));
    format!("{number:0width$}")
}

/// What is stored of a code: it is bound to the address that it was sent to.
pub fn hash(address: &str, code: &str) -> String {
    let mut context = digest::Context::new(&digest::SHA224);
    context.update(address.as_bytes());
    context.update(code.as_bytes());
    hex::encode(context.finish())
}

/// The stored form, which remembers whether PKCE was asked for.
pub fn with_flow(hash: String, pkce: bool) -> String {
    if pkce {
        format!("{PKCE_PREFIX}{hash}")
    } else {
        hash
    }
}

/// True when the code was sent too long ago, or never.
pub fn is_expired(sent_at: Option<DateTime<Utc>>, lifetime: Duration, now: DateTime<Utc>) -> bool {
    let Some(sent_at) = sent_at else { return true };
    (now - sent_at)
        .to_std()
        .is_ok_and(|elapsed| elapsed > lifetime)
}

/// True when the hash is the stored one, whether or not that was for PKCE.
pub fn is_valid(
    actual: &str,
    stored: &str,
    sent_at: Option<DateTime<Utc>>,
    lifetime: Duration,
    now: DateTime<Utc>,
) -> bool {
    let bare = stored.strip_prefix(PKCE_PREFIX).unwrap_or(stored);
    let given = actual.strip_prefix(PKCE_PREFIX).unwrap_or(actual);
    !stored.is_empty()
        && bool::from(bare.as_bytes().ct_eq(given.as_bytes()))
        && !is_expired(sent_at, lifetime, now)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn codes_have_their_length() {
        for digits in 6..=10 {
            let code = generate(&SystemRandom, digits);
            assert_eq!(code.len(), usize::from(digits));
            assert!(code.bytes().all(|b| b.is_ascii_digit()));
        }
    }

    #[test]
    fn the_hash_is_sha224_over_address_and_code() {
        // The published digest of "abc".
        assert_eq!(
            hash("a", "bc"),
            "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7"
        );
    }

    #[test]
    fn a_code_is_valid_for_its_time_only() {
        let sent = Utc::now();
        let stored = with_flow(hash("a@b.c", "123456"), true);
        let minute = Duration::from_secs(60);
        let at = |seconds| sent + chrono::Duration::seconds(seconds);
        let given = hash("a@b.c", "123456");
        assert!(is_valid(&given, &stored, Some(sent), minute, at(60)));
        assert!(!is_valid(&given, &stored, Some(sent), minute, at(61)));
        assert!(!is_valid(&given, &stored, None, minute, at(1)));
        assert!(!is_valid(&given, "", Some(sent), minute, at(1)));
        assert!(!is_valid(
            &hash("a@b.c", "1"),
            &stored,
            Some(sent),
            minute,
            at(1)
        ));
    }
}
