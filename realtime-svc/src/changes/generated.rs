//! Stored generated columns: before Postgres 18 the log leaves them out, so they are read from the table.

use std::{borrow::Cow, collections::HashMap};

use super::{
    catalog::{Column, Table},
    image::{Image, Json, Value},
    sql::{Database, DatabaseError, Statement, array},
};
use crate::replication::Change;

/// Adds to new rows what the log leaves out. A row that is gone by now stays without.
pub(super) async fn complete<'r, 'a: 'r>(
    database: &Database,
    rows: impl Iterator<Item = (&'a Table, &'a Change, &'r mut Image<'a>)>,
) -> Result<(), DatabaseError> {
    let mut tables: HashMap<u32, (&Table, Vec<&Column>, Vec<&'r mut Image<'a>>)> = HashMap::new();
    for (table, change, image) in rows {
        if change.new.is_none() || !table.columns.iter().any(|column| column.is_generated) {
            continue;
        }
        let is_missing = |column: &&Column| {
            let mut logged = change.relation.columns.iter();
            column.is_generated && !logged.any(|it| *it.name == column.name)
        };
        let missing: Vec<_> = table.columns.iter().filter(is_missing).collect();
        if missing.is_empty() || table.key().is_empty() {
            continue;
        }
        let (_, _, images) = tables
            .entry(table.oid)
            .or_insert_with(|| (table, missing, Vec::new()));
        images.push(image);
    }
    for (table, columns, mut images) in tables.into_values() {
        let names: Vec<_> = columns.iter().map(|it| it.name.as_str()).collect();
        let sql = table.select_sql(&names);
        let mut open = vec![images.as_mut_slice()];
        while let Some(images) = open.pop() {
            let of = |key: &Column| {
                let typed = images.iter().map(|it| it.typed(&key.name));
                array(typed.map(|typed| typed.and_then(|(_, text)| text)))
            };
            let keys: Vec<_> = table.key().into_iter().map(of).collect();
            let statement = Statement::new(&sql, keys.iter().map(String::as_str));
            let rows = match database.run(&[statement]).await {
                Ok(rows) => rows,
                Err(error) if error.fault().is_none() => return Err(error),
                // It stays without.
                Err(error) if images.len() == 1 => {
                    tracing::warn!(%error, "generated columns of a row cannot be read");
                    continue;
                }
                Err(_) => {
                    let (first, second) = images.split_at_mut(images.len() / 2);
                    open.extend([second, first]);
                    continue;
                }
            };
            for row in rows.iter().flatten() {
                let place = row
                    .bigint(0)
                    .and_then(|place| usize::try_from(place - 1).ok());
                let Some(image) = place.and_then(|place| images.get_mut(place)) else {
                    continue;
                };
                for (index, column) in columns.iter().enumerate() {
                    image.0.push(Value {
                        name: Cow::Owned(column.name.clone()),
                        type_oid: column.type_oid,
                        text: row.text(index + 1).map(Cow::Owned),
                        json: Json::Null,
                    });
                }
            }
        }
    }
    Ok(())
}
