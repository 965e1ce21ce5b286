//! Connections to one process, kept between requests.

use std::{io, path::PathBuf, sync::Arc};

use axum::body::Body;
use crossbeam_queue::ArrayQueue;
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::UnixStream;

/// How many connections are kept while nobody uses them.
const KEPT: usize = 64;

/// Connections to the socket of a process.
#[derive(Debug)]
pub(crate) struct Connections {
    socket: PathBuf,
    idle: Arc<ArrayQueue<SendRequest<Body>>>,
}

/// A connection in use.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) sender: SendRequest<Body>,
    /// True if it has carried requests before, so that the process may have closed it meanwhile.
    pub(crate) reused: bool,
    idle: Arc<ArrayQueue<SendRequest<Body>>>,
}

impl Connections {
    pub(crate) fn new(socket: PathBuf) -> Self {
        Self {
            socket,
            idle: Arc::new(ArrayQueue::new(KEPT)),
        }
    }

    /// Opens a first connection.
    pub(crate) async fn prime(&self) -> io::Result<()> {
        self.open().await?.give_back();
        Ok(())
    }

    /// A connection that can take a request.
    pub(crate) async fn get(&self) -> io::Result<Connection> {
        while let Some(sender) = self.idle.pop() {
            if sender.is_ready() {
                return Ok(Connection {
                    sender,
                    reused: true,
                    idle: self.idle.clone(),
                });
            }
        }
        self.open().await
    }

    /// A new connection.
    pub(crate) async fn open(&self) -> io::Result<Connection> {
        let stream = UnixStream::connect(&self.socket).await?;
        let (mut sender, connection) = http1::Builder::new()
            .handshake(TokioIo::new(stream))
            .await
            .map_err(io::Error::other)?;
        tokio::spawn(async move {
            if let Err(error) = connection.with_upgrades().await {
                tracing::debug!(%error, "a connection to a function ended");
            }
        });
        sender.ready().await.map_err(io::Error::other)?;
        Ok(Connection {
            sender,
            reused: false,
            idle: self.idle.clone(),
        })
    }
}

impl Connection {
    /// Keeps the connection for another request. Without this it is closed, which tells the function that its caller is
    /// gone.
    pub(crate) fn give_back(self) {
        let Self {
            mut sender, idle, ..
        } = self;
        if sender.is_ready() {
            // A full queue closes the connection.
            let _ = idle.push(sender);
        } else if !sender.is_closed() {
            // The answer is read, but the task of the connection has not noticed yet.
            tokio::spawn(async move {
                if sender.ready().await.is_ok() {
                    let _ = idle.push(sender);
                }
            });
        }
    }
}
