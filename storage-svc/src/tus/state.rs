//! What is known of an upload: a few small blobs beside its pieces.
//!
//! No blob is ever written twice, and a piece has its name only when it is whole. So whatever happens to a request, or
//! to a writer that does not know that its lock is gone, the furthest byte that pieces reach from the first one on
//! never goes back.

use std::{collections::BTreeMap, time::Duration};

use bytes::Bytes;
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::{id::UploadId, protocol::Metadata, refusal};
use crate::{
    App,
    blobs::{BlobHeaders, BlobPath, collect, whole},
    domain::upload::user_metadata,
    error::{Error, Result},
    store::objects,
};

/// What was said when the upload was made.
const INFO: &str = "info.json";
/// `done-…`: its row is written.
const DONE: &str = "done-";
/// `length-<bytes>-…`: said later.
const LENGTH: &str = "length-";
/// `object-<version>`: the blob of a row that was about to be written.
const OBJECT: &str = "object-";
/// Headers bound it already.
const MAX_INFO: usize = 1024 * 1024;
const PLAIN: BlobHeaders<'static> = BlobHeaders {
    content_type: "application/octet-stream",
    cache_control: "no-cache",
};

/// What the client said when it made the upload.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Info {
    bucket: String,
    name: String,
    length: Option<u64>,
    pub(super) metadata: Metadata,
    created: DateTime<Utc>,
}

impl Info {
    pub(super) fn new(id: &UploadId, length: Option<u64>, metadata: Metadata) -> Self {
        Self {
            bucket: id.bucket.clone(),
            name: id.name.clone(),
            length,
            metadata,
            created: Utc::now(),
        }
    }

    pub(super) fn headers(&self) -> BlobHeaders<'_> {
        BlobHeaders {
            content_type: self.content_type(),
            cache_control: self.metadata.get("cacheControl").unwrap_or("no-cache"),
        }
    }

    pub(super) fn content_type(&self) -> &str {
        let kind = self.metadata.get("contentType");
        kind.unwrap_or(PLAIN.content_type)
    }

    /// What clients add, as JSON text.
    pub(super) fn user_metadata(
        &self,
    ) -> Result<Option<serde_json::Map<String, serde_json::Value>>> {
        let json = self.metadata.get("metadata").unwrap_or_default();
        user_metadata(json.as_bytes())
    }
}

/// A stretch of bytes that has arrived.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) size: u64,
    pub(super) path: BlobPath,
}

impl Piece {
    /// The first byte, so that names are in order; and something of its own, so that nothing is overwritten.
    pub(super) fn name(start: u64) -> String {
        format!("{start:020}-{}", Uuid::new_v4())
    }

    fn start_of(name: &str) -> Option<u64> {
        let (start, own) = name.split_once('-')?;
        let is_start = start.len() == 20 && start.bytes().all(|byte| byte.is_ascii_digit());
        let is_own = Uuid::try_parse(own).is_ok();
        start.parse().ok().filter(|_| is_start && is_own)
    }
}

/// An upload and how far it is.
#[derive(Clone, Debug)]
pub(super) struct Upload {
    pub(super) id: UploadId,
    pub(super) info: Info,
    /// Bytes of the whole, unless the client has not said yet.
    pub(super) length: Option<u64>,
    /// Bytes that are here.
    pub(super) offset: u64,
    /// The pieces that they are in, in order.
    pub(super) pieces: Vec<Piece>,
    /// The object is made.
    pub(super) is_done: bool,
    /// And that is noted.
    is_concluded: bool,
    /// When something last came of it.
    touched: DateTime<Utc>,
    attempts: Vec<Uuid>,
    all: Vec<BlobPath>,
}

impl Upload {
    /// An upload that is nowhere yet.
    pub(super) fn draft(id: UploadId, info: Info) -> Self {
        Self {
            length: info.length,
            offset: 0,
            pieces: Vec::new(),
            is_done: false,
            is_concluded: false,
            touched: info.created,
            attempts: Vec::new(),
            all: Vec::new(),
            id,
            info,
        }
    }

    /// Keeps it.
    pub(super) async fn create(self, app: &App) -> Result<Self> {
        // Plain texts and numbers.
        let text = serde_json::to_vec(&self.info).map_err(|_| Error::internal())?;
        self.note(app, INFO, text.into()).await?;
        Ok(self)
    }

    /// Reads an upload.
    pub(super) async fn load(app: &App, id: &UploadId) -> Result<Self> {
        let path = app.locator().piece(&id.folder(), INFO);
        let content = app.blobs().read(&path, None).await?;
        let content = content.ok_or_else(refusal::file_not_found)?;
        let text = collect(content.into_stream(), None, MAX_INFO).await;
        let text = text.ok().flatten().ok_or_else(Error::internal)?;
        let info: Info = serde_json::from_slice(&text).map_err(|error| {
            tracing::error!(%error, "the state of an upload cannot be read");
            Error::internal()
        })?;
        // The version alone leads here, and permissions are those of the key.
        if info.bucket != id.bucket || info.name != id.name {
            return Err(refusal::file_not_found());
        }
        let mut upload = Self::draft(id.clone(), info);
        upload.refresh(app).await?;
        Ok(upload)
    }

    /// Looks again, now that nobody else writes.
    pub(super) async fn refresh(&mut self, app: &App) -> Result<()> {
        let folder = app.locator().pieces(&self.id.folder());
        let mut listed = app.blobs().list(&folder);
        let mut pieces = Vec::new();
        self.all.clear();
        self.attempts.clear();
        let mut has_info = false;
        let mut later = None;
        while let Some(found) = listed.try_next().await? {
            self.touched = self.touched.max(found.since);
            let name = found.path.as_str().strip_prefix(&folder);
            let name = name.unwrap_or_default();
            if let Some(start) = Piece::start_of(name) {
                pieces.push(Piece {
                    start,
                    size: found.size,
                    path: found.path.clone(),
                });
            } else if let Some(length) = name.strip_prefix(LENGTH) {
                // Said twice only by writers that did not know of each other; one of them counts.
                let (length, _) = length.split_once('-').unwrap_or_default();
                later = later.max(length.parse().ok());
            } else if let Some(version) = name.strip_prefix(OBJECT) {
                self.attempts.extend(Uuid::try_parse(version));
            } else if name.starts_with(DONE) {
                self.is_done = true;
                self.is_concluded = true;
            } else if name == INFO {
                has_info = true;
            }
            self.all.push(found.path);
        }
        if !has_info {
            return Err(refusal::file_not_found());
        }
        self.length = self.info.length.or(later);
        (self.offset, self.pieces) = chain(pieces);
        if self.is_done {
            self.offset = self.length.unwrap_or_default();
        }
        Ok(())
    }

    /// True if all bytes are here.
    pub(super) fn is_complete(&self) -> bool {
        self.length == Some(self.offset)
    }

    /// Notes a length that was not known before.
    pub(super) async fn declare(&mut self, app: &App, length: u64) -> Result<()> {
        let name = format!("{LENGTH}{length}-{}", Uuid::new_v4());
        self.note(app, &name, Bytes::new()).await?;
        self.length = Some(length);
        Ok(())
    }

    /// When an upload may be given up that rests from now on.
    pub(super) fn expires(&self, after: Duration) -> DateTime<Utc> {
        let after = TimeDelta::from_std(after).unwrap_or(TimeDelta::MAX);
        let latest = DateTime::<Utc>::MAX_UTC;
        self.touched.checked_add_signed(after).unwrap_or(latest)
    }

    /// Notes the version that a row is about to be written with.
    pub(super) async fn attempt(&self, app: &App, version: Uuid) -> Result<()> {
        let name = format!("{OBJECT}{version}");
        self.note(app, &name, Bytes::new()).await
    }

    /// Whether the row was written, though nobody could note it any more.
    pub(super) async fn settle(&mut self, app: &App) -> Result<()> {
        if self.is_done || self.attempts.is_empty() {
            return Ok(());
        }
        let row = objects::find(app.db(), &self.id.bucket, &self.id.name).await;
        let version = match row {
            Ok(row) => row.version.and_then(|version| version.parse().ok()),
            Err(error) if error.code == "NoSuchKey" => None,
            Err(error) => return Err(error),
        };
        self.is_done = version.is_some_and(|version| self.attempts.contains(&version));
        Ok(())
    }

    /// The row is there, and the pieces are not needed any more. That the upload is over is kept until the sweep, for a
    /// client that did not hear of it.
    pub(super) async fn conclude(&mut self, app: &App) {
        self.is_done = true;
        if self.is_concluded {
            return;
        }
        let name = format!("{DONE}{}", Uuid::new_v4());
        // Where that fails, the row tells.
        if self.note(app, &name, Bytes::new()).await.is_ok() {
            self.is_concluded = true;
            let pieces = self.pieces.iter().map(|piece| piece.path.clone());
            app.blobs().delete(pieces.collect()).await;
        }
    }

    /// Notes that more has come.
    pub(super) fn touch(&mut self) {
        self.touched = Utc::now();
    }

    /// Removes an upload, first of all what it cannot be without.
    pub(super) async fn remove(self, app: &App) {
        let info = app.locator().piece(&self.id.folder(), INFO);
        let mut paths = self.all;
        paths.retain(|path| *path != info);
        paths.insert(0, info);
        app.blobs().delete(paths).await;
    }

    async fn note(&self, app: &App, name: &str, content: Bytes) -> Result<()> {
        let path = app.locator().piece(&self.id.folder(), name);
        app.blobs()
            .write(&path, PLAIN, whole(content), u64::MAX)
            .await?;
        Ok(())
    }
}

/// How far pieces reach from the first byte on, without a gap, and through which of them.
fn chain(mut pieces: Vec<Piece>) -> (u64, Vec<Piece>) {
    pieces.sort_by(|a, b| (a.start, &a.path).cmp(&(b.start, &b.path)));
    // Where one can be, and by which piece one came there.
    let mut reached: BTreeMap<u64, Option<usize>> = BTreeMap::from([(0, None)]);
    for (index, piece) in pieces.iter().enumerate() {
        let end = piece.start.checked_add(piece.size);
        if let Some(end) = end.filter(|end| *end > piece.start)
            && reached.contains_key(&piece.start)
        {
            reached.entry(end).or_insert(Some(index));
        }
    }
    let furthest = reached.last_key_value().map_or(0, |(end, _)| *end);
    let (mut at, mut through) = (furthest, Vec::new());
    while let Some(piece) = reached
        .get(&at)
        .copied()
        .flatten()
        .and_then(|index| pieces.get(index))
    {
        at = piece.start;
        through.push(piece.clone());
    }
    through.reverse();
    (furthest, through)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blobs::Locator;

    fn reach(pieces: &[(u64, u64)]) -> (u64, Vec<(u64, u64)>) {
        let locator = Locator::new("t");
        let pieces = pieces.iter().map(|(start, size)| Piece {
            start: *start,
            size: *size,
            path: locator.piece("u", &Piece::name(*start)),
        });
        let (end, through) = chain(pieces.collect());
        let through = through.iter().map(|piece| (piece.start, piece.size));
        (end, through.collect())
    }

    #[test]
    fn pieces_count_as_far_as_they_line_up() {
        assert_eq!(reach(&[]), (0, vec![]));
        assert_eq!(reach(&[(5, 5), (0, 5)]), (10, vec![(0, 5), (5, 5)]));
        assert_eq!(reach(&[(0, 5), (6, 5)]), (5, vec![(0, 5)]));
        assert_eq!(reach(&[(1, 5)]), (0, vec![]));
        assert_eq!(reach(&[(0, 0), (0, 3)]), (3, vec![(0, 3)]));
        assert_eq!(
            reach(&[(0, u64::MAX), (u64::MAX, 1)]),
            (u64::MAX, vec![(0, u64::MAX)])
        );
    }

    #[test]
    fn a_piece_that_comes_late_is_counted_once_and_takes_nothing_back() {
        // A stale writer's ten bytes beside those that were written meanwhile.
        let late = [(0, 3), (3, 2), (0, 10)];
        assert_eq!(reach(&late), (10, vec![(0, 10)]));
        let late = [(0, 3), (3, 20), (0, 10)];
        assert_eq!(reach(&late), (23, vec![(0, 3), (3, 20)]));
    }

    #[test]
    fn names_of_pieces_are_only_those() {
        assert_eq!(Piece::start_of(&Piece::name(7)), Some(7));
        assert_eq!(Piece::start_of(&Piece::name(u64::MAX)), Some(u64::MAX));
        for name in [INFO, "done-7", "length-7-x", "7-x", "00000000000000000007"] {
            assert_eq!(Piece::start_of(name), None, "{name}");
        }
    }
}
