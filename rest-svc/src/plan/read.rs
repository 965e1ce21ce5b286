//! Reading: of a relation, of what a write touched, or of what a function gave.

use crate::{
    error::{Error, Result},
    parse::{
        Aggregate, CastName, Embed, Field, Filter, IsValue, JoinType, LogicTree, OpExpr, Operation,
        OrderTerm, QueryParams, Range, SelectItem,
    },
    schema_cache::{Cardinality, QualifiedName, Relationship, SchemaCache, Table},
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

    /// True if rows are grouped.
    pub fn has_aggregates(&self) -> bool {
        self.select.iter().any(|field| field.aggregate.is_some())
    }
}

/// What planning needs beside the query string.
struct Context<'a> {
    cache: &'a SchemaCache,
    schema: &'a str,
    max_rows: Option<i64>,
    aliases: usize,
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
        max_rows,
        aliases: 0,
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
    context.cap(&mut plan);
    Ok(plan)
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
                    });
                }
                SelectItem::Embed(embed) => {
                    let child = self.child(&plan, embed)?;
                    plan.children.push(child);
                }
            }
        }
        Ok(plan)
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
        let plan = self.level(
            Source::Relation(relationship.target.clone()),
            alias,
            &embed.items,
        )?;
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

    fn cap(&self, plan: &mut ReadPlan) {
        plan.range = plan.range.capped(self.max_rows);
        for child in &mut plan.children {
            self.cap(&mut child.plan);
        }
    }
}

/// The columns of the parent that an embed joins by, which a write must return.
pub(crate) fn join_columns(relationship: &Relationship) -> Vec<&str> {
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
