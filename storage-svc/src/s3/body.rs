//! The body of a request as the signature says it is to be read.

use bytes::{Bytes, BytesMut};
use futures_util::{StreamExt as _, TryStreamExt as _};
use http::{HeaderMap, header};
use svc_kit::http::Lingering;

use crate::{
    blobs::Incoming,
    error::{Error, Result},
    s3::{
        error,
        signature::Signer,
        streaming::{BodyError, Chain, Mode, Unpack, decode, decoder::Decoder, plain::Plain},
    },
};

/// A body that was not read yet, with what it is to be checked against.
pub(super) struct Payload {
    body: Lingering,
    vouched: Vouched,
    length: Option<u64>,
}

/// What vouches for a body.
enum Vouched {
    /// Its hash, or nothing.
    Whole(Option<[u8; 32]>),
    /// A chain of signatures, or at least the form that goes with one.
    Chunks(Mode, Chain, Option<String>),
}

impl Payload {
    /// The body of a request whose signature verified.
    pub(super) fn new(
        body: Lingering,
        headers: &HeaderMap,
        hash: Option<[u8; 32]>,
        signer: Signer,
        seed: &str,
    ) -> Result<Self> {
        let Some(mode) = Mode::of(headers)? else {
            return Ok(Self {
                body,
                vouched: Vouched::Whole(hash),
                length: number(headers, header::CONTENT_LENGTH.as_str()),
            });
        };
        let chain = Chain {
            signer,
            seed: seed.to_owned(),
        };
        let promised = headers
            .get("x-amz-trailer")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        Ok(Self {
            body,
            vouched: Vouched::Chunks(mode, chain, promised),
            length: number(headers, "x-amz-decoded-content-length"),
        })
    }

    /// How long the content says it is.
    pub(super) fn length(&self) -> Option<u64> {
        self.length
    }

    /// The content. Nothing of it counts before its end.
    pub(super) fn into_content(self) -> Incoming {
        match self.vouched {
            Vouched::Whole(hash) => content(self.body, Plain::new(hash)),
            Vouched::Chunks(mode, chain, promised) => {
                let decoder = Decoder::new(mode, chain, self.length, promised.as_deref());
                content(self.body, decoder)
            }
        }
    }

    /// The whole content of a body that is not longer than `limit`.
    pub(super) async fn collect(self, limit: usize) -> Result<Bytes> {
        let mut all = BytesMut::new();
        let mut content = self.into_content();
        while let Some(chunk) = content.try_next().await? {
            if all.len().saturating_add(chunk.len()) > limit {
                return Err(error::too_large("body", "the maximum allowed size").closing());
            }
            all.extend_from_slice(&chunk);
        }
        Ok(all.freeze())
    }
}

fn content(body: Lingering, unpack: impl Unpack + Send + 'static) -> Incoming {
    let content = decode(body, unpack).map(|chunk| {
        chunk.map_err(|error| match error {
            BodyError::Refused(error) => error.closing(),
            BodyError::Transport(error) => {
                tracing::debug!(%error, "the client stopped sending");
                error::incomplete_body().closing()
            }
        })
    });
    Box::pin(content)
}

fn number(headers: &HeaderMap, name: &str) -> Option<u64> {
    headers.get(name)?.to_str().ok()?.trim().parse().ok()
}

/// The body of a form's file, which no hash vouches for.
pub(super) fn unverified(file: Incoming, min: u64) -> Incoming {
    let state = (file, 0_u64);
    Box::pin(futures_util::stream::try_unfold(
        state,
        move |(mut file, seen)| async move {
            match file.try_next().await? {
                Some(chunk) => {
                    let seen = seen.saturating_add(chunk.len() as u64);
                    Ok(Some((chunk, (file, seen))))
                }
                None if seen < min => Err::<_, Error>(error::too_small()),
                None => Ok(None),
            }
        },
    ))
}
