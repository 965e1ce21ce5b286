//! Messages that the database sends: rows of `realtime.messages`.

use bytes::Bytes;
use uuid::Uuid;

use crate::{
    hub::{Body, Broadcast, RoomName},
    replication::{Action, Cell, Change},
    socket::Encoding,
};

/// True if the change is one of the table of messages, which is partitioned by day.
pub(crate) fn is_message(change: &Change) -> bool {
    let relation = &change.relation;
    &*relation.schema == "realtime" && relation.name.starts_with("messages")
}

/// What a new row is to be told to whom; nothing where it is no message.
pub(crate) fn of_change(change: &Change) -> Option<(RoomName, Broadcast)> {
    if change.action != Action::Insert {
        return None;
    }
    let cells = change.new.as_ref()?;
    let cell = |name: &str| {
        let columns = &change.relation.columns;
        let index = columns.iter().position(|column| &*column.name == name)?;
        match cells.get(index)? {
            Cell::Text(text) => Some(text.clone()),
            Cell::Null | Cell::Unchanged => None,
        }
    };
    let text = |name: &str| String::from_utf8(cell(name)?.to_vec()).ok();
    let id: Uuid = text("id")?.parse().ok()?;
    let event = text("event")?;
    let name = RoomName {
        topic: text("topic")?.into(),
        is_private: text("private")? == "t",
    };
    cell("inserted_at")?;
    let (encoding, payload) = match (cell("binary_payload"), cell("payload")) {
        (Some(digits), _) => (Encoding::Bytes, bytes(&digits)?),
        (None, Some(json)) => (Encoding::Json, json),
        (None, None) => return None,
    };
    let body = Body::User {
        event: event.into(),
        encoding,
        payload,
        meta: Some(format!(r#"{{"id":"{id}"}}"#).into()),
    };
    Some((name, Broadcast { id: Some(id), body }))
}

/// `bytea` in its text form: `\x` and hexadecimal digits.
fn bytes(text: &[u8]) -> Option<Bytes> {
    let digits = text.strip_prefix(br"\x")?;
    hex::decode(digits).ok().map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::replication::{Column, Identity, Old, Relation};

    fn row(cells: &[(&str, Option<&'static str>)]) -> Change {
        let column = |name: &str| Column {
            name: name.into(),
            type_oid: 25,
            type_modifier: -1,
            is_identity: false,
        };
        Change {
            relation: Arc::new(Relation {
                oid: 1,
                schema: "realtime".into(),
                name: "messages_2026_01_01".into(),
                identity: Identity::Default,
                columns: cells.iter().map(|(name, _)| column(name)).collect(),
            }),
            action: Action::Insert,
            new: Some(
                cells
                    .iter()
                    .map(|(_, value)| value.map_or(Cell::Null, |it| Cell::Text(it.into())))
                    .collect(),
            ),
            old: Old::None,
        }
    }

    const ID: &str = "6f1c6a3e-66c5-4b5c-8d6d-0d8a3b1f2c11";

    #[test]
    fn bytes_win_over_json_and_a_row_without_either_is_no_message() {
        let of = |payload, binary| {
            let change = row(&[
                ("id", Some(ID)),
                ("topic", Some("room")),
                ("event", Some("e")),
                ("private", Some("t")),
                ("inserted_at", Some("2026-01-01 00:00:00")),
                ("payload", payload),
                ("binary_payload", binary),
            ]);
            assert!(is_message(&change));
            of_change(&change)
        };
        let (name, message) = of(Some("{}"), Some(r"\x00ff")).unwrap();
        assert_eq!((&*name.topic, name.is_private), ("room", true));
        assert_eq!(message.id.unwrap().to_string(), ID);
        let Body::User { payload, meta, .. } = message.body else {
            panic!("not in binary framing");
        };
        assert_eq!(&payload[..], [0, 255]);
        assert_eq!(meta.unwrap(), format!(r#"{{"id":"{ID}"}}"#).into());
        assert!(of(None, None).is_none());
        assert!(of(Some("{}"), None).is_some());
    }
}
