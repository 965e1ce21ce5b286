//! The log of the database, read through a slot.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytes::{BufMut as _, Bytes, BytesMut};
use svc_kit::{
    pg::{quote_ident, quote_literal},
    wire::{DbError, Failure, Row},
};
use tokio::time::{Instant, sleep_until};

use super::{
    Event, Settings,
    connection::Connection,
    decode::{Decoder, EPOCH, Malformed},
    error::ReplicationError,
    lsn,
    read::Reader,
};

/// How often the server is told where we are, if nothing happens.
const EVERY: Duration = Duration::from_secs(10);
/// How long confirmations are gathered.
const GATHER: Duration = Duration::from_millis(100);

/// A connection that is ready to read the log and does not have the slot yet.
pub(crate) struct Reading<'a> {
    connection: Connection,
    settings: &'a Settings,
    pid: i32,
    wal_level: String,
    /// Where the log ends now.
    end: u64,
}

/// The log of the database, read through a slot from where it was last confirmed. While it is open no other process
/// can read the slot.
pub(crate) struct Log {
    connection: Connection,
    decoder: Decoder,
    progress: Progress,
    /// When the server is to be told.
    due: Instant,
    told: Instant,
    created: bool,
}

/// How far things are; places in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Progress {
    /// All before is dealt with, and Postgres may forget it.
    confirmed: u64,
    /// The end of the last transaction that was given out.
    delivered: u64,
    /// All before has arrived.
    received: u64,
}

impl Progress {
    fn confirm(&mut self, end: u64) {
        self.confirmed = self.confirmed.max(end.min(self.delivered));
    }

    /// Where there is nothing that somebody still works on, all that arrived was of no interest.
    fn settle(&mut self, in_transaction: bool) {
        if !in_transaction && self.confirmed >= self.delivered {
            self.confirmed = self.confirmed.max(self.received);
        }
    }
}

impl Reading<'_> {
    /// The server's process that will send to us.
    pub(crate) fn pid(&self) -> i32 {
        self.pid
    }

    /// Takes the slot, making it if it is missing, and begins to read the publications, which must exist. What was
    /// committed before `after` is left out; zero stands for where the slot is.
    ///
    /// Making a slot waits until all transactions that are open at this moment have ended.
    pub(crate) async fn start(
        mut self,
        publications: &[String],
        after: u64,
    ) -> Result<Log, ReplicationError> {
        let slot = self.settings.slot.as_str();
        let refused = |failure| ReplicationError::exchange(failure, slot);
        // A database that was put back to an earlier time would never get where we were.
        let after = if self.end < after { 0 } else { after };
        let mut created = false;
        let known = loop {
            if let Some(place) = find(&mut self.connection, slot).await? {
                break place;
            }
            match self.connection.query(&create(slot)).await {
                // Another copy was faster.
                Err(Failure::Database(error)) if error.code == "42710" => {}
                Err(Failure::Database(error)) if error.code == "55000" => {
                    return Err(self.not_logical_or(ReplicationError::Database(error)));
                }
                made => created = made.map(|_| true).map_err(refused)?,
            }
        };
        let start = format!(
            "START_REPLICATION SLOT {} LOGICAL {} (proto_version '1', publication_names {})",
            quote_ident(slot),
            lsn::write(after),
            quote_literal(&names(publications)),
        );
        match self.connection.start(&start).await {
            Err(Failure::Database(error)) if error.code == "55000" => {
                return Err(self.not_logical_or(ReplicationError::Lost(slot.to_owned())));
            }
            started => started.map_err(refused)?,
        }
        let place = known.max(after);
        let now = Instant::now();
        Ok(Log {
            connection: self.connection,
            decoder: Decoder::default(),
            progress: Progress {
                confirmed: known,
                delivered: place,
                received: place,
            },
            due: now + GATHER,
            told: now,
            created,
        })
    }

    /// What is wrong where the server says only that something is.
    fn not_logical_or(&self, other: ReplicationError) -> ReplicationError {
        // Postgres 19 calls it `replica` and raises it as soon as there is a slot.
        if self.wal_level == "logical" {
            return other;
        }
        ReplicationError::WalLevel(self.wal_level.clone())
    }
}

impl Log {
    /// Connects.
    pub(crate) async fn connect(settings: &Settings) -> Result<Reading<'_>, ReplicationError> {
        let slot = settings.slot.as_str();
        let mut connection = Connection::open(&settings.target, slot).await?;
        let place = "SELECT pg_catalog.pg_backend_pid(), pg_catalog.current_setting('wal_level'), \
             pg_catalog.pg_current_wal_lsn()";
        let rows = connection.query(place).await;
        let rows = rows.map_err(|failure| ReplicationError::exchange(failure, slot))?;
        let end = text(&rows, 2).and_then(|place| lsn::parse(&place));
        Ok(Reading {
            connection,
            settings,
            pid: text(&rows, 0).and_then(|pid| pid.parse().ok()).unwrap_or(0),
            wal_level: text(&rows, 1).unwrap_or_default(),
            end: end.unwrap_or(u64::MAX),
        })
    }

    /// True if the slot did not exist.
    pub(crate) fn created(&self) -> bool {
        self.created
    }

    /// Everything before has arrived.
    pub(crate) fn position(&self) -> u64 {
        self.progress.received
    }

    /// True if a transaction was begun and is not complete yet.
    pub(crate) fn in_transaction(&self) -> bool {
        self.decoder.in_transaction()
    }

    /// Everything before `end` is dealt with, and is not sent again to whoever has the slot next.
    pub(crate) fn confirm(&mut self, end: u64) {
        let before = self.progress;
        self.progress.confirm(end);
        if self.progress != before {
            self.due = self.due.min(self.told + GATHER);
        }
    }

    /// The next event, as far as it has arrived.
    pub(crate) fn arrived(&mut self) -> Result<Option<Event>, ReplicationError> {
        while let Some(frame) = self.connection.buffered()? {
            match frame.tag {
                b'd' => {
                    if let Some(event) = self.message(frame.body)? {
                        if let Event::Committed { end, .. } = event {
                            self.progress.delivered = self.progress.delivered.max(end);
                            self.progress.received = self.progress.received.max(end);
                        }
                        return Ok(Some(event));
                    }
                }
                b'E' => {
                    let error = DbError::parse(&frame.body);
                    return Err(ReplicationError::interruption(error));
                }
                // The server shuts down.
                b'c' => return Err(std::io::Error::from(std::io::ErrorKind::UnexpectedEof).into()),
                _ => {}
            }
        }
        Ok(None)
    }

    /// Waits for the next event, or for news about the [`position`](Self::position), and answers the server
    /// meanwhile. With `reads` false it only does the latter, and returns when something is wrong. Nothing is lost if
    /// it is given up.
    pub(crate) async fn next(&mut self, reads: bool) -> Result<Option<Event>, ReplicationError> {
        let position = self.progress.received;
        loop {
            if reads && let Some(event) = self.arrived()? {
                return Ok(Some(event));
            }
            self.tell()?;
            self.connection.write().await?;
            if reads && self.progress.received != position {
                return Ok(None);
            }
            let due = self.due;
            tokio::select! {
                biased;
                read = self.connection.read(), if reads => read?,
                () = sleep_until(due) => {}
            }
        }
    }

    /// Tells the server what was confirmed last, and gives the slot back. Returns when it is free.
    pub(crate) async fn close(mut self) -> Result<(), ReplicationError> {
        self.due = Instant::now();
        self.tell()?;
        self.connection.queue_end();
        self.connection.write().await?;
        // What was still under way is of no use: it is sent again to whoever comes next.
        while !matches!(self.connection.frame().await?.tag, b'C' | b'E') {}
        Ok(())
    }

    /// What one message of the stream holds.
    fn message(&mut self, body: Bytes) -> Result<Option<Event>, ReplicationError> {
        let mut reader = Reader::new(body);
        match reader.u8()? {
            b'w' => {
                let _start = reader.u64()?;
                let _end = reader.u64()?;
                let _sent_at = reader.u64()?;
                Ok(self.decoder.decode(reader.rest())?)
            }
            b'k' => {
                let end = reader.u64()?;
                let _sent_at = reader.u64()?;
                let wants_answer = reader.u8()? != 0;
                self.progress.received = self.progress.received.max(end);
                if wants_answer {
                    self.due = Instant::now();
                } else if self.progress.confirmed < end {
                    self.due = self.due.min(self.told + GATHER);
                }
                Ok(None)
            }
            _ => Err(Malformed("a message of the stream of an unknown kind").into()),
        }
    }

    /// Queues the message that says where we are, if it is time for it.
    fn tell(&mut self) -> Result<(), ReplicationError> {
        let now = Instant::now();
        if now < self.due {
            return Ok(());
        }
        self.progress.settle(self.decoder.in_transaction());
        let Progress {
            confirmed,
            received,
            ..
        } = self.progress;
        let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
        let micros = since_1970.map_or(0, |since| i64::try_from(since.as_micros()).unwrap_or(0));
        let mut message = BytesMut::with_capacity(34);
        message.put_u8(b'r');
        message.put_u64(received.max(confirmed));
        message.put_u64(confirmed);
        message.put_u64(confirmed);
        message.put_i64(micros - EPOCH);
        message.put_u8(0);
        self.connection.queue(message.freeze())?;
        self.told = now;
        self.due = now + EVERY;
        Ok(())
    }
}

/// Where the slot was last confirmed, if it exists.
async fn find(connection: &mut Connection, slot: &str) -> Result<Option<u64>, ReplicationError> {
    let sought = format!(
        "SELECT confirmed_flush_lsn, plugin IS NOT DISTINCT FROM 'pgoutput' \
             AND database IS NOT DISTINCT FROM pg_catalog.current_database(), \
             wal_status = 'lost' \
         FROM pg_catalog.pg_replication_slots WHERE slot_name = {}",
        quote_literal(slot)
    );
    let rows = connection.query(&sought).await;
    let rows = rows.map_err(|failure| ReplicationError::exchange(failure, slot))?;
    if rows.is_empty() {
        return Ok(None);
    }
    if text(&rows, 1).as_deref() != Some("t") {
        return Err(ReplicationError::Foreign(slot.to_owned()));
    }
    if text(&rows, 2).as_deref() == Some("t") {
        return Err(ReplicationError::Lost(slot.to_owned()));
    }
    let place = text(&rows, 0).and_then(|place| lsn::parse(&place));
    // It has none while it is being made, which is somebody else's work then.
    place.map_or_else(
        || Err(ReplicationError::InUse(slot.to_owned())),
        |place| Ok(Some(place)),
    )
}

fn create(slot: &str) -> String {
    format!(
        "CREATE_REPLICATION_SLOT {} LOGICAL pgoutput (SNAPSHOT 'nothing')",
        quote_ident(slot)
    )
}

/// The plugin takes one text: a list of identifiers.
fn names(publications: &[String]) -> String {
    let quoted: Vec<String> = publications.iter().map(|name| quote_ident(name)).collect();
    quoted.join(",")
}

fn text(rows: &[Row], column: usize) -> Option<String> {
    rows.first()?.text(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_given_out_is_confirmed() {
        let mut progress = Progress {
            confirmed: 10,
            delivered: 20,
            received: 25,
        };
        progress.settle(false);
        assert_eq!(progress.confirmed, 10);
        progress.confirm(15);
        assert_eq!(progress.confirmed, 15);
        progress.confirm(12);
        progress.confirm(99);
        assert_eq!(progress.confirmed, 20);
        progress.settle(true);
        assert_eq!(progress.confirmed, 20);
        progress.settle(false);
        assert_eq!(progress.confirmed, 25);
    }
}
