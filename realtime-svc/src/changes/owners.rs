//! The policy that most tables have: a row is seen by the user whose id is in a column of it. There it takes one look at the
//! rows, however many users listen.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{
    catalog::Table,
    image::Image,
    sql::{Database, DatabaseError, Statement, array},
};

/// Rows of which the owners are to be read, by table.
#[derive(Default)]
pub(super) struct Wanted<'a>(BTreeMap<u32, (&'a Table, BTreeSet<&'a str>, Vec<usize>)>);

/// The values of owner columns as they are now, by the number of the change. A row that is gone has none.
#[derive(Debug, Default)]
pub(super) struct Owners(HashMap<usize, Vec<(String, String)>>);

impl<'a> Wanted<'a> {
    /// Adds a row, given the columns that matter for somebody. Rows come in order.
    pub(super) fn add(&mut self, table: &'a Table, columns: &'a [String], row: usize) {
        let place = self.0.entry(table.oid);
        let (_, wanted, rows) = place.or_insert_with(|| (table, BTreeSet::new(), Vec::new()));
        wanted.extend(columns.iter().map(String::as_str));
        if rows.last() != Some(&row) {
            rows.push(row);
        }
    }

    /// Reads the columns, given the new rows of the changes.
    pub(super) async fn read(
        &self,
        database: &Database,
        images: &[Image<'_>],
    ) -> Result<Owners, DatabaseError> {
        let mut owners = Owners::default();
        for (table, columns, rows) in self.0.values() {
            let columns: Vec<_> = columns.iter().copied().collect();
            let sql = table.select_sql(&columns);
            let mut open = vec![rows.as_slice()];
            while let Some(rows) = open.pop() {
                let of = |name: &str| array(rows.iter().map(|row| images[*row].typed(name)?.1));
                let keys: Vec<_> = table.key().into_iter().map(|key| of(&key.name)).collect();
                let statement = Statement::new(&sql, keys.iter().map(String::as_str));
                let found = match database.run(&[statement]).await {
                    Ok(found) => found,
                    Err(error) if error.fault().is_none() => return Err(error),
                    // Nobody sees a row that cannot be looked for; the others are not to blame.
                    Err(error) if rows.len() == 1 => {
                        tracing::warn!(%error, "the owners of a row cannot be read");
                        continue;
                    }
                    Err(_) => {
                        let (first, second) = rows.split_at(rows.len() / 2);
                        open.extend([second, first]);
                        continue;
                    }
                };
                for found in found.iter().flatten() {
                    let place = found.bigint(0).and_then(|it| usize::try_from(it - 1).ok());
                    let Some(row) = place.and_then(|place| rows.get(place)) else {
                        continue;
                    };
                    let values = columns.iter().enumerate();
                    let values = values.filter_map(|(index, name)| {
                        Some(((*name).to_owned(), found.text(index + 1)?))
                    });
                    owners.0.insert(*row, values.collect());
                }
            }
        }
        Ok(owners)
    }
}

impl Owners {
    /// True if one of the columns holds the subject.
    pub(super) fn has(&self, row: usize, columns: &[String], subject: &str) -> bool {
        let values = self.0.get(&row);
        values.is_some_and(|values| {
            let mut values = values.iter();
            values.any(|(column, value)| value == subject && columns.contains(column))
        })
    }
}
