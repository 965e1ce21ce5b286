//! Bytes as they arrive, cut into pieces.

use std::{sync::Arc, time::Duration};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::StreamExt as _;
use tokio::sync::Mutex;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use super::state::{Piece, Upload};
use crate::{
    App,
    blobs::{BlobPath, Incoming, Stored},
    error::{Error, Result},
};

/// What is lost at most when the process is killed.
const PIECE: u64 = 16 * 1024 * 1024;
/// How long a body may rest.
const IDLE: Duration = Duration::from_secs(120);
/// So many small pieces in a row become one.
const MANY: usize = 256;
const SMALL: u64 = 1024 * 1024;

/// How a body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// With its last byte.
    Whole,
    /// The connection broke, or nothing came any more.
    Broken,
    /// Somebody else wants to write.
    Asked,
    /// It was longer than it may be.
    TooLong,
}

/// What has arrived.
pub(super) struct Received {
    pub(super) end: End,
    /// The piece, if it was only one.
    pub(super) single: Option<Stored>,
}

/// A body that always ends well, and remembers how.
struct Source {
    body: BodyDataStream,
    asked: CancellationToken,
    /// Bytes that it may still have.
    left: u64,
    rest: Option<Bytes>,
    end: Option<End>,
}

fn length(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

impl Source {
    /// Some bytes, but no more than `most`.
    async fn next(&mut self, most: u64) -> Option<Bytes> {
        let mut bytes = match self.rest.take() {
            Some(rest) => rest,
            None => self.read().await?,
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        if bytes.len() > most {
            self.rest = Some(bytes.split_off(most));
        }
        Some(bytes)
    }

    async fn read(&mut self) -> Option<Bytes> {
        while self.end.is_none() {
            let chunk = tokio::select! {
                biased;
                () = self.asked.cancelled() => {
                    self.end = Some(End::Asked);
                    break;
                }
                chunk = tokio::time::timeout(IDLE, self.body.next()) => chunk,
            };
            match chunk {
                Ok(Some(Ok(bytes))) if bytes.is_empty() => {}
                Ok(Some(Ok(bytes))) => match self.left.checked_sub(length(&bytes)) {
                    Some(left) => {
                        self.left = left;
                        return Some(bytes);
                    }
                    None => self.end = Some(End::TooLong),
                },
                Ok(None) => self.end = Some(End::Whole),
                Ok(Some(Err(_))) | Err(_) => self.end = Some(End::Broken),
            }
        }
        None
    }
}

/// Reads what nobody wants, as far as it is not too much: a client that still sends would not see why it should not.
pub(super) async fn drain(body: Body) {
    const MOST: u64 = 64 * 1024 * 1024;
    const LONGEST: Duration = Duration::from_secs(10);
    let mut body = body.into_data_stream();
    let mut left = MOST;
    let _ = tokio::time::timeout(LONGEST, async {
        while let Some(Ok(bytes)) = body.next().await
            && let Some(rest) = left.checked_sub(length(&bytes))
        {
            left = rest;
        }
    })
    .await;
}

/// A piece of a body, whose first bytes are here already.
fn piece_of(source: &Arc<Mutex<Source>>, first: Bytes) -> Incoming {
    let left = PIECE.saturating_sub(length(&first));
    let source = Arc::clone(source);
    let rest = futures_util::stream::unfold((source, left), async |(source, left)| {
        if left == 0 {
            return None;
        }
        let bytes = source.lock().await.next(left).await?;
        let left = left.saturating_sub(length(&bytes));
        Some((Ok(bytes), (source, left)))
    });
    futures_util::stream::once(async { Ok(first) })
        .chain(rest)
        .boxed()
}

impl Upload {
    /// Adds a body of at most so many bytes, and keeps what came of it however it ends.
    pub(super) async fn receive(
        &mut self,
        app: &App,
        body: Body,
        limit: u64,
        asked: CancellationToken,
    ) -> Result<Received> {
        let source = Arc::new(Mutex::new(Source {
            body: body.into_data_stream(),
            asked,
            left: limit,
            rest: None,
            end: None,
        }));
        let mut single = None;
        loop {
            let first = source.lock().await.next(PIECE).await;
            let Some(first) = first else {
                break;
            };
            let body = piece_of(&source, first);
            let (piece, stored) = self.write_piece(app, self.offset, body).await?;
            self.offset = self.offset.saturating_add(piece.size);
            self.touch();
            self.pieces.push(piece);
            single = (self.pieces.len() == 1).then_some(stored);
        }
        let end = source.lock().await.end;
        Ok(Received {
            end: end.unwrap_or(End::Whole),
            single,
        })
    }

    /// Writes a piece. It has its name only when it is whole.
    async fn write_piece(&self, app: &App, start: u64, body: Incoming) -> Result<(Piece, Stored)> {
        let folder = self.id.folder();
        let path = app.locator().piece(&folder, &Piece::name(start));
        let headers = self.info.headers();
        let blobs = app.blobs();
        let stored = if blobs.are_files() {
            let draft = format!("draft-{}", Uuid::new_v4());
            let draft = app.locator().piece(&folder, &draft);
            let stored = blobs.write(&draft, headers, body, u64::MAX).await?;
            if !blobs.copy(&draft, &path, None).await? {
                return Err(Error::internal());
            }
            blobs.delete(vec![draft]).await;
            stored
        } else {
            blobs.write(&path, headers, body, u64::MAX).await?
        };
        let size = stored.size;
        Ok((Piece { start, size, path }, stored))
    }

    /// Makes one piece of many small ones at the end, so that a client that sends little at a time does not make
    /// listing slower and slower.
    pub(super) async fn compact(&mut self, app: &App) -> Result<()> {
        let small = self.pieces.iter().rev();
        let small = small.take_while(|piece| piece.size < SMALL).count();
        if small < MANY {
            return Ok(());
        }
        let old = self
            .pieces
            .split_off(self.pieces.len().saturating_sub(small));
        let paths: Vec<BlobPath> = old.iter().map(|piece| piece.path.clone()).collect();
        let Some(first) = old.first() else {
            return Ok(());
        };
        let body = app.blobs().chain(paths.clone());
        let (piece, _) = self.write_piece(app, first.start, body).await?;
        self.pieces.push(piece);
        app.blobs().delete(paths).await;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(chunks: Vec<Result<Bytes, std::io::Error>>, left: u64) -> Source {
        let body = Body::from_stream(futures_util::stream::iter(chunks));
        Source {
            body: body.into_data_stream(),
            asked: CancellationToken::new(),
            left,
            rest: None,
            end: None,
        }
    }

    async fn all(source: &mut Source, most: u64) -> (Vec<Bytes>, Option<End>) {
        let mut all = Vec::new();
        while let Some(bytes) = source.next(most).await {
            all.push(bytes);
        }
        (all, source.end)
    }

    #[tokio::test]
    async fn a_body_ends_well_however_it_ends() {
        let text = |text: &'static str| Ok(Bytes::from(text));
        let mut whole = source(vec![text("abc"), text(""), text("de")], 5);
        let (chunks, end) = all(&mut whole, 2).await;
        assert_eq!(chunks, ["ab", "c", "de"]);
        assert_eq!(end, Some(End::Whole));

        let error = std::io::ErrorKind::ConnectionReset.into();
        let mut broken = source(vec![text("abc"), Err(error)], 5);
        assert_eq!(
            all(&mut broken, 9).await,
            (vec!["abc".into()], Some(End::Broken))
        );

        let mut long = source(vec![text("abc"), text("def")], 5);
        assert_eq!(
            all(&mut long, 9).await,
            (vec!["abc".into()], Some(End::TooLong))
        );

        let mut wanted = source(vec![text("abc")], 5);
        wanted.asked.cancel();
        assert_eq!(all(&mut wanted, 9).await, (vec![], Some(End::Asked)));
    }
}
