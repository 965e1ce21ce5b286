//! As much of pgoutput's protocol as the tests need.

use std::{collections::HashMap, sync::Arc};

use bytes::{Buf as _, Bytes};

use crate::replication::{Action, Cell, Change, Column, Commit, Identity, Old, Relation};

/// Microseconds from 1970 to 2000.
const EPOCH: i64 = 946_684_800_000_000;

pub(super) fn changes(messages: &[Vec<u8>]) -> Vec<(Commit, Change)> {
    let mut relations: HashMap<u32, Arc<Relation>> = HashMap::new();
    let mut commit = Commit { lsn: 0, at: 0 };
    let mut found = Vec::new();
    for message in messages {
        let mut bytes = Bytes::copy_from_slice(message);
        let kind = bytes.get_u8();
        match kind {
            b'B' => {
                commit = Commit {
                    lsn: bytes.get_u64(),
                    at: bytes.get_i64() + EPOCH,
                };
            }
            b'R' => {
                let relation = relation(&mut bytes);
                relations.insert(relation.oid, Arc::new(relation));
            }
            b'I' | b'U' | b'D' => {
                let relation = Arc::clone(&relations[&bytes.get_u32()]);
                let (mut new, mut old) = (None, Old::None);
                while bytes.has_remaining() {
                    match bytes.get_u8() {
                        b'N' => new = Some(cells(&mut bytes)),
                        b'K' => old = Old::Key(cells(&mut bytes)),
                        b'O' => old = Old::Full(cells(&mut bytes)),
                        other => panic!("{other}"),
                    }
                }
                let action = match kind {
                    b'I' => Action::Insert,
                    b'U' => Action::Update,
                    _ => Action::Delete,
                };
                let change = Change {
                    relation,
                    action,
                    new,
                    old,
                };
                found.push((commit, change));
            }
            _ => {}
        }
    }
    found
}

fn relation(bytes: &mut Bytes) -> Relation {
    let oid = bytes.get_u32();
    let (schema, name) = (text(bytes), text(bytes));
    let identity = match bytes.get_u8() {
        b'd' => Identity::Default,
        b'n' => Identity::Nothing,
        b'f' => Identity::Full,
        _ => Identity::Index,
    };
    let columns = (0..bytes.get_u16()).map(|_| Column {
        is_identity: bytes.get_u8() == 1,
        name: text(bytes),
        type_oid: bytes.get_u32(),
        type_modifier: bytes.get_i32(),
    });
    Relation {
        oid,
        schema,
        name,
        identity,
        columns: columns.collect(),
    }
}

fn cells(bytes: &mut Bytes) -> Vec<Cell> {
    let count = bytes.get_u16();
    let cell = |_| match bytes.get_u8() {
        b'n' => Cell::Null,
        b'u' => Cell::Unchanged,
        _ => {
            let length = bytes.get_u32() as usize;
            Cell::Text(bytes.split_to(length))
        }
    };
    (0..count).map(cell).collect()
}

fn text(bytes: &mut Bytes) -> Box<str> {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap();
    let text = bytes.split_to(end);
    bytes.advance(1);
    std::str::from_utf8(&text).unwrap().into()
}
