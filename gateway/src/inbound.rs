//! The body of a request on its way to a service: streamed, but not without end, and not for ever.

use std::{
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::{Duration, Instant},
};

use axum::body::Body;
use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tokio::time::{Sleep, sleep};

use crate::error::Error;

/// How a body is doing, for whoever waits for the answer to it.
#[derive(Debug)]
pub(crate) struct Progress {
    started: Instant,
    /// Milliseconds from `started` to the last piece.
    last: AtomicU64,
    outcome: AtomicU8,
}

const GONE: u8 = 1;
const TOO_LARGE: u8 = 2;
const STALLED: u8 = 3;

impl Progress {
    /// Why the body broke off, if it was not the service's fault.
    pub(crate) fn failure(&self) -> Option<Error> {
        match self.outcome.load(Ordering::Relaxed) {
            GONE => Some(Error::BadRequest),
            TOO_LARGE => Some(Error::TooLarge),
            STALLED => Some(Error::BodySlow),
            _ => None,
        }
    }

    /// When the last piece passed.
    pub(crate) fn last(&self) -> Instant {
        self.started + Duration::from_millis(self.last.load(Ordering::Relaxed))
    }
}

/// A body with an end.
#[derive(Debug)]
pub(crate) struct Inbound {
    body: Body,
    left: u64,
    idle: Duration,
    timer: Option<Pin<Box<Sleep>>>,
    progress: Arc<Progress>,
}

impl Inbound {
    /// At most `limit` bytes, and never longer than `idle` between two pieces.
    pub(crate) fn new(body: Body, limit: u64, idle: Duration) -> (Self, Arc<Progress>) {
        let progress = Arc::new(Progress {
            started: Instant::now(),
            last: AtomicU64::new(0),
            outcome: AtomicU8::new(0),
        });
        let inbound = Self {
            body,
            left: limit,
            idle,
            timer: None,
            progress: Arc::clone(&progress),
        };
        (inbound, progress)
    }

    fn fail(&self, outcome: u8) -> axum::Error {
        self.progress.outcome.store(outcome, Ordering::Relaxed);
        axum::Error::new(std::io::Error::other("the request body broke off"))
    }
}

impl http_body::Body for Inbound {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let Poll::Ready(frame) = Pin::new(&mut this.body).poll_frame(context) else {
            let idle = this.idle;
            let timer = this.timer.get_or_insert_with(|| Box::pin(sleep(idle)));
            ready!(timer.as_mut().poll(context));
            return Poll::Ready(Some(Err(this.fail(STALLED))));
        };
        this.timer = None;
        let Some(frame) = frame else {
            return Poll::Ready(None);
        };
        let Ok(frame) = frame else {
            return Poll::Ready(Some(Err(this.fail(GONE))));
        };
        let millis = this.progress.started.elapsed().as_millis();
        let millis = u64::try_from(millis).unwrap_or(u64::MAX);
        this.progress.last.store(millis, Ordering::Relaxed);
        let size = frame.data_ref().map_or(0, Bytes::len) as u64;
        match this.left.checked_sub(size) {
            Some(left) => this.left = left,
            None => return Poll::Ready(Some(Err(this.fail(TOO_LARGE)))),
        }
        Poll::Ready(Some(Ok(frame)))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
