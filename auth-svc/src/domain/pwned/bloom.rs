//! A Bloom filter of SHA-1 hashes: a set that now and then takes a stranger for a member, and is small.

use crate::config::Bloom;

/// The set.
#[derive(Debug)]
pub(super) struct Filter {
    bits: Vec<u64>,
    /// Each member sets so many bits.
    probes: u32,
    /// It is made for so many members.
    capacity: usize,
    members: usize,
}

impl Filter {
    /// An empty one of the size that gives the rate of errors when it is full.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the settings are checked: positive and far from the limits"
    )]
    pub(super) fn new(size: Bloom) -> Self {
        let ln2 = std::f64::consts::LN_2;
        let items = f64::from(size.items.max(1));
        let bits = (-items * size.false_positives.ln() / (ln2 * ln2)).ceil();
        let probes = (bits / items * ln2).ceil().max(1.0) as u32;
        Self {
            bits: vec![0; (bits / 64.0).ceil().max(1.0) as usize],
            probes,
            capacity: size.items as usize,
            members: 0,
        }
    }

    /// Adds hashes. At four fifths of its capacity it begins anew, so that errors stay rare.
    pub(super) fn add(&mut self, hashes: &[Vec<u8>]) {
        self.members += hashes.len();
        if self.members > self.capacity / 5 * 4 {
            self.bits.fill(0);
            self.members = hashes.len();
        }
        for hash in hashes {
            for probe in 0..self.probes {
                if let Some((word, bit)) = self.place(hash, probe)
                    && let Some(word) = self.bits.get_mut(word)
                {
                    *word |= bit;
                }
            }
        }
    }

    pub(super) fn contains(&self, hash: &[u8]) -> bool {
        (0..self.probes).all(|probe| {
            self.place(hash, probe)
                .is_some_and(|(word, bit)| self.bits.get(word).is_some_and(|word| word & bit != 0))
        })
    }

    /// The word and the bit in it. The hash is random enough to take the probes from it.
    fn place(&self, hash: &[u8], probe: u32) -> Option<(usize, u64)> {
        let part = |from: usize| -> Option<u64> {
            let bytes: [u8; 8] = hash.get(from..from + 8)?.try_into().ok()?;
            Some(u64::from_le_bytes(bytes))
        };
        let (first, step) = (part(4)?, part(12)? | 1);
        let bits = (self.bits.len() as u64) * 64;
        let index = first.wrapping_add(step.wrapping_mul(u64::from(probe))) % bits;
        Some((usize::try_from(index / 64).ok()?, 1 << (index % 64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

    fn hash(n: u32) -> Vec<u8> {
        digest(&SHA1_FOR_LEGACY_USE_ONLY, &n.to_le_bytes())
            .as_ref()
            .to_vec()
    }

    #[test]
    fn members_are_known_and_strangers_seldom_taken_for_them() {
        let mut filter = Filter::new(Bloom {
            items: 2000,
            false_positives: 0.01,
        });
        let members: Vec<_> = (0..1500).map(hash).collect();
        filter.add(&members);
        assert!(members.iter().all(|member| filter.contains(member)));
        let mistaken = (10_000..20_000).filter(|n| filter.contains(&hash(*n)));
        assert!(mistaken.count() < 100);
    }

    #[test]
    fn a_full_filter_begins_anew() {
        let mut filter = Filter::new(Bloom {
            items: 100,
            false_positives: 0.001,
        });
        filter.add(&(0..70).map(hash).collect::<Vec<_>>());
        filter.add(&(100..120).map(hash).collect::<Vec<_>>());
        assert!(filter.contains(&hash(110)) && !filter.contains(&hash(1)));
    }
}
