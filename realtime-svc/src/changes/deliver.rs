//! A batch of changes on its way to those who may see them.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, PoisonError},
    time::Instant,
};

use super::{
    Engine, EngineError, Subscriber,
    catalog::{self, Rights, Table},
    filter::Answer,
    generated,
    image::Image,
    index::{self, Entry, Index},
    metrics::Counts,
    owners,
    questions::{Asked, Condition, GivenUp},
    render::{self, Rendering},
    visibility::{Check, Group},
};
use crate::{
    replication::{Action, Change, Commit},
    socket::{Frame, Version},
};

/// How often a batch is checked while rights change.
const ATTEMPTS: usize = 5;

/// A change to which somebody listens.
struct Row<'a> {
    commit: &'a Commit,
    change: &'a Change,
    table: &'a Table,
    new: Image<'a>,
    old: Image<'a>,
    candidates: Vec<Candidate>,
    is_too_large: bool,
}

/// Somebody who gets a change unless something speaks against it.
struct Candidate {
    entry: Arc<Entry>,
    caller: Arc<Subscriber>,
    /// Numbers of questions that must all have been answered with yes.
    conditions: Vec<usize>,
    verdict: Verdict,
}

impl Candidate {
    /// True if its channel has no other claims by now.
    fn has_its_caller(&self) -> bool {
        Arc::ptr_eq(&self.caller, &self.entry.channel.caller())
    }
}

/// Whether a candidate may see a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verdict {
    Visible,
    /// A group of the visibility check says.
    Group(usize),
    /// The row's owner columns say.
    Owner,
    /// It gets an error instead.
    Refused(&'static str),
}

/// Questions of a batch about values.
struct Questions<'e> {
    given_up: &'e GivenUp,
    conditions: Asked<Condition>,
    values: Asked<(u32, String)>,
}

impl Engine {
    /// Gives changes to everybody who listens and may see them, in their order. On failure nothing of the batch was
    /// given to anybody, so it can be tried again.
    pub(crate) async fn deliver(&self, batch: &[(Commit, Change)]) -> Result<(), EngineError> {
        if batch.is_empty() || self.is_empty() {
            return Ok(());
        }
        for left in (0..ATTEMPTS).rev() {
            if self.give_once(batch, left == 0).await? {
                return Ok(());
            }
            // A statement that was prepared meanwhile may be one for rights that nobody has any more.
            self.0.database.pool.manager().renew();
        }
        Err(EngineError::Unsettled)
    }

    /// Gives changes unless what was known of rights and callers changed on the way; then nothing was given. The last time
    /// only callers who changed are given nothing.
    async fn give_once(
        &self,
        batch: &[(Commit, Change)],
        is_last: bool,
    ) -> Result<bool, EngineError> {
        let started = Instant::now();
        self.know(batch).await?;
        let heard: Vec<_> = {
            let index = self.read();
            let is_heard = |it: &&(Commit, Change)| index.is_heard(it.1.relation.oid, it.1.action);
            batch.iter().filter(is_heard).collect()
        };
        if heard.is_empty() {
            return Ok(true);
        }
        let database = &self.0.database;
        // Read for every batch: a right that was taken away before the check must count.
        let roles = self
            .0
            .roles
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let oids: HashSet<_> = heard.iter().map(|it| it.1.relation.oid).collect();
        let facts = || {
            catalog::tables(
                database,
                oids.iter().copied(),
                roles.iter().map(String::as_str),
            )
        };
        let tables = facts().await?;
        let mut rows: Vec<_> = heard
            .iter()
            .filter_map(|it| Row::new(it, &tables))
            .collect();
        generated::complete(
            database,
            rows.iter_mut()
                .map(|row| (row.table, row.change, &mut row.new)),
        )
        .await?;
        let given_up = &self.0.given_up;
        let mut questions = Questions {
            given_up,
            conditions: Asked::default(),
            values: Asked::default(),
        };
        {
            let index = self.read();
            for row in &mut rows {
                row.find_candidates(&index, &mut questions);
            }
        }
        rows.retain(|row| !row.candidates.is_empty());
        for row in &mut rows {
            row.make_json(&mut questions);
        }
        let holds = questions.conditions.answers(database, given_up).await?;
        let values = questions.values.answers(database, given_up).await?;
        for row in &mut rows {
            row.settle(&holds, &values, self.0.settings.max_record_bytes);
        }
        let (groups, owners) = judge(&mut rows);
        let images: Vec<_> = rows
            .iter_mut()
            .map(|row| std::mem::take(&mut row.new))
            .collect();
        let check = Check {
            database,
            parallel: self.0.settings.parallel,
            groups: &groups,
            images: &images,
        };
        let seen = check.run().await?;
        let owners = owners.read(database, &images).await?;
        for (row, new) in rows.iter_mut().zip(images) {
            row.new = new;
        }
        // What was found out holds only for the rights that were looked at in the beginning.
        if facts().await? != tables || !(is_last || rows.iter().all(Row::has_its_callers)) {
            return Ok(false);
        }
        // From here on nothing can fail, so everything is given exactly once.
        let mut messages = 0;
        for (number, row) in rows.iter().enumerate() {
            // Sockets get their turn, so that a flood does not fill the queues of those that read.
            if number % 32 == 31 {
                tokio::task::yield_now().await;
            }
            messages += row.give(|candidate| match candidate.verdict {
                Verdict::Visible | Verdict::Refused(_) => true,
                Verdict::Group(group) => seen[group].binary_search(&number).is_ok(),
                Verdict::Owner => {
                    let rights = row.table.rights(&candidate.caller.caller.role);
                    let columns = rights.and_then(|it| it.owner_columns.as_deref());
                    let subject = candidate.caller.subject.as_deref();
                    let known = columns.zip(subject);
                    known.is_some_and(|(columns, subject)| owners.has(number, columns, subject))
                }
            });
        }
        self.0.metrics.add(Counts {
            changes: rows.len() as u64,
            messages,
            checks: groups.len() as u64,
            batches: 1,
            busy: started.elapsed(),
        });
        Ok(true)
    }

    /// Looks up what is published if there is a table that nobody has seen yet.
    async fn know(&self, batch: &[(Commit, Change)]) -> Result<(), EngineError> {
        let oids: HashSet<_> = batch.iter().map(|it| it.1.relation.oid).collect();
        let is_known = {
            let known = self.0.known.read().unwrap_or_else(PoisonError::into_inner);
            oids.is_subset(&known)
        };
        if !is_known {
            self.refresh().await?;
            // One that is no longer published is not looked for again with every batch.
            let mut known = self.0.known.write().unwrap_or_else(PoisonError::into_inner);
            known.extend(oids);
        }
        Ok(())
    }
}

/// Says of every candidate what can be said without asking, and groups those that have to be asked about.
fn judge<'t>(rows: &mut [Row<'t>]) -> (Vec<Group<'t>>, owners::Wanted<'t>) {
    let mut groups: Vec<Group<'t>> = Vec::new();
    let mut owners = owners::Wanted::default();
    let mut by_caller: HashMap<(u32, *const Subscriber), usize> = HashMap::new();
    let mut by_claims: HashMap<(u32, Arc<str>), usize> = HashMap::new();
    for (number, row) in rows.iter_mut().enumerate() {
        if row.change.action == Action::Delete || !row.table.is_guarded {
            continue;
        }
        let oid = row.change.relation.oid;
        for candidate in &mut row.candidates {
            if candidate.verdict != Verdict::Visible {
                continue;
            }
            let rights = row.table.rights(&candidate.caller.caller.role);
            let columns = rights.and_then(|it| it.owner_columns.as_deref());
            if let Some(columns) = columns.filter(|_| candidate.caller.subject.is_some()) {
                owners.add(row.table, columns, number);
                candidate.verdict = Verdict::Owner;
                continue;
            }
            let pointer = Arc::as_ptr(&candidate.caller);
            let group = *by_caller.entry((oid, pointer)).or_insert_with(|| {
                let caller = &candidate.caller.caller;
                let claims = if rights.is_some_and(|it| it.ignores_claims) {
                    caller.role.clone()
                } else {
                    format!("{}\0{}", caller.role, caller.claims_json)
                };
                *by_claims.entry((oid, claims.into())).or_insert_with(|| {
                    groups.push(Group {
                        table: row.table,
                        caller: Arc::clone(&candidate.caller),
                        rows: Vec::new(),
                    });
                    groups.len() - 1
                })
            });
            candidate.verdict = Verdict::Group(group);
            let rows = &mut groups[group].rows;
            if rows.last() != Some(&number) {
                rows.push(number);
            }
        }
    }
    (groups, owners)
}

impl<'a> Row<'a> {
    fn new(
        (commit, change): &'a (Commit, Change),
        tables: &'a HashMap<u32, Table>,
    ) -> Option<Self> {
        Some(Self {
            commit,
            change,
            // One that is gone can be seen by nobody.
            table: tables.get(&change.relation.oid)?,
            new: Image::new(change),
            old: Image::old(change),
            candidates: Vec::new(),
            is_too_large: false,
        })
    }

    fn find_candidates(&mut self, index: &Index, questions: &mut Questions<'_>) {
        let (oid, action) = (self.change.relation.oid, self.change.action);
        let is_delete = action == Action::Delete;
        let image = if is_delete { &self.old } else { &self.new };
        let mut candidates = Vec::new();
        let mut add = |entry: &Arc<Entry>, caller, conditions, verdict| {
            candidates.push(Candidate {
                entry: Arc::clone(entry),
                caller,
                conditions,
                verdict,
            });
        };
        let is_due =
            |entry: &Arc<Entry>| entry.since <= self.commit.lsn && !entry.channel.is_gone();
        // Whoever cannot be told which row it is gets an error, whatever the filters say.
        let mut refusals = HashMap::new();
        if !is_delete {
            let roles = self.table.roles.iter();
            refusals.extend(roles.filter_map(|it| Some((it.name.as_str(), self.refusal(it)?))));
        }
        if !refusals.is_empty() {
            for entry in index.listeners(oid, action).filter(|entry| is_due(entry)) {
                let caller = entry.channel.caller();
                if let Some(refusal) = refusals.get(caller.caller.role.as_str()) {
                    add(entry, caller, Vec::new(), Verdict::Refused(refusal));
                }
            }
        }
        index.concerned(
            oid,
            action,
            |name| image.typed(name),
            |entry| {
                if !is_due(entry) {
                    return;
                }
                let caller = entry.channel.caller();
                let role = caller.caller.role.as_str();
                let Some(rights) = self.table.rights(role) else {
                    return;
                };
                if refusals.contains_key(role) || !self.may_ask(rights, entry) {
                    return;
                }
                if let Some(conditions) = conditions(entry, image, questions) {
                    add(entry, caller, conditions, Verdict::Visible);
                }
            },
        );
        self.candidates = candidates;
    }

    /// False if a filter would tell of a column that the role cannot select any more. The rule does not look at that.
    fn may_ask(&self, rights: &Rights, entry: &Entry) -> bool {
        entry.filters.iter().all(|filter| {
            let mut columns = self.table.columns.iter().zip(&rights.selectable);
            columns.any(|(column, may)| *may && column.name == filter.condition.column)
        })
    }

    fn refusal(&self, rights: &Rights) -> Option<&'static str> {
        let columns = self.table.columns.iter().zip(&rights.selectable);
        let mut key = columns
            .filter(|(column, _)| column.key.is_some() && self.new.get(&column.name).is_some())
            .peekable();
        if key.peek().is_none() {
            return Some(render::NO_KEY);
        }
        key.any(|(_, is_selectable)| !is_selectable)
            .then_some(render::UNAUTHORIZED)
    }

    fn make_json(&mut self, questions: &mut Questions<'_>) {
        let mut ask = |kind, text: &str| questions.values.number((kind, text.to_owned()));
        self.new.make_json(self.table, &mut ask);
        self.old.make_json(self.table, &mut ask);
    }

    /// Puts the answers in.
    fn settle(&mut self, holds: &[bool], values: &[Option<String>], limit: usize) {
        let hold = |number: &usize| holds.get(*number).copied().unwrap_or_default();
        self.candidates
            .retain(|candidate| candidate.conditions.iter().all(hold));
        self.new.fill(values);
        self.old.fill(values);
        self.is_too_large =
            render::is_too_large(self.change, self.table, [&self.new, &self.old], limit);
    }

    /// True if nobody who may get the change has other claims by now.
    fn has_its_callers(&self) -> bool {
        self.candidates.iter().all(Candidate::has_its_caller)
    }

    /// Gives the change to all who see it; says how many messages that were.
    fn give(&self, is_seen: impl Fn(&Candidate) -> bool) -> u64 {
        let rendering = Rendering {
            commit: self.commit,
            change: self.change,
            table: self.table,
            new: &self.new,
            old: &self.old,
            is_too_large: self.is_too_large,
        };
        // Texts, by what they depend on.
        let mut texts: Vec<(Text<'_>, String)> = Vec::new();
        // For every channel the ids of its subscriptions, by their text.
        let mut ids: BTreeMap<(u64, usize), (&Entry, Vec<u32>)> = BTreeMap::new();
        for candidate in &self.candidates {
            let channel = &candidate.entry.channel;
            if !is_seen(candidate)
                || channel.is_gone()
                || candidate.caller.is_expired()
                || !candidate.has_its_caller()
            {
                continue;
            }
            let Some(rights) = self.table.rights(&candidate.caller.caller.role) else {
                continue;
            };
            let text = match candidate.verdict {
                Verdict::Refused(error) => Text::Refused(error),
                _ => Text::Row(&rights.selectable, candidate.entry.select.as_deref()),
            };
            let known = texts.iter().position(|(it, _)| *it == text);
            let number = known.unwrap_or_else(|| {
                let data = match text {
                    Text::Refused(error) => rendering.refusal(error),
                    Text::Row(_, select) => rendering.data(rights, select),
                };
                texts.push((text, data));
                texts.len() - 1
            });
            let place = ids.entry((channel.number, number));
            let (_, ids) = place.or_insert_with(|| (&candidate.entry, Vec::new()));
            if !ids.contains(&candidate.entry.id) {
                ids.push(candidate.entry.id);
            }
        }
        let mut frames: HashMap<(Version, &str, bool, usize, Vec<u32>), Frame> = HashMap::new();
        let mut messages = 0;
        for ((_, number), (entry, ids)) in ids {
            let outlet = &entry.channel.outlet;
            let (version, topic, is_legacy) = outlet.key();
            let make = || outlet.change(&ids, index::name(self.change.action), &texts[number].1);
            let key = (version, &**topic, is_legacy, number, ids.clone());
            let frame = frames.entry(key).or_insert_with(make).clone();
            // A socket that is gone takes its channels along.
            messages += u64::from(outlet.push(frame).is_ok());
        }
        messages
    }
}

/// On what the text of a change depends.
#[derive(PartialEq, Eq)]
enum Text<'a> {
    Refused(&'static str),
    /// Which columns are selectable, and which were selected.
    Row(&'a [bool], Option<&'a [String]>),
}

/// The questions on which it depends whether all filters hold; none if one does not.
fn conditions(
    entry: &Entry,
    image: &Image<'_>,
    questions: &mut Questions<'_>,
) -> Option<Vec<usize>> {
    let mut open = Vec::new();
    for filter in &entry.filters {
        // A filter on what the change does not have does not hold.
        let (type_oid, value) = image.typed(&filter.condition.column)?;
        match filter.test(type_oid, value) {
            Answer::Yes => {}
            Answer::No => return None,
            Answer::Ask => {
                let question = Condition {
                    operator: filter.condition.operator,
                    type_oid,
                    value: value.map(str::to_owned),
                    other: filter.condition.value.clone(),
                    is_negated: filter.condition.is_negated,
                };
                if questions.given_up.has(&question) {
                    return None;
                }
                open.push(questions.conditions.number(question));
            }
        }
    }
    Some(open)
}
