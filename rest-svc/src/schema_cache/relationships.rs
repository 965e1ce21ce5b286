//! How relations belong together.

use std::collections::{HashMap, HashSet};

use super::{QualifiedName, Table, views::ViewColumns};

/// Columns of one side with the columns of the other.
pub(super) type ColumnPairs = Vec<(String, String)>;

/// What kind of relationship, seen from its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cardinality {
    /// The target has the foreign key.
    OneToMany {
        /// The constraint.
        constraint: String,
        /// Origin's and target's columns.
        columns: ColumnPairs,
    },
    /// The origin has the foreign key.
    ManyToOne {
        /// The constraint.
        constraint: String,
        /// Origin's and target's columns.
        columns: ColumnPairs,
    },
    /// The foreign key is unique.
    OneToOne {
        /// The constraint.
        constraint: String,
        /// Origin's and target's columns.
        columns: ColumnPairs,
        /// True if the target has the foreign key.
        is_parent: bool,
    },
    /// Through a junction.
    ManyToMany {
        /// The junction.
        junction: QualifiedName,
        /// The junction's constraint to the origin.
        origin_constraint: String,
        /// The junction's constraint to the target.
        target_constraint: String,
        /// Origin's and junction's columns.
        origin_columns: ColumnPairs,
        /// Junction's and target's columns.
        target_columns: ColumnPairs,
    },
    /// A function of the origin's row.
    Computed {
        /// The function.
        function: QualifiedName,
        /// True if it gives at most one row.
        to_one: bool,
    },
}

/// A way from one relation to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Relationship {
    /// Where it starts.
    pub origin: QualifiedName,
    /// Where it ends.
    pub target: QualifiedName,
    /// What kind.
    pub cardinality: Cardinality,
    /// True if the origin is a view.
    pub origin_is_view: bool,
    /// True if the target is a view.
    pub target_is_view: bool,
}

impl Relationship {
    /// True if each row of the origin has at most one row of the target.
    pub fn is_to_one(&self) -> bool {
        matches!(
            self.cardinality,
            Cardinality::ManyToOne { .. }
                | Cardinality::OneToOne { .. }
                | Cardinality::Computed { to_one: true, .. }
        )
    }

    /// True if both ends are one relation.
    pub fn is_self(&self) -> bool {
        self.origin == self.target
    }
}

/// A foreign key of the catalog.
#[derive(Clone, Debug, serde::Deserialize)]
pub(super) struct ForeignKey {
    pub(super) constraint: String,
    pub(super) table: QualifiedName,
    pub(super) target: QualifiedName,
    pub(super) columns: ColumnPairs,
    pub(super) is_unique: bool,
}

/// A foreign key as some relation shows it: a base table, or a view with all its columns.
#[derive(Clone)]
struct Shown {
    constraint: String,
    table: QualifiedName,
    target: QualifiedName,
    columns: ColumnPairs,
    is_unique: bool,
    table_is_view: bool,
    target_is_view: bool,
}

/// Every relationship that foreign keys imply, through views and junctions too.
pub(super) fn from_foreign_keys(
    keys: &[ForeignKey],
    tables: &HashMap<QualifiedName, Table>,
    views: &ViewColumns,
) -> Vec<Relationship> {
    let mut shown = Vec::new();
    for key in keys {
        let own: Vec<_> = key.columns.iter().map(|(own, _)| own.clone()).collect();
        let theirs: Vec<_> = key
            .columns
            .iter()
            .map(|(_, theirs)| theirs.clone())
            .collect();
        let tables = std::iter::once((key.table.clone(), own.clone(), false))
            .chain(views.showing(&key.table, &own));
        let targets: Vec<_> = std::iter::once((key.target.clone(), theirs.clone(), false))
            .chain(views.showing(&key.target, &theirs))
            .collect();
        for (table, columns, table_is_view) in tables {
            for (target, target_columns, target_is_view) in &targets {
                shown.push(Shown {
                    constraint: key.constraint.clone(),
                    table: table.clone(),
                    target: target.clone(),
                    columns: columns
                        .iter()
                        .cloned()
                        .zip(target_columns.iter().cloned())
                        .collect(),
                    is_unique: key.is_unique,
                    table_is_view,
                    target_is_view: *target_is_view,
                });
            }
        }
    }
    let mut found: Vec<Relationship> = shown.iter().flat_map(both_ways).collect();
    found.extend(through_junctions(&shown, tables));
    found
}

fn both_ways(key: &Shown) -> [Relationship; 2] {
    let (constraint, columns) = (key.constraint.clone(), key.columns.clone());
    let inverse: ColumnPairs = columns
        .iter()
        .map(|(own, theirs)| (theirs.clone(), own.clone()))
        .collect();
    let (forth, back) = if key.is_unique {
        (
            Cardinality::OneToOne {
                constraint: constraint.clone(),
                columns,
                is_parent: false,
            },
            Cardinality::OneToOne {
                constraint,
                columns: inverse,
                is_parent: true,
            },
        )
    } else {
        (
            Cardinality::ManyToOne {
                constraint: constraint.clone(),
                columns,
            },
            Cardinality::OneToMany {
                constraint,
                columns: inverse,
            },
        )
    };
    [
        Relationship {
            origin: key.table.clone(),
            target: key.target.clone(),
            cardinality: forth,
            origin_is_view: key.table_is_view,
            target_is_view: key.target_is_view,
        },
        Relationship {
            origin: key.target.clone(),
            target: key.table.clone(),
            cardinality: back,
            origin_is_view: key.target_is_view,
            target_is_view: key.table_is_view,
        },
    ]
}

/// A relation is a junction of two others if it has a key to each and both keys lie within its own key.
fn through_junctions(keys: &[Shown], tables: &HashMap<QualifiedName, Table>) -> Vec<Relationship> {
    let mut by_table: HashMap<&QualifiedName, Vec<&Shown>> = HashMap::new();
    for key in keys {
        by_table.entry(&key.table).or_default().push(key);
    }
    let mut found = Vec::new();
    for (junction, keys) in by_table {
        let Some(table) = tables.get(junction) else {
            continue;
        };
        let own: HashSet<&String> = table.primary_key.iter().collect();
        let within = |key: &Shown| key.columns.iter().all(|(column, _)| own.contains(column));
        for first in keys.iter().filter(|key| within(key)) {
            for second in keys
                .iter()
                .filter(|key| within(key) && key.constraint != first.constraint)
            {
                found.push(Relationship {
                    origin: first.target.clone(),
                    target: second.target.clone(),
                    cardinality: Cardinality::ManyToMany {
                        junction: junction.clone(),
                        origin_constraint: first.constraint.clone(),
                        target_constraint: second.constraint.clone(),
                        origin_columns: first
                            .columns
                            .iter()
                            .map(|(own, theirs)| (theirs.clone(), own.clone()))
                            .collect(),
                        target_columns: second.columns.clone(),
                    },
                    origin_is_view: first.target_is_view,
                    target_is_view: second.target_is_view,
                });
            }
        }
    }
    found
}
