//! SELECT with embeds as lateral subqueries.

use super::{builder::Sql, condition};
use crate::{
    parse::{Field, JoinType, Range},
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
    let rows_first = if windowed {
        plan.columns_before_embeds(cache)
    } else {
        None
    };
    if let Some(columns) = rows_first {
        windowed_rows(sql, cache, plan, parent, &columns);
        for child in &plan.children {
            join(sql, cache, plan, child);
        }
        order(sql, cache, plan);
        return;
    }
    rows(sql, plan, parent);
    for child in &plan.children {
        join(sql, cache, plan, child);
    }
    conditions(sql, plan, parent);
    group_by(sql, cache, plan);
    if windowed {
        order(sql, cache, plan);
        window(sql, plan.range);
    }
}

fn rows(sql: &mut Sql, plan: &ReadPlan, parent: Option<(&ReadPlan, &Child)>) {
    match parent {
        Some((parent, child)) => from_child(sql, parent, child),
        None => from(sql, plan),
    }
}

/// The rows of the window alone, so that embeds are read for these and not for every row that the order looks at.
fn windowed_rows(
    sql: &mut Sql,
    cache: &SchemaCache,
    plan: &ReadPlan,
    parent: Option<(&ReadPlan, &Child)>,
    columns: &[&str],
) {
    sql.push("(SELECT ");
    sql.list(", ", columns, |sql, name| {
        if *name == "*" {
            sql.ident(&plan.alias).push(".*");
        } else {
            sql.column(&plan.alias, name);
        }
    });
    sql.push(" FROM ");
    rows(sql, plan, parent);
    conditions(sql, plan, parent);
    order(sql, cache, plan);
    window(sql, plan.range);
    sql.push(") AS ").ident(&plan.alias);
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
    for field in &plan.select {
        comma(sql);
        output_field(sql, plan, field);
    }
    for child in plan.children.iter().filter(|child| !child.is_empty) {
        if !child.spread {
            comma(sql);
            embedded(sql, child);
            sql.push(" AS ").ident(child.label());
            continue;
        }
        let lateral = lateral(child);
        for field in child.plan.spread_fields(cache) {
            comma(sql);
            match (&field.aggregate, child.relationship.is_to_one()) {
                (Some((aggregate, cast)), true) if !plan.hoists => {
                    sql.push(aggregate.name())
                        .push("(")
                        .column(&lateral, &field.label)
                        .push(")");
                    if let Some(cast) = cast {
                        sql.push("::").cast_type(cast);
                    }
                    sql.push(" AS ").ident(&field.label);
                }
                (_, true) => {
                    sql.column(&lateral, &field.label);
                }
                (_, false) => {
                    sql.push("COALESCE(")
                        .column(&lateral, &field.label)
                        .push(", '[]') AS ")
                        .ident(&field.label);
                }
            }
        }
    }
    if first {
        sql.push("1");
    }
}

/// The value of an embed in its parent's object.
fn embedded(sql: &mut Sql, child: &Child) {
    let lateral = lateral(child);
    if child.relationship.is_to_one() {
        sql.push("row_to_json(").ident(&lateral).push(".*)");
        sql.push(comparable(&child.plan));
    } else {
        sql.push("COALESCE(")
            .column(&lateral, "rows")
            .push(", '[]')");
    }
}

/// The cast that makes JSON something that can be compared, where that is needed.
fn comparable(plan: &ReadPlan) -> &'static str {
    if plan.compares_embeds { "::jsonb" } else { "" }
}

fn output_field(sql: &mut Sql, plan: &ReadPlan, field: &PlannedField) {
    if field.star {
        sql.ident(&plan.alias).push(".*");
        return;
    }
    let Some(aggregate) = field.aggregate else {
        value(sql, plan, field);
        if let Some(label) = field.output_label() {
            sql.push(" AS ").ident(&label);
        }
        return;
    };
    let counts_rows = field.field.name.is_empty();
    if plan.hoists {
        // The parent aggregates; counting rows, it counts those that a row was found for.
        if counts_rows {
            sql.ident(&plan.alias);
        } else {
            value(sql, plan, field);
        }
    } else {
        sql.push(aggregate.name()).push("(");
        if counts_rows {
            sql.push("*");
        } else {
            value(sql, plan, field);
        }
        sql.push(")");
        if let Some(cast) = &field.aggregate_cast {
            sql.push("::").cast_type(cast);
        }
    }
    sql.push(" AS ").ident(&field.output_name());
}

fn value(sql: &mut Sql, plan: &ReadPlan, field: &PlannedField) {
    if field.cast.is_some() {
        sql.push("CAST(");
    }
    if let Some(function) = &field.formatter {
        sql.qualified(function).push("(");
    }
    condition::field(sql, &plan.alias, &field.field, field.to_jsonb);
    if field.formatter.is_some() {
        sql.push(")");
    }
    if let Some(cast) = &field.cast {
        sql.push(" AS ").cast_type(cast).push(")");
    }
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
    let comparable = comparable(&child.plan);
    sql.push("SELECT json_agg(s)")
        .push(comparable)
        .push(" AS rows");
    if child.spread {
        for field in child.plan.spread_fields(cache) {
            sql.push(", json_agg(")
                .column("s", &field.label)
                .push(")")
                .push(comparable)
                .push(" AS ")
                .ident(&field.label);
        }
    }
    sql.push(" FROM (");
    select(sql, cache, &child.plan, Some((parent, child)), true);
    sql.push(") AS s) AS ").ident(&lateral);
    if inner {
        sql.push(" ON ")
            .column(&lateral, "rows")
            .push(" IS NOT NULL");
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

/// Groups by everything that is not aggregated.
fn group_by(sql: &mut Sql, cache: &SchemaCache, plan: &ReadPlan) {
    if !plan.has_aggregates() {
        return;
    }
    let mut keyword = " GROUP BY ";
    for field in plan.select.iter().filter(|field| field.aggregate.is_none()) {
        sql.push(std::mem::replace(&mut keyword, ", "));
        if field.star {
            sql.ident(&plan.alias).push(".*");
        } else if field.label.is_some() {
            value(sql, plan, field);
        } else {
            condition::field(sql, &plan.alias, &field.field, field.to_jsonb);
        }
    }
    for child in plan.children.iter().filter(|child| !child.is_empty) {
        if !child.spread {
            sql.push(std::mem::replace(&mut keyword, ", "));
            embedded(sql, child);
            continue;
        }
        let lateral = lateral(child);
        for field in child.plan.spread_fields(cache) {
            if field.aggregate.is_none() {
                sql.push(std::mem::replace(&mut keyword, ", "))
                    .column(&lateral, &field.label);
            }
        }
    }
}

/// True if the embed's subquery has the column.
fn shows(cache: &SchemaCache, child: &Child, field: &Field) -> bool {
    let mut fields = child.plan.spread_fields(cache).into_iter();
    fields.any(|shown| shown.label == field.name)
}

fn order(sql: &mut Sql, cache: &SchemaCache, plan: &ReadPlan) {
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
                Some(index) if shows(cache, &plan.children[*index], &term.field) => {
                    let embed = lateral(&plan.children[*index]);
                    condition::field(sql, &embed, &term.field, *to_jsonb);
                }
                Some(index) => {
                    // The embed's own columns do not include this one, so it is looked up again.
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

/// Pages up to this size are written into the text. The planner has to know how few rows are wanted: with a parameter it
/// makes a new plan for every request, which can take as long as the rest. Larger ones would be too many texts to
/// keep, and matter less.
const MAX_LITERAL: i64 = 1000;

/// LIMIT and OFFSET.
pub fn window(sql: &mut Sql, range: Range) {
    if let Some(limit) = range.limit {
        sql.push(" LIMIT ");
        if (0..=MAX_LITERAL).contains(&limit) {
            sql.number(limit);
        } else {
            sql.param(limit.to_string());
        }
    }
    if range.offset > 0 {
        sql.push(" OFFSET ").param(range.offset.to_string());
    }
}
