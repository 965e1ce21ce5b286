use async_nats::Subject;

use crate::hub::RoomName;

/// Rooms share this many subjects, by their hash. A copy hears of the rooms that it has, and of few others.
pub(super) const SLOTS: usize = 1024;

/// Where messages are published.
#[derive(Debug)]
pub(crate) struct Subjects {
    /// Who is alive.
    pub(super) here: Subject,
    /// Questions about rooms, to all copies.
    pub(super) ask: Subject,
    /// What the log tells.
    pub(super) log: Subject,
    prefix: String,
    rooms: Vec<Subject>,
}

impl Subjects {
    /// Those of one project; the suffix is the one that tells slots apart.
    pub(crate) fn new(tenant: &str, suffix: Option<&str>) -> Self {
        let prefix = format!(
            "nilam.realtime.{}.{}",
            token(tenant),
            token(suffix.unwrap_or_default())
        );
        Self {
            here: format!("{prefix}.here").into(),
            ask: format!("{prefix}.ask").into(),
            log: format!("{prefix}.log").into(),
            rooms: (0..SLOTS)
                .map(|slot| format!("{prefix}.room.{slot}").into())
                .collect(),
            prefix,
        }
    }

    /// What only one copy hears.
    pub(super) fn node(&self, node: u64) -> Subject {
        format!("{}.node.{node:x}", self.prefix).into()
    }

    /// What is said in the rooms of a slot.
    pub(super) fn room(&self, slot: usize) -> Subject {
        self.rooms[slot % SLOTS].clone()
    }

    /// What every copy hears, beside the log.
    pub(super) fn common(&self, node: u64) -> [Subject; 3] {
        [self.here.clone(), self.ask.clone(), self.node(node)]
    }
}

/// The same on every copy and in every version: FNV-1a.
pub(super) fn slot(name: &RoomName) -> usize {
    let bytes = name
        .topic
        .as_bytes()
        .iter()
        .chain(std::iter::once(&u8::from(name.is_private)))
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
    #[expect(clippy::cast_possible_truncation, reason = "below the number of slots")]
    let slot = (bytes % SLOTS as u64) as usize;
    slot
}

/// A part of a subject: dots, spaces and stars have a meaning there. `-` stands before every token, so that none is
/// empty.
fn token(text: &str) -> String {
    let mut token = String::from("-");
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || byte == b'-' {
            token.push(char::from(byte));
        } else {
            token.push('_');
            token.push_str(&hex::encode([byte]));
        }
    }
    token
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_of_a_project_breaks_a_subject_or_meets_another() {
        let here = |tenant, suffix| Subjects::new(tenant, suffix).here.to_string();
        assert_eq!(
            here("a.b *>", None),
            "nilam.realtime.-a_2eb_20_2a_3e.-.here"
        );
        assert_ne!(here("a_2e", None), here("a.", None));
        assert_ne!(here("a", Some("b")), here("a", None));
    }

    #[test]
    fn public_and_private_rooms_are_spread() {
        let slots: std::collections::HashSet<_> = (0..100)
            .flat_map(|number| [true, false].map(|is_private| (number, is_private)))
            .map(|(number, is_private)| {
                slot(&RoomName {
                    topic: format!("room-{number}").into(),
                    is_private,
                })
            })
            .collect();
        assert!(slots.len() > 150, "{}", slots.len());
    }
}
