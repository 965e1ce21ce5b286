//! Taking a stream back from tokio-postgres when it has made the connection.

use std::{
    io,
    pin::Pin,
    sync::{Arc, Mutex, PoisonError},
    task::{Context, Poll},
};

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
pub struct Lent<S>(Arc<Mutex<Option<S>>>);

impl<S> Clone for Lent<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<S> Lent<S> {
    fn new(stream: Option<S>) -> Self {
        Self(Arc::new(Mutex::new(stream)))
    }

    fn with<T>(&self, work: impl FnOnce(Option<&mut S>) -> T) -> T {
        work(
            self.0
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .as_mut(),
        )
    }

    fn poll<T>(&self, work: impl FnOnce(Pin<&mut S>) -> Poll<io::Result<T>>) -> Poll<io::Result<T>>
    where
        S: Unpin,
    {
        self.with(|stream| match stream {
            Some(stream) => work(Pin::new(stream)),
            None => Poll::Ready(Err(io::ErrorKind::NotConnected.into())),
        })
    }

    fn take_back(&self) -> Option<S> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
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
        self.poll(|stream| stream.poll_write(context, bytes))
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_flush(context))
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll(|stream| stream.poll_shutdown(context))
    }
}

impl<S: TlsStream + Unpin> TlsStream for Lent<S> {
    fn channel_binding(&self) -> ChannelBinding {
        self.with(|stream| match stream {
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
    /// Lends a stream; `connector` makes TLS of it if it comes to that.
    pub(super) fn lend(
        stream: BoxStream,
        connector: Connector,
    ) -> (Self, Lent<BoxStream>, Borrower) {
        let plain = Lent::new(Some(stream));
        let tls = Lent::new(None);
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
            *self.tls.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(encrypted);
            Ok(self.tls)
        })
    }
}
