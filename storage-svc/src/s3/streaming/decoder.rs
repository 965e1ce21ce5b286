//! The state machine behind chunked bodies.

use std::collections::VecDeque;

use aws_lc_rs::digest;
use bytes::{Buf as _, Bytes, BytesMut};

use crate::error::Error;
use crate::s3::{
    error,
    streaming::{Chain, Mode, Unpack},
};

const LONGEST_CHUNK: u64 = 8 << 20;
const LONGEST_HEADER: usize = 256;
const LONGEST_TRAILER: usize = 8 << 10;
const TRAILER_SIGNATURE: &str = "x-amz-trailer-signature";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before or within the line that begins a chunk.
    Header,
    /// Within its content, with this much to come.
    Content(u64),
    /// Before the line end after the content; whether the chunk was the last.
    Footer { last: bool },
    /// Within the headers at the end.
    Trailer,
    /// Behind everything.
    Done,
}

/// Turns a chunked body into its content.
pub(crate) struct Decoder {
    mode: Mode,
    chain: Option<Chain>,
    state: State,
    /// A line, or the trailer, as far as it came.
    line: BytesMut,
    /// The signature that the current chunk claims.
    claimed: String,
    hash: digest::Context,
    /// Content bytes so far, and how many were announced.
    length: u64,
    announced: Option<u64>,
    promised: Vec<String>,
}

impl Decoder {
    /// `announced` is `x-amz-decoded-content-length`, `promised` is `x-amz-trailer`.
    pub(crate) fn new(
        mode: Mode,
        chain: Chain,
        announced: Option<u64>,
        promised: Option<&str>,
    ) -> Self {
        let promised = promised.unwrap_or_default().split(',');
        Self {
            mode,
            chain: mode.is_signed().then_some(chain),
            state: State::Header,
            line: BytesMut::new(),
            claimed: String::new(),
            hash: digest::Context::new(&digest::SHA256),
            length: 0,
            announced,
            promised: promised
                .map(|name| name.trim().to_ascii_lowercase())
                .filter(|name| !name.is_empty())
                .collect(),
        }
    }

    /// Moves bytes into `line` until it ends with `end`. Whether it does.
    fn collect(
        &mut self,
        input: &mut Bytes,
        end: &[u8],
        limit: usize,
        what: &str,
    ) -> Result<bool, Error> {
        let most = limit.saturating_add(end.len());
        while input.has_remaining() {
            self.line.extend_from_slice(&[input.get_u8()]);
            if self.line.ends_with(end) {
                return Ok(true);
            }
            if self.line.len() >= most {
                return Err(error::too_large(what, &format!("{limit} bytes")));
            }
        }
        Ok(false)
    }

    fn header(&mut self) -> Result<State, Error> {
        let line = self.line.split();
        let line = line.strip_suffix(b"\r\n").unwrap_or(&line);
        let line =
            str::from_utf8(line).map_err(|_| Error::invalid_request("Invalid chunk size"))?;
        let (size, signature) = match line.split_once(";chunk-signature=") {
            Some((size, signature)) => (size, Some(signature)),
            None => (line, None),
        };
        let is_hex =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        match signature {
            Some(signature) if is_hex(size) && is_hex(signature) && signature.len() == 64 => {
                signature.clone_into(&mut self.claimed);
            }
            Some(_) => return Err(Error::invalid_request("Invalid chunk header")),
            None if !is_hex(size) => return Err(Error::invalid_request("Invalid chunk size")),
            None if self.mode.is_signed() => {
                return Err(Error::invalid_signature("Missing chunk signature"));
            }
            None => {}
        }
        // Only a size that is far too large does not fit.
        let size = u64::from_str_radix(size, 16).unwrap_or(u64::MAX);
        if size > LONGEST_CHUNK {
            return Err(error::too_large("chunk", &format!("{LONGEST_CHUNK} bytes")));
        }
        if size > 0 {
            return Ok(State::Content(size));
        }
        if self.mode.has_trailer() {
            self.verify_chunk()?;
            return Ok(State::Trailer);
        }
        Ok(State::Footer { last: true })
    }

    fn content(
        &mut self,
        input: &mut Bytes,
        left: u64,
        output: &mut VecDeque<Bytes>,
    ) -> Result<State, Error> {
        let take = usize::try_from(left).unwrap_or(usize::MAX).min(input.len());
        let piece = input.split_to(take);
        if self.chain.is_some() {
            self.hash.update(&piece);
        }
        let taken = piece.len() as u64;
        self.length = self.length.saturating_add(taken);
        if self
            .announced
            .is_some_and(|announced| self.length > announced)
        {
            return Err(error::incomplete_body());
        }
        output.push_back(piece);
        Ok(match left.saturating_sub(taken) {
            0 => State::Footer { last: false },
            left => State::Content(left),
        })
    }

    fn verify_chunk(&mut self) -> Result<(), Error> {
        let fresh = digest::Context::new(&digest::SHA256);
        let hash = std::mem::replace(&mut self.hash, fresh).finish();
        if let Some(chain) = &mut self.chain {
            if !chain
                .signer
                .verifies_chunk(&chain.seed, hash.as_ref(), &self.claimed)
            {
                return Err(error::signature_mismatch());
            }
            chain.seed = std::mem::take(&mut self.claimed);
        }
        Ok(())
    }

    /// Every promised header has to be there, and a signature over them has to be right.
    fn trailer(&mut self) -> Result<(), Error> {
        let incomplete = || Error::invalid_request("Incomplete trailer section");
        let block = self.line.split();
        let block = str::from_utf8(&block).map_err(|_| incomplete())?;
        let mut covered = String::new();
        let mut names = Vec::new();
        let mut signature = None;
        for line in block.lines() {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            let (name, value) = (name.trim().to_ascii_lowercase(), value.trim());
            if name == TRAILER_SIGNATURE {
                signature = Some(value);
                continue;
            }
            covered.extend([&*name, ":", value, "\n"]);
            names.push(name);
        }
        if !self.promised.iter().all(|name| names.contains(name)) {
            return Err(incomplete());
        }
        match (&self.chain, signature) {
            (Some(chain), Some(signature))
                if !chain
                    .signer
                    .verifies_trailer(&chain.seed, &covered, signature) =>
            {
                Err(error::signature_mismatch())
            }
            _ => Ok(()),
        }
    }
}

impl Unpack for Decoder {
    fn feed(&mut self, mut input: Bytes, output: &mut VecDeque<Bytes>) -> Result<(), Error> {
        while input.has_remaining() {
            self.state = match self.state {
                State::Header => {
                    if !self.collect(&mut input, b"\r\n", LONGEST_HEADER, "chunk header")? {
                        break;
                    }
                    self.header()?
                }
                State::Content(left) => self.content(&mut input, left, output)?,
                State::Footer { last } => {
                    if !self
                        .collect(&mut input, b"\r\n", 0, "chunk footer")
                        .unwrap_or(true)
                    {
                        break;
                    }
                    if self.line.split() != b"\r\n"[..] {
                        return Err(Error::invalid_request("Missing CRLF after chunk data"));
                    }
                    self.verify_chunk()?;
                    if last { State::Done } else { State::Header }
                }
                State::Trailer => {
                    if !self.collect(&mut input, b"\r\n\r\n", LONGEST_TRAILER, "trailer")? {
                        break;
                    }
                    self.trailer()?;
                    State::Done
                }
                State::Done => {
                    return Err(Error::invalid_request("Unexpected data after final chunk"));
                }
            };
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<(), Error> {
        Err(Error::invalid_request(match self.state {
            State::Done
                if self
                    .announced
                    .is_some_and(|announced| announced != self.length) =>
            {
                return Err(error::incomplete_body());
            }
            State::Done => return Ok(()),
            State::Header if self.line.is_empty() => "Missing final chunk",
            State::Header => "Incomplete chunk header",
            State::Content(_) => "Unexpected end of chunk data",
            State::Footer { .. } => "Missing CRLF after chunk data",
            State::Trailer => "Incomplete trailer section",
        }))
    }
}
