//! Row-level security: which rows does a caller see now?
//!
//! Callers with equal role and claims are one group, and a group is one statement for all of its rows. Many groups
//! share a round trip.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
};

use futures_util::future::try_join_all;
use svc_kit::wire::{Lease, Row};

use super::{
    Subscriber,
    catalog::Table,
    image::Image,
    sql::{Database, DatabaseError, array, queue},
};

/// Groups that share a round trip, and their rows.
const AT_ONCE: usize = 64;
const ROWS_AT_ONCE: usize = 16 * 1024;

/// Rows of one table, asked about for one caller.
pub(super) struct Group<'a> {
    pub(super) table: &'a Table,
    pub(super) caller: Arc<Subscriber>,
    /// Numbers of changes, ascending.
    pub(super) rows: Vec<usize>,
}

/// Numbers of changes, and the arrays of their keys: one for each column.
type Keys = (Arc<[usize]>, Arc<[String]>);

/// A part of a group, ready to be asked.
#[derive(Clone)]
struct Question {
    /// Which of the groups.
    group: usize,
    rows: Arc<[usize]>,
    sql: Arc<str>,
    /// An array for each column of the key.
    keys: Arc<[String]>,
}

/// Groups, and the rows that they see.
type Seen = Vec<(usize, Vec<usize>)>;

/// A group is given up after so many rows that its policies fail on: it will be the claims that they cannot read.
const GIVEN_UP: usize = 3;

/// What policies failed on. Without it a broken policy would cost a round trip for each of its rows.
#[derive(Default)]
struct Failures {
    /// Rows, by group.
    rows: HashMap<usize, usize>,
    /// Tables and roles that miss a right or a function, whatever the claims are.
    broken: HashSet<(u32, String)>,
}

impl Failures {
    fn note(&mut self, question: &Question, group: &Group<'_>, code: &str) {
        *self.rows.entry(question.group).or_default() += 1;
        if code.starts_with("42") {
            let role = group.caller.caller.role.clone();
            self.broken.insert((group.table.oid, role));
        }
    }

    fn is_given_up(&self, question: &Question, group: &Group<'_>) -> bool {
        let rows = self.rows.get(&question.group);
        let is_broken = || {
            let role = &group.caller.caller.role;
            let mut broken = self.broken.iter();
            broken.any(|(oid, name)| *oid == group.table.oid && name == role)
        };
        rows.is_some_and(|rows| *rows >= GIVEN_UP) || is_broken()
    }
}

/// Asks for groups, given the new rows of their changes.
pub(super) struct Check<'a> {
    pub(super) database: &'a Database,
    /// Connections at a time.
    pub(super) parallel: usize,
    pub(super) groups: &'a [Group<'a>],
    pub(super) images: &'a [Image<'a>],
}

impl Check<'_> {
    /// The rows that each group sees, ascending.
    pub(super) async fn run(&self) -> Result<Vec<Vec<usize>>, DatabaseError> {
        let questions = self.questions();
        let parts = parts(&questions);
        let next = AtomicUsize::new(0);
        let workers = self.parallel.clamp(1, parts.len().max(1));
        let found = try_join_all((0..workers).map(|_| self.work(&parts, &next))).await?;
        let mut seen = vec![Vec::new(); self.groups.len()];
        for (group, mut rows) in found.into_iter().flatten() {
            seen[group].append(&mut rows);
        }
        for rows in &mut seen {
            rows.sort_unstable();
        }
        Ok(seen)
    }

    /// Takes parts as long as there are any.
    async fn work(&self, parts: &[&[Question]], next: &AtomicUsize) -> Result<Seen, DatabaseError> {
        let mut seen = Vec::new();
        let mut failures = Failures::default();
        while let Some(part) = parts.get(next.fetch_add(1, Ordering::Relaxed)) {
            self.ask_all(part, &mut seen, &mut failures).await?;
        }
        Ok(seen)
    }

    fn questions(&self) -> Vec<Question> {
        let mut statements: HashMap<*const Table, Arc<str>> = HashMap::new();
        // Without filters everybody is asked about the same rows.
        let mut known: HashMap<(*const Table, &[usize]), Keys> = HashMap::new();
        let mut questions = Vec::with_capacity(self.groups.len());
        for (number, group) in self.groups.iter().enumerate() {
            let table = std::ptr::from_ref(group.table);
            let sql = statements
                .entry(table)
                .or_insert_with(|| statement(group.table));
            let (rows, keys) = known.entry((table, &group.rows)).or_insert_with(|| {
                (
                    group.rows.clone().into(),
                    self.keys(group.table, &group.rows),
                )
            });
            questions.push(Question {
                group: number,
                rows: Arc::clone(rows),
                sql: Arc::clone(sql),
                keys: Arc::clone(keys),
            });
        }
        questions
    }

    fn keys(&self, table: &Table, rows: &[usize]) -> Arc<[String]> {
        let of = |column: &super::catalog::Column| {
            array(
                rows.iter()
                    .map(|row| self.images[*row].typed(&column.name)?.1),
            )
        };
        table.key().into_iter().map(of).collect()
    }

    /// Asks, and asks again in halves when something cannot be answered: nobody sees what a policy fails on.
    async fn ask_all(
        &self,
        part: &[Question],
        seen: &mut Seen,
        failures: &mut Failures,
    ) -> Result<(), DatabaseError> {
        let mut open = vec![part.to_vec()];
        while let Some(mut part) = open.pop() {
            part.retain(|question| !failures.is_given_up(question, self.group(question)));
            if part.is_empty() {
                continue;
            }
            let error = match self.ask(&part).await {
                Ok(found) => {
                    for (question, rows) in part.iter().zip(found) {
                        let place = |row: &Row| usize::try_from(row.bigint(0)? - 1).ok();
                        let rows = rows.iter().filter_map(place);
                        let rows = rows.filter_map(|place| question.rows.get(place).copied());
                        seen.push((question.group, rows.collect()));
                    }
                    continue;
                }
                Err(error) => error,
            };
            let Some(code) = error.fault() else {
                return Err(error);
            };
            match part.as_slice() {
                [question] if question.rows.len() <= 1 || code.starts_with("42") => {
                    let group = self.group(question);
                    let (table, role) = (&group.table.name, &group.caller.caller.role);
                    tracing::warn!(%error, %table, %role, "a policy cannot be evaluated");
                    failures.note(question, group, code);
                }
                [question] => {
                    let (first, second) = question.rows.split_at(question.rows.len() / 2);
                    for rows in [second, first] {
                        open.push(vec![Question {
                            rows: rows.into(),
                            keys: self.keys(self.group(question).table, rows),
                            ..question.clone()
                        }]);
                    }
                }
                questions => {
                    let (first, second) = questions.split_at(questions.len() / 2);
                    open.extend([second.to_vec(), first.to_vec()]);
                }
            }
        }
        Ok(())
    }

    fn group(&self, question: &Question) -> &Group<'_> {
        &self.groups[question.group]
    }

    async fn ask(&self, part: &[Question]) -> Result<Vec<Vec<Row>>, DatabaseError> {
        let mut lease = Lease::take(&self.database.pool).await?;
        let (connection, session) = lease.parts();
        self.database.begin(connection)?;
        for question in part {
            let group = self.group(question);
            let caller = &group.caller.caller;
            let standing = group.table.rights(&caller.role);
            let standing = standing.map_or("", |it| it.standing.as_str());
            let settings: Vec<_> = caller.transaction_settings().collect();
            let values = settings.iter().map(|(_, value)| Some(value.as_bytes()));
            queue(connection, "", session.text(&settings), values)?;
            let keys = question.keys.iter().map(|array| Some(array.as_bytes()));
            let plan = format!("{} {standing}", caller.role);
            queue(connection, &plan, &question.sql, keys)?;
        }
        let rows = self
            .database
            .within(part.len(), connection.exchange_all())
            .await?;
        Ok(rows.into_iter().skip(2).step_by(2).collect())
    }
}

/// Cuts questions into parts of about equal weight.
fn parts(mut questions: &[Question]) -> Vec<&[Question]> {
    let mut parts = Vec::new();
    while !questions.is_empty() {
        let mut rows = 0;
        let fits = |question: &&Question| {
            rows += question.rows.len();
            rows <= ROWS_AT_ONCE
        };
        let count = questions.iter().take(AT_ONCE).take_while(fits).count();
        let (part, rest) = questions.split_at(count.max(1));
        parts.push(part);
        questions = rest;
    }
    parts
}

/// Gives the places of the keys whose rows are seen. One look into the key's index for each: LIMIT keeps the planner from
/// anything cleverer, which would be so for some tables only.
fn statement(table: &Table) -> Arc<str> {
    let key = table.key_sql();
    format!(
        "select k.place from unnest({}) with ordinality k ({}place) \
         cross join lateral (select from {} t where {} limit 1) seen",
        key.arrays,
        key.names,
        table.quoted(),
        key.equal,
    )
    .into()
}
