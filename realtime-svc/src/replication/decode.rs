//! What the plugin `pgoutput` says in version 1 of its protocol.
//!
//! <https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html>

use std::{collections::HashMap, sync::Arc};

use bytes::Bytes;

use super::{Action, Cell, Change, Column, Commit, Event, Identity, Old, Relation, read::Reader};

/// Tables that are remembered. The plugin describes each once per connection, so none can be forgotten; more than
/// this is a database that nobody has.
const MAX_RELATIONS: usize = 100_000;
/// Microseconds from 1970, where ours begin, to 2000, where Postgres's do.
pub(super) const EPOCH: i64 = 946_684_800_000_000;

/// The log says what it cannot say; the connection is of no use any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the log holds {0}")]
pub(crate) struct Malformed(pub(super) &'static str);

/// Reads messages of one connection, in order.
#[derive(Debug, Default)]
pub(super) struct Decoder {
    relations: HashMap<u32, Arc<Relation>>,
    transaction: Option<Commit>,
}

impl Decoder {
    /// True between the first and the last message of a transaction.
    pub(super) fn in_transaction(&self) -> bool {
        self.transaction.is_some()
    }

    /// Reads one message. Cells are parts of it, not copies. Nothing comes of what only says how to read the rest,
    /// nor of a TRUNCATE.
    pub(super) fn decode(&mut self, message: Bytes) -> Result<Option<Event>, Malformed> {
        let mut reader = Reader::new(message);
        match reader.u8()? {
            b'B' => {
                let commit = Commit {
                    lsn: reader.u64()?,
                    at: reader.i64()?.saturating_add(EPOCH),
                };
                self.transaction = Some(commit);
                Ok(None)
            }
            b'C' => {
                let _flags = reader.u8()?;
                let _commit = reader.u64()?;
                let end = reader.u64()?;
                let commit = self.transaction.take().ok_or(ALONE)?;
                Ok(Some(Event::Committed { commit, end }))
            }
            b'R' => {
                let relation = relation(&mut reader)?;
                if self.relations.len() >= MAX_RELATIONS
                    && !self.relations.contains_key(&relation.oid)
                {
                    return Err(Malformed("more tables than can be"));
                }
                self.relations.insert(relation.oid, Arc::new(relation));
                Ok(None)
            }
            b'I' => {
                let relation = self.relation(&mut reader)?;
                expect(&mut reader, b'N')?;
                let new = row(&mut reader, &relation)?;
                self.change(relation, Action::Insert, Some(new), Old::None)
            }
            b'U' => {
                let relation = self.relation(&mut reader)?;
                let mut kind = reader.u8()?;
                let old = old(&mut reader, kind, &relation)?;
                if old != Old::None {
                    kind = reader.u8()?;
                }
                if kind != b'N' {
                    return Err(Malformed("an update without a row"));
                }
                let new = row(&mut reader, &relation)?;
                self.change(relation, Action::Update, Some(new), old)
            }
            b'D' => {
                let relation = self.relation(&mut reader)?;
                let kind = reader.u8()?;
                let old = old(&mut reader, kind, &relation)?;
                self.change(relation, Action::Delete, None, old)
            }
            // Where a change came from, types by name, TRUNCATE, and what `pg_logical_emit_message` says.
            b'O' | b'Y' | b'T' | b'M' => Ok(None),
            _ => Err(Malformed("a message of an unknown kind")),
        }
    }

    fn relation(&self, reader: &mut Reader) -> Result<Arc<Relation>, Malformed> {
        let relation = self.relations.get(&reader.u32()?);
        let relation = relation.ok_or(Malformed("a row of an unknown table"))?;
        Ok(Arc::clone(relation))
    }

    fn change(
        &self,
        relation: Arc<Relation>,
        action: Action,
        new: Option<Vec<Cell>>,
        old: Old,
    ) -> Result<Option<Event>, Malformed> {
        let commit = self.transaction.ok_or(ALONE)?;
        let change = Change {
            relation,
            action,
            new,
            old,
        };
        Ok(Some(Event::Change(commit, change)))
    }
}

const ALONE: Malformed = Malformed("a change outside of a transaction");

fn expect(reader: &mut Reader, kind: u8) -> Result<(), Malformed> {
    if reader.u8()? == kind {
        return Ok(());
    }
    Err(Malformed("a row of another kind"))
}

fn relation(reader: &mut Reader) -> Result<Relation, Malformed> {
    let oid = reader.u32()?;
    let mut schema = reader.text()?;
    if schema.is_empty() {
        // The plugin's short word for it.
        schema = "pg_catalog".into();
    }
    let name = reader.text()?;
    let identity = match reader.u8()? {
        b'd' => Identity::Default,
        b'n' => Identity::Nothing,
        b'f' => Identity::Full,
        b'i' => Identity::Index,
        _ => return Err(Malformed("a replica identity of an unknown kind")),
    };
    let count = usize::from(reader.u16()?);
    let mut columns = Vec::with_capacity(count.min(reader.left()));
    for _ in 0..count {
        let flags = reader.u8()?;
        columns.push(Column {
            is_identity: flags & 1 != 0,
            name: reader.text()?,
            type_oid: reader.u32()?,
            type_modifier: reader.i32()?,
        });
    }
    Ok(Relation {
        oid,
        schema,
        name,
        identity,
        columns,
    })
}

fn old(reader: &mut Reader, kind: u8, relation: &Relation) -> Result<Old, Malformed> {
    Ok(match kind {
        b'K' => Old::Key(row(reader, relation)?),
        b'O' => Old::Full(row(reader, relation)?),
        _ => Old::None,
    })
}

fn row(reader: &mut Reader, relation: &Relation) -> Result<Vec<Cell>, Malformed> {
    if usize::from(reader.u16()?) != relation.columns.len() {
        return Err(Malformed("a row that does not fit its table"));
    }
    let mut cells = Vec::with_capacity(relation.columns.len());
    for _ in &relation.columns {
        cells.push(match reader.u8()? {
            b'n' => Cell::Null,
            b'u' => Cell::Unchanged,
            b't' => {
                let length = usize::try_from(reader.u32()?).map_err(|_| super::read::SHORT)?;
                Cell::Text(reader.bytes(length)?)
            }
            _ => return Err(Malformed("a value that is not text")),
        });
    }
    Ok(cells)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn begin() -> Bytes {
        let at = 3_600_000_000_i64;
        [&b"B"[..], &7_u64.to_be_bytes(), &at.to_be_bytes(), &[0; 4]]
            .concat()
            .into()
    }

    fn table() -> Bytes {
        let key = [
            &b"\x01id\0"[..],
            &23_u32.to_be_bytes(),
            &(-1_i32).to_be_bytes(),
        ]
        .concat();
        let other = [
            &b"\0v\0"[..],
            &25_u32.to_be_bytes(),
            &(-1_i32).to_be_bytes(),
        ]
        .concat();
        [b"R\0\0\0\x05public\0t\0d\0\x02", &key[..], &other]
            .concat()
            .into()
    }

    fn started() -> Decoder {
        let mut decoder = Decoder::default();
        assert_eq!(decoder.decode(begin()), Ok(None));
        assert_eq!(decoder.decode(table()), Ok(None));
        decoder
    }

    #[test]
    fn an_update_has_its_key_and_what_it_left_alone() {
        let mut decoder = started();
        let message = b"U\0\0\0\x05K\0\x02t\0\0\0\x011nN\0\x02t\0\0\0\x012u";
        let event = decoder
            .decode(Bytes::from_static(message))
            .unwrap()
            .unwrap();
        let Event::Change(commit, change) = event else {
            panic!("{event:?}")
        };
        assert_eq!((commit.lsn, commit.at), (7, EPOCH + 3_600_000_000));
        let text = |text: &'static str| Cell::Text(Bytes::from_static(text.as_bytes()));
        assert_eq!(change.action, Action::Update);
        assert_eq!(change.new, Some(vec![text("2"), Cell::Unchanged]));
        assert_eq!(change.old, Old::Key(vec![text("1"), Cell::Null]));
        assert_eq!(
            (&*change.relation.schema, &*change.relation.name),
            ("public", "t")
        );
        assert!(change.relation.columns[0].is_identity && !change.relation.columns[1].is_identity);
    }

    #[test]
    fn a_commit_ends_the_transaction() {
        let mut decoder = started();
        let message = [
            &b"C\0"[..],
            &7_u64.to_be_bytes(),
            &9_u64.to_be_bytes(),
            &[0; 8],
        ]
        .concat();
        let event = decoder.decode(message.clone().into()).unwrap();
        assert!(matches!(event, Some(Event::Committed { end: 9, commit }) if commit.lsn == 7));
        assert!(!decoder.in_transaction());
        assert_eq!(decoder.decode(message.into()), Err(ALONE));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for message in [
            &b"I\0\0\0\x06N\0\x02nn"[..],
            b"I\0\0\0\x05N\0\x01n",
            b"I\0\0\0\x05N\0\x02nb\0\0\0\0",
            b"I\0\0\0\x05N\0\x02nt\xff\xff\xff\xff",
            b"I\0\0\0\x05K\0\x02nn",
            b"U\0\0\0\x05K\0\x02nnK\0\x02nn",
            b"?",
            b"",
        ] {
            assert!(
                started().decode(Bytes::from_static(message)).is_err(),
                "{message:?}"
            );
        }
        assert_eq!(
            Decoder::default().decode(Bytes::from_static(b"T\0\0\0\0\0")),
            Ok(None)
        );
    }

    proptest! {
        #[test]
        fn nothing_that_arrives_panics(
            kind in proptest::sample::select(&b"BCORYIUDTM?"[..]),
            known in any::<bool>(),
            rest in proptest::collection::vec(prop_oneof![any::<u8>(), Just(0), Just(b'n'), Just(b't'), Just(b'N'), Just(b'K')], 0..64),
        ) {
            let table = if known { &[0, 0, 0, 5][..] } else { &[] };
            let _ = started().decode([&[kind], table, &rest].concat().into());
        }
    }
}
