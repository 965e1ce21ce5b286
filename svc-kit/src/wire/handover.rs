//! Taking a stream back from tokio-postgres when it has made the connection.

use std::{
    io, mem,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll, ready},
};

use bytes::{Buf as _, Bytes, BytesMut};
use futures_util::future::BoxFuture;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_postgres::tls::{ChannelBinding, MakeTlsConnect, TlsConnect, TlsStream};
use tokio_postgres_rustls::MakeRustlsConnect;

/// What a connection runs over: TCP, a Unix socket, or TLS.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A stream of any kind.
pub struct BoxStream(Box<dyn Stream>);

impl BoxStream {
    /// Wraps a stream.
    pub fn new(stream: impl Stream + 'static) -> Self {
        Self(Box::new(stream))
    }
}

impl AsyncRead for BoxStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for BoxStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}

type Connector = <MakeRustlsConnect as MakeTlsConnect<BoxStream>>::TlsConnect;

/// TLS over a stream.
pub type Tls = <MakeRustlsConnect as MakeTlsConnect<BoxStream>>::Stream;

/// A stream that can be taken back from whoever it was lent to, for whom it then is closed.
pub struct Lent<S>(Arc<Mutex<Held<S>>>);

/// What was lent, and what is added to the first message that goes through it.
struct Held<S> {
    stream: Option<S>,
    /// Parameters for the start-up message, as it holds them: names and values, each with a zero behind it.
    parameters: Bytes,
    /// The amended message, as far as it is not written yet.
    amended: BytesMut,
}

impl<S> Clone for Lent<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Lent<S> {
    fn new(stream: Option<S>, parameters: Bytes) -> Self {
        Self(Arc::new(Mutex::new(Held {
            stream,
            parameters,
            amended: BytesMut::new(),
        })))
    }

    fn with<T>(&self, work: impl FnOnce(&mut Held<S>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn poll<T>(&self, work: impl FnOnce(Pin<&mut S>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>>
    where
        S: Unpin,
    {
        self.with(|held| match &mut held.stream {
            Some(stream) => work(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        })
    }

    fn put(&self, stream: S) {
        self.with(|held| held.stream = Some(stream));
    }

    fn take_back(&self) -> Option<S> {
        self.with(|held| held.stream.take())
    }
}

impl<S: AsyncWrite + Unpin> Held<S> {
    /// The start-up message with the parameters in it, if that is what is being written: its length, version 3 of
    /// the protocol, the parameters, and a zero. The request for TLS that may go ahead is none.
    fn amend(&mut self, message: &[u8]) -> Option<BytesMut> {
        let is_startup = message.get(4..6) == Some(&[0, 3]);
        if self.parameters.is_empty() || !is_startup {
            return None;
        }
        let parameters = mem::take(&mut self.parameters);
        let length = u32::try_from(message.len() + parameters.len()).ok()?;
        let (kept, end) = message.split_at(message.len() - 1);
        Some(BytesMut::from(
            &[&length.to_be_bytes(), &kept[4..], &parameters, end].concat()[..],
        ))
    }

    fn poll_amended(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while !self.amended.is_empty() {
            let Some(stream) = &mut self.stream else {
                return Poll::Ready(Err(io::ErrorKind::NotConnected.into()));
            };
            match ready!(Pin::new(stream).poll_write(context, &self.amended))? {
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.amended.advance(written),
            }
        }
        Poll::Ready(Ok(()))
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Lent<S> {
    fn poll_read(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_read(context, buffer))
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Lent<S> {
    fn poll_write(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.with(|held| {
            ready!(held.poll_amended(context))?;
            if let Some(amended) = held.amend(bytes) {
                held.amended = amended;
                // What does not fit now goes with the flush.
                if let Poll::Ready(Err(error)) = held.poll_amended(context) {
                    return Poll::Ready(Err(error));
                }
                return Poll::Ready(Ok(bytes.len()));
            }
            match &mut held.stream {
                Some(stream) => Pin::new(stream).poll_write(context, bytes),
                None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
            }
        })
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        ready!(self.with(|held| held.poll_amended(context)))?;
        self.poll(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_shutdown(context))
    }
}

impl<S: TlsStream + Unpin> TlsStream for Lent<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.with(|held| match &held.stream {
            Some(stream) => stream.channel_binding(),
            None => ChannelBinding::none(),
        })
    }
}

/// Both ends that tokio-postgres may come to use: the plain stream, and TLS over it.
pub(super) struct Handover {
    plain: Lent<BoxStream>,
    tls: Lent<Tls>,
}

impl Handover {
    /// Lends a stream; `connector` makes TLS of it if it comes to that. The parameters, each with its name and value
    /// ended by a zero, are added to the start-up message: tokio-postgres knows only some.
    pub(super) fn lend(
        stream: BoxStream,
        connector: Connector,
        parameters: &'static [u8],
    ) -> (Self, Lent<BoxStream>, Borrower) {
        let parameters = Bytes::from_static(parameters);
        let plain = Lent::new(Some(stream), parameters.clone());
        let tls = Lent::new(None, parameters);
        let borrower = Borrower {
            connector,
            tls: tls.clone(),
        };
        let handover = Self {
            plain: plain.clone(),
            tls,
        };
        (handover, plain, borrower)
    }

    /// The stream as it is now used. Whoever has it still reads the end of it.
    pub(super) fn take_back(self) -> Option<BoxStream> {
        match self.tls.take_back() {
            Some(tls) => Some(BoxStream::new(tls)),
            None => self.plain.take_back(),
        }
    }
}

/// Makes TLS of a lent stream, and lends that.
pub(super) struct Borrower {
    connector: Connector,
    tls: Lent<Tls>,
}

impl TlsConnect<Lent<BoxStream>> for Borrower {
    type Stream = Lent<Tls>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Lent<Tls>>>;

    fn connect(self, stream: Lent<BoxStream>) -> Self::Future {
        Box::pin(async move {
            let plain = stream.take_back().ok_or(io::ErrorKind::NotConnected)?;
            let encrypted = self.connector.connect(plain).await?;
            self.tls.put(encrypted);
            Ok(self.tls)
        })
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, duplex};

    use super::*;

    #[tokio::test]
    async fn a_parameter_joins_the_start_up_message_and_nothing_else() {
        let (ours, mut theirs) = duplex(8);
        let mut lent = Lent::new(Some(ours), Bytes::from_static(b"c\0d\0"));
        let written = tokio::spawn(async move {
            lent.write_all(b"\0\0\0\x08\x04\xd2\x16\x2f").await.unwrap();
            for _ in 0..2 {
                lent.write_all(b"\0\0\0\x0d\0\x03\0\0a\0b\0\0")
                    .await
                    .unwrap();
                lent.flush().await.unwrap();
            }
        });
        let mut found = Vec::new();
        theirs.read_to_end(&mut found).await.unwrap();
        written.await.unwrap();
        let expected = [
            &b"\0\0\0\x08\x04\xd2\x16\x2f"[..],
            b"\0\0\0\x11\0\x03\0\0a\0b\0c\0d\0\0",
            b"\0\0\0\x0d\0\x03\0\0a\0b\0\0",
        ];
        assert_eq!(found, expected.concat());
    }
}
