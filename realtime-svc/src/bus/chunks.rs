//! Messages as they go over the wire: in one piece, or in several where the server takes none that is so large.
//!
//! A piece is a version, a kind, the number of the copy and then, for one of several, the message's number, the piece's
//! own and how many there are.

use std::collections::HashMap;

use bytes::{Buf as _, BufMut as _, Bytes, BytesMut};

/// Copies of another version are not understood.
const VERSION: u8 = 1;
const WHOLE: u8 = 0;
const PART: u8 = 1;
/// Version, kind and copy.
pub(super) const HEADER: usize = 10;
/// A message's number, a piece's number and their count.
const PART_HEADER: usize = 16;
/// Larger messages are not sent, and not put together.
pub(super) const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// Puts the header into an empty buffer that a whole message follows in.
pub(super) fn begin(node: u64) -> Vec<u8> {
    let mut buffer = Vec::with_capacity(256);
    head(&mut buffer, WHOLE, node);
    buffer
}

fn head(buffer: &mut impl bytes::BufMut, kind: u8, node: u64) {
    buffer.put_u8(VERSION);
    buffer.put_u8(kind);
    buffer.put_u64(node);
}

/// The pieces of a message that began with [`begin`], none larger than `max`. `number` tells the sender's messages
/// apart.
pub(super) fn split(message: Bytes, number: u64, max: usize) -> Vec<Bytes> {
    if message.len() <= max {
        return vec![message];
    }
    let size = max.saturating_sub(HEADER + PART_HEADER).max(1024);
    let node = message.get(2..HEADER).map_or(0, |mut node| node.get_u64());
    let body = message.slice(HEADER.min(message.len())..);
    let count = u32::try_from(body.len().div_ceil(size)).unwrap_or(u32::MAX);
    body.chunks(size)
        .zip(0_u32..)
        .map(|(part, index)| {
            let mut piece = BytesMut::with_capacity(HEADER + PART_HEADER + part.len());
            head(&mut piece, PART, node);
            piece.put_u64(number);
            piece.put_u32(index);
            piece.put_u32(count);
            piece.put_slice(part);
            piece.freeze()
        })
        .collect()
}

/// Puts the messages of one subject together. A copy's pieces come in order, or are lost.
#[derive(Debug, Default)]
pub(super) struct Assembler {
    parts: HashMap<u64, Parts>,
}

#[derive(Debug)]
struct Parts {
    number: u64,
    next: u32,
    body: BytesMut,
}

impl Assembler {
    /// Takes a piece; gives the message that it completes, and whose that is.
    pub(super) fn take(&mut self, mut piece: Bytes) -> Option<(u64, Bytes)> {
        if piece.len() < HEADER || piece.get_u8() != VERSION {
            return None;
        }
        let kind = piece.get_u8();
        let node = piece.get_u64();
        if kind == WHOLE {
            return Some((node, piece));
        }
        if kind != PART || piece.len() < PART_HEADER {
            return None;
        }
        let (number, index, count) = (piece.get_u64(), piece.get_u32(), piece.get_u32());
        if index == 0 {
            // Whoever went in the middle of a message does not come back to it.
            self.parts.retain(|known, _| *known == node);
            let body = BytesMut::with_capacity(piece.len() * 2);
            let (next, number) = (0, number);
            self.parts.insert(node, Parts { number, next, body });
        }
        let parts = self.parts.get_mut(&node)?;
        let fits = parts.body.len() + piece.len() <= MAX_MESSAGE;
        if parts.number != number || parts.next != index || !fits {
            self.parts.remove(&node);
            return None;
        }
        parts.body.put_slice(&piece);
        parts.next += 1;
        if parts.next < count {
            return None;
        }
        let parts = self.parts.remove(&node)?;
        Some((node, parts.body.freeze()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(node: u64, length: usize) -> Bytes {
        let mut message = begin(node);
        message.extend((0..length).map(|it| u8::try_from(it % 251).unwrap()));
        message.into()
    }

    #[test]
    fn a_large_message_comes_in_pieces_and_is_whole_again() {
        let sent = message(7, 10_000);
        let pieces = split(sent.clone(), 1, 2048);
        assert!(pieces.len() > 4 && pieces.iter().all(|piece| piece.len() <= 2048));
        let mut assembler = Assembler::default();
        let got: Vec<_> = pieces
            .into_iter()
            .filter_map(|piece| assembler.take(piece))
            .collect();
        assert_eq!(got, [(7, sent.slice(HEADER..))]);
        let small = split(message(7, 10), 2, 2048);
        assert_eq!(small.len(), 1);
        assert_eq!(assembler.take(small[0].clone()).unwrap().1.len(), 10);
    }

    #[test]
    fn a_message_that_lost_a_piece_is_lost_and_the_next_is_not() {
        let mut assembler = Assembler::default();
        let mut pieces = split(message(7, 10_000), 1, 2048);
        pieces.remove(1);
        for piece in pieces {
            assert_eq!(assembler.take(piece), None);
        }
        let next = split(message(7, 5000), 2, 2048);
        let got = next.into_iter().filter_map(|it| assembler.take(it));
        assert_eq!(got.count(), 1);
        for nonsense in [
            &b""[..],
            b"\x01",
            b"\x02\x00aaaaaaaa",
            b"\x01\x01aaaaaaaabb",
        ] {
            assert_eq!(assembler.take(Bytes::from_static(nonsense)), None);
        }
    }
}
