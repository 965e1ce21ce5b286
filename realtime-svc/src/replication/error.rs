use std::io;

use svc_kit::wire::{ConnectError, DbError, Failure};

use super::decode::Malformed;

/// Why the log cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ReplicationError {
    /// SQLSTATE 55006: another copy of the service reads the log, or one that died and is not missed yet.
    #[error("another process reads the slot {0:?}")]
    InUse(String),
    /// Nothing but a restart of the server with another setting helps.
    #[error("wal_level is {0:?}, and must be \"logical\"")]
    WalLevel(String),
    /// The role may not: it needs the attribute REPLICATION.
    #[error("{0}")]
    Permission(String),
    /// SQLSTATE 53400: `max_replication_slots` is reached.
    #[error("{0}")]
    SlotsTaken(String),
    /// SQLSTATE 53300: `max_wal_senders` is reached, or a limit of connections.
    #[error("{0}")]
    ConnectionsTaken(String),
    /// Postgres removed what the slot needs (`max_slot_wal_keep_size`, or a conflict): it can only be made anew.
    #[error("the slot {0:?} has lost its place in the log")]
    Lost(String),
    /// The server keeps more of the log for us than it shall, in bytes.
    #[error("the server keeps {0} bytes of the log")]
    Behind(u64),
    /// The slot's name is taken by something that is not ours.
    #[error("the slot {0:?} belongs to another database or plugin")]
    Foreign(String),
    /// SQLSTATE 42704 while reading: where the slot stands in the log the publication does not exist (before
    /// Postgres 18).
    #[error("{0}")]
    PublicationMissing(String),
    /// None of the publications exists.
    #[error("there is no publication to read")]
    NoPublication,
    /// No connection.
    #[error(transparent)]
    Connect(#[from] ConnectError),
    /// No connection in time.
    #[error("the database does not answer")]
    TimedOut,
    /// The connection broke.
    #[error("the connection to the database broke: {0}")]
    Connection(#[from] io::Error),
    /// Any other refusal.
    #[error("{} ({})", .0.message, .0.code)]
    Database(DbError),
    /// What arrives is not what the protocol says.
    #[error(transparent)]
    Malformed(#[from] Malformed),
    /// The catalog could not be asked.
    #[error(transparent)]
    Catalog(#[from] sqlx::Error),
}

impl ReplicationError {
    /// What a refusal means while connecting, or while the slot is made or taken.
    pub(super) fn refusal(error: DbError, slot: &str) -> Self {
        match error.code.as_str() {
            "55006" => Self::InUse(slot.to_owned()),
            "42501" => Self::Permission(error.message),
            "53300" => Self::ConnectionsTaken(error.message),
            "53400" => Self::SlotsTaken(error.message),
            _ => Self::Database(error),
        }
    }

    /// What a refusal means while the log is read.
    pub(super) fn interruption(error: DbError) -> Self {
        match error.code.as_str() {
            "42704" => Self::PublicationMissing(error.message),
            _ => Self::Database(error),
        }
    }

    /// No connection: the roles that may not replicate are refused here already.
    pub(super) fn connecting(error: ConnectError) -> Self {
        match error.code() {
            Some("42501") => Self::Permission(error.to_string()),
            Some("53300") => Self::ConnectionsTaken(error.to_string()),
            _ => Self::Connect(error),
        }
    }

    /// An exchange that failed.
    pub(super) fn exchange(failure: Failure, slot: &str) -> Self {
        match failure {
            Failure::Database(error) => Self::refusal(error, slot),
            Failure::Connection(error) | Failure::Unsendable(error) => Self::Connection(error),
        }
    }
}
