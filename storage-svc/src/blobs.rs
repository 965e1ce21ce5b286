//! Where the bytes are: files, or a bucket of an object store.
//!
//! A blob is written once, under a path that ends in a version of its own, before its row is committed; it is
//! never overwritten. So a crash leaves at most a blob that no row names, which [`crate::domain::sweep`] removes.

mod local;
mod path;
mod remote;

use std::ops::Range;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use futures_util::{Stream, stream::BoxStream};

use crate::{
    config::{Backend, Config},
    error::{Error, Result},
};

pub(crate) use path::{BlobPath, Locator};

/// Bytes of a name that file systems take.
const MAX_FILE_NAME: usize = 255;

/// Bytes on their way in. An error ends the upload.
pub(crate) type Incoming = BoxStream<'static, Result<Bytes>>;
/// Bytes on their way out.
pub(crate) type Outgoing = BoxStream<'static, std::io::Result<Bytes>>;

/// What is kept beside the bytes, for other software that reads the same store.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BlobHeaders<'a> {
    pub(crate) content_type: &'a str,
    pub(crate) cache_control: &'a str,
}

/// What was written.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// Bytes.
    pub(crate) size: u64,
    /// MD5 in hexadecimal, with the quotes of an entity tag.
    pub(crate) etag: String,
    pub(crate) last_modified: DateTime<Utc>,
}

/// What a store says of a blob.
#[derive(Clone, Debug)]
pub(crate) struct BlobInfo {
    pub(crate) size: u64,
    pub(crate) last_modified: DateTime<Utc>,
    pub(crate) content_type: Option<String>,
    pub(crate) cache_control: Option<String>,
}

/// The content of a blob, or of a part of it.
pub(crate) enum Content {
    /// Small enough to be read at once.
    Whole(Bytes),
    Stream(Outgoing),
}

impl Content {
    pub(crate) fn into_stream(self) -> Outgoing {
        match self {
            Self::Whole(bytes) => Box::pin(futures_util::stream::once(async { Ok(bytes) })),
            Self::Stream(stream) => stream,
        }
    }
}

/// A blob that was found while looking through the store.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    pub(crate) path: BlobPath,
    /// When it came to be here, as the store's clock has it.
    pub(crate) since: DateTime<Utc>,
    /// Bytes.
    pub(crate) size: u64,
}

/// The store of all blobs.
#[derive(Clone, Debug)]
pub(crate) enum Blobs {
    Local(local::Local),
    Remote(remote::Remote),
}

impl Blobs {
    /// Opens the store that is configured.
    ///
    /// # Errors
    /// A folder that cannot be made, or settings that the store does not take.
    pub(crate) fn open(config: &Config) -> anyhow::Result<Self> {
        Ok(match &config.backend {
            Backend::File { path, sync } => {
                Self::Local(local::Local::open(path.join(&config.root), *sync)?)
            }
            remote => Self::Remote(remote::Remote::open(remote, &config.root)?),
        })
    }

    /// Writes a new blob. What was written is removed if the body ends in an error or is longer than `limit`.
    pub(crate) async fn write(
        &self,
        path: &BlobPath,
        headers: BlobHeaders<'_>,
        body: Incoming,
        limit: u64,
    ) -> Result<Stored> {
        let body = limited(body, limit);
        match self {
            Self::Local(local) => local.write(path, headers, body).await,
            Self::Remote(remote) => remote.write(path, headers, body).await,
        }
    }

    /// Reads a blob, or a part of it; nothing if it is gone.
    pub(crate) async fn read(
        &self,
        path: &BlobPath,
        range: Option<Range<u64>>,
    ) -> Result<Option<Content>> {
        match self {
            Self::Local(local) => local.read(path, range).await,
            Self::Remote(remote) => remote.read(path, range).await,
        }
    }

    /// What the store knows of a blob; nothing if it is gone.
    pub(crate) async fn info(&self, path: &BlobPath) -> Result<Option<BlobInfo>> {
        match self {
            Self::Local(local) => local.info(path).await,
            Self::Remote(remote) => remote.info(path).await,
        }
    }

    /// Makes a blob that has the bytes of another. With `headers` it gets its own, else the other's.
    /// False if there is no such blob.
    pub(crate) async fn copy(
        &self,
        from: &BlobPath,
        to: &BlobPath,
        headers: Option<BlobHeaders<'_>>,
    ) -> Result<bool> {
        match self {
            Self::Local(local) => local.copy(from, to, headers).await,
            Self::Remote(remote) => remote.copy(from, to, headers).await,
        }
    }

    /// Makes a blob of the bytes of several, one after the other.
    pub(crate) async fn concat(
        &self,
        parts: Vec<BlobPath>,
        to: &BlobPath,
        headers: BlobHeaders<'_>,
    ) -> Result<Stored> {
        let body = self.chain(parts);
        match self {
            Self::Local(local) => local.write(to, headers, body).await,
            Self::Remote(remote) => remote.write(to, headers, body).await,
        }
    }

    /// Whether blobs are files, which can be seen before they are whole.
    pub(crate) fn are_files(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// Whether a blob can have this key: file systems bound the names in a path. Said before the bytes are sent.
    pub(crate) fn takes(&self, key: &str) -> bool {
        !self.are_files() || key.split('/').all(|name| name.len() <= MAX_FILE_NAME)
    }

    /// The bytes of several blobs, one after the other.
    pub(crate) fn chain(&self, parts: Vec<BlobPath>) -> Incoming {
        use futures_util::{StreamExt as _, TryStreamExt as _};
        let blobs = self.clone();
        let parts = futures_util::stream::iter(parts).then(move |path| {
            let blobs = blobs.clone();
            async move {
                let content = blobs.read(&path, None).await?;
                let content = content.ok_or_else(|| Error::blob_gone(path.as_str()))?;
                Ok::<_, Error>(
                    content
                        .into_stream()
                        .map_err(|error| failed("read", &error)),
                )
            }
        });
        Box::pin(parts.try_flatten())
    }

    /// Removes blobs. That one is not there is no error; that one could not be removed is logged, and left to the
    /// sweep.
    pub(crate) async fn delete(&self, paths: Vec<BlobPath>) {
        if paths.is_empty() {
            return;
        }
        match self {
            Self::Local(local) => local.delete(paths).await,
            Self::Remote(remote) => remote.delete(paths).await,
        }
    }

    /// Every blob whose path begins with `prefix`, in no order.
    pub(crate) fn list(&self, prefix: &str) -> BoxStream<'static, Result<Found>> {
        match self {
            Self::Local(local) => local.list(prefix),
            Self::Remote(remote) => remote.list(prefix),
        }
    }
}

/// A body that ends in an error as soon as it is longer than it may be.
fn limited(body: Incoming, limit: u64) -> Incoming {
    use futures_util::StreamExt as _;
    let mut left = limit;
    Box::pin(body.map(move |chunk| {
        let chunk = chunk?;
        let length = u64::try_from(chunk.len()).unwrap_or(u64::MAX);
        left = left
            .checked_sub(length)
            .ok_or_else(|| Error::too_large().closing())?;
        Ok(chunk)
    }))
}

/// What the operator reads of a store that failed; the caller learns only that it did.
fn failed(doing: &'static str, error: &impl std::error::Error) -> Error {
    tracing::error!(%error, doing, "the blob store failed");
    Error::internal()
}

/// A body of one piece.
pub(crate) fn whole(bytes: Bytes) -> Incoming {
    Box::pin(futures_util::stream::once(async { Ok(bytes) }))
}

/// Collects a stream of which the caller knows that it is small, and perhaps how long it is.
pub(crate) async fn collect(
    mut body: impl Stream<Item = std::io::Result<Bytes>> + Unpin,
    length: Option<usize>,
    limit: usize,
) -> std::io::Result<Option<Vec<u8>>> {
    use futures_util::TryStreamExt as _;
    let mut all = Vec::with_capacity(length.unwrap_or_default().min(limit));
    while let Some(chunk) = body.try_next().await? {
        if all.len() + chunk.len() > limit {
            return Ok(None);
        }
        all.extend_from_slice(&chunk);
    }
    Ok(Some(all))
}
