//! The root: the description of a schema, or a function that takes its place.

use std::collections::HashSet;

use axum::response::{IntoResponse as _, Response};
use http::{Method, header};
use serde::Deserialize;

use super::{Context, negotiate::not_acceptable, respond, rpc};
use crate::{
    config::OpenApiMode,
    error::{Error, Result},
    openapi::{self, Shown},
    parse::MediaType,
    schema_cache::{Routine, Table},
    sql::Sql,
};

/// What the caller's role may use.
#[derive(Default, Deserialize)]
struct Privileges {
    tables: HashSet<String>,
    routines: HashSet<u32>,
}

pub(super) async fn serve(context: Context) -> Result<Response> {
    match context.parts.method {
        Method::OPTIONS => return Ok(respond::options("OPTIONS,GET,HEAD")),
        Method::GET | Method::HEAD => {}
        ref method => {
            return Err(Error::new(
                405,
                "117",
                format!("Unsupported HTTP method: {method}"),
            ));
        }
    }
    let mode = context.config.openapi;
    if mode == OpenApiMode::Disabled {
        return Err(Error::new(404, "126", "Root endpoint metadata is disabled"));
    }
    if let Some(function) = context.config.root_spec.clone() {
        return rpc::serve(context, &function.name).await;
    }
    let acceptable =
        |media: &MediaType| matches!(media, MediaType::OpenApi | MediaType::Json | MediaType::Any);
    if !context.accept.iter().any(acceptable) {
        return Err(not_acceptable(&context));
    }
    let privileges = match mode {
        OpenApiMode::FollowPrivileges => Some(privileges(&context).await?),
        _ => None,
    };
    let text = openapi::describe(
        &context.config,
        &context.cache,
        &shown(&context, privileges.as_ref()),
    )
    .to_string();
    let kind = [(
        header::CONTENT_TYPE,
        MediaType::OpenApi.content_type().into_owned(),
    )];
    let mut response = (kind, text).into_response();
    context.show_profile(&mut response);
    Ok(response)
}

fn shown<'a>(context: &'a Context, privileges: Option<&Privileges>) -> Shown<'a> {
    let (cache, schema) = (&context.cache, &context.schema);
    let may_use = |table: &Table| privileges.is_none_or(|p| p.tables.contains(&table.id.name));
    let may_call = |routine: &Routine| privileges.is_none_or(|p| p.routines.contains(&routine.oid));
    let mut tables: Vec<&Table> = cache
        .tables
        .values()
        .filter(|table| table.id.schema == *schema && may_use(table))
        .collect();
    tables.sort_by(|a, b| a.id.cmp(&b.id));
    let mut routines: Vec<&Routine> = cache
        .routines
        .iter()
        .filter(|(id, _)| id.schema == *schema)
        .flat_map(|(_, overloads)| overloads)
        .filter(|routine| may_call(routine))
        .collect();
    routines.sort_by(|a, b| a.id.cmp(&b.id));
    let path = std::iter::once(schema).chain(&context.config.extra_search_path);
    Shown {
        unqualified: match privileges {
            Some(_) => path.map(String::as_str).collect(),
            None => Vec::new(),
        },
        tables,
        routines,
        comment: cache.schema_descriptions.get(schema).map(String::as_str),
    }
}

async fn privileges(context: &Context) -> Result<Privileges> {
    let mut statement = Sql::new();
    statement
        .push(
            "SELECT pg_catalog.json_build_object(\
             'tables', (SELECT coalesce(pg_catalog.json_agg(c.relname), '[]') FROM pg_catalog.pg_class c \
             JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = ",
        )
        .param(context.schema.clone())
        .push(
            " AND c.relkind IN ('v', 'r', 'm', 'f', 'p') AND (pg_catalog.pg_has_role(c.relowner, 'USAGE') \
             OR pg_catalog.has_table_privilege(c.oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER') \
             OR pg_catalog.has_any_column_privilege(c.oid, 'SELECT, INSERT, UPDATE, REFERENCES'))), \
             'routines', (SELECT coalesce(pg_catalog.json_agg(p.oid::bigint), '[]') FROM pg_catalog.pg_proc p \
             JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = ",
        )
        .param(context.schema.clone())
        .push(" AND pg_catalog.has_function_privilege(p.oid, 'execute')))::text");
    let rows = context.run(&statement, true, &[], None).await?;
    let text: String = rows.first().and_then(|row| row.text(0)).unwrap_or_default();
    serde_json::from_str(&text).map_err(|_| Error::new(500, "X00", "The database gave no result"))
}
