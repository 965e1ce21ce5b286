//! Reading: of a relation, of what a write touched, or of what a function gave.

use super::{
    find,
    tree::{Child, Condition, PlannedField, PlannedOrder, ReadPlan, Source},
};
use crate::{
    error::{Error, Result},
    parse::{
        Embed, Field, Filter, IsValue, LogicTree, Operation, OrderTerm, QueryParams, Range,
        SelectItem,
    },
    schema_cache::{Column, QualifiedName, SchemaCache, Table},
};

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
