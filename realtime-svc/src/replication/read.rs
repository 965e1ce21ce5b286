//! Numbers and texts from the front of a message.

use bytes::{Buf as _, Bytes};

use super::decode::Malformed;

pub(super) const SHORT: Malformed = Malformed("a message that ends too early");

/// Reads a message from front to back.
#[derive(Debug)]
pub(super) struct Reader {
    rest: Bytes,
}

impl Reader {
    pub(super) fn new(message: Bytes) -> Self {
        Self { rest: message }
    }

    /// How many bytes are left.
    pub(super) fn left(&self) -> usize {
        self.rest.len()
    }

    /// What is left.
    pub(super) fn rest(self) -> Bytes {
        self.rest
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let array = *self.rest.first_chunk::<N>().ok_or(SHORT)?;
        self.rest.advance(N);
        Ok(array)
    }

    pub(super) fn u8(&mut self) -> Result<u8, Malformed> {
        self.array().map(u8::from_be_bytes)
    }

    pub(super) fn u16(&mut self) -> Result<u16, Malformed> {
        self.array().map(u16::from_be_bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, Malformed> {
        self.array().map(u32::from_be_bytes)
    }

    pub(super) fn i32(&mut self) -> Result<i32, Malformed> {
        self.array().map(i32::from_be_bytes)
    }

    pub(super) fn u64(&mut self) -> Result<u64, Malformed> {
        self.array().map(u64::from_be_bytes)
    }

    pub(super) fn i64(&mut self) -> Result<i64, Malformed> {
        self.array().map(i64::from_be_bytes)
    }

    /// A part of the message, not a copy.
    pub(super) fn bytes(&mut self, length: usize) -> Result<Bytes, Malformed> {
        if length > self.rest.len() {
            return Err(SHORT);
        }
        Ok(self.rest.split_to(length))
    }

    /// A text that a zero ends. A database without an encoding may hold names that are not UTF-8.
    pub(super) fn text(&mut self) -> Result<Box<str>, Malformed> {
        let end = self.rest.iter().position(|byte| *byte == 0).ok_or(SHORT)?;
        let text = self.rest.split_to(end);
        self.rest.advance(1);
        Ok(String::from_utf8_lossy(&text).into())
    }
}
