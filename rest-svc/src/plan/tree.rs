//! What a plan is made of.

use crate::{
    parse::{Aggregate, CastName, Field, JoinType, JsonOperand, OpExpr, OrderTerm, Range},
    schema_cache::{Column, QualifiedName, Relationship, SchemaCache},
};

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
    pub(super) fn columns<'a>(&'a self, names: &mut Vec<&'a str>) {
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
    /// True if embeds may be compared, by grouping or ordering, which needs `jsonb`. That costs a quarter of a list.
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
    pub(super) fn visit(&mut self, change: &mut impl FnMut(&mut Self)) {
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
    pub(super) fn any_aggregate(&self) -> bool {
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
    pub(super) fn all() -> Self {
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
