//! What only the database can tell of values: whether a filter holds, and what a value is as JSON. The questions of a
//! batch are asked together.

use std::{
    collections::{HashMap, HashSet},
    hash::Hash,
    sync::{Mutex, PoisonError},
};

use super::{
    sql::{Database, DatabaseError, SLOW, Statement, array, plain_array},
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

/// Patterns that took the database too long. A client may think of one that takes for ever, and nobody else must wait for
/// it more than once.
#[derive(Debug, Default)]
pub(super) struct GivenUp(Mutex<HashSet<String>>);

impl GivenUp {
    const KEPT: usize = 1000;

    /// True if a question is not worth asking.
    pub(super) fn has(&self, question: &impl Question) -> bool {
        let patterns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let pattern = question.pattern();
        pattern.is_some_and(|pattern| patterns.contains(pattern))
    }

    fn add(&self, questions: &[impl Question]) {
        let mut patterns = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if patterns.len() >= Self::KEPT {
            patterns.clear();
        }
        for pattern in questions.iter().filter_map(Question::pattern) {
            tracing::warn!(%pattern, "the pattern of a filter takes too long and is given up");
            patterns.insert(pattern.to_owned());
        }
    }
}

/// Something that only the database knows.
pub(super) trait Question: Sized + Sync {
    type Answer: Send;

    /// The pattern that a value is held against, if there is one.
    fn pattern(&self) -> Option<&str> {
        None
    }

    /// What is taken for the answer if there is none.
    fn unknown() -> Self::Answer;

    /// The answers to some questions, in their order.
    fn ask(
        database: &Database,
        part: &[Self],
    ) -> impl Future<Output = Result<Vec<Self::Answer>, DatabaseError>> + Send;
}

impl Question for Condition {
    type Answer = bool;

    fn pattern(&self) -> Option<&str> {
        use Operator::{Ilike, Imatch, Like, Match};
        matches!(self.operator, Like | Ilike | Match | Imatch).then_some(self.other.as_str())
    }

    fn unknown() -> bool {
        false
    }

    async fn ask(database: &Database, part: &[Self]) -> Result<Vec<bool>, DatabaseError> {
        let value = |it: &'_ Self| {
            it.value
                .as_ref()
                .map(|text| plain(it.type_oid, text).to_owned())
        };
        let values: Vec<_> = part.iter().map(value).collect();
        let texts = [
            array(part.iter().map(|it| Some(it.operator.name()))),
            plain_array(part.iter().map(|it| it.type_oid)),
            array(values.iter().map(Option::as_deref)),
            array(part.iter().map(|it| Some(it.other.as_str()))),
            plain_array(part.iter().map(|it| it.is_negated)),
        ];
        let statement = Statement::new(HOLDS, texts.iter().map(String::as_str));
        let rows = database.run(&[statement]).await?;
        let answers = rows.iter().flatten().map(|row| row.get(0) == Some(&[1]));
        Ok(answers.collect())
    }
}

/// A value's type and text. The answer is its JSON.
impl Question for (u32, String) {
    type Answer = Option<String>;

    fn unknown() -> Option<String> {
        None
    }

    async fn ask(database: &Database, part: &[Self]) -> Result<Vec<Option<String>>, DatabaseError> {
        let texts = [
            plain_array(part.iter().map(|it| it.0)),
            array(part.iter().map(|it| Some(plain(it.0, &it.1)))),
        ];
        let statement = Statement::new(AS_JSON, texts.iter().map(String::as_str));
        let rows = database.run(&[statement]).await?;
        Ok(rows.iter().flatten().map(|row| row.text(0)).collect())
    }
}

impl<Q: Question> Asked<Q> {
    /// The answers, by the numbers of the questions. A part in which something cannot be answered is halved until that is
    /// alone.
    pub(super) async fn answers(
        &self,
        database: &Database,
        given_up: &GivenUp,
    ) -> Result<Vec<Q::Answer>, DatabaseError> {
        let mut answers = Vec::with_capacity(self.list.len());
        let mut open: Vec<&[Q]> = self.list.chunks(AT_ONCE).rev().collect();
        while let Some(part) = open.pop() {
            match Q::ask(database, part).await {
                Ok(mut found) => {
                    found.truncate(part.len());
                    found.resize_with(part.len(), Q::unknown);
                    answers.append(&mut found);
                }
                Err(error) if error.fault().is_none() => return Err(error),
                Err(error) if part.len() == 1 => {
                    tracing::debug!(%error, "the database cannot answer for a value");
                    if error.fault() == Some(SLOW) {
                        given_up.add(part);
                    }
                    answers.push(Q::unknown());
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
}

/// The text that the functions of the database expect: of bytes the digits alone.
fn plain(type_oid: u32, text: &str) -> &str {
    match type_oid {
        types::BYTEA => text.strip_prefix("\\x").unwrap_or(text),
        _ => text,
    }
}
