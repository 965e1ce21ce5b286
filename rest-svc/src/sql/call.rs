//! Calls of functions.

use bytes::Bytes;

use super::{
    builder::{Sql, array_literal},
    values::values_of,
};
use crate::{
    parse::{Payload, PayloadKind},
    schema_cache::{Argument, Routine, Shape},
};

/// Where arguments come from.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// The query string, or a form.
    Pairs(&'a [(String, String)]),
    /// A JSON body, as named arguments.
    Body(&'a Payload),
    /// The body as the one unnamed argument.
    Raw(&'a Payload),
}

/// Writes the call: its rows, or its values as `pgrst_scalar`. `returning` names the columns that are used;
/// `None` takes all of them.
pub fn call(
    sql: &mut Sql,
    routine: &Routine,
    arguments: Arguments<'_>,
    returning: Option<&[String]>,
) {
    let is_rows = routine.shape == Shape::Composite;
    match returning {
        // Asked of the function's own row type, a computed field is found; a record has none.
        Some(columns) if is_rows && !columns.is_empty() => {
            sql.push("SELECT ").list(", ", columns, |sql, name| {
                sql.column("pgrst_call", name);
            });
            sql.push(" FROM ");
        }
        _ => {
            sql.push(if is_rows {
                "SELECT pgrst_call.* FROM "
            } else {
                "SELECT pgrst_call.pgrst_scalar FROM "
            });
        }
    }
    match arguments {
        Arguments::Pairs(pairs) => {
            let given = given(routine, |name| pairs.iter().any(|(key, _)| key == name));
            function(sql, routine, &given, |sql, argument| {
                let values: Vec<String> = pairs
                    .iter()
                    .filter(|(key, _)| *key == argument.name)
                    .map(|(_, value)| value.clone())
                    .collect();
                // A variadic argument takes all its repeats, another one the last.
                let value = match values.as_slice() {
                    [one] if argument.variadic && one.starts_with('{') => one.clone(),
                    many if argument.variadic => array_literal(many),
                    many => many.last().cloned().unwrap_or_default(),
                };
                sql.param(value)
                    .push("::")
                    .catalog_type(&argument.type_name);
            });
        }
        Arguments::Raw(payload) => {
            function_with(sql, routine, |sql| {
                for argument in &routine.arguments {
                    sql.param(raw(payload, argument))
                        .push("::")
                        .catalog_type(&argument.type_name);
                }
            });
        }
        Arguments::Body(payload) => {
            let given = given(routine, |name| payload.keys.contains(name));
            let typed = given
                .iter()
                .map(|argument| (argument.name.as_str(), &argument.type_name));
            if let Some(values) = values_of(payload, typed) {
                // Bound one by one, their values are visible to the planner.
                let mut values = values.into_iter();
                function(sql, routine, &given, |sql, argument| {
                    sql.nullable_param(values.next().flatten())
                        .push("::")
                        .catalog_type(&argument.type_name);
                });
                return;
            }
            if !given.is_empty() {
                sql.push(if payload.kind == PayloadKind::Object {
                    "(SELECT * FROM json_to_record("
                } else {
                    "(SELECT * FROM json_to_recordset("
                });
                sql.param(payload.text.clone()).push("::json) AS _(");
                sql.list(", ", &given, |sql, argument| {
                    sql.ident(&argument.name)
                        .push(" ")
                        .catalog_type(&argument.type_name);
                });
                sql.push(") LIMIT 1) AS pgrst_args, LATERAL ");
            }
            function(sql, routine, &given, |sql, argument| {
                sql.column("pgrst_args", &argument.name);
            });
        }
    }
}

fn given(routine: &Routine, is_given: impl Fn(&str) -> bool) -> Vec<&Argument> {
    routine
        .arguments
        .iter()
        .filter(|argument| is_given(&argument.name))
        .collect()
}

fn function(
    sql: &mut Sql,
    routine: &Routine,
    given: &[&Argument],
    mut value: impl FnMut(&mut Sql, &Argument),
) {
    function_with(sql, routine, |sql| {
        sql.list(", ", given, |sql, argument| {
            if argument.variadic {
                sql.push("VARIADIC ");
            }
            sql.ident(&argument.name).push(" := ");
            value(sql, argument);
        });
    });
}

/// A value is called in a select list, where a record may have any columns; rows are called as a relation, where
/// an SQL function can be inlined.
fn function_with(sql: &mut Sql, routine: &Routine, arguments: impl FnOnce(&mut Sql)) {
    let is_rows = routine.shape == Shape::Composite;
    if !is_rows {
        sql.push("(SELECT ");
    }
    sql.qualified(&routine.id).push("(");
    arguments(sql);
    sql.push(if is_rows {
        ") AS pgrst_call"
    } else {
        ") AS pgrst_scalar) AS pgrst_call"
    });
}

/// Bytes travel as text, so they take the form of a `bytea` literal.
fn raw(payload: &Payload, argument: &Argument) -> Bytes {
    if argument.type_name.0 != "bytea" {
        return payload.text.clone();
    }
    let mut text = String::with_capacity(2 + payload.text.len() * 2);
    text.push_str("\\x");
    for byte in &payload.text {
        for digit in [byte >> 4, byte & 15] {
            text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    text.into()
}
