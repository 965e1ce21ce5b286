//! Columns, paths into JSON, and conditions.

use super::builder::{Sql, array_literal};
use crate::{
    parse::{Field, FullText, IsValue, JsonOperand, OpExpr, Operation, Operator, Quantifier},
    plan::{Condition, ReadPlan},
    schema_cache::QualifiedName,
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
            if plan.children[*index].relationship.is_to_one() {
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
            parser,
            op,
        } => {
            let column = Column {
                alias: &plan.alias,
                field,
                to_jsonb: *to_jsonb,
                is_tsvector: *is_tsvector,
                parser: parser.as_ref(),
            };
            filter(sql, &column, op);
        }
    }
}

/// The left side of a filter.
struct Column<'a> {
    alias: &'a str,
    field: &'a Field,
    to_jsonb: bool,
    is_tsvector: bool,
    parser: Option<&'a QualifiedName>,
}

impl Column<'_> {
    fn write(&self, sql: &mut Sql) {
        field(sql, self.alias, self.field, self.to_jsonb);
    }

    /// A value to compare with, read by the column's own parser if it has one.
    fn value(&self, sql: &mut Sql, value: String) {
        match self.parser {
            Some(function) => sql
                .qualified(function)
                .push("(")
                .param(value)
                .push("::text)"),
            None => sql.param(value),
        };
    }
}

/// A condition on a column.
fn filter(sql: &mut Sql, column: &Column<'_>, op: &OpExpr) {
    let OpExpr { negated, operation } = op;
    if *negated {
        sql.push("NOT ");
    }
    match operation {
        Operation::Compare(operator, quantifier, value) => {
            column.write(sql);
            sql.push(operator_text(*operator));
            sql.push(match quantifier {
                None => "",
                Some(Quantifier::Any) => "ANY (",
                Some(Quantifier::All) => "ALL (",
            });
            if matches!(operator, Operator::Like | Operator::Ilike) {
                sql.param(value.replace('*', "%"));
            } else {
                column.value(sql, value.clone());
            }
            if quantifier.is_some() {
                sql.push(")");
            }
        }
        Operation::In(values) => {
            column.write(sql);
            sql.push(" = ANY (");
            // `in.("")` means the empty text, `in.()` nothing at all.
            match column.parser {
                Some(function) => sql
                    .push("SELECT ")
                    .qualified(function)
                    .push("(unnest(")
                    .param(array_literal(values))
                    .push("::text[]))"),
                None => sql.param(array_literal(values)),
            };
            sql.push(")");
        }
        Operation::Is(value) => {
            column.write(sql);
            sql.push(match value {
                IsValue::Null => " IS NULL",
                IsValue::NotNull => " IS NOT NULL",
                IsValue::True => " IS TRUE",
                IsValue::False => " IS FALSE",
                IsValue::Unknown => " IS UNKNOWN",
            });
        }
        Operation::IsDistinct(value) => {
            column.write(sql);
            sql.push(" IS DISTINCT FROM ").param(value.clone());
        }
        Operation::FullText(search, configuration, value) => {
            if column.is_tsvector {
                column.write(sql);
            } else {
                sql.push("to_tsvector(");
                if let Some(configuration) = configuration {
                    sql.param(configuration.clone()).push(", ");
                }
                column.write(sql);
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
