//! One connection to a copy of a service.
//!
//! It is moved by whoever waits for its answer, not by a task of its own: a request then costs no change of tasks,
//! which is most of what a small one costs otherwise.

use std::{
    io,
    net::SocketAddr,
    os::fd::{AsRawFd as _, RawFd},
    pin::{Pin, pin},
    task::Context,
    time::{Duration, Instant},
};

use axum::body::Body;
use http::{Request, Response};
use hyper::{
    body::Incoming,
    client::conn::http1::{self, Connection, SendRequest},
};
use hyper_util::rt::TokioIo;
use nix::sys::socket::{MsgFlags, recv};
use tokio::net::TcpStream;

/// The largest head of an answer; PostgREST's may be long.
const MAX_HEAD: usize = 256 * 1024;

/// A connection that is not in use, or in use by its owner alone.
#[derive(Debug)]
pub(super) struct Link {
    sender: SendRequest<Body>,
    /// Gone once the connection has ended. Boxed, because links change hands with each request.
    connection: Option<Box<Connection<TokioIo<TcpStream>, Body>>>,
    socket: RawFd,
    /// When it was last used.
    pub(super) since: Instant,
}

/// Why there is no answer.
pub(super) enum Failure {
    /// Nothing was sent; here is the request.
    Unsent(Box<Request<Body>>),
    /// The service may have seen the request.
    Broken(hyper::Error),
}

impl Link {
    pub(super) async fn connect(address: SocketAddr, timeout: Duration) -> io::Result<Self> {
        let stream = connect(address, timeout).await?;
        let socket = stream.as_raw_fd();
        let handshake = http1::Builder::new()
            .max_header_size(MAX_HEAD)
            .handshake(TokioIo::new(stream));
        let (sender, connection) = handshake.await.map_err(io::Error::other)?;
        Ok(Self {
            sender,
            connection: Some(Box::new(connection)),
            socket,
            since: Instant::now(),
        })
    }

    /// Moves bytes both ways, as far as they go.
    pub(super) fn drive(&mut self, context: &mut Context<'_>) {
        if let Some(connection) = &mut self.connection
            && Pin::new(connection).poll(context).is_ready()
        {
            // Dropping it tells whoever waits for an answer that there is none.
            self.connection = None;
        }
    }

    /// Sends a request and waits for the head of its answer.
    pub(super) async fn exchange(
        &mut self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, Failure> {
        let mut answer = pin!(self.sender.try_send_request(request));
        std::future::poll_fn(|context| {
            self.drive(context);
            answer
                .as_mut()
                .poll(context)
                .map_err(|mut error| match error.take_message() {
                    Some(request) => Failure::Unsent(Box::new(request)),
                    None => Failure::Broken(error.into_error()),
                })
        })
        .await
    }

    /// True if the last exchange is over and the connection can take another request.
    pub(super) fn is_free(&mut self, context: &mut Context<'_>) -> bool {
        self.drive(context);
        self.connection.is_some() && self.sender.is_ready()
    }

    /// False once the other side has closed the connection, or sent what nobody asked for.
    pub(super) fn is_alive(&self) -> bool {
        let flags = MsgFlags::MSG_PEEK | MsgFlags::MSG_DONTWAIT;
        recv(self.socket, &mut [0], flags) == Err(nix::errno::Errno::EAGAIN)
    }
}

/// A connection that sends small pieces at once.
pub(crate) async fn connect(address: SocketAddr, timeout: Duration) -> io::Result<TcpStream> {
    let stream = tokio::time::timeout(timeout, TcpStream::connect(address)).await??;
    stream.set_nodelay(true)?;
    Ok(stream)
}
