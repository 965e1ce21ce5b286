//! Time and randomness, as things that a test can replace.

use std::fmt::Debug;

use aws_lc_rs::rand::SecureRandom as _;
use chrono::{DateTime, Utc};

/// Tells the time.
pub trait Clock: Debug + Send + Sync {
    /// Now.
    fn now(&self) -> DateTime<Utc>;
}

/// The clock of the machine.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }
}

/// Gives bytes that nobody can guess.
pub trait Random: Debug + Send + Sync {
    /// Fills all of `bytes`.
    fn fill(&self, bytes: &mut [u8]);
}

/// The cryptographic generator of the process.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemRandom;

impl Random for SystemRandom {
    #[expect(
        clippy::expect_used,
        reason = "without randomness no secret may be made, and going on would be worse"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        aws_lc_rs::rand::SystemRandom::new()
            .fill(bytes)
            .expect("the operating system gives random bytes");
    }
}

/// A number below `bound`, every one equally likely.
pub fn below(random: &dyn Random, bound: u64) -> u64 {
    // Values from the incomplete last run of the range would favour small numbers.
    let limit = u64::MAX - u64::MAX % bound;
    loop {
        let mut bytes = [0; 8];
        random.fill(&mut bytes);
        let value = u64::from_le_bytes(bytes);
        if value < limit {
            return value % bound;
        }
    }
}

/// A random text from an alphabet.
pub fn text(random: &dyn Random, alphabet: &[u8], length: usize) -> String {
    (0..length)
        .map(|_| {
            let index = below(random, alphabet.len() as u64);
            char::from(alphabet[usize::try_from(index).unwrap_or(0)])
        })
        .collect()
}

/// A random identifier.
pub fn id(random: &dyn Random) -> uuid::Uuid {
    let mut bytes = [0; 16];
    random.fill(&mut bytes);
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_below_their_bound() {
        for bound in [1, 2, 10, 1_000_000] {
            for _ in 0..200 {
                assert!(below(&SystemRandom, bound) < bound);
            }
        }
    }
}
