//! What the log tells, from the copy that reads it to the others.

use std::sync::Arc;

use bytes::Bytes;
use serde::{Deserialize, Serialize};

use super::message::Blob;
use crate::replication::{Action, Cell, Change, Column, Commit, Identity, Old, Relation};

/// A change's place in the log: where its transaction's commit is, and the how many-th change of it this is, from 1.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
pub(super) struct Place {
    pub(super) commit: u64,
    pub(super) index: u64,
}

/// Some changes, in their order. Without any it says that the sender reads the log and how far it is.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Log<'a> {
    /// The change before the first of these: whoever does not have it has missed something. Nothing if the sender does
    /// not know any.
    pub(super) after: Option<Place>,
    /// The sender has missed something itself, before these.
    pub(super) has_gap: bool,
    /// The tables of these changes: every message can be read by itself.
    #[serde(borrow)]
    relations: Vec<Table<'a>>,
    #[serde(borrow)]
    rows: Vec<Row<'a>>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Table<'a> {
    oid: u32,
    schema: &'a str,
    name: &'a str,
    identity: u8,
    /// Name, type, modifier, and whether it belongs to the identity.
    #[serde(borrow)]
    columns: Vec<(&'a str, u32, i32, bool)>,
}

#[derive(Debug, Serialize, Deserialize)]
struct Row<'a> {
    place: Place,
    at: i64,
    table: u32,
    action: u8,
    #[serde(borrow)]
    new: Option<Vec<Value<'a>>>,
    #[serde(borrow)]
    old: Before<'a>,
}

#[derive(Debug, Serialize, Deserialize)]
enum Value<'a> {
    Null,
    Unchanged,
    Text(#[serde(borrow)] Blob<'a>),
}

#[derive(Debug, Serialize, Deserialize)]
enum Before<'a> {
    None,
    Key(#[serde(borrow)] Vec<Value<'a>>),
    Full(#[serde(borrow)] Vec<Value<'a>>),
}

/// A change and its place.
pub(super) type Placed = (Place, Commit, Change);

const ACTIONS: [Action; 3] = [Action::Insert, Action::Update, Action::Delete];
const IDENTITIES: [Identity; 4] = [
    Identity::Default,
    Identity::Nothing,
    Identity::Full,
    Identity::Index,
];

impl<'a> Log<'a> {
    /// These changes, which follow that one.
    pub(super) fn new(after: Option<Place>, changes: &'a [Placed]) -> Self {
        let mut known: Vec<&Arc<Relation>> = Vec::new();
        let rows = changes.iter().map(|(place, commit, change)| {
            let relation = &change.relation;
            let table = known.iter().rposition(|it| Arc::ptr_eq(it, relation));
            let table = table.unwrap_or_else(|| {
                known.push(relation);
                known.len() - 1
            });
            Row {
                place: *place,
                at: commit.at,
                table: u32::try_from(table).unwrap_or(u32::MAX),
                action: code(&ACTIONS, change.action),
                new: change.new.as_deref().map(values),
                old: match &change.old {
                    Old::None => Before::None,
                    Old::Key(cells) => Before::Key(values(cells)),
                    Old::Full(cells) => Before::Full(values(cells)),
                },
            }
        });
        let rows = rows.collect();
        Self {
            after,
            has_gap: false,
            relations: known.into_iter().map(|it| table(it)).collect(),
            rows,
        }
    }

    /// The changes; `frame` is what they were read from. Nothing if they make no sense.
    pub(super) fn changes(&self, frame: &Bytes) -> Option<Vec<Placed>> {
        let relations: Option<Vec<_>> = self.relations.iter().map(relation).collect();
        let relations = relations?;
        let rows = self.rows.iter().map(|row| {
            let change = Change {
                relation: relations.get(usize::try_from(row.table).ok()?)?.clone(),
                action: *ACTIONS.get(usize::from(row.action))?,
                new: row.new.as_deref().map(|values| cells(values, frame)),
                old: match &row.old {
                    Before::None => Old::None,
                    Before::Key(values) => Old::Key(cells(values, frame)),
                    Before::Full(values) => Old::Full(cells(values, frame)),
                },
            };
            let commit = Commit {
                lsn: row.place.commit,
                at: row.at,
            };
            Some((row.place, commit, change))
        });
        rows.collect()
    }
}

/// About how many bytes a change takes in a message.
pub(super) fn weight(change: &Change) -> usize {
    let cells = |cells: &[Cell]| -> usize {
        let bytes = cells.iter().map(|cell| match cell {
            Cell::Text(text) => text.len() + 4,
            Cell::Null | Cell::Unchanged => 1,
        });
        bytes.sum()
    };
    let old = match &change.old {
        Old::None => 0,
        Old::Key(it) | Old::Full(it) => cells(it),
    };
    32 + change.new.as_deref().map_or(0, cells) + old
}

fn code<T: PartialEq + Copy>(all: &[T], one: T) -> u8 {
    let index = all.iter().position(|it| *it == one);
    index
        .and_then(|it| u8::try_from(it).ok())
        .unwrap_or(u8::MAX)
}

fn values(cells: &[Cell]) -> Vec<Value<'_>> {
    let value = |cell| match cell {
        &Cell::Null => Value::Null,
        &Cell::Unchanged => Value::Unchanged,
        Cell::Text(text) => Value::Text(Blob(text)),
    };
    cells.iter().map(value).collect()
}

fn cells(values: &[Value<'_>], frame: &Bytes) -> Vec<Cell> {
    let cell = |value: &Value<'_>| match value {
        Value::Null => Cell::Null,
        Value::Unchanged => Cell::Unchanged,
        Value::Text(text) => Cell::Text(frame.slice_ref(text.0)),
    };
    values.iter().map(cell).collect()
}

fn table(relation: &Relation) -> Table<'_> {
    let columns = relation.columns.iter().map(|column| {
        let identity = column.is_identity;
        (
            &*column.name,
            column.type_oid,
            column.type_modifier,
            identity,
        )
    });
    Table {
        oid: relation.oid,
        schema: &relation.schema,
        name: &relation.name,
        identity: code(&IDENTITIES, relation.identity),
        columns: columns.collect(),
    }
}

fn relation(table: &Table<'_>) -> Option<Arc<Relation>> {
    let columns = table
        .columns
        .iter()
        .map(|(name, type_oid, type_modifier, is_identity)| Column {
            name: (*name).into(),
            type_oid: *type_oid,
            type_modifier: *type_modifier,
            is_identity: *is_identity,
        });
    Some(Arc::new(Relation {
        oid: table.oid,
        schema: table.schema.into(),
        name: table.name.into(),
        identity: *IDENTITIES.get(usize::from(table.identity))?,
        columns: columns.collect(),
    }))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::bus::{
        chunks::HEADER,
        message::{Message, decode},
    };

    /// A change of a table of one column.
    pub(crate) fn change(value: &'static str) -> Change {
        Change {
            relation: Arc::new(Relation {
                oid: 7,
                schema: "public".into(),
                name: "t".into(),
                identity: Identity::Full,
                columns: vec![Column {
                    name: "a".into(),
                    type_oid: 25,
                    type_modifier: -1,
                    is_identity: true,
                }],
            }),
            action: Action::Update,
            new: Some(vec![
                Cell::Text(Bytes::from_static(value.as_bytes())),
                Cell::Null,
            ]),
            old: Old::Full(vec![Cell::Unchanged, Cell::Text(Bytes::new())]),
        }
    }

    #[test]
    fn changes_arrive_as_they_were() {
        let first = change("one");
        let second = Change {
            relation: first.relation.clone(),
            action: Action::Delete,
            new: None,
            old: Old::Key(vec![Cell::Null]),
        };
        let commit = Commit { lsn: 9, at: -5 };
        let place = |index| Place { commit: 9, index };
        let sent = [
            (place(1), commit, first),
            (place(2), commit, second),
            (place(3), commit, change("two")),
        ];
        let after = Some(Place {
            commit: 8,
            index: 4,
        });
        let log = Log::new(after, &sent);
        assert_eq!(log.relations.len(), 2);
        let frame = Message::Log(log).encode(1).slice(HEADER..);
        let Some(Message::Log(log)) = decode(&frame) else {
            panic!("not of the log");
        };
        assert_eq!((log.after, log.has_gap), (after, false));
        assert_eq!(log.changes(&frame).unwrap(), sent);
    }
}
