//! What only the database can tell of values: whether a filter holds, and what a value is as JSON. The questions of a
//! batch are asked together.

use std::{collections::HashMap, hash::Hash};

use svc_kit::wire::Row;

use super::{
    sql::{Database, DatabaseError, Statement, array, plain_array},
    types,
    wanted::Operator,
};

const HOLDS: &str = "select realtime.check_equality_op(
    q.operator::realtime.equality_op, q.kind::regtype, realtime.cast(q.value, q.kind::regtype) #>> '{}', q.other, q.negate)
from unnest($1::text[], $2::oid[], $3::text[], $4::text[], $5::boolean[])
    with ordinality q (operator, kind, value, other, negate, place)
order by q.place";

const AS_JSON: &str = "select realtime.cast(q.value, q.kind::regtype)::text
from unnest($1::oid[], $2::text[]) with ordinality q (kind, value, place)
order by q.place";

/// Questions of one statement.
const AT_ONCE: usize = 1000;

/// A filter that is asked about.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Condition {
    pub(super) operator: Operator,
    pub(super) type_oid: u32,
    pub(super) value: Option<String>,
    pub(super) other: String,
    pub(super) is_negated: bool,
}

/// Different questions in the order in which they came up.
#[derive(Debug)]
pub(super) struct Asked<Q> {
    list: Vec<Q>,
    numbers: HashMap<Q, usize>,
}

impl<Q> Default for Asked<Q> {
    fn default() -> Self {
        Self {
            list: Vec::new(),
            numbers: HashMap::new(),
        }
    }
}

impl<Q: Clone + Eq + Hash> Asked<Q> {
    /// The number of a question.
    pub(super) fn number(&mut self, question: Q) -> usize {
        let next = self.list.len();
        let number = *self.numbers.entry(question.clone()).or_insert(next);
        if number == next {
            self.list.push(question);
        }
        number
    }
}

impl Asked<Condition> {
    /// Whether they hold, by their numbers. One that the database cannot answer does not.
    pub(super) async fn answers(&self, database: &Database) -> Result<Vec<bool>, DatabaseError> {
        let texts = |part: &[Condition]| {
            [
                array(part.iter().map(|it| Some(it.operator.name()))),
                plain_array(part.iter().map(|it| it.type_oid)),
                array(
                    part.iter()
                        .map(|it| it.value.as_deref().map(|text| plain(it.type_oid, text))),
                ),
                array(part.iter().map(|it| Some(it.other.as_str()))),
                plain_array(part.iter().map(|it| it.is_negated)),
            ]
        };
        let read = |row: &Row| row.get(0) == Some(&[1]);
        each(database, HOLDS, &self.list, texts, read, || false).await
    }
}

impl Asked<(u32, String)> {
    /// The JSON texts, by their numbers; none where the database does not understand the value.
    pub(super) async fn answers(
        &self,
        database: &Database,
    ) -> Result<Vec<Option<String>>, DatabaseError> {
        let texts = |part: &[(u32, String)]| {
            [
                plain_array(part.iter().map(|it| it.0)),
                array(part.iter().map(|it| Some(plain(it.0, &it.1)))),
            ]
        };
        let read = |row: &Row| row.text(0);
        each(database, AS_JSON, &self.list, texts, read, || None).await
    }
}

/// The text that the functions of the database expect: of bytes the digits alone.
fn plain(type_oid: u32, text: &str) -> &str {
    match type_oid {
        types::BYTEA => text.strip_prefix("\\x").unwrap_or(text),
        _ => text,
    }
}

/// Asks in parts. A part in which something cannot be answered is halved until that is alone.
async fn each<Q, A, const N: usize>(
    database: &Database,
    sql: &str,
    list: &[Q],
    texts: impl Fn(&[Q]) -> [String; N],
    read: impl Fn(&Row) -> A,
    unknown: impl Fn() -> A,
) -> Result<Vec<A>, DatabaseError> {
    let mut answers = Vec::with_capacity(list.len());
    let mut open: Vec<&[Q]> = list.chunks(AT_ONCE).rev().collect();
    while let Some(part) = open.pop() {
        let texts = texts(part);
        let statement = Statement::new(sql, texts.iter().map(String::as_str));
        match database.run(&[statement]).await {
            Ok(rows) => {
                let mut found: Vec<_> = rows.iter().flatten().map(&read).collect();
                found.truncate(part.len());
                found.resize_with(part.len(), &unknown);
                answers.append(&mut found);
            }
            Err(error) if error.refusal().is_none() => return Err(error),
            Err(error) if part.len() == 1 => {
                tracing::debug!(%error, "the database cannot answer for a value");
                answers.push(unknown());
            }
            Err(_) => {
                let (first, second) = part.split_at(part.len() / 2);
                open.push(second);
                open.push(first);
            }
        }
    }
    Ok(answers)
}
