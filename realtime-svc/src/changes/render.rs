//! The JSON of a change, as a role may see it.

use chrono::{DateTime, Utc};

use super::{
    catalog::{Rights, Table},
    image::{Image, Json, Value},
    index,
    types::quoted as json,
};
use crate::replication::{Action, Change, Commit};

/// Longer values are left out of a change that is too large.
const KEPT: usize = 64;
pub(super) const NO_KEY: &str = "Error 400: Bad Request, no primary key";
pub(super) const UNAUTHORIZED: &str = "Error 401: Unauthorized";
const TOO_LARGE: &str = "Error 413: Payload Too Large";

/// A change whose values are known as JSON.
pub(super) struct Rendering<'a> {
    pub(super) commit: &'a Commit,
    pub(super) change: &'a Change,
    pub(super) table: &'a Table,
    pub(super) new: &'a Image<'a>,
    pub(super) old: &'a Image<'a>,
    pub(super) is_too_large: bool,
}

impl Rendering<'_> {
    /// What a role gets, with these columns or all.
    pub(super) fn data(&self, rights: &Rights, select: Option<&[String]>) -> String {
        let is_shown = |name: &str| {
            let mut columns = self.table.columns.iter().zip(&rights.selectable);
            columns.any(|(column, is_selectable)| {
                column.name == name
                    && *is_selectable
                    && (column.key.is_some()
                        || select.is_none_or(|names| names.iter().any(|it| it == name)))
            })
        };
        let columns = self
            .table
            .columns
            .iter()
            .filter(|column| is_shown(&column.name));
        let columns: Vec<_> = columns
            .map(|it| {
                format!(
                    r#"{{"name":{},"type":{}}}"#,
                    json(&it.name),
                    json(&it.type_name)
                )
            })
            .collect();
        let errors = if self.is_too_large {
            format!("[\"{TOO_LARGE}\"]")
        } else {
            "null".to_owned()
        };
        let mut text = self.head(
            &format!("\"{}\"", self.moment()),
            &columns.join(","),
            &errors,
        );
        if self.change.action != Action::Delete {
            // A large value that did not change is not in the log; with the full identity the old row has it.
            let kept = self
                .old
                .0
                .iter()
                .filter(|it| self.new.get(&it.name).is_none());
            let kept = kept.filter(|_| !self.is_too_large);
            let values = self.new.0.iter().filter(|it| self.fits(it)).chain(kept);
            object(&mut text, "record", values.filter(|it| is_shown(&it.name)));
        }
        if self.change.action != Action::Insert {
            // Nobody can say who may see a row that is gone, so only its key is shown.
            let is_key_only = self.change.action == Action::Delete && self.table.is_guarded;
            let is_key = |name: &str| self.table.column(name).is_some_and(|it| it.key.is_some());
            let values = self.old.0.iter().filter(|it| {
                self.fits(it) && is_shown(&it.name) && (!is_key_only || is_key(&it.name))
            });
            object(&mut text, "old_record", values);
        }
        text.push('}');
        text
    }

    /// What is said instead of a row that cannot be shown.
    pub(super) fn refusal(&self, error: &str) -> String {
        let mut text = self.head("null", "", &format!("[{}]", json(error)));
        if self.change.action != Action::Delete {
            object(&mut text, "record", [].into_iter());
        }
        if self.change.action != Action::Insert {
            object(&mut text, "old_record", [].into_iter());
        }
        text.push('}');
        text
    }

    fn head(&self, moment: &str, columns: &str, errors: &str) -> String {
        let relation = &self.change.relation;
        format!(
            r#"{{"schema":{},"table":{},"commit_timestamp":{moment},"type":"{}","columns":[{columns}],"errors":{errors}"#,
            json(&relation.schema),
            json(&relation.name),
            index::name(self.change.action),
        )
    }

    fn fits(&self, value: &Value<'_>) -> bool {
        !self.is_too_large || matches!(&value.json, Json::Text(text) if text.len() <= KEPT)
    }

    /// UTC with exactly three decimals.
    fn moment(&self) -> String {
        let moment = DateTime::<Utc>::from_timestamp_micros(self.commit.at).unwrap_or_default();
        moment.format("%Y-%m-%dT%H:%M:%S%.3fZ").to_string()
    }
}

/// Adds a member that is an object.
fn object<'v>(text: &mut String, name: &str, values: impl Iterator<Item = &'v Value<'v>>) {
    text.push_str(",\"");
    text.push_str(name);
    text.push_str("\":{");
    for (index, value) in values.enumerate() {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&json(&value.name));
        text.push(':');
        text.push_str(value.json.text());
    }
    text.push('}');
}

impl Json {
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Null | Self::Asked(_) => "null",
        }
    }
}

/// True if the change, written as wal2json writes it, has more bytes than this.
pub(super) fn is_too_large(
    change: &Change,
    table: &Table,
    images: [&Image<'_>; 2],
    limit: usize,
) -> bool {
    let values = || images.into_iter().flat_map(|image| &image.0);
    let length = |value: &Value<'_>| match value.json.text() {
        // To wal2json this is a text like any other.
        text if text.starts_with(['{', '[']) => json(value.text.as_deref().unwrap_or(text)).len(),
        text => text.len(),
    };
    let names = |name: &str| {
        let kind = table.column(name).map(|column| json(&column.shown_type));
        json(name).len() + kind.map_or(0, |kind| kind.len())
    };
    // `{"name": …, "type": …, "value": …, "typeoid": …}, `, the OID with some five digits
    let size = |value: &Value<'_>| names(&value.name) + length(value) + 51;
    let key = table.key().into_iter().map(|it| names(&it.name) + 40);
    // `{"pk": […], "table": …, "action": "U", "schema": …, "columns": […], "identity": […], "timestamp": "…"}`
    let head = 129 + change.relation.schema.len() + change.relation.name.len();
    head + key.sum::<usize>() + values().map(size).sum::<usize>() > limit
}
