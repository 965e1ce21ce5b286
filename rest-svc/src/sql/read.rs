//! SELECT with embeds as lateral subqueries.

use super::{builder::Sql, condition};
use crate::{
    parse::{JoinType, JsonOperand},
    plan::{Child, PlannedField, PlannedOrder, ReadPlan, Source},
    schema_cache::{Cardinality, SchemaCache},
};

/// The alias of an embed's subquery. The plan's own aliases are numbered, so it is unique too.
pub(super) fn lateral(child: &Child) -> String {
    format!("j_{}", child.plan.alias)
}

/// The whole SELECT of a plan.
pub fn read(sql: &mut Sql, cache: &SchemaCache, plan: &ReadPlan) {
    select(sql, cache, plan, None, true);
}

/// The rows that a total counts: no order, no window, and embeds only where they decide.
pub fn count_of(sql: &mut Sql, cache: &SchemaCache, plan: &ReadPlan) {
    if plan.filters_by_embeds() || plan.has_aggregates() {
        let mut whole = plan.clone();
        whole.order.clear();
        whole.range = crate::parse::Range::default();
        select(sql, cache, &whole, None, false);
        return;
    }
    sql.push("SELECT 1 FROM ");
    from(sql, plan);
    conditions(sql, plan, None);
}

fn select(
    sql: &mut Sql,
    cache: &SchemaCache,
    plan: &ReadPlan,
    parent: Option<(&ReadPlan, &Child)>,
    windowed: bool,
) {
    sql.push("SELECT ");
    output(sql, cache, plan);
    sql.push(" FROM ");
    match parent {
        Some((parent, child)) => from_child(sql, parent, child),
        None => from(sql, plan),
    }
    for child in &plan.children {
        join(sql, cache, plan, child);
    }
    conditions(sql, plan, parent);
    group_by(sql, plan);
    if windowed {
        order(sql, plan);
        window(sql, plan);
    }
}

fn from(sql: &mut Sql, plan: &ReadPlan) {
    match &plan.source {
        Source::Relation(id) => sql.qualified(id),
        Source::Rows(_) => sql.push("pgrst_source"),
    };
    sql.push(" AS ").ident(&plan.alias);
}

fn from_child(sql: &mut Sql, parent: &ReadPlan, child: &Child) {
    match &child.relationship.cardinality {
        Cardinality::Computed { function, .. } => {
            sql.qualified(function).push("(");
            match &parent.source {
                Source::Relation(_) => sql.ident(&parent.alias),
                // What a write returned is a record until it is called by its relation's name.
                Source::Rows(_) => sql
                    .push("ROW(")
                    .ident(&parent.alias)
                    .push(".*)::")
                    .qualified(&child.relationship.origin),
            };
            sql.push(") AS ").ident(&child.plan.alias);
        }
        Cardinality::ManyToMany { junction, .. } => {
            from(sql, &child.plan);
            sql.push(", ")
                .qualified(junction)
                .push(" AS ")
                .ident(&junction_alias(child));
        }
        _ => from(sql, &child.plan),
    }
}

fn junction_alias(child: &Child) -> String {
    format!("m_{}", child.plan.alias)
}

/// The output columns; an embed of which nothing is selected gives none.
fn output(sql: &mut Sql, cache: &SchemaCache, plan: &ReadPlan) {
    let mut first = true;
    let mut comma = |sql: &mut Sql| {
        if !std::mem::take(&mut first) {
            sql.push(", ");
        }
    };
    let grouped = plan.has_aggregates()
        || plan
            .children
            .iter()
            .any(|child| child.spread && !child.relationship.is_to_one());
    for field in &plan.select {
        let columns = if field.star && grouped {
            expand(cache, plan)
        } else {
            None
        };
        if let Some(columns) = columns {
            for column in columns {
                comma(sql);
                sql.column(&plan.alias, &column);
            }
        } else {
            comma(sql);
            output_field(sql, plan, field);
        }
    }
    for child in plan.children.iter().filter(|child| !child.is_empty) {
        let lateral = lateral(child);
        match (child.spread, child.relationship.is_to_one()) {
            (false, true) => {
                comma(sql);
                sql.push("row_to_json(")
                    .ident(&lateral)
                    .push(".*)::jsonb AS ")
                    .ident(child.label());
            }
            (false, false) => {
                comma(sql);
                sql.push("COALESCE(")
                    .column(&lateral, "rows")
                    .push(", '[]') AS ")
                    .ident(child.label());
            }
            (true, to_one) => {
                for label in labels(cache, &child.plan) {
                    comma(sql);
                    if to_one {
                        sql.column(&lateral, &label);
                    } else {
                        sql.push("COALESCE(")
                            .column(&lateral, &label)
                            .push(", '[]') AS ")
                            .ident(&label);
                    }
                }
            }
        }
    }
    if first {
        sql.push("1");
    }
}

fn output_field(sql: &mut Sql, plan: &ReadPlan, field: &PlannedField) {
    if field.star {
        sql.ident(&plan.alias).push(".*");
        return;
    }
    if let Some(aggregate) = field.aggregate {
        sql.push(aggregate.name()).push("(");
        if field.field.name.is_empty() {
            sql.push("*");
        } else {
            value(sql, plan, field);
        }
        sql.push(")");
        if let Some(cast) = &field.aggregate_cast {
            sql.push("::").cast_type(cast);
        }
        sql.push(" AS ")
            .ident(field.label.as_deref().unwrap_or(aggregate.name()));
        return;
    }
    value(sql, plan, field);
    if let Some(label) = label(field) {
        sql.push(" AS ").ident(&label);
    }
}

fn value(sql: &mut Sql, plan: &ReadPlan, field: &PlannedField) {
    match &field.cast {
        Some(cast) => {
            sql.push("CAST(");
            condition::field(sql, &plan.alias, &field.field, field.to_jsonb);
            sql.push(" AS ").cast_type(cast).push(")");
        }
        None => condition::field(sql, &plan.alias, &field.field, field.to_jsonb),
    }
}

/// The label where the column's own name would not do: an alias, or the last key of a path.
fn label(field: &PlannedField) -> Option<String> {
    if field.label.is_some() {
        return field.label.clone();
    }
    if let Some(last) = field.field.path.last() {
        let key = field
            .field
            .path
            .iter()
            .rev()
            .find_map(|step| match &step.operand {
                JsonOperand::Key(key) => Some(key.clone()),
                JsonOperand::Index(_) => None,
            });
        return Some(match &last.operand {
            JsonOperand::Key(key) => key.clone(),
            JsonOperand::Index(_) => key.unwrap_or_else(|| field.field.name.clone()),
        });
    }
    field.cast.as_ref().map(|_| field.field.name.clone())
}

/// Every output name of a plan, for its parent to take over.
fn labels(cache: &SchemaCache, plan: &ReadPlan) -> Vec<String> {
    let mut found = Vec::new();
    for field in &plan.select {
        if field.star {
            found.extend(expand(cache, plan).unwrap_or_default());
        } else if let Some(aggregate) = field.aggregate {
            found.push(
                field
                    .label
                    .clone()
                    .unwrap_or_else(|| aggregate.name().to_owned()),
            );
        } else {
            found.push(label(field).unwrap_or_else(|| field.field.name.clone()));
        }
    }
    for child in plan.children.iter().filter(|child| !child.is_empty) {
        if child.spread {
            found.extend(labels(cache, &child.plan));
        } else {
            found.push(child.label().to_owned());
        }
    }
    found
}

fn expand(cache: &SchemaCache, plan: &ReadPlan) -> Option<Vec<String>> {
    let id = match &plan.source {
        Source::Relation(id) | Source::Rows(Some(id)) => id,
        Source::Rows(None) => return None,
    };
    Some(
        cache
            .table(id)?
            .columns
            .iter()
            .map(|column| column.name.clone())
            .collect(),
    )
}

fn join(sql: &mut Sql, cache: &SchemaCache, parent: &ReadPlan, child: &Child) {
    let inner = child.join == Some(JoinType::Inner);
    let lateral = lateral(child);
    sql.push(if inner {
        " INNER JOIN LATERAL ("
    } else {
        " LEFT JOIN LATERAL ("
    });
    if child.relationship.is_to_one() {
        select(sql, cache, &child.plan, Some((parent, child)), true);
        sql.push(") AS ").ident(&lateral).push(" ON TRUE");
        return;
    }
    sql.push("SELECT ");
    if child.spread {
        sql.list(", ", labels(cache, &child.plan), |sql, label| {
            sql.push("json_agg(")
                .column("s", &label)
                .push(")::jsonb AS ")
                .ident(&label);
        });
        if child.is_empty {
            sql.push("count(s)");
        }
    } else {
        sql.push("json_agg(s)::jsonb AS rows");
    }
    sql.push(" FROM (");
    select(sql, cache, &child.plan, Some((parent, child)), true);
    sql.push(") AS s) AS ").ident(&lateral);
    if inner {
        sql.push(" ON ").ident(&lateral).push(" IS NOT NULL");
    } else {
        sql.push(" ON TRUE");
    }
}

fn conditions(sql: &mut Sql, plan: &ReadPlan, parent: Option<(&ReadPlan, &Child)>) {
    let mut first = true;
    let mut and = |sql: &mut Sql| {
        sql.push(if std::mem::take(&mut first) {
            " WHERE "
        } else {
            " AND "
        });
    };
    if let Some((parent, child)) = parent {
        let child_alias = &child.plan.alias;
        match &child.relationship.cardinality {
            Cardinality::OneToMany { columns, .. }
            | Cardinality::ManyToOne { columns, .. }
            | Cardinality::OneToOne { columns, .. } => {
                for (own, theirs) in columns {
                    and(sql);
                    sql.column(child_alias, theirs)
                        .push(" = ")
                        .column(&parent.alias, own);
                }
            }
            Cardinality::ManyToMany {
                origin_columns,
                target_columns,
                ..
            } => {
                let junction = junction_alias(child);
                for (own, theirs) in origin_columns {
                    and(sql);
                    sql.column(&junction, theirs)
                        .push(" = ")
                        .column(&parent.alias, own);
                }
                for (own, theirs) in target_columns {
                    and(sql);
                    sql.column(&junction, own)
                        .push(" = ")
                        .column(child_alias, theirs);
                }
            }
            Cardinality::Computed { .. } => {}
        }
    }
    for each in &plan.conditions {
        and(sql);
        condition::condition(sql, plan, each);
    }
}

fn group_by(sql: &mut Sql, plan: &ReadPlan) {
    if !plan.has_aggregates() {
        return;
    }
    let fields: Vec<_> = plan
        .select
        .iter()
        .filter(|field| field.aggregate.is_none())
        .collect();
    let children: Vec<_> = plan
        .children
        .iter()
        .filter(|child| !child.is_empty)
        .collect();
    if fields.is_empty() && children.is_empty() {
        return;
    }
    sql.push(" GROUP BY ");
    sql.list(", ", &fields, |sql, field| {
        if field.star {
            sql.ident(&plan.alias).push(".*");
        } else {
            condition::field(sql, &plan.alias, &field.field, field.to_jsonb);
        }
    });
    if !fields.is_empty() && !children.is_empty() {
        sql.push(", ");
    }
    sql.list(", ", &children, |sql, child| {
        sql.ident(&lateral(child));
        if !child.relationship.is_to_one() && !child.spread {
            sql.push(".rows");
        }
    });
}

fn order(sql: &mut Sql, plan: &ReadPlan) {
    if plan.order.is_empty() {
        return;
    }
    sql.push(" ORDER BY ");
    sql.list(
        ", ",
        &plan.order,
        |sql,
         PlannedOrder {
             term,
             child,
             to_jsonb,
         }| {
            match child {
                None => condition::field(sql, &plan.alias, &term.field, *to_jsonb),
                Some(index) => {
                    // The embed's own columns may not include this one, so it is looked up again.
                    let child = &plan.children[*index];
                    sql.push("(SELECT ");
                    condition::field(sql, &child.plan.alias, &term.field, *to_jsonb);
                    sql.push(" FROM ");
                    from_child(sql, plan, child);
                    let mut bare = child.plan.clone();
                    bare.conditions.clear();
                    conditions(sql, &bare, Some((plan, child)));
                    sql.push(" LIMIT 1)");
                }
            }
            sql.push(match term.descending {
                Some(true) => " DESC",
                Some(false) => " ASC",
                None => "",
            });
            sql.push(match term.nulls_first {
                Some(true) => " NULLS FIRST",
                Some(false) => " NULLS LAST",
                None => "",
            });
        },
    );
}

fn window(sql: &mut Sql, plan: &ReadPlan) {
    if let Some(limit) = plan.range.limit {
        sql.push(" LIMIT ").param(limit.to_string());
    }
    if plan.range.offset > 0 {
        sql.push(" OFFSET ").param(plan.range.offset.to_string());
    }
}
