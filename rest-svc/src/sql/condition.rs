//! Columns, paths into JSON, and conditions.

use super::builder::{Sql, array_literal};
use crate::{
    parse::{Field, FullText, IsValue, JsonOperand, OpExpr, Operation, Operator, Quantifier},
    plan::{Condition, ReadPlan},
};

/// A column, or what lies inside it.
pub(super) fn field(sql: &mut Sql, alias: &str, field: &Field, to_jsonb: bool) {
    if field.path.is_empty() {
        sql.column(alias, &field.name);
        return;
    }
    sql.push("(");
    if to_jsonb {
        sql.push("to_jsonb(").column(alias, &field.name).push(")");
    } else {
        sql.column(alias, &field.name);
    }
    for step in &field.path {
        sql.push(if step.as_text { "->>" } else { "->" });
        match &step.operand {
            JsonOperand::Key(key) => sql.json_key(key),
            JsonOperand::Index(index) => sql.number(i64::from(*index)),
        };
    }
    sql.push(")");
}

/// One condition of a level.
pub(super) fn condition(sql: &mut Sql, plan: &ReadPlan, condition_: &Condition) {
    match condition_ {
        Condition::Branch {
            negated,
            any,
            children,
        } => {
            if *negated {
                sql.push("NOT ");
            }
            sql.push("(");
            sql.list(
                if *any { " OR " } else { " AND " },
                children,
                |sql, child| condition(sql, plan, child),
            );
            sql.push(")");
        }
        Condition::Embed(index, is_empty) => {
            let lateral = super::read::lateral(&plan.children[*index]);
            if plan.children[*index].relationship.is_to_one() || plan.children[*index].spread {
                sql.ident(&lateral);
            } else {
                sql.column(&lateral, "rows");
            }
            // Not IS NULL: a row of nulls is still a row.
            sql.push(if *is_empty {
                " IS NOT DISTINCT FROM NULL"
            } else {
                " IS DISTINCT FROM NULL"
            });
        }
        Condition::Column {
            field,
            to_jsonb,
            is_tsvector,
            op,
        } => filter(sql, &plan.alias, field, *to_jsonb, *is_tsvector, op),
    }
}

/// A condition on a column.
pub(super) fn filter(
    sql: &mut Sql,
    alias: &str,
    left: &Field,
    to_jsonb: bool,
    is_tsvector: bool,
    op: &OpExpr,
) {
    let OpExpr { negated, operation } = op;
    if *negated {
        sql.push("NOT ");
    }
    match operation {
        Operation::Compare(operator, quantifier, value) => {
            field(sql, alias, left, to_jsonb);
            let value = match operator {
                Operator::Like | Operator::Ilike => value.replace('*', "%"),
                _ => value.clone(),
            };
            sql.push(operator_text(*operator));
            match quantifier {
                None => sql.param(value),
                Some(Quantifier::Any) => sql.push("ANY (").param(value).push(")"),
                Some(Quantifier::All) => sql.push("ALL (").param(value).push(")"),
            };
        }
        Operation::In(values) => {
            field(sql, alias, left, to_jsonb);
            sql.push(" = ANY (");
            // `in.("")` means the empty text, `in.()` nothing at all.
            sql.param(array_literal(values)).push(")");
        }
        Operation::Is(value) => {
            field(sql, alias, left, to_jsonb);
            sql.push(match value {
                IsValue::Null => " IS NULL",
                IsValue::NotNull => " IS NOT NULL",
                IsValue::True => " IS TRUE",
                IsValue::False => " IS FALSE",
                IsValue::Unknown => " IS UNKNOWN",
            });
        }
        Operation::IsDistinct(value) => {
            field(sql, alias, left, to_jsonb);
            sql.push(" IS DISTINCT FROM ").param(value.clone());
        }
        Operation::FullText(search, configuration, value) => {
            if is_tsvector {
                field(sql, alias, left, to_jsonb);
            } else {
                sql.push("to_tsvector(");
                if let Some(configuration) = configuration {
                    sql.param(configuration.clone()).push(", ");
                }
                field(sql, alias, left, to_jsonb);
                sql.push(")");
            }
            sql.push(" @@ ");
            sql.push(match search {
                FullText::Fts => "to_tsquery(",
                FullText::Plfts => "plainto_tsquery(",
                FullText::Phfts => "phraseto_tsquery(",
                FullText::Wfts => "websearch_to_tsquery(",
            });
            if let Some(configuration) = configuration {
                sql.param(configuration.clone()).push(", ");
            }
            sql.param(value.clone()).push(")");
        }
    }
}

fn operator_text(operator: Operator) -> &'static str {
    match operator {
        Operator::Eq => " = ",
        Operator::Neq => " <> ",
        Operator::Gt => " > ",
        Operator::Gte => " >= ",
        Operator::Lt => " < ",
        Operator::Lte => " <= ",
        Operator::Like => " LIKE ",
        Operator::Ilike => " ILIKE ",
        Operator::Match => " ~ ",
        Operator::Imatch => " ~* ",
        Operator::Cs => " @> ",
        Operator::Cd => " <@ ",
        Operator::Ov => " && ",
        Operator::Sl => " << ",
        Operator::Sr => " >> ",
        Operator::Nxr => " &< ",
        Operator::Nxl => " &> ",
        Operator::Adj => " -|- ",
    }
}
