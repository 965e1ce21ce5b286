//! The root: an OpenAPI 2.0 description of a schema.

use serde_json::{Map, Value, json};

use crate::schema_cache::{Column, SchemaCache, Table};

/// Describes the relations and functions of a schema.
pub(crate) fn describe(cache: &SchemaCache, schema: &str) -> Value {
    let mut tables: Vec<&Table> = cache
        .tables
        .values()
        .filter(|table| table.id.schema == schema)
        .collect();
    tables.sort_by(|a, b| a.id.cmp(&b.id));
    let mut paths = Map::new();
    let mut definitions = Map::new();
    paths.insert("/".to_owned(), json!({ "get": { "tags": ["Introspection"], "summary": "OpenAPI description (this document)", "produces": ["application/openapi+json", "application/json"], "responses": { "200": { "description": "OK" } } } }));
    for table in tables {
        paths.insert(format!("/{}", table.id.name), operations(table));
        definitions.insert(table.id.name.clone(), definition(table));
    }
    let mut routines: Vec<_> = cache
        .routines
        .iter()
        .filter(|(id, _)| id.schema == schema)
        .collect();
    routines.sort_by(|a, b| a.0.cmp(b.0));
    for (id, overloads) in routines {
        let volatile = overloads
            .iter()
            .all(crate::schema_cache::Routine::is_volatile);
        let operation = json!({ "tags": [format!("(rpc) {}", id.name)], "responses": { "200": { "description": "OK" } } });
        let mut methods = Map::new();
        if !volatile {
            methods.insert("get".to_owned(), operation.clone());
        }
        methods.insert("post".to_owned(), operation);
        paths.insert(format!("/rpc/{}", id.name), methods.into());
    }
    let comment = cache.schema_descriptions.get(schema);
    let (title, description) = match comment.and_then(|text| text.split_once('\n')) {
        Some((title, description)) => (title, description.trim_start()),
        None => (comment.map_or("PostgREST API", String::as_str), ""),
    };
    json!({
        "swagger": "2.0",
        "info": { "title": title, "description": description, "version": env!("CARGO_PKG_VERSION") },
        "host": "localhost", "basePath": "/", "schemes": ["http"],
        "consumes": ["application/json", "application/vnd.pgrst.object+json", "text/csv"],
        "produces": ["application/json", "application/vnd.pgrst.object+json", "text/csv"],
        "paths": paths, "definitions": definitions,
    })
}

fn operations(table: &Table) -> Value {
    let (summary, description) = match table
        .description
        .as_ref()
        .map(|text| text.split_once('\n').unwrap_or((text, "")))
    {
        Some((summary, description)) => (
            Some(summary),
            Some(description.trim_start()).filter(|text| !text.is_empty()),
        ),
        None => (None, None),
    };
    let mut base = Map::from_iter([("tags".to_owned(), json!([table.id.name]))]);
    if let Some(summary) = summary {
        base.insert("summary".to_owned(), summary.into());
    }
    if let Some(description) = description {
        base.insert("description".to_owned(), description.into());
    }
    let mut methods = Map::new();
    for (method, status, possible) in [
        ("get", "200", true),
        ("post", "201", table.insertable),
        ("patch", "204", table.updatable),
        ("delete", "204", table.deletable),
    ] {
        if possible {
            let mut operation = base.clone();
            operation.insert("responses".to_owned(), json!({ status: { "description": if status == "200" { "OK" } else if status == "201" { "Created" } else { "No Content" } } }));
            methods.insert(method.to_owned(), operation.into());
        }
    }
    methods.into()
}

fn definition(table: &Table) -> Value {
    let properties: Map<String, Value> = table
        .columns
        .iter()
        .map(|column| (column.name.clone(), property(table, column)))
        .collect();
    let required: Vec<&str> = table
        .columns
        .iter()
        .filter(|column| !column.nullable)
        .map(|column| column.name.as_str())
        .collect();
    let mut found = Map::from_iter([
        ("type".to_owned(), json!("object")),
        ("properties".to_owned(), properties.into()),
    ]);
    if let Some(description) = &table.description {
        found.insert("description".to_owned(), description.as_str().into());
    }
    if !required.is_empty() {
        found.insert("required".to_owned(), required.into());
    }
    found.into()
}

fn property(table: &Table, column: &Column) -> Value {
    let kind = match column.base.as_str() {
        "smallint" | "integer" | "bigint" => json!({ "type": "integer" }),
        "numeric" | "real" | "double precision" => json!({ "type": "number" }),
        "boolean" => json!({ "type": "boolean" }),
        "json" | "jsonb" => json!({}),
        base if base.ends_with("[]") => json!({ "type": "array", "items": { "type": "string" } }),
        _ => json!({ "type": "string" }),
    };
    let mut found = kind.as_object().cloned().unwrap_or_default();
    found.insert("format".to_owned(), column.base.as_str().into());
    let mut notes: Vec<String> = column.description.iter().cloned().collect();
    if table.primary_key.contains(&column.name) {
        notes.push("Note:\nThis is a Primary Key.<pk/>".to_owned());
    }
    if !notes.is_empty() {
        found.insert("description".to_owned(), notes.join("\n\n").into());
    }
    if let Some(length) = column.max_length {
        found.insert("maxLength".to_owned(), length.into());
    }
    if !column.labels.is_empty() {
        found.insert("enum".to_owned(), column.labels.clone().into());
    }
    found.into()
}
