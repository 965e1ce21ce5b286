//! The frames of the server: a letter, a length that counts itself, and a body.

use std::{io, ops::Range};

use bytes::{Buf as _, Bytes, BytesMut};

/// Up to here a body is copied out of the read buffer; larger ones take the buffer along.
const COPIED: usize = 8 * 1024;
const HEADER: usize = 5;

/// Postgres makes no message larger than this (`MaxAllocSize`).
const LARGEST: usize = 1024 * 1024 * 1024;

/// One message of the server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The letter that says what it is.
    pub tag: u8,
    /// What follows the length.
    pub body: Bytes,
}

/// Takes the next whole frame from the front of what was read. For the tags that `skips` names the body is left
/// out.
///
/// # Errors
/// A length that no message of Postgres has.
pub fn next(input: &mut BytesMut, skips: impl FnOnce(u8) -> bool) -> io::Result<Option<Frame>> {
    let Some((head, _)) = input.split_first_chunk::<HEADER>() else {
        return Ok(None);
    };
    let [tag, length @ ..] = *head;
    let length = usize::try_from(u32::from_be_bytes(length)).unwrap_or(usize::MAX);
    let end = length.checked_add(1).filter(|end| *end >= HEADER);
    let end = end.ok_or_else(|| malformed("a frame shorter than its head"))?;
    if end > LARGEST {
        return Err(malformed("a frame larger than any message"));
    }
    if input.len() < end {
        // All of it at once, rather than by doubling.
        input.reserve(end - input.len());
        return Ok(None);
    }
    let body = if skips(tag) {
        input.advance(end);
        Bytes::new()
    } else if end <= COPIED {
        let body = Bytes::copy_from_slice(&input[HEADER..end]);
        input.advance(end);
        body
    } else {
        let mut frame = input.split_to(end);
        frame.advance(HEADER);
        frame.freeze()
    };
    Ok(Some(Frame { tag, body }))
}

/// Where the values of a `DataRow` are; none for null.
pub(super) fn columns(body: &[u8]) -> io::Result<Vec<Option<Range<usize>>>> {
    let short = || malformed("a row shorter than its columns");
    let (count, _) = body.split_first_chunk::<2>().ok_or_else(short)?;
    let mut at = 2;
    let mut columns = Vec::with_capacity(usize::from(u16::from_be_bytes(*count)));
    for _ in 0..u16::from_be_bytes(*count) {
        let length = body.get(at..at + 4).and_then(<[u8]>::first_chunk::<4>);
        let length = i32::from_be_bytes(*length.ok_or_else(short)?);
        at += 4;
        // Minus one stands for null.
        let Ok(length) = usize::try_from(length) else {
            columns.push(None);
            continue;
        };
        let end = at.checked_add(length).filter(|end| *end <= body.len());
        let end = end.ok_or_else(short)?;
        columns.push(Some(at..end));
        at = end;
    }
    Ok(columns)
}

pub(super) fn malformed(what: &str) -> io::Error {
    io::Error::new(
        io::ErrorKind::InvalidData,
        format!("the server sent {what}"),
    )
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn frame(tag: u8, body: &[u8]) -> Vec<u8> {
        let length = u32::try_from(body.len() + 4).unwrap().to_be_bytes();
        [&[tag], length.as_slice(), body].concat()
    }

    #[test]
    fn frames_are_taken_when_they_are_whole() {
        let large = vec![7; COPIED * 2];
        let sent = [frame(b'1', b""), frame(b'D', &large), frame(b'Z', b"I")].concat();
        for step in [1, 3, 4096, sent.len()] {
            let mut input = BytesMut::new();
            let mut found = Vec::new();
            for piece in sent.chunks(step) {
                input.extend_from_slice(piece);
                while let Some(Frame { tag, body }) = next(&mut input, |tag| tag == b'1').unwrap() {
                    found.push((tag, body.len()));
                }
            }
            assert_eq!(found, [(b'1', 0), (b'D', large.len()), (b'Z', 1)]);
            assert!(input.is_empty());
        }
    }

    #[test]
    fn a_row_is_its_values_and_nulls() {
        let body = [
            &3_u16.to_be_bytes()[..],
            &2_i32.to_be_bytes(),
            b"ab",
            &(-1_i32).to_be_bytes(),
            &0_i32.to_be_bytes(),
        ]
        .concat();
        assert_eq!(columns(&body).unwrap(), [Some(6..8), None, Some(16..16)]);
        assert!(columns(&body[..body.len() - 1]).is_err());
    }

    proptest! {
        #[test]
        fn nothing_that_arrives_panics(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = columns(&bytes);
            let mut input = BytesMut::from(&bytes[..]);
            // A length of gigabytes would really be reserved.
            if bytes.get(1).is_none_or(|high| *high == 0) && bytes.get(2).is_none_or(|high| *high == 0) {
                while let Ok(Some(_)) = next(&mut input, |_| false) {}
            }
        }
    }
}
