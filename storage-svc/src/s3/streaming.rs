//! Bodies that come in signed chunks (`aws-chunked`): the size of each in hexadecimal, its signature, its
//! bytes; at the end perhaps headers. Each signature covers the one before it, the first that of the request.
//!
//! [`Decoder`] is told of bytes as they arrive and gives out the content; [`decode`] does that to a stream.
//! Content is given out before its signature was seen, so nothing may be kept of a body whose end
//! was not reached.

pub(crate) mod decoder;
pub(crate) mod plain;

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::{Stream, StreamExt as _, stream};
use http::HeaderMap;

use crate::error::Error;
use crate::s3::signature::Signer;

/// How the chunks of a body are vouched for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Every chunk is signed.
    Signed,
    /// And headers follow the last one.
    SignedTrailer,
    /// Nothing is signed, and headers follow.
    UnsignedTrailer,
}

impl Mode {
    /// From `x-amz-content-sha256`. `None`: the body is what it is.
    pub(crate) fn of(headers: &HeaderMap) -> Result<Option<Self>, Error> {
        let value = headers
            .get("x-amz-content-sha256")
            .and_then(|value| value.to_str().ok())
            .filter(|value| value.starts_with("STREAMING-"));
        match value {
            None => Ok(None),
            Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD") => Ok(Some(Self::Signed)),
            Some("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER") => Ok(Some(Self::SignedTrailer)),
            Some("STREAMING-UNSIGNED-PAYLOAD-TRAILER") => Ok(Some(Self::UnsignedTrailer)),
            Some(other) => Err(Error::invalid_request(format!(
                "Invalid streaming algorithm: {other}"
            ))),
        }
    }

    const fn is_signed(self) -> bool {
        !matches!(self, Self::UnsignedTrailer)
    }

    const fn has_trailer(self) -> bool {
        !matches!(self, Self::Signed)
    }
}

/// Something that turns the bytes of a body into content, and may refuse.
pub(crate) trait Unpack {
    /// Takes in bytes and appends content.
    fn feed(&mut self, input: Bytes, output: &mut VecDeque<Bytes>) -> Result<(), Error>;
    /// Whether the body may end here.
    fn finish(&mut self) -> Result<(), Error>;
}

/// Why a body could not be read to its end.
#[derive(Debug)]
pub(crate) enum BodyError<E> {
    /// The connection failed.
    Transport(E),
    /// The content was refused.
    Refused(Error),
}

/// The content of a body.
pub(crate) fn decode<S, E, U>(body: S, unpack: U) -> impl Stream<Item = Result<Bytes, BodyError<E>>>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    U: Unpack,
{
    let state = (body, unpack, VecDeque::new(), false);
    stream::try_unfold(
        state,
        async |(mut body, mut unpack, mut ready, mut ended)| {
            loop {
                if let Some(bytes) = ready.pop_front() {
                    return Ok(Some((bytes, (body, unpack, ready, ended))));
                }
                if ended {
                    return Ok(None);
                }
                match body.next().await {
                    Some(Ok(input)) => {
                        unpack.feed(input, &mut ready).map_err(BodyError::Refused)?;
                    }
                    Some(Err(error)) => return Err(BodyError::Transport(error)),
                    None => {
                        unpack.finish().map_err(BodyError::Refused)?;
                        ended = true;
                    }
                }
            }
        },
    )
}

/// What a chunked body is checked against.
#[derive(Debug, Clone)]
pub(crate) struct Chain {
    pub(crate) signer: Signer,
    /// The signature of the request.
    pub(crate) seed: String,
}

#[cfg(test)]
mod tests;
