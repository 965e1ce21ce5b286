use std::sync::Arc;

use bytes::Bytes;

/// A table as the log describes it at the moment of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Relation {
    /// `pg_class.oid`; of the partition where the publication does not publish via the root.
    pub(crate) oid: u32,
    pub(crate) schema: Box<str>,
    pub(crate) name: Box<str>,
    pub(crate) identity: Identity,
    /// In attribute order, without those that the log leaves out: dropped, and before Postgres 18 stored generated ones.
    pub(crate) columns: Vec<Column>,
}

/// A column of a [`Relation`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Column {
    pub(crate) name: Box<str>,
    pub(crate) type_oid: u32,
    pub(crate) type_modifier: i32,
    /// True if it belongs to the replica identity.
    pub(crate) is_identity: bool,
}

/// `pg_class.relreplident`: how much of an old row the log keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Identity {
    Default,
    Nothing,
    Full,
    Index,
}

/// A value of a row, in Postgres's text format with UTC and ISO dates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Cell {
    Null,
    /// A large value that the change left as it was; the log does not repeat it.
    Unchanged,
    Text(Bytes),
}

/// What the log tells of the row before a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Old {
    /// Nothing: an insert, or an update that left the identity as it was.
    None,
    /// The columns of the replica identity; all others are [`Cell::Null`].
    Key(Vec<Cell>),
    /// All columns.
    Full(Vec<Cell>),
}

/// What happened to a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Action {
    Insert,
    Update,
    Delete,
}

/// A change of one row. `new` is there unless it was deleted; cells are in the order of the relation's columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    pub(crate) relation: Arc<Relation>,
    pub(crate) action: Action,
    pub(crate) new: Option<Vec<Cell>>,
    pub(crate) old: Old,
}

/// The transaction that a change belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Commit {
    /// Where in the log its commit record is.
    pub(crate) lsn: u64,
    /// Microseconds since 1970, UTC.
    pub(crate) at: i64,
}

/// What the log says, in commit order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    Change(Commit, Change),
    /// The transaction is complete; `end` is where the log goes on after it.
    Committed {
        commit: Commit,
        end: u64,
    },
}
