//! Reading: of a relation, of what a write touched, or of what a function gave.

use crate::{
    error::{Error, Result},
    parse::{
        Aggregate, CastName, Embed, Field, Filter, IsValue, JoinType, JsonOperand, LogicTree,
        OpExpr, Operation, OrderTerm, QueryParams, Range, SelectItem,
    },
    schema_cache::{Cardinality, Column, QualifiedName, Relationship, SchemaCache, Table},
};

use super::find;

/// Where rows come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A relation.
    Relation(QualifiedName),
    /// The rows that the statement's first part gave, of this relation if it is known.
    Rows(Option<QualifiedName>),
}

/// One output column.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedField {
    /// What is selected; an empty name counts rows.
    pub field: Field,
    /// True for all columns.
    pub star: bool,
    /// True if the column is not JSON, so a path needs it converted.
    pub to_jsonb: bool,
    /// The label.
    pub label: Option<String>,
    /// The cast of the value.
    pub cast: Option<CastName>,
    /// The aggregate.
    pub aggregate: Option<Aggregate>,
    /// The cast of the aggregate.
    pub aggregate_cast: Option<CastName>,
    /// The function that gives the column's own form in responses.
    pub formatter: Option<QualifiedName>,
}

/// A column that a spread embed gives its parent.
#[derive(Clone, Debug, PartialEq)]
pub struct SpreadField {
    /// Its name in the embed's subquery, and in the parent's object.
    pub label: String,
    /// What the parent does with all of its values, and to what the result is cast.
    pub aggregate: Option<(Aggregate, Option<CastName>)>,
}

/// A condition on rows.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// On a column.
    Column {
        /// Which.
        field: Field,
        /// True if a path needs the column converted.
        to_jsonb: bool,
        /// True if the column is a `tsvector` already.
        is_tsvector: bool,
        /// The function that reads values of the column's own form.
        parser: Option<QualifiedName>,
        /// The rest.
        op: OpExpr,
    },
    /// On an embed, by its place among the children: no row (true), or some.
    Embed(usize, bool),
    /// Several.
    Branch {
        /// `not`
        negated: bool,
        /// `or`
        any: bool,
        /// At least one.
        children: Vec<Condition>,
    },
}

impl Condition {
    /// The columns that it looks at.
    fn columns<'a>(&'a self, names: &mut Vec<&'a str>) {
        match self {
            Self::Column { field, .. } => names.push(&field.name),
            Self::Embed(..) => {}
            Self::Branch { children, .. } => {
                for child in children {
                    child.columns(names);
                }
            }
        }
    }
}

/// One term of an order.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedOrder {
    /// The term.
    pub term: OrderTerm,
    /// The child whose column orders the parent.
    pub child: Option<usize>,
    /// True if a path needs the column converted.
    pub to_jsonb: bool,
}

/// An embed with its relationship.
#[derive(Clone, Debug, PartialEq)]
pub struct Child {
    /// What is read of it.
    pub plan: ReadPlan,
    /// How it belongs to its parent.
    pub relationship: Relationship,
    /// Its name in the query string.
    pub target: String,
    /// Its alias.
    pub alias: Option<String>,
    /// `!inner` or `!left`
    pub join: Option<JoinType>,
    /// True if its columns become the parent's.
    pub spread: bool,
    /// True if nothing is selected of it.
    pub is_empty: bool,
}

impl Child {
    /// The key in the parent's object.
    pub fn label(&self) -> &str {
        self.alias.as_deref().unwrap_or(&self.target)
    }
}

/// A reading of one relation with its embeds.
#[derive(Clone, Debug, PartialEq)]
pub struct ReadPlan {
    /// Where rows come from.
    pub source: Source,
    /// How the rows are called in SQL.
    pub alias: String,
    /// The output columns.
    pub select: Vec<PlannedField>,
    /// All of them hold.
    pub conditions: Vec<Condition>,
    /// The order.
    pub order: Vec<PlannedOrder>,
    /// The window.
    pub range: Range,
    /// The embeds.
    pub children: Vec<Child>,
    /// True for a to-one spread: its aggregates are the parent's.
    pub hoists: bool,
    /// True if embeds may be compared, by grouping or ordering, which needs `jsonb`. It costs a third of a list.
    pub compares_embeds: bool,
}

impl ReadPlan {
    /// True if the rows that count depend on embeds.
    pub fn filters_by_embeds(&self) -> bool {
        fn any_embed(condition: &Condition) -> bool {
            match condition {
                Condition::Embed(..) => true,
                Condition::Branch { children, .. } => children.iter().any(any_embed),
                Condition::Column { .. } => false,
            }
        }
        self.conditions.iter().any(any_embed)
            || self
                .children
                .iter()
                .any(|child| child.join == Some(JoinType::Inner))
    }

    /// Changes this level and every one below it.
    fn visit(&mut self, change: &mut impl FnMut(&mut Self)) {
        change(self);
        for child in &mut self.children {
            child.plan.visit(change);
        }
    }

    /// True if rows are grouped.
    pub fn has_aggregates(&self) -> bool {
        !self.hoists && self.any_aggregate()
    }

    /// True if an aggregate is here, or comes up from a spread embed.
    fn any_aggregate(&self) -> bool {
        self.select.iter().any(|field| field.aggregate.is_some())
            || self
                .children
                .iter()
                .any(|child| child.plan.hoists && child.plan.any_aggregate())
    }

    /// True if every column is selected and nothing else.
    pub fn has_default_select(&self) -> bool {
        self.children.is_empty() && matches!(self.select.as_slice(), [field] if field.star)
    }

    /// Every output column, for the parent to take over.
    pub fn spread_fields(&self, cache: &SchemaCache) -> Vec<SpreadField> {
        let mut found = Vec::new();
        let plain = |label: String| SpreadField {
            label,
            aggregate: None,
        };
        for field in &self.select {
            if field.star {
                found.extend(
                    self.columns(cache)
                        .unwrap_or_default()
                        .iter()
                        .map(|column| plain(column.name.clone())),
                );
            } else {
                found.push(SpreadField {
                    label: field.output_name(),
                    aggregate: field
                        .aggregate
                        .filter(|_| self.hoists)
                        .map(|aggregate| (aggregate, field.aggregate_cast.clone())),
                });
            }
        }
        for child in self.children.iter().filter(|child| !child.is_empty) {
            if child.spread {
                found.extend(child.plan.spread_fields(cache).into_iter().map(|field| {
                    SpreadField {
                        aggregate: field.aggregate.filter(|_| self.hoists),
                        ..field
                    }
                }));
            } else {
                found.push(plain(child.label().to_owned()));
            }
        }
        found
    }

    /// The columns that the rows need to have: what is selected, what embeds join by, what filters and orders, and
    /// `keys`. `None` when only all of them will do.
    pub fn used_columns(&self, keys: &[String]) -> Option<Vec<String>> {
        let mut names: Vec<&str> = Vec::new();
        for field in &self.select {
            if field.star || field.field.name.is_empty() {
                return None;
            }
            names.push(&field.field.name);
        }
        for child in &self.children {
            let columns = join_columns(&child.relationship);
            if columns.is_empty() {
                return None;
            }
            names.extend(columns);
        }
        let own_orders = self.order.iter().filter(|order| order.child.is_none());
        names.extend(own_orders.map(|order| order.term.field.name.as_str()));
        names.extend(keys.iter().map(String::as_str));
        for condition in &self.conditions {
            condition.columns(&mut names);
        }
        let mut unique: Vec<String> = Vec::new();
        for name in names {
            if !unique.iter().any(|known| known == name) {
                unique.push(name.to_owned());
            }
        }
        Some(unique)
    }

    /// The columns that the rows of the window need before embeds are joined to them, `*` for all. `None` where
    /// the window depends on the embeds, or the rows on more than their columns (computed fields take a whole row
    /// of the relation), so that they have to be joined first.
    pub fn columns_before_embeds<'a>(&'a self, cache: &SchemaCache) -> Option<Vec<&'a str>> {
        let has_window = self.range.limit.is_some() || self.range.offset > 0;
        if self.children.is_empty()
            || !has_window
            || !matches!(self.source, Source::Relation(_))
            || self.filters_by_embeds()
            || self.any_aggregate()
            || self.order.iter().any(|order| order.child.is_some())
        {
            return None;
        }
        let mut names: Vec<&str> = Vec::new();
        for child in &self.children {
            let columns = join_columns(&child.relationship);
            if columns.is_empty() {
                return None;
            }
            names.extend(columns);
        }
        let selected = self.select.iter().filter(|field| !field.star);
        names.extend(selected.map(|field| field.field.name.as_str()));
        names.extend(
            self.order
                .iter()
                .map(|order| order.term.field.name.as_str()),
        );
        let known = self.columns(cache)?;
        let is_column = |name: &str| known.iter().any(|column| column.name == name);
        if !names.iter().all(|name| is_column(name)) {
            return None;
        }
        if self.select.iter().any(|field| field.star) {
            return Some(vec!["*"]);
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// The columns of the relation, if it is known.
    pub fn columns<'a>(&self, cache: &'a SchemaCache) -> Option<&'a [Column]> {
        match &self.source {
            Source::Relation(id) | Source::Rows(Some(id)) => {
                cache.table(id).map(|table| table.columns.as_slice())
            }
            Source::Rows(None) => None,
        }
    }
}

impl PlannedField {
    /// All columns.
    fn all() -> Self {
        Self {
            field: Field {
                name: "*".to_owned(),
                path: Vec::new(),
            },
            star: true,
            to_jsonb: false,
            label: None,
            cast: None,
            aggregate: None,
            aggregate_cast: None,
            formatter: None,
        }
    }

    /// The label where the column's own name would not do: an alias, or the last key of a path.
    pub fn output_label(&self) -> Option<String> {
        if self.label.is_some() {
            return self.label.clone();
        }
        let is_key = |operand: &JsonOperand| match operand {
            JsonOperand::Key(key) => Some(key.clone()),
            JsonOperand::Index(_) => None,
        };
        if !self.field.path.is_empty() {
            let steps = self.field.path.iter().rev();
            let key = steps.into_iter().find_map(|step| is_key(&step.operand));
            return Some(key.unwrap_or_else(|| self.field.name.clone()));
        }
        (self.cast.is_some() || self.formatter.is_some()).then(|| self.field.name.clone())
    }

    /// The name of the output column.
    pub fn output_name(&self) -> String {
        match (self.aggregate, &self.label) {
            (Some(aggregate), None) => aggregate.name().to_owned(),
            _ => self
                .output_label()
                .unwrap_or_else(|| self.field.name.clone()),
        }
    }
}

/// What planning needs beside the query string.
struct Context<'a> {
    cache: &'a SchemaCache,
    schema: &'a str,
    aliases: usize,
    /// How many embeds deep the level is.
    depth: usize,
    aggregates: bool,
}

/// Plans a query string over a source. `max_rows` caps every level; aggregates need to be allowed.
pub fn plan_read(
    cache: &SchemaCache,
    schema: &str,
    source: Source,
    name: &str,
    params: &QueryParams,
    max_rows: Option<i64>,
    aggregates: bool,
) -> Result<ReadPlan> {
    let mut context = Context {
        cache,
        schema,
        aliases: 0,
        depth: 0,
        aggregates,
    };
    let mut plan = context.level(source, name.to_owned(), &params.select)?;
    for (path, filter) in &params.filters {
        let target = descend(&mut plan, path)?;
        let condition = context.condition(target, filter);
        target.conditions.push(condition);
    }
    for (path, tree) in &params.logic {
        let target = descend(&mut plan, path)?;
        let condition = context.tree(target, tree);
        target.conditions.push(condition);
    }
    for (path, terms) in &params.order {
        let target = descend(&mut plan, path)?;
        target.order = terms
            .iter()
            .map(|term| context.order(target, term))
            .collect::<Result<_>>()?;
    }
    for (path, range) in &params.ranges {
        descend(&mut plan, path)?.range = *range;
    }
    plan.visit(&mut |level| level.range = level.range.capped(max_rows));
    expand(cache, &mut plan, false);
    if compares_embeds(&plan) {
        plan.visit(&mut |level| level.compares_embeds = true);
    }
    Ok(plan)
}

fn compares_embeds(plan: &ReadPlan) -> bool {
    plan.any_aggregate()
        || plan.order.iter().any(|order| order.child.is_some())
        || plan
            .children
            .iter()
            .any(|child| compares_embeds(&child.plan))
}

/// Names every column instead of `*` where some have forms of their own, or where rows are grouped.
fn expand(cache: &SchemaCache, plan: &mut ReadPlan, grouped: bool) {
    let to_many_spread = |child: &Child| child.spread && !child.relationship.is_to_one();
    let grouped = grouped || plan.any_aggregate() || plan.children.iter().any(to_many_spread);
    if let Some(columns) = plan.columns(cache)
        && plan.select.iter().any(|field| field.star)
        && (grouped || columns.iter().any(|column| column.to_json().is_some()))
    {
        let each = |column: &Column| PlannedField {
            field: Field {
                name: column.name.clone(),
                path: Vec::new(),
            },
            star: false,
            formatter: column.to_json().cloned(),
            ..PlannedField::all()
        };
        plan.select = std::mem::take(&mut plan.select)
            .into_iter()
            .flat_map(|field| {
                if field.star {
                    columns.iter().map(each).collect()
                } else {
                    vec![field]
                }
            })
            .collect();
    }
    for child in &mut plan.children {
        expand(cache, &mut child.plan, grouped);
    }
}

/// The level that a path of embeds names.
fn descend<'p>(plan: &'p mut ReadPlan, path: &[String]) -> Result<&'p mut ReadPlan> {
    let Some((first, rest)) = path.split_first() else {
        return Ok(plan);
    };
    match find_child(plan, first) {
        Some(index) => descend(&mut plan.children[index].plan, rest),
        None => Err(not_embedded(first)),
    }
}

fn not_embedded(name: &str) -> Error {
    Error::new(
        400,
        "108",
        format!("'{name}' is not an embedded resource in this request"),
    )
    .hint(Some(format!(
        "Verify that '{name}' is included in the 'select' query parameter."
    )))
}

fn find_child(plan: &ReadPlan, name: &str) -> Option<usize> {
    let by_alias = plan
        .children
        .iter()
        .position(|child| child.alias.as_deref() == Some(name));
    by_alias.or_else(|| plan.children.iter().position(|child| child.target == name))
}

impl Context<'_> {
    fn table(&self, source: &Source) -> Option<&Table> {
        match source {
            Source::Relation(id) | Source::Rows(Some(id)) => self.cache.table(id),
            Source::Rows(None) => None,
        }
    }

    fn is_json(&self, source: &Source, column: &str) -> bool {
        let column = self.table(source).and_then(|table| table.column(column));
        column.is_some_and(|column| matches!(column.base.as_str(), "json" | "jsonb"))
    }

    fn level(&mut self, source: Source, alias: String, items: &[SelectItem]) -> Result<ReadPlan> {
        let mut plan = ReadPlan {
            source,
            alias,
            select: Vec::new(),
            conditions: Vec::new(),
            order: Vec::new(),
            range: Range::default(),
            children: Vec::new(),
            hoists: false,
            compares_embeds: false,
        };
        for item in items {
            match item {
                SelectItem::Field(selected) => {
                    if selected.aggregate.is_some() && !self.aggregates {
                        return Err(Error::new(
                            400,
                            "123",
                            "Use of aggregate functions is not allowed",
                        ));
                    }
                    let to_jsonb = !selected.field.path.is_empty()
                        && !self.is_json(&plan.source, &selected.field.name);
                    plan.select.push(PlannedField {
                        field: selected.field.clone(),
                        star: selected.star,
                        to_jsonb,
                        label: selected.alias.clone(),
                        cast: selected.cast.clone(),
                        aggregate: selected.aggregate,
                        aggregate_cast: selected.aggregate_cast.clone(),
                        formatter: self
                            .table(&plan.source)
                            .and_then(|table| table.column(&selected.field.name)?.to_json())
                            .filter(|_| selected.field.path.is_empty())
                            .filter(|_| selected.aggregate.is_none())
                            .cloned(),
                    });
                }
                SelectItem::Embed(embed) => {
                    let child = self.child(&plan, embed)?;
                    self.check_label(&plan, &child)?;
                    plan.children.push(child);
                }
            }
        }
        Ok(plan)
    }

    /// Two embeds of one name would give an object with one key twice. PostgREST names the joins by it, so there the
    /// database refuses; its answer is ours.
    fn check_label(&self, parent: &ReadPlan, child: &Child) -> Result<()> {
        if parent
            .children
            .iter()
            .all(|other| other.label() != child.label())
        {
            return Ok(());
        }
        let origin = &child.relationship.origin.name;
        let name = format!("{origin}_{}_{}", child.label(), self.depth + 1);
        let message = format!("table name \"{name}\" specified more than once");
        Err(Error {
            code: "42712".to_owned(),
            ..Error::new(400, "", message)
        })
    }

    fn child(&mut self, parent: &ReadPlan, embed: &Embed) -> Result<Child> {
        let origin = match &parent.source {
            Source::Relation(id) | Source::Rows(Some(id)) => id.clone(),
            Source::Rows(None) => QualifiedName::new(self.schema, &parent.alias),
        };
        let relationship = find::relationship(self.cache, self.schema, &origin, embed)?.clone();
        self.aliases += 1;
        let name: String = relationship.target.name.chars().take(14).collect();
        let alias = format!("{name}_{}", self.aliases);
        self.depth += 1;
        let mut plan = self.level(
            Source::Relation(relationship.target.clone()),
            alias,
            &embed.items,
        )?;
        self.depth -= 1;
        plan.hoists = embed.spread && relationship.is_to_one();
        if embed.spread && !relationship.is_to_one() && plan.has_aggregates() {
            return Err(Error::new(400, "127", "Feature not implemented").details(
                "Aggregates are not implemented for one-to-many or many-to-many spreads.",
            ));
        }
        Ok(Child {
            is_empty: plan.select.is_empty() && plan.children.iter().all(|child| child.is_empty),
            plan,
            relationship,
            target: embed.target.clone(),
            alias: embed.alias.clone(),
            join: embed.join,
            spread: embed.spread,
        })
    }

    fn condition(&self, plan: &ReadPlan, filter: &Filter) -> Condition {
        let is_null_test = matches!(filter.op.operation, Operation::Is(IsValue::Null))
            && filter.field.path.is_empty();
        if is_null_test && let Some(index) = find_child(plan, &filter.field.name) {
            return Condition::Embed(index, !filter.op.negated);
        }
        let column = self
            .table(&plan.source)
            .and_then(|table| table.column(&filter.field.name));
        let known_other = column.is_some_and(|column| column.base != "tsvector");
        Condition::Column {
            to_jsonb: !filter.field.path.is_empty()
                && !self.is_json(&plan.source, &filter.field.name),
            // A path into JSON gives text or JSON; an unknown column is used as it is.
            is_tsvector: filter.field.path.is_empty() && !known_other,
            parser: column
                .and_then(Column::from_text)
                .filter(|_| filter.field.path.is_empty())
                .cloned(),
            field: filter.field.clone(),
            op: filter.op.clone(),
        }
    }

    fn tree(&self, plan: &ReadPlan, tree: &LogicTree) -> Condition {
        match tree {
            LogicTree::Leaf(filter) => self.condition(plan, filter),
            LogicTree::Branch {
                negated,
                any,
                children,
            } => Condition::Branch {
                negated: *negated,
                any: *any,
                children: children
                    .iter()
                    .map(|child| self.tree(plan, child))
                    .collect(),
            },
        }
    }

    fn order(&self, plan: &ReadPlan, term: &OrderTerm) -> Result<PlannedOrder> {
        let Some(relation) = &term.relation else {
            let to_jsonb =
                !term.field.path.is_empty() && !self.is_json(&plan.source, &term.field.name);
            return Ok(PlannedOrder {
                term: term.clone(),
                child: None,
                to_jsonb,
            });
        };
        let index = find_child(plan, relation).ok_or_else(|| not_embedded(relation))?;
        let child = &plan.children[index];
        if !child.relationship.is_to_one() {
            let origin = &child.relationship.origin.name;
            return Err(Error::new(
                400,
                "118",
                format!("A related order on '{relation}' is not possible"),
            )
            .details(format!(
                "'{origin}' and '{relation}' do not form a many-to-one or one-to-one relationship"
            )));
        }
        let to_jsonb =
            !term.field.path.is_empty() && !self.is_json(&child.plan.source, &term.field.name);
        Ok(PlannedOrder {
            term: term.clone(),
            child: Some(index),
            to_jsonb,
        })
    }
}

/// The columns of the parent that an embed joins by, which a write must return.
fn join_columns(relationship: &Relationship) -> Vec<&str> {
    match &relationship.cardinality {
        Cardinality::OneToMany { columns, .. }
        | Cardinality::ManyToOne { columns, .. }
        | Cardinality::OneToOne { columns, .. } => {
            columns.iter().map(|(own, _)| own.as_str()).collect()
        }
        Cardinality::ManyToMany { origin_columns, .. } => {
            origin_columns.iter().map(|(own, _)| own.as_str()).collect()
        }
        Cardinality::Computed { .. } => Vec::new(),
    }
}
