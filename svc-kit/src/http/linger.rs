//! Bodies of requests that are answered before they were read.
//!
//! A server that answers and closes while the client still sends makes the client's system throw the answer away:
//! instead of a refusal it sees a broken connection, and tries again. So what nobody wants to read is read all the
//! same, beside the answer, for a while.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::{Body, BodyDataStream};
use bytes::Bytes;
use futures_util::{Stream, StreamExt as _};
use http::{HeaderMap, header};

/// Behind this many bytes, or this long, the connection is closed after all.
const MOST: usize = 256 << 20;
const LONGEST: Duration = Duration::from_secs(10);

/// The bytes of a body. Dropped before its end, the rest is read and thrown away in the background.
#[derive(Debug)]
pub struct Lingering {
    body: Option<BodyDataStream>,
    /// The client waits to be asked for the body.
    waits: bool,
}

impl Lingering {
    /// The bytes of the body of a request with these headers.
    pub fn new(headers: &HeaderMap, body: Body) -> Self {
        Self {
            body: Some(body.into_data_stream()),
            waits: headers.contains_key(header::EXPECT),
        }
    }
}

/// The same body; dropped before its end, the rest is read and thrown away in the background. It has no trailers.
pub fn lingering(headers: &HeaderMap, body: Body) -> Body {
    if http_body::Body::is_end_stream(&body) {
        return body;
    }
    Body::from_stream(Lingering::new(headers, body))
}

impl Stream for Lingering {
    type Item = Result<Bytes, axum::Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = &mut *self;
        let Some(body) = &mut this.body else {
            return Poll::Ready(None);
        };
        this.waits = false;
        let next = body.poll_next_unpin(context);
        if !matches!(next, Poll::Ready(Some(Ok(_))) | Poll::Pending) {
            this.body = None;
        }
        next
    }
}

impl Drop for Lingering {
    fn drop(&mut self) {
        let Some(mut body) = self.body.take() else {
            return;
        };
        // Whoever waits to be asked has sent nothing, and reads the refusal.
        if self.waits || http_body::Body::is_end_stream(&body) {
            return;
        }
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        runtime.spawn(tokio::time::timeout(LONGEST, async move {
            let mut read = 0_usize;
            while let Some(Ok(bytes)) = body.next().await {
                read = read.saturating_add(bytes.len());
                if read > MOST {
                    break;
                }
            }
        }));
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use futures_util::stream;
    use tokio::sync::mpsc;

    use super::*;

    /// A body of pieces, and who is told of each one that was read.
    fn body(pieces: usize, size: usize) -> (Lingering, mpsc::UnboundedReceiver<usize>) {
        body_after(&HeaderMap::new(), pieces, size)
    }

    fn body_after(
        headers: &HeaderMap,
        pieces: usize,
        size: usize,
    ) -> (Lingering, mpsc::UnboundedReceiver<usize>) {
        let (read, told) = mpsc::unbounded_channel();
        let pieces = stream::iter(0..pieces).map(move |piece| {
            let _ = read.send(piece);
            Ok::<_, Infallible>(Bytes::from(vec![0; size]))
        });
        (Lingering::new(headers, Body::from_stream(pieces)), told)
    }

    async fn last(mut told: mpsc::UnboundedReceiver<usize>) -> Option<usize> {
        let mut last = None;
        while let Some(piece) = told.recv().await {
            last = Some(piece);
        }
        last
    }

    #[tokio::test]
    async fn what_nobody_wants_is_read_to_its_end() {
        let (mut body, told) = body(10, 1);
        body.next().await.unwrap().unwrap();
        drop(body);
        assert_eq!(last(told).await, Some(9));
    }

    #[tokio::test]
    async fn but_not_without_end() {
        let (body, told) = body(usize::MAX, MOST / 4);
        drop(body);
        assert_eq!(last(told).await, Some(4));
    }

    #[tokio::test]
    async fn a_body_that_waits_to_be_asked_for_is_left_alone() {
        let mut headers = HeaderMap::new();
        headers.insert(header::EXPECT, "100-continue".parse().unwrap());
        let (unread, told) = body_after(&headers, 3, 1);
        drop(unread);
        assert_eq!(last(told).await, None);
        let (mut begun, told) = body_after(&headers, 3, 1);
        begun.next().await.unwrap().unwrap();
        drop(begun);
        assert_eq!(last(told).await, Some(2));
    }

    #[tokio::test]
    async fn a_body_that_was_read_is_done_with() {
        let (body, told) = body(3, 1);
        assert_eq!(body.count().await, 3);
        assert_eq!(last(told).await, Some(2));
    }
}
