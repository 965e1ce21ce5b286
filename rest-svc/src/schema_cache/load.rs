//! Reading the catalog.

use std::collections::HashMap;

use serde::{Deserialize, de::DeserializeOwned};
use tokio_postgres::{IsolationLevel, Transaction};

use super::{
    Handler, QualifiedName, Relationship, Routine, SchemaCache, Table,
    relationships::{Cardinality, ForeignKey, from_foreign_keys},
    views::{View, ViewColumns},
};

/// Why the catalog could not be read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The database refused.
    #[error("the catalog could not be read: {0}")]
    Database(#[from] tokio_postgres::Error),
    /// The answer is not what the queries ask for.
    #[error("the catalog has an unexpected form: {0}")]
    Form(#[from] serde_json::Error),
}

/// Names of all relations and their columns, exposed or not.
#[derive(Deserialize)]
struct Names {
    oid: u32,
    #[serde(flatten)]
    id: QualifiedName,
    columns: HashMap<i32, String>,
}

#[derive(Deserialize)]
struct ComputedRelationship {
    function: QualifiedName,
    origin: QualifiedName,
    target: QualifiedName,
    to_one: bool,
}

/// Reads everything in one read-only transaction.
pub async fn load(
    client: &mut tokio_postgres::Client,
    schemas: &[String],
    extra: &[String],
) -> Result<SchemaCache, LoadError> {
    let tx = client
        .build_transaction()
        .isolation_level(IsolationLevel::RepeatableRead)
        .read_only(true)
        .start()
        .await?;
    // With nothing in the path, types print with their schema. Compiling the queries takes a second, running them a
    // tenth of it.
    tx.batch_execute(
        "set local search_path = ''; set local statement_timeout = 0; set local jit = off",
    )
    .await?;
    let exposed: Vec<String> = schemas.to_vec();
    let with_extra: Vec<String> = schemas.iter().chain(extra).cloned().collect();
    let mut tables: Vec<Table> = rows(&tx, include_str!("tables.sql"), &exposed).await?;
    let names: Vec<Names> = rows(&tx, include_str!("names.sql"), &exposed).await?;
    let keys: Vec<ForeignKey> = rows(&tx, include_str!("foreign_keys.sql"), &exposed).await?;
    let views: Vec<View> = rows(&tx, include_str!("views.sql"), &with_extra).await?;
    let routines: Vec<Routine> = rows(&tx, include_str!("routines.sql"), &exposed).await?;
    let computed: Vec<ComputedRelationship> =
        rows(&tx, include_str!("computed.sql"), &with_extra).await?;
    let timezones: Vec<String> = rows(&tx, include_str!("timezones.sql"), &exposed).await?;
    let handlers: Vec<Handler> = rows(&tx, include_str!("handlers.sql"), &exposed).await?;
    let comments: Vec<(String, String)> = rows(&tx, include_str!("comments.sql"), &exposed).await?;
    tx.commit().await?;

    let relations: HashMap<u32, _> = names
        .into_iter()
        .map(|names| (names.oid, (names.id, names.columns)))
        .collect();
    let view_columns = ViewColumns::resolve(&views, &relations);
    inherit_keys(&mut tables, &view_columns);
    let tables: HashMap<QualifiedName, Table> = tables
        .into_iter()
        .map(|table| (table.id.clone(), table))
        .collect();
    let mut cache = SchemaCache {
        timezones,
        schema_descriptions: comments.into_iter().collect(),
        ..SchemaCache::default()
    };
    for routine in routines {
        cache
            .routines
            .entry(routine.id.clone())
            .or_default()
            .push(routine);
    }
    // The order in which an ambiguous call names them.
    for overloads in cache.routines.values_mut() {
        overloads.sort_by_cached_key(|routine| {
            let arguments = routine.arguments.iter();
            let arguments: Vec<_> = arguments
                .map(|each| (each.name.clone(), each.declared.0.clone()))
                .collect();
            (arguments.len(), routine.description.clone(), arguments)
        });
    }
    for handler in handlers {
        cache
            .handlers
            .entry(handler.media.clone())
            .or_default()
            .push(handler);
    }
    add_relationships(
        &mut cache,
        from_foreign_keys(&keys, &tables, &view_columns),
        computed,
        &tables,
        schemas,
    );
    cache.tables = tables
        .into_iter()
        .filter(|(id, _)| schemas.contains(&id.schema))
        .collect();
    Ok(cache)
}

/// Each query gives one JSON array.
async fn rows<T: DeserializeOwned>(
    tx: &Transaction<'_>,
    sql: &str,
    schemas: &[String],
) -> Result<Vec<T>, LoadError> {
    let row = tx.query_one(sql, &[&schemas]).await?;
    let text: Option<String> = row.get(0);
    Ok(text.map_or_else(|| Ok(Vec::new()), |text| serde_json::from_str(&text))?)
}

/// A view that shows every column of a table's primary key has that key.
fn inherit_keys(tables: &mut [Table], views: &ViewColumns) {
    let keys: Vec<(QualifiedName, Vec<String>)> = tables
        .iter()
        .filter(|table| !table.is_view() && !table.primary_key.is_empty())
        .map(|table| (table.id.clone(), table.primary_key.clone()))
        .collect();
    for (table, key) in keys {
        for (view, columns, _) in views.showing(&table, &key) {
            if let Some(view) = tables.iter_mut().find(|known| known.id == view) {
                for column in columns {
                    if !view.primary_key.contains(&column) {
                        view.primary_key.push(column);
                    }
                }
            }
        }
    }
}

fn add_relationships(
    cache: &mut SchemaCache,
    detected: Vec<Relationship>,
    computed: Vec<ComputedRelationship>,
    tables: &HashMap<QualifiedName, Table>,
    schemas: &[String],
) {
    let is_view = |id: &QualifiedName| tables.get(id).is_some_and(Table::is_view);
    let exposed = |id: &QualifiedName| schemas.contains(&id.schema);
    for relationship in detected {
        if !exposed(&relationship.origin) || !exposed(&relationship.target) {
            continue;
        }
        // An origin whose junctions are all hidden is still known: that decides what a hint suggests.
        let known = cache
            .relationships
            .entry(relationship.origin.clone())
            .or_default();
        let junction_is_hidden = matches!(&relationship.cardinality, Cardinality::ManyToMany { junction, .. } if !exposed(junction));
        if !junction_is_hidden {
            known.push(relationship);
        }
    }
    for ComputedRelationship {
        function,
        origin,
        target,
        to_one,
    } in computed
    {
        let known = cache.relationships.entry(origin.clone()).or_default();
        // What a project computes under a name replaces what was detected under it.
        known.retain(|relationship| {
            matches!(relationship.cardinality, Cardinality::Computed { .. })
                || relationship.target.name != function.name
        });
        known.push(Relationship {
            origin_is_view: is_view(&origin),
            target_is_view: is_view(&target),
            origin,
            target,
            cardinality: Cardinality::Computed { function, to_one },
        });
    }
}
