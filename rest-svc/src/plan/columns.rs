//! Which columns a statement's first part has to give to the rest of it.

use super::{Child, ReadPlan, Source};
use crate::schema_cache::{Cardinality, SchemaCache};

impl ReadPlan {
    /// The columns that the rows need to have: what is selected, what embeds join by, what filters and orders, and
    /// `keys`. `None` when only all of them will do.
    pub fn used_columns(&self, keys: &[String]) -> Option<Vec<String>> {
        let counts_or_takes_all =
            |field: &super::PlannedField| field.star || field.field.name.is_empty();
        if self.select.iter().any(counts_or_takes_all) {
            return None;
        }
        let mut names = self.selected_joined_and_ordering()?;
        names.extend(keys.iter().map(String::as_str));
        for condition in &self.conditions {
            condition.columns(&mut names);
        }
        let mut unique: Vec<String> = Vec::new();
        for name in names {
            if !unique.iter().any(|known| known == name) {
                unique.push(name.to_owned());
            }
        }
        Some(unique)
    }

    /// The columns that the rows of the window need before embeds are joined to them, `*` for all. `None` where
    /// the window depends on the embeds, or the rows on more than their columns (computed fields take a whole row
    /// of the relation), so that they have to be joined first.
    pub fn columns_before_embeds<'a>(&'a self, cache: &SchemaCache) -> Option<Vec<&'a str>> {
        let has_window = self.range.limit.is_some() || self.range.offset > 0;
        if self.children.is_empty()
            || !has_window
            || !matches!(self.source, Source::Relation(_))
            || self.filters_by_embeds()
            || self.any_aggregate()
            || self.order.iter().any(|order| order.child.is_some())
        {
            return None;
        }
        let mut names = self.selected_joined_and_ordering()?;
        let known = self.columns(cache)?;
        let is_column = |name: &str| known.iter().any(|column| column.name == name);
        if !names.iter().all(|name| is_column(name)) {
            return None;
        }
        if self.select.iter().any(|field| field.star) {
            return Some(vec!["*"]);
        }
        names.sort_unstable();
        names.dedup();
        Some(names)
    }

    /// What is selected by name, what embeds join by, and what of the level itself orders it. `None` where an embed is
    /// a function of the whole row.
    fn selected_joined_and_ordering(&self) -> Option<Vec<&str>> {
        let selected = self.select.iter().filter(|field| !field.star);
        let mut names: Vec<&str> = selected.map(|field| field.field.name.as_str()).collect();
        for child in &self.children {
            names.extend(join_columns(child)?);
        }
        let own_orders = self.order.iter().filter(|order| order.child.is_none());
        names.extend(own_orders.map(|order| order.term.field.name.as_str()));
        Some(names)
    }
}

/// The columns of the parent that an embed joins by. `None` for a computed relationship.
fn join_columns(child: &Child) -> Option<Vec<&str>> {
    match &child.relationship.cardinality {
        Cardinality::OneToMany { columns, .. }
        | Cardinality::ManyToOne { columns, .. }
        | Cardinality::OneToOne { columns, .. } => {
            Some(columns.iter().map(|(own, _)| own.as_str()).collect())
        }
        Cardinality::ManyToMany { origin_columns, .. } => {
            Some(origin_columns.iter().map(|(own, _)| own.as_str()).collect())
        }
        Cardinality::Computed { .. } => None,
    }
}
