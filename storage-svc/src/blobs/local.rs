//! Blobs as files, laid out as the original's file backend does, so that either can take over the folder.

use std::{
    fs::{self, File, OpenOptions},
    io::{self, IoSlice, Read as _, Seek as _, SeekFrom, Write as _},
    ops::Range,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use anyhow::Context as _;
use bytes::{Bytes, BytesMut};
use chrono::{DateTime, Utc};
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use md5::{Digest as _, Md5};
use tokio::{sync::mpsc, task};

use super::{BlobHeaders, BlobInfo, BlobPath, Content, Found, Incoming, Stored, failed};
use crate::error::{Error, Result};

/// Up to here a blob is read at once.
const WHOLE: u64 = 256 * 1024;
/// What is read or written at a time.
const CHUNK: usize = 256 * 1024;
/// Chunks of a body that are shorter are joined before they are written.
const SMALL: usize = 8 * 1024;
/// Extended attributes in which the original keeps what its file backend answers with.
const CONTENT_TYPE: &str = "user.supabase.content-type";
const CACHE_CONTROL: &str = "user.supabase.cache-control";

/// A folder.
#[derive(Clone, Debug)]
pub(crate) struct Local(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    root: PathBuf,
    sync: bool,
}

/// A file that is being written.
struct Writer {
    file: File,
    path: PathBuf,
    hash: Md5,
    size: u64,
}

/// What of a body waits to be written. Large chunks stay where they were received; small ones are joined, so that a body
/// of very many takes no more memory than one of few.
#[derive(Default)]
struct Pieces {
    whole: Vec<Bytes>,
    small: BytesMut,
    bytes: usize,
}

impl Pieces {
    fn push(&mut self, chunk: Bytes) {
        self.bytes += chunk.len();
        if chunk.len() < SMALL {
            self.small.extend_from_slice(&chunk);
        } else {
            self.flush();
            self.whole.push(chunk);
        }
    }

    fn flush(&mut self) {
        if !self.small.is_empty() {
            self.whole.push(self.small.split().freeze());
        }
    }

    fn take(&mut self) -> Vec<Bytes> {
        self.flush();
        self.bytes = 0;
        std::mem::take(&mut self.whole)
    }
}

impl Local {
    pub(super) fn open(root: PathBuf, sync: bool) -> anyhow::Result<Self> {
        fs::create_dir_all(&root)
            .with_context(|| format!("the folder {} cannot be made", root.display()))?;
        Ok(Self(Arc::new(Inner { root, sync })))
    }

    pub(super) async fn write(
        &self,
        path: &BlobPath,
        headers: BlobHeaders<'_>,
        mut body: Incoming,
    ) -> Result<Stored> {
        let key = path.as_str();
        let path = self.0.path(path);
        let mut writer = None;
        let mut waiting = Pieces::default();
        loop {
            let chunk = match body.try_next().await {
                Ok(chunk) => chunk,
                Err(error) => {
                    if writer.is_some() {
                        self.discard(path).await;
                    }
                    return Err(error);
                }
            };
            let is_last = chunk.is_none();
            if let Some(chunk) = chunk {
                waiting.push(chunk);
                if waiting.bytes < CHUNK {
                    continue;
                }
            }
            let pieces = waiting.take();
            let inner = Arc::clone(&self.0);
            let (at, open) = (path.clone(), writer.take());
            let finish = is_last.then(|| {
                (
                    headers.content_type.to_owned(),
                    headers.cache_control.to_owned(),
                )
            });
            let step = blocking(move || {
                let mut writer = open.map_or_else(|| Writer::create(&inner, &at), Ok)?;
                writer.push(&pieces)?;
                match finish {
                    None => Ok(Err(writer)),
                    Some((content_type, cache_control)) => {
                        set_headers(&writer.file, &content_type, &cache_control);
                        writer.finish(&inner).map(Ok)
                    }
                }
            });
            match step.await {
                Ok(Ok(stored)) => return Ok(stored),
                Ok(Err(unfinished)) => writer = Some(unfinished),
                // A part of the key is longer than the file system takes.
                Err(error) if error.kind() == io::ErrorKind::InvalidFilename => {
                    return Err(Error::invalid_key(key));
                }
                // Another's, which is not to go with this one.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    return Err(failed("write", &error));
                }
                Err(error) => {
                    self.discard(path).await;
                    return Err(failed("write", &error));
                }
            }
        }
    }

    async fn discard(&self, path: PathBuf) {
        let inner = Arc::clone(&self.0);
        let _ = blocking(move || {
            inner.remove(&path);
            Ok(())
        })
        .await;
    }

    pub(super) async fn read(
        &self,
        path: &BlobPath,
        range: Option<Range<u64>>,
    ) -> Result<Option<Content>> {
        let path = self.0.path(path);
        let opened = blocking(move || {
            let mut file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::ErrorKind::NotFound.into());
            }
            let range = range.unwrap_or(0..metadata.len());
            if range.start > 0 {
                file.seek(SeekFrom::Start(range.start))?;
            }
            let left = range.end.saturating_sub(range.start);
            if left <= WHOLE {
                return Ok((read_some(&mut file, left)?, None));
            }
            let first = read_some(&mut file, chunk_of(left))?;
            Ok((first, Some((file, left))))
        });
        match opened.await {
            Ok((bytes, None)) => Ok(Some(Content::Whole(bytes))),
            Ok((first, Some((file, left)))) => {
                let left = left.saturating_sub(u64::try_from(first.len()).unwrap_or(u64::MAX));
                let rest = futures_util::stream::try_unfold((file, left), read_on);
                let first = futures_util::stream::once(async { Ok(first) });
                Ok(Some(Content::Stream(Box::pin(first.chain(rest)))))
            }
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(failed("read", &error)),
        }
    }

    pub(super) async fn info(&self, path: &BlobPath) -> Result<Option<BlobInfo>> {
        let path = self.0.path(path);
        let looked = blocking(move || {
            let file = File::open(path)?;
            let metadata = file.metadata()?;
            if !metadata.is_file() {
                return Err(io::ErrorKind::NotFound.into());
            }
            let (content_type, cache_control) = headers(&file);
            Ok(BlobInfo {
                size: metadata.len(),
                last_modified: metadata.modified()?.into(),
                content_type,
                cache_control,
            })
        });
        match looked.await {
            Ok(info) => Ok(Some(info)),
            Err(error) if is_gone(&error) => Ok(None),
            Err(error) => Err(failed("look at", &error)),
        }
    }

    /// Another name for the same bytes, because nobody ever writes to a blob again; a copy where the file system has
    /// no such names, or the headers differ.
    pub(super) async fn copy(
        &self,
        from: &BlobPath,
        to: &BlobPath,
        headers: Option<BlobHeaders<'_>>,
    ) -> Result<bool> {
        let (from, to) = (self.0.path(from), self.0.path(to));
        let inner = Arc::clone(&self.0);
        let new_headers = headers.map(|headers| {
            (
                headers.content_type.to_owned(),
                headers.cache_control.to_owned(),
            )
        });
        let copied = blocking(move || {
            let source = File::open(&from)?;
            let old = self::headers(&source);
            let same = match (&new_headers, &old) {
                (None, _) => true,
                (Some((kind, cache)), (old_kind, old_cache)) => {
                    old_kind.as_deref() == Some(kind.as_str())
                        && old_cache.as_deref() == Some(cache.as_str())
                }
            };
            if !(same && inner.with_parent(&to, || fs::hard_link(&from, &to)).is_ok()) {
                inner.with_parent(&to, || fs::copy(&from, &to))?;
                let copy = File::open(&to)?;
                let (kind, cache) =
                    new_headers.map_or(old, |(kind, cache)| (Some(kind), Some(cache)));
                set_headers(
                    &copy,
                    kind.as_deref().unwrap_or("application/octet-stream"),
                    cache.as_deref().unwrap_or("no-cache"),
                );
                inner.sync_file(&copy)?;
            }
            inner.sync_folder_of(&to)
        });
        match copied.await {
            Ok(()) => Ok(true),
            Err(error) if is_gone(&error) => Ok(false),
            Err(error) => Err(failed("copy", &error)),
        }
    }

    pub(super) async fn delete(&self, paths: Vec<BlobPath>) {
        let inner = Arc::clone(&self.0);
        let _ = blocking(move || {
            for path in paths {
                inner.remove(&inner.path(&path));
            }
            Ok(())
        })
        .await;
    }

    pub(super) fn list(&self, prefix: &str) -> BoxStream<'static, Result<Found>> {
        const AHEAD: usize = 256;
        let (sender, receiver) = mpsc::channel(AHEAD);
        let inner = Arc::clone(&self.0);
        let folder = inner.root.join(prefix.trim_end_matches('/'));
        task::spawn_blocking(move || {
            if let Err(error) = walk(&inner.root, &folder, &sender) {
                let _ = sender.blocking_send(Err(failed("list", &error)));
            }
        });
        Box::pin(futures_util::stream::unfold(
            receiver,
            async |mut receiver| {
                let found = receiver.recv().await?;
                Some((found, receiver))
            },
        ))
    }
}

impl Inner {
    fn path(&self, path: &BlobPath) -> PathBuf {
        // Keys have no part that leads upwards; were there one all the same, it would be none here.
        let parts = path.as_str().split('/');
        let mut all = self.root.clone();
        all.extend(parts.filter(|part| !matches!(*part, "" | "." | "..")));
        all
    }

    /// Runs what makes a file, with the folders above it. Somebody who removes an empty folder may come between.
    fn with_parent<T>(&self, path: &Path, make: impl Fn() -> io::Result<T>) -> io::Result<T> {
        const TRIES: usize = 16;
        let folder = path.parent().unwrap_or(&self.root);
        let mut last = io::Error::from(io::ErrorKind::NotFound);
        for _ in 0..TRIES {
            match make() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
                other => return other,
            }
            match fs::create_dir_all(folder) {
                // Removed again while its children were made.
                Err(error) if error.kind() == io::ErrorKind::NotFound => last = error,
                Err(error) => return Err(error),
                Ok(()) => {}
            }
        }
        Err(last)
    }

    fn sync_file(&self, file: &File) -> io::Result<()> {
        if self.sync { file.sync_all() } else { Ok(()) }
    }

    /// Makes the name of a file durable, and those of the folders above it that may be new.
    fn sync_folder_of(&self, path: &Path) -> io::Result<()> {
        if !self.sync {
            return Ok(());
        }
        // A folder counts itself twice and each folder in it once; of these, one is where we come from.
        let mut links_of_new = 2;
        let mut folder = path.parent();
        while let Some(path) = folder.filter(|path| path.starts_with(&self.root)) {
            File::open(path)?.sync_all()?;
            if path.metadata()?.nlink() > links_of_new {
                // It has other folders, so it was there before.
                break;
            }
            links_of_new = 3;
            folder = path.parent();
        }
        Ok(())
    }

    /// Removes a file, and the folders above it as far as they are empty.
    fn remove(&self, path: &Path) {
        match fs::remove_file(path) {
            Ok(()) => {}
            Err(error) if is_gone(&error) => return,
            Err(error) => {
                tracing::warn!(%error, "a blob could not be removed");
                return;
            }
        }
        let mut folder = path.parent();
        while let Some(path) = folder.filter(|path| *path != self.root) {
            if fs::remove_dir(path).is_err() {
                break;
            }
            folder = path.parent();
        }
    }
}

impl Writer {
    fn create(inner: &Inner, path: &Path) -> io::Result<Self> {
        let file = inner.with_parent(path, || {
            OpenOptions::new().write(true).create_new(true).open(path)
        })?;
        Ok(Self {
            file,
            path: path.to_owned(),
            hash: Md5::new(),
            size: 0,
        })
    }

    fn push(&mut self, pieces: &[Bytes]) -> io::Result<()> {
        write_all(&mut self.file, pieces)?;
        for piece in pieces {
            self.hash.update(piece);
            self.size += u64::try_from(piece.len()).unwrap_or(u64::MAX);
        }
        Ok(())
    }

    fn finish(self, inner: &Inner) -> io::Result<Stored> {
        inner.sync_file(&self.file)?;
        inner.sync_folder_of(&self.path)?;
        Ok(Stored {
            size: self.size,
            etag: format!("\"{}\"", hex(&self.hash.finalize())),
            last_modified: Utc::now(),
        })
    }
}

/// Writes all of it, with as few calls as the system takes.
fn write_all(file: &mut File, pieces: &[Bytes]) -> io::Result<()> {
    let mut slices: Vec<_> = pieces.iter().map(|piece| IoSlice::new(piece)).collect();
    let mut left = slices.as_mut_slice();
    // Nothing is no reason to write.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Hexadecimal digits in lower case.
pub(super) fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A file system without extended attributes still stores: our own answers come from the row.
fn set_headers(file: &File, content_type: &str, cache_control: &str) {
    use xattr::FileExt as _;
    let _ = file.set_xattr(CONTENT_TYPE, content_type.as_bytes());
    let _ = file.set_xattr(CACHE_CONTROL, cache_control.as_bytes());
}

fn headers(file: &File) -> (Option<String>, Option<String>) {
    use xattr::FileExt as _;
    let read = |name| {
        let value = file.get_xattr(name).ok().flatten()?;
        String::from_utf8(value).ok()
    };
    (read(CONTENT_TYPE), read(CACHE_CONTROL))
}

fn chunk_of(left: u64) -> u64 {
    left.min(u64::try_from(CHUNK).unwrap_or(u64::MAX))
}

/// Reads so many bytes, or up to the end of the file.
fn read_some(file: &mut File, length: u64) -> io::Result<Bytes> {
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(CHUNK));
    file.take(length).read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

async fn read_on((mut file, left): (File, u64)) -> io::Result<Option<(Bytes, (File, u64))>> {
    if left == 0 {
        return Ok(None);
    }
    blocking(move || {
        let bytes = read_some(&mut file, chunk_of(left))?;
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        if length == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(Some((bytes, (file, left.saturating_sub(length)))))
    })
    .await
}

fn is_gone(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory | io::ErrorKind::IsADirectory
    )
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> io::Result<T> {
    task::spawn_blocking(work).await.map_err(io::Error::other)?
}

/// Sends every file below a folder. What vanishes meanwhile is left out.
fn walk(root: &Path, folder: &Path, found: &mpsc::Sender<Result<Found>>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if is_gone(&error) => return Ok(()),
        Err(error) => return Err(error),
    };
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let metadata = match entry.metadata() {
            Ok(metadata) => metadata,
            Err(error) if is_gone(&error) => continue,
            Err(error) => return Err(error),
        };
        if metadata.is_dir() {
            walk(root, &path, found)?;
            continue;
        }
        let Some(name) = path.strip_prefix(root).ok().and_then(Path::to_str) else {
            continue;
        };
        // A link to an old file is new by this time only.
        let since = DateTime::from_timestamp(metadata.ctime(), 0).unwrap_or_else(Utc::now);
        let one = Found {
            path: BlobPath::listed(name.to_owned()),
            since,
            size: metadata.len(),
        };
        if found.blocking_send(Ok(one)).is_err() {
            // Nobody listens any more.
            return Ok(());
        }
    }
    Ok(())
}
