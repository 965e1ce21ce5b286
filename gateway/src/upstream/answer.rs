//! The body of an answer, which moves the connection that it comes over.

use std::{
    future::{Future as _, poll_fn},
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use axum::body::Body;
use bytes::Bytes;
use http::Response;
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Sleep, sleep};

use super::{copy::Slot, link::Link};

/// A service went away in the middle of an answer, or forgot about it.
#[derive(Debug, thiserror::Error)]
enum Cut {
    #[error("the answer broke off")]
    Broken(#[source] hyper::Error),
    #[error("nothing more of the answer arrived")]
    Stalled,
}

type Piece = Result<Frame<Bytes>, hyper::Error>;

/// The answer to hand on. One that is there already becomes plain bytes, and its connection is free at once; any other
/// is streamed piece by piece.
pub(super) async fn hand_on(
    response: Response<Incoming>,
    link: Link,
    slot: Slot,
    keeping: Keeping,
) -> Response<Body> {
    let (parts, incoming) = response.into_parts();
    let mut answer = Answer {
        incoming,
        link: Some(link),
        slot,
        keeping,
        ahead: [None, None],
        timer: None,
    };
    let whole = poll_fn(|context| Poll::Ready(answer.look_ahead(context))).await;
    let body = match whole {
        Some(whole) if whole.is_empty() => Body::empty(),
        Some(whole) => Body::from(whole),
        None => Body::new(answer),
    };
    Response::from_parts(parts, body)
}

/// How connections are kept, and how long a silence may last.
#[derive(Clone, Copy, Debug)]
pub(super) struct Keeping {
    pub(super) room: usize,
    pub(super) idle: Duration,
}

#[derive(Debug)]
struct Answer {
    incoming: Incoming,
    link: Option<Link>,
    slot: Slot,
    keeping: Keeping,
    /// What arrived together with the head.
    ahead: [Option<Piece>; 2],
    timer: Option<Pin<Box<Sleep>>>,
}

impl Answer {
    /// The whole body, if it is here.
    fn look_ahead(&mut self, context: &mut Context<'_>) -> Option<Bytes> {
        if self.incoming.is_end_stream() {
            self.settle(context);
            return Some(Bytes::new());
        }
        for index in 0..2 {
            match self.poll_piece(context) {
                Poll::Pending => return None,
                Poll::Ready(Some(piece)) => {
                    let is_data = piece.as_ref().is_ok_and(Frame::is_data);
                    self.ahead[index] = Some(piece);
                    if !is_data {
                        return None;
                    }
                    if self.incoming.is_end_stream() {
                        self.settle(context);
                        break;
                    }
                }
                Poll::Ready(None) => {
                    self.settle(context);
                    break;
                }
            }
        }
        let is_whole = self.link.is_none() && self.ahead[1].is_none();
        is_whole.then(|| match self.ahead[0].take() {
            Some(Ok(frame)) => frame.into_data().unwrap_or_default(),
            _ => Bytes::new(),
        })
    }

    fn poll_piece(&mut self, context: &mut Context<'_>) -> Poll<Option<Piece>> {
        let piece = Pin::new(&mut self.incoming).poll_frame(context);
        if piece.is_ready() {
            return piece;
        }
        let Some(link) = &mut self.link else {
            return Poll::Pending;
        };
        // Whether it moved or ended, the body knows.
        link.drive(context);
        Pin::new(&mut self.incoming).poll_frame(context)
    }

    /// Gives the connection back after the last byte.
    fn settle(&mut self, context: &mut Context<'_>) {
        if let Some(mut link) = self.link.take()
            && link.is_free(context)
        {
            self.slot.copy().put(link, self.keeping.room);
        }
    }
}

impl http_body::Body for Answer {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        let ahead = this.ahead.iter_mut().find_map(Option::take);
        let piece = match ahead {
            Some(piece) => Poll::Ready(Some(piece)),
            None => this.poll_piece(context),
        };
        match piece {
            Poll::Ready(Some(piece)) => {
                this.timer = None;
                let piece = piece.map_err(|error| axum::Error::new(Cut::Broken(error)));
                Poll::Ready(Some(piece))
            }
            Poll::Ready(None) => {
                this.settle(context);
                Poll::Ready(None)
            }
            Poll::Pending => {
                let idle = this.keeping.idle;
                let timer = this.timer.get_or_insert_with(|| Box::pin(sleep(idle)));
                timer
                    .as_mut()
                    .poll(context)
                    .map(|()| Some(Err(axum::Error::new(Cut::Stalled))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.ahead.iter().all(Option::is_none) && self.incoming.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let mut hint = self.incoming.size_hint();
        let ahead = self.ahead.iter().flatten().flatten();
        let ahead: usize = ahead.filter_map(Frame::data_ref).map(Bytes::len).sum();
        if let Some(exact) = hint.exact() {
            hint.set_exact(exact + ahead as u64);
        }
        hint
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        // A body of known length is not asked for its end.
        if self.is_end_stream() {
            self.settle(&mut Context::from_waker(std::task::Waker::noop()));
        }
    }
}
