//! Answers about an address that nobody has take as long as answers about one that somebody has: where a known
//! address is sent a mail, an unknown one waits as long as mails take lately. Otherwise the clock would tell who has
//! an account.

use std::{
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use super::clock::{self, Random};

/// No disguise is worth a longer wait.
const LONGEST: Duration = Duration::from_secs(10);
/// Each sending counts for one part in so many.
const WEIGHT: u64 = 4;

/// How long sending takes, as a running mean.
#[derive(Debug, Default)]
pub struct SendTime {
    micros: AtomicU64,
}

impl SendTime {
    /// Takes note of one.
    pub fn record(&self, took: Duration) {
        let took = u64::try_from(took.min(LONGEST).as_micros()).unwrap_or(u64::MAX);
        let mean = |old: u64| {
            if old == 0 {
                took
            } else {
                (old * (WEIGHT - 1) + took) / WEIGHT
            }
        };
        // Only the last of two at once counts, which does no harm.
        let old = self.micros.load(Ordering::Relaxed);
        self.micros.store(mean(old).max(1), Ordering::Relaxed);
    }

    /// About as long, a tenth more or less, as no two sendings take exactly as long.
    pub fn expected(&self, random: &dyn Random) -> Duration {
        let mean = self.micros.load(Ordering::Relaxed);
        let spread = clock::below(random, mean / 5 + 1);
        Duration::from_micros(mean - mean / 10 + spread)
    }

    /// Waits as long as sending would take.
    pub async fn pretend(&self, random: &dyn Random) {
        tokio::time::sleep(self.expected(random)).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    #[test]
    fn the_wait_follows_what_sending_takes() {
        let time = SendTime::default();
        assert_eq!(time.expected(&SystemRandom), Duration::ZERO);
        for _ in 0..50 {
            time.record(Duration::from_millis(100));
            let expected = time.expected(&SystemRandom);
            assert!((90..=110).contains(&expected.as_millis()), "{expected:?}");
        }
        for _ in 0..50 {
            time.record(Duration::from_millis(300));
        }
        let expected = time.expected(&SystemRandom);
        assert!((260..=330).contains(&expected.as_millis()), "{expected:?}");
        time.record(Duration::from_secs(3600));
        assert!(time.expected(&SystemRandom) < LONGEST);
    }
}
