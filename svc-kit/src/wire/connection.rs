use std::{collections::HashMap, collections::VecDeque, io, mem};

use bytes::{Bytes, BytesMut};
use foldhash::fast::RandomState;
use futures_util::FutureExt as _;
use postgres_protocol::{
    IsNull,
    message::frontend::{self, BindError},
};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::{BoxStream, DbError, Failure, Row, frames};

/// Statements kept per connection. Beyond it all are forgotten: shapes of requests are few, and a client that makes
/// up new ones must not fill the server's memory.
const MAX_STATEMENTS: usize = 500;
/// Buffers that one large request needed are not kept for the small ones after it.
const MAX_KEPT: usize = 64 * 1024;
const READ: usize = 8 * 1024;
const TEXT: i16 = 0;
const BINARY: i16 = 1;

/// What the server said of the session when it began.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Session {
    /// `pg_is_in_recovery()`
    pub in_recovery: bool,
    /// `transaction_read_only`
    pub read_only: bool,
    /// True if `default_transaction_isolation` is `read committed`.
    pub read_committed: bool,
}

/// Where a session is between two exchanges: the letters of `ReadyForQuery`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Idle,
    InTransaction,
    /// Something is being sent or answered.
    Busy,
    /// Nobody knows; the connection can only be closed.
    Lost,
}

/// By the text of a statement, or by a role. Texts are long and there are few, so the faster hash will do.
type Statements<V> = HashMap<Box<str>, V, RandomState>;

/// A connection and what was prepared on it.
///
/// Statements are put into a queue, and [`exchange`](Self::exchange) sends all of them and waits for all of their
/// answers. Postgres runs what one exchange sends as one transaction unless a BEGIN is open.
pub struct Connection {
    stream: BoxStream,
    session: Session,
    output: BytesMut,
    input: BytesMut,
    /// Names of prepared statements, by the role that runs them and their text: a plan is made for the policies of
    /// a role, and another role's would have to be made again at every change.
    prepared: Statements<Statements<Box<str>>>,
    kept: usize,
    /// The number in the newest name.
    newest: u64,
    state: State,
    queue: Queue,
}

/// A statement that is to be kept.
struct Prepared {
    role: Box<str>,
    text: Box<str>,
    name: Box<str>,
}

/// What was put into the output and is not answered yet.
#[derive(Default)]
struct Queue {
    /// What is being prepared, in order; nothing for what is not kept.
    preparing: VecDeque<Option<Prepared>>,
    /// Statements to be executed.
    executions: usize,
}

impl Connection {
    /// A connection over a stream on which the start-up is done.
    pub fn new(stream: BoxStream, session: Session) -> Self {
        Self {
            stream,
            session,
            output: BytesMut::new(),
            input: BytesMut::with_capacity(READ),
            prepared: Statements::default(),
            kept: 0,
            newest: 0,
            state: State::Idle,
            queue: Queue::default(),
        }
    }

    /// What the server said of the session.
    pub fn session(&self) -> Session {
        self.session
    }

    /// True if the connection may serve the next request.
    pub fn is_idle(&self) -> bool {
        self.state == State::Idle
    }

    /// True if it can still be brought to rest by [`settle`](Self::settle).
    pub fn is_lost(&self) -> bool {
        // What is half sent cannot be taken back.
        self.state == State::Lost || (self.state == State::Busy && !self.output.is_empty())
    }

    /// Puts a statement into the queue. With a role it is prepared for that role and kept; without, it is sent in
    /// full, as a pooler needs it that may give the next transaction to another session.
    ///
    /// # Errors
    /// What cannot be sent; the queue is then empty.
    pub fn queue<'a>(
        &mut self,
        role: Option<&str>,
        text: &str,
        values: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> Result<(), Failure> {
        let queued = self.try_queue(role, text, values);
        queued.map_err(|error| {
            // The statements that were to be closed stay open, and nobody knows their names any more.
            if self.output.first() == Some(&b'C') {
                self.state = State::Lost;
            }
            self.output.clear();
            self.queue = Queue::default();
            Failure::Unsendable(error)
        })
    }

    fn try_queue<'a>(
        &mut self,
        role: Option<&str>,
        text: &str,
        values: impl IntoIterator<Item = Option<&'a [u8]>>,
    ) -> io::Result<()> {
        let known = role.and_then(|role| self.prepared.get(role)?.get(text));
        let new;
        let name = match (known, role) {
            (Some(name), _) => name,
            (None, None) => {
                frontend::parse("", text, [], &mut self.output)?;
                self.queue.preparing.push_back(None);
                ""
            }
            (None, Some(role)) => {
                self.newest += 1;
                new = format!("s{}", self.newest).into_boxed_str();
                frontend::parse(&new, text, [], &mut self.output)?;
                self.queue.preparing.push_back(Some(Prepared {
                    role: role.into(),
                    text: text.into(),
                    name: new.clone(),
                }));
                &new
            }
        };
        let write = |value: Option<&[u8]>, output: &mut BytesMut| match value {
            Some(value) => {
                output.extend_from_slice(value);
                Ok(IsNull::No)
            }
            None => Ok(IsNull::Yes),
        };
        frontend::bind("", name, [TEXT], values, write, [BINARY], &mut self.output).map_err(
            |error| match error {
                BindError::Serialization(error) => error,
                BindError::Conversion(error) => io::Error::other(error),
            },
        )?;
        frontend::execute("", 0, &mut self.output)?;
        self.queue.executions += 1;
        Ok(())
    }

    /// Puts the closing of every statement into the queue, if there are too many.
    fn tidy_statements(&mut self) -> io::Result<()> {
        if self.kept < MAX_STATEMENTS {
            return Ok(());
        }
        for name in self.prepared.values().flat_map(HashMap::values) {
            frontend::close(b'S', name, &mut self.output)?;
        }
        self.prepared.clear();
        self.kept = 0;
        Ok(())
    }

    /// Sends the queue with one Sync and reads every answer; gives the rows of the last statement.
    ///
    /// # Errors
    /// The first that went wrong; Postgres skips what was queued behind it.
    pub async fn exchange(&mut self) -> Result<Vec<Row>, Failure> {
        let last = self.queue.executions.saturating_sub(1);
        let mut rows = self.exchange_from(last).await?;
        Ok(rows.pop().unwrap_or_default())
    }

    /// Sends the queue with one Sync and reads every answer; gives the rows of every statement, in order.
    ///
    /// # Errors
    /// The first that went wrong; Postgres skips what was queued behind it.
    pub async fn exchange_all(&mut self) -> Result<Vec<Vec<Row>>, Failure> {
        self.exchange_from(0).await
    }

    /// The rows of the statements from the one of this index on.
    async fn exchange_from(&mut self, first: usize) -> Result<Vec<Vec<Row>>, Failure> {
        frontend::sync(&mut self.output);
        self.state = State::Busy;
        let outcome = self.send_and_read(first).await;
        if let Err(Failure::Connection(_)) = &outcome {
            self.state = State::Lost;
        }
        if self.input.capacity() > MAX_KEPT {
            self.input = BytesMut::from(&self.input[..]);
        }
        outcome
    }

    async fn send_and_read(&mut self, first: usize) -> Result<Vec<Vec<Row>>, Failure> {
        self.stream.write_all(&self.output).await?;
        self.stream.flush().await?;
        if self.output.capacity() > MAX_KEPT {
            self.output = BytesMut::new();
        }
        self.output.clear();
        self.read_answers(first).await
    }

    /// Reads up to `ReadyForQuery`, and keeps the rows of the statements from the one of this index on.
    async fn read_answers(&mut self, first: usize) -> Result<Vec<Vec<Row>>, Failure> {
        let mut rows = Vec::new();
        rows.resize_with(self.queue.executions.saturating_sub(first), Vec::new);
        let mut executed = 0;
        let mut refused: Option<DbError> = None;
        loop {
            while let Some(frame) = frames::next(&mut self.input, |tag| {
                !(matches!(tag, b'E' | b'Z') || (tag == b'D' && executed >= first))
            })? {
                match frame.tag {
                    b'D' if executed >= first => {
                        if let Some(rows) = rows.get_mut(executed - first) {
                            rows.push(Row::parse(frame.body)?);
                        }
                    }
                    b'C' | b'I' => executed += 1,
                    b'1' => self.remember(),
                    b'E' if refused.is_none() => refused = Some(DbError::parse(&frame.body)),
                    b'Z' => {
                        self.ready(&frame.body, refused.as_ref());
                        return refused.map_or(Ok(rows), |error| Err(error.into()));
                    }
                    // COPY's: nothing that we send asks for it, and it would wait for us for ever.
                    b'G' | b'H' | b'W' => {
                        return Err(frames::malformed("a COPY that nobody asked for").into());
                    }
                    _ => {}
                }
            }
            self.input.reserve(READ);
            if self.stream.read_buf(&mut self.input).await? == 0 {
                self.state = State::Lost;
                // A server that ends says why before it goes.
                return Err(match refused {
                    Some(error) => error.into(),
                    None => io::Error::new(
                        io::ErrorKind::UnexpectedEof,
                        "server closed the connection unexpectedly",
                    )
                    .into(),
                });
            }
        }
    }

    fn remember(&mut self) {
        if let Some(Some(Prepared { role, text, name })) = self.queue.preparing.pop_front() {
            self.prepared.entry(role).or_default().insert(text, name);
            self.kept += 1;
        }
    }

    fn ready(&mut self, status: &Bytes, refused: Option<&DbError>) {
        self.queue = Queue::default();
        self.state = if status[..] == *b"I" {
            State::Idle
        } else {
            State::InTransaction
        };
        // A prepared statement that is gone, or that the catalog left behind: a new session has neither.
        if refused.is_some_and(|error| {
            error.code == "26000"
                || (error.code == "0A000" && error.message.starts_with("cached plan"))
        }) {
            self.state = State::Lost;
        }
    }

    /// Reads what is still to come and ends an open transaction.
    ///
    /// # Errors
    /// The connection broke.
    pub async fn settle(&mut self) -> Result<(), Failure> {
        if self.state == State::Busy {
            match self.read_answers(usize::MAX).await {
                Ok(_) | Err(Failure::Database(_)) => {}
                Err(error) => {
                    self.state = State::Lost;
                    return Err(error);
                }
            }
        }
        if self.state == State::InTransaction {
            self.queue(None, "ROLLBACK", [])?;
            self.exchange().await?;
        }
        Ok(())
    }

    /// Before the connection serves again: looks whether the server has said something since the last exchange, which
    /// is why it ends or nothing of interest, and lets go of statements if there are too many.
    ///
    /// # Errors
    /// The connection cannot be used again.
    pub fn refresh(&mut self) -> Result<(), Failure> {
        if !self.is_idle() {
            return Err(io::Error::from(io::ErrorKind::NotConnected).into());
        }
        self.input.reserve(READ);
        match self.stream.read_buf(&mut self.input).now_or_never() {
            None => {}
            Some(Ok(1..)) => {
                while let Some(frame) = frames::next(&mut self.input, |tag| tag != b'E')? {
                    if frame.tag == b'E' {
                        return Err(DbError::parse(&frame.body).into());
                    }
                }
            }
            Some(Ok(0)) => return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into()),
            Some(Err(error)) => return Err(error.into()),
        }
        self.tidy_statements().map_err(Failure::Unsendable)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if self.is_idle() {
            let mut bye = mem::take(&mut self.output);
            bye.clear();
            frontend::terminate(&mut bye);
            // As much politeness as there is room for in the socket's buffer.
            let _ = self.stream.write_all(&bye).now_or_never();
        }
    }
}
