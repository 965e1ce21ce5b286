//! Calls of functions.

use super::builder::{Sql, array_literal};
use crate::{
    parse::{Payload, PayloadKind},
    schema_cache::{Argument, Routine, Shape},
};

/// Where arguments come from.
#[derive(Clone, Copy, Debug)]
pub enum Arguments<'a> {
    /// The query string.
    Query(&'a [(String, String)]),
    /// A JSON body, as named arguments.
    Body(&'a Payload),
    /// The body as the one unnamed argument.
    Raw(&'a Payload),
}

/// Writes the call: its rows, or its values as `pgrst_scalar`.
pub fn call(sql: &mut Sql, routine: &Routine, arguments: Arguments<'_>) {
    sql.push(if routine.shape == Shape::Composite {
        "SELECT pgrst_call.* FROM "
    } else {
        "SELECT pgrst_call AS pgrst_scalar FROM "
    });
    match arguments {
        Arguments::Query(pairs) => {
            let given: Vec<&Argument> =
                given(routine, |name| pairs.iter().any(|(key, _)| key == name));
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
            sql.qualified(&routine.id).push("(");
            for argument in &routine.arguments {
                sql.param(raw(payload, argument))
                    .push("::")
                    .catalog_type(&argument.type_name);
            }
            sql.push(") AS pgrst_call");
        }
        Arguments::Body(payload) => {
            let given: Vec<&Argument> = given(routine, |name| payload.keys.contains(name));
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
    sql.qualified(&routine.id).push("(");
    sql.list(", ", given, |sql, argument| {
        if argument.variadic {
            sql.push("VARIADIC ");
        }
        sql.ident(&argument.name).push(" := ");
        value(sql, argument);
    });
    sql.push(") AS pgrst_call");
}

/// Bytes travel as text, so they take the form of a `bytea` literal.
fn raw(payload: &Payload, argument: &Argument) -> bytes::Bytes {
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
