//! A row as the log shows it: before or after a change.

use std::borrow::Cow;

use super::{catalog::Table, types};
use crate::replication::{Action, Cell, Change, Old};

/// A column that a row has in the log.
#[derive(Clone, Debug)]
pub(super) struct Value<'a> {
    pub(super) name: Cow<'a, str>,
    pub(super) type_oid: u32,
    /// None is null.
    pub(super) text: Option<Cow<'a, str>>,
    pub(super) json: Json,
}

/// A value as JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Json {
    Null,
    Text(String),
    /// The database has to be asked; here is the number of the question.
    Asked(usize),
}

/// The columns of a row, in attribute order; what the log leaves out is missing.
#[derive(Clone, Debug, Default)]
pub(super) struct Image<'a>(pub(super) Vec<Value<'a>>);

impl<'a> Image<'a> {
    /// The row after the change; nothing of a deleted one.
    pub(super) fn new(change: &'a Change) -> Self {
        change
            .new
            .as_deref()
            .map_or_else(Self::default, |cells| Self::of(change, cells, |_| true))
    }

    /// What identifies the row, as it was before; all of it with the full identity.
    pub(super) fn old(change: &'a Change) -> Self {
        let is_identity = |index: usize| change.relation.columns[index].is_identity;
        if change.action == Action::Insert {
            return Self::default();
        }
        match (&change.old, &change.new) {
            (Old::Full(cells), _) => Self::of(change, cells, |_| true),
            // Where nothing is said of the old row, its identity is as it was.
            (Old::Key(cells), _) | (Old::None, Some(cells)) => Self::of(change, cells, is_identity),
            (Old::None, None) => Self::default(),
        }
    }

    fn of(change: &'a Change, cells: &'a [Cell], is_there: impl Fn(usize) -> bool) -> Self {
        let columns = change.relation.columns.iter().enumerate().zip(cells);
        let columns = columns.filter(|((index, _), _)| is_there(*index));
        let value = |((_, column), cell): ((usize, &'a crate::replication::Column), &'a Cell)| {
            let text = match cell {
                Cell::Unchanged => return None,
                Cell::Null => None,
                Cell::Text(text) => Some(String::from_utf8_lossy(text)),
            };
            Some(Value {
                name: Cow::Borrowed(&*column.name),
                type_oid: column.type_oid,
                text,
                json: Json::Null,
            })
        };
        Self(columns.filter_map(value).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<&Value<'a>> {
        self.0.iter().find(|value| value.name == name)
    }

    /// Type and text of a column, for filters.
    pub(super) fn typed(&self, name: &str) -> Option<(u32, Option<&str>)> {
        let value = self.get(name)?;
        Some((value.type_oid, value.text.as_deref()))
    }

    /// Makes JSON of every value; `ask` takes a type and a text and gives the number of a question.
    pub(super) fn make_json(&mut self, table: &Table, mut ask: impl FnMut(u32, &str) -> usize) {
        for value in &mut self.0 {
            let Some(text) = value.text.as_deref() else {
                continue;
            };
            let is_enum = table
                .column(&value.name)
                .is_some_and(|column| column.is_enum);
            let json = if is_enum {
                Some(super::types::quoted(text))
            } else {
                types::to_json(value.type_oid, text)
            };
            value.json = match json {
                Some(text) => Json::Text(text),
                None => Json::Asked(ask(value.type_oid, text)),
            };
        }
    }

    /// Puts the answers in.
    pub(super) fn fill(&mut self, answers: &[Option<String>]) {
        for value in &mut self.0 {
            if let Json::Asked(number) = value.json {
                value.json = match answers.get(number) {
                    Some(Some(text)) => Json::Text(text.clone()),
                    // It is no value of its type any more.
                    _ => Json::Text(super::types::quoted(
                        value.text.as_deref().unwrap_or_default(),
                    )),
                };
            }
        }
    }
}
