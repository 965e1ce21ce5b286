//! INSERT, UPDATE and DELETE.

use bytes::Bytes;

use super::{builder::Sql, condition, values::values_of};
use crate::{
    parse::{Payload, PayloadKind},
    plan::ReadPlan,
    schema_cache::{Column, Table},
};

/// What happens to a row whose key exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OnConflict {
    /// The columns of the key.
    pub columns: Vec<String>,
    /// True to change it, false to leave it.
    pub merge: bool,
}

/// Which statement.
#[derive(Clone, Debug)]
pub enum MutationKind<'a> {
    /// INSERT, perhaps over existing rows.
    Insert {
        /// See [`OnConflict`].
        conflict: Option<OnConflict>,
        /// PUT: only rows of the body with these keys.
        only: Vec<(String, String)>,
        /// The body.
        payload: &'a Payload,
    },
    /// UPDATE of the rows that the plan's conditions hold for.
    Update {
        /// The body.
        payload: &'a Payload,
    },
    /// DELETE of the same.
    Delete,
}

/// A write.
#[derive(Clone, Debug)]
pub struct Mutation<'a> {
    /// Which statement.
    pub kind: MutationKind<'a>,
    /// The relation.
    pub table: &'a Table,
    /// The columns that the body sets.
    pub columns: Vec<&'a Column>,
    /// True if absent keys take the column's default.
    pub defaults: bool,
    /// The root level, for its alias and its conditions.
    pub target: &'a ReadPlan,
    /// The columns to return; `None` for all.
    pub returning: Option<Vec<String>>,
}

impl Mutation<'_> {
    fn parses(&self) -> bool {
        self.columns
            .iter()
            .any(|column| column.from_json().is_some())
    }
}

const COUNT_UP: &str = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) + 1)::text, true) <> '0'";
const COUNT_DOWN: &str = "set_config('pgrst.inserted', (coalesce(nullif(current_setting('pgrst.inserted', true), '')::int, 0) - 1)::text, true) <> '-1'";

/// Writes the statement.
pub fn mutate(sql: &mut Sql, mutation: &Mutation<'_>) {
    match &mutation.kind {
        MutationKind::Insert {
            conflict,
            only,
            payload,
        } => insert(sql, mutation, conflict.as_ref(), only, payload),
        MutationKind::Update { payload } => update(sql, mutation, payload),
        MutationKind::Delete => {
            sql.push("DELETE FROM ")
                .qualified(&mutation.table.id)
                .push(" AS ")
                .ident(&mutation.target.alias);
            conditions(sql, mutation);
            returning(sql, mutation, Some(&mutation.target.alias));
        }
    }
}

fn insert(
    sql: &mut Sql,
    mutation: &Mutation<'_>,
    conflict: Option<&OnConflict>,
    only: &[(String, String)],
    payload: &Payload,
) {
    let columns = &mutation.columns;
    sql.push("INSERT INTO ").qualified(&mutation.table.id);
    if columns.is_empty() {
        // Rows without columns: every column takes its default.
        sql.push(" SELECT FROM json_array_elements(");
        json_array(sql, payload, false);
        sql.push(")");
    } else {
        sql.push("(").list(", ", columns, |sql, column| {
            sql.ident(&column.name);
        });
        sql.push(") SELECT ").list(", ", columns, |sql, column| {
            sql.column("pgrst_body", &column.name);
        });
        sql.push(" FROM ");
        rows(sql, mutation, payload);
        let counted = conflict.is_some_and(|conflict| conflict.merge);
        let mut keyword = " WHERE ";
        if counted {
            sql.push(keyword).push(COUNT_UP);
            keyword = " AND ";
        }
        for (name, value) in only {
            sql.push(keyword)
                .column("pgrst_body", name)
                .push(" = ")
                .param(value.clone());
            keyword = " AND ";
        }
    }
    if let Some(OnConflict {
        columns: key,
        merge,
    }) = conflict
    {
        sql.push(" ON CONFLICT(").list(", ", key, |sql, name| {
            sql.ident(name);
        });
        if *merge && !columns.is_empty() {
            sql.push(") DO UPDATE SET ")
                .list(", ", columns, |sql, column| {
                    sql.ident(&column.name)
                        .push(" = EXCLUDED.")
                        .ident(&column.name);
                });
            sql.push(" WHERE ").push(COUNT_DOWN);
        } else {
            sql.push(") DO NOTHING");
        }
    }
    returning(sql, mutation, None);
}

fn update(sql: &mut Sql, mutation: &Mutation<'_>, payload: &Payload) {
    let alias = &mutation.target.alias;
    sql.push("UPDATE ")
        .qualified(&mutation.table.id)
        .push(" AS ")
        .ident(alias)
        .push(" SET ");
    sql.list(", ", &mutation.columns, |sql, column| {
        sql.ident(&column.name)
            .push(" = ")
            .column("pgrst_body", &column.name);
    });
    if payload.kind == PayloadKind::Object {
        sql.push(" FROM ");
        rows(sql, mutation, payload);
    } else {
        sql.push(" FROM (SELECT * FROM ");
        rows(sql, mutation, payload);
        sql.push(" LIMIT 1) AS pgrst_body");
    }
    conditions(sql, mutation);
    returning(sql, mutation, Some(alias));
}

/// The body as rows of the columns' own types, so that Postgres does every cast.
fn rows(sql: &mut Sql, mutation: &Mutation<'_>, payload: &Payload) {
    let typed = mutation
        .columns
        .iter()
        .map(|column| (column.name.as_str(), &column.declared));
    if !mutation.parses()
        && !mutation.defaults
        && let Some(values) = values_of(payload, typed)
    {
        let columns = mutation.columns.iter().zip(values);
        sql.push("(SELECT ")
            .list(", ", columns, |sql, (column, value)| {
                sql.nullable_param(value)
                    .push("::")
                    .catalog_type(&column.declared)
                    .push(" AS ")
                    .ident(&column.name);
            });
        sql.push(") AS pgrst_body");
        return;
    }
    if mutation.parses() {
        // Columns with a form of their own come as JSON and are read by their parsers.
        sql.push("(SELECT ");
        sql.list(", ", &mutation.columns, |sql, column| {
            match column.from_json() {
                Some(function) => sql
                    .qualified(function)
                    .push("(")
                    .column("pgrst_json", &column.name)
                    .push(") AS ")
                    .ident(&column.name),
                None => sql.column("pgrst_json", &column.name),
            };
        });
        sql.push(" FROM ");
    }
    if mutation.defaults {
        sql.push("(SELECT jsonb_agg(jsonb_build_object(");
        let with_default = mutation
            .columns
            .iter()
            .filter_map(|column| Some((column, column.default.as_ref()?)));
        sql.list(", ", with_default, |sql, (column, default)| {
            sql.json_key(&column.name)
                .push(", ")
                .catalog_expression(default);
        });
        sql.push(") || element) AS elements FROM jsonb_array_elements(");
        json_array(sql, payload, true);
        sql.push(") AS element) AS pgrst_defaults, jsonb_to_recordset(pgrst_defaults.elements)");
    } else if payload.kind == PayloadKind::Object {
        sql.push("json_to_record(")
            .param(payload.text.clone())
            .push("::json)");
    } else {
        sql.push("json_to_recordset(")
            .param(payload.text.clone())
            .push("::json)");
    }
    let parses = mutation.parses();
    sql.push(if parses {
        " AS pgrst_json("
    } else {
        " AS pgrst_body("
    });
    sql.list(", ", &mutation.columns, |sql, column| {
        sql.ident(&column.name).push(" ");
        if column.from_json().is_some() {
            sql.push("json");
        } else {
            sql.catalog_type(&column.declared);
        }
    });
    sql.push(if parses { ")) AS pgrst_body" } else { ")" });
}

fn json_array(sql: &mut Sql, payload: &Payload, binary: bool) {
    let text = if payload.kind == PayloadKind::Object {
        Bytes::from([b"[", payload.text.as_ref(), b"]"].concat())
    } else {
        payload.text.clone()
    };
    sql.param(text)
        .push(if binary { "::jsonb" } else { "::json" });
}

fn conditions(sql: &mut Sql, mutation: &Mutation<'_>) {
    for (index, each) in mutation.target.conditions.iter().enumerate() {
        sql.push(if index == 0 { " WHERE " } else { " AND " });
        condition::condition(sql, mutation.target, each);
    }
}

fn returning(sql: &mut Sql, mutation: &Mutation<'_>, alias: Option<&str>) {
    sql.push(" RETURNING ");
    // In UPDATE … FROM a bare star would return the body's columns too.
    let alias = alias.unwrap_or(&mutation.table.id.name);
    match &mutation.returning {
        None => {
            sql.ident(alias).push(".*");
        }
        Some(columns) if columns.is_empty() => {
            sql.push("1");
        }
        Some(columns) => {
            sql.list(", ", columns, |sql, name| {
                sql.column(alias, name);
            });
        }
    }
}
