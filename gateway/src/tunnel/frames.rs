//! Where one frame of a web socket ends and the next begins (RFC 6455, section 5.2), without looking inside.

/// Follows one direction of a socket.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The head of the frame, as far as it is known.
    head: [u8; 14],
    known: usize,
    /// Bytes of the payload that are still to come.
    left: u64,
}

impl Frames {
    pub(super) fn follow(&mut self, mut bytes: &[u8]) {
        while !bytes.is_empty() {
            if self.left > 0 {
                let skipped =
                    usize::try_from(self.left).map_or(bytes.len(), |left| left.min(bytes.len()));
                self.left -= skipped as u64;
                bytes = &bytes[skipped..];
                continue;
            }
            self.head[self.known] = bytes[0];
            self.known += 1;
            bytes = &bytes[1..];
            if self.known >= 2 && self.known == self.head_size() {
                self.left = self.payload_size();
                self.known = 0;
            }
        }
    }

    /// True if a frame of our own would be read as one.
    pub(super) fn is_between(&self) -> bool {
        self.left == 0 && self.known == 0
    }

    fn head_size(&self) -> usize {
        let mask = if self.head[1] & 0x80 == 0 { 0 } else { 4 };
        mask + match self.head[1] & 0x7F {
            126 => 4,
            127 => 10,
            _ => 2,
        }
    }

    fn payload_size(&self) -> u64 {
        let big_endian = |bytes: &[u8]| {
            bytes
                .iter()
                .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
        };
        match self.head[1] & 0x7F {
            126 => big_endian(&self.head[2..4]),
            127 => big_endian(&self.head[2..10]),
            small => u64::from(small),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(size: usize) -> Vec<u8> {
        let mut frame = vec![0x81];
        match size {
            0..126 => frame.push(u8::try_from(size).unwrap()),
            126..65_536 => {
                frame.push(126);
                frame.extend(u16::try_from(size).unwrap().to_be_bytes());
            }
            _ => {
                frame.push(127);
                frame.extend((size as u64).to_be_bytes());
            }
        }
        frame.resize(frame.len() + size, b'x');
        frame
    }

    #[test]
    fn the_ends_of_frames_are_found_however_they_arrive() {
        for size in [0, 1, 125, 126, 65_535, 65_536] {
            let bytes = [frame(size), frame(3)].concat();
            for step in [1, 7, 4096] {
                let mut frames = Frames::default();
                let mut between = Vec::new();
                for (index, piece) in bytes.chunks(step).enumerate() {
                    frames.follow(piece);
                    if step == 1 && frames.is_between() {
                        between.push(index + 1);
                    }
                }
                assert!(frames.is_between(), "{size} {step}");
                if step == 1 {
                    assert_eq!(between, [frame(size).len(), bytes.len()], "{size}");
                }
            }
        }
    }
}
