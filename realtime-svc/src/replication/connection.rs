//! A connection in replication mode: simple queries, then a stream in both directions.

use std::{io, time::Duration};

use bytes::{Bytes, BytesMut};
use postgres_protocol::message::frontend;
use svc_kit::wire::{
    BoxStream, DbError, Failure, Row, Target,
    frames::{self, Frame},
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::error::ReplicationError;

const READ: usize = 64 * 1024;
/// Beyond this the buffer is made anew when it is empty: one large row must not cost its size for ever.
const KEPT: usize = 4 * READ;
const CONNECT_WITHIN: Duration = Duration::from_secs(15);
/// Values as text come in these formats whatever the role or the database prefers. A connection that has died frees
/// the slot after `wal_sender_timeout`.
const SESSION: &str = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'postgres'; \
     SET bytea_output = 'hex'; SET extra_float_digits = 1; \
     SET statement_timeout = 0; SET lock_timeout = 0; SET idle_session_timeout = 0; \
     SET wal_sender_timeout = '30s'";
/// Who goes while a slot is being made is missed only by this. Not every system can do it.
const CHECK: &str = "SET client_connection_check_interval = '5s'";

/// A connection in replication mode.
pub(super) struct Connection {
    stream: BoxStream,
    input: BytesMut,
    output: BytesMut,
    unflushed: bool,
}

impl Connection {
    /// Connects to the primary.
    pub(super) async fn open(target: &Target, slot: &str) -> Result<Self, ReplicationError> {
        let connecting = async {
            let stream = target.replication().await;
            let mut connection = Self {
                stream: stream.map_err(ReplicationError::connecting)?,
                input: BytesMut::with_capacity(READ),
                output: BytesMut::new(),
                unflushed: false,
            };
            let set = connection.query(SESSION).await;
            set.map_err(|failure| ReplicationError::exchange(failure, slot))?;
            match connection.query(CHECK).await {
                Ok(_) | Err(Failure::Database(_)) => Ok(connection),
                Err(failure) => Err(ReplicationError::exchange(failure, slot)),
            }
        };
        tokio::time::timeout(CONNECT_WITHIN, connecting)
            .await
            .unwrap_or(Err(ReplicationError::TimedOut))
    }

    /// Sends statements or a replication command as a simple query; gives the rows, with values as text.
    pub(super) async fn query(&mut self, text: &str) -> Result<Vec<Row>, Failure> {
        self.command(text).await?;
        let mut rows = Vec::new();
        let mut refused = None;
        loop {
            let frame = self.frame().await?;
            match frame.tag {
                b'D' => rows.push(Row::parse(frame.body)?),
                b'E' => refused = Some(DbError::parse(&frame.body)),
                b'Z' => return refused.map_or(Ok(rows), |error| Err(error.into())),
                _ => {}
            }
        }
    }

    /// Sends a command that is answered by a stream.
    pub(super) async fn start(&mut self, text: &str) -> Result<(), Failure> {
        self.command(text).await?;
        loop {
            let frame = self.frame().await?;
            match frame.tag {
                b'W' => return Ok(()),
                b'E' => return Err(DbError::parse(&frame.body).into()),
                b'Z' => return Err(io::Error::from(io::ErrorKind::InvalidData).into()),
                _ => {}
            }
        }
    }

    async fn command(&mut self, text: &str) -> Result<(), Failure> {
        frontend::query(text, &mut self.output).map_err(Failure::Unsendable)?;
        self.unflushed = true;
        Ok(self.write().await?)
    }

    /// The next message.
    pub(super) async fn frame(&mut self) -> io::Result<Frame> {
        loop {
            if let Some(frame) = self.buffered()? {
                return Ok(frame);
            }
            self.read().await?;
        }
    }

    /// The next message, as far as it has arrived.
    pub(super) fn buffered(&mut self) -> io::Result<Option<Frame>> {
        frames::next(&mut self.input, |_| false)
    }

    /// Waits until more has arrived. Nothing is lost if it is given up.
    pub(super) async fn read(&mut self) -> io::Result<()> {
        if self.input.is_empty() && self.input.capacity() > KEPT {
            self.input = BytesMut::new();
        }
        self.input.reserve(READ);
        if self.stream.read_buf(&mut self.input).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Puts a message of the stream (`CopyData`) behind what is to be sent.
    pub(super) fn queue(&mut self, message: Bytes) -> io::Result<()> {
        frontend::CopyData::new(message)?.write(&mut self.output);
        self.unflushed = true;
        Ok(())
    }

    /// Puts the end of our side of the stream behind it.
    pub(super) fn queue_end(&mut self) {
        frontend::copy_done(&mut self.output);
        self.unflushed = true;
    }

    /// Sends what is queued. If it is given up the rest is sent the next time.
    pub(super) async fn write(&mut self) -> io::Result<()> {
        while !self.output.is_empty() {
            if self.stream.write_buf(&mut self.output).await? == 0 {
                return Err(io::ErrorKind::WriteZero.into());
            }
        }
        if self.unflushed {
            self.stream.flush().await?;
            self.unflushed = false;
        }
        Ok(())
    }
}
