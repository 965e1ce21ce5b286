//! Which base columns a view shows, read from its stored query.

use std::collections::HashMap;

use super::QualifiedName;

/// A view's stored query, and how its columns are called.
#[derive(Debug, serde::Deserialize)]
pub(super) struct View {
    pub(super) oid: u32,
    #[serde(flatten)]
    pub(super) id: QualifiedName,
    /// `pg_rewrite.ev_action` as text.
    pub(super) action: String,
    /// Column names by number, from 1.
    pub(super) columns: HashMap<i32, String>,
}

/// For each base table the views that show some of its columns.
#[derive(Debug, Default)]
pub(super) struct ViewColumns {
    /// By base table: the view, the base column, the view's column.
    shown: HashMap<QualifiedName, Vec<(QualifiedName, String, String)>>,
}

impl ViewColumns {
    /// Follows every view down to base tables.
    pub(super) fn resolve(
        views: &[View],
        relations: &HashMap<u32, (QualifiedName, HashMap<i32, String>)>,
    ) -> Self {
        let entries: HashMap<u32, Vec<Origin>> = views
            .iter()
            .map(|view| (view.oid, target_list(&view.action)))
            .collect();
        let mut found = Self::default();
        for view in views {
            for origin in entries.get(&view.oid).into_iter().flatten() {
                let Some(column) = view.columns.get(&origin.number) else {
                    continue;
                };
                let Some((table, base)) = base_of(*origin, &entries, 0) else {
                    continue;
                };
                let Some((table, columns)) = relations.get(&table) else {
                    continue;
                };
                let Some(base) = columns.get(&base) else {
                    continue;
                };
                found.shown.entry(table.clone()).or_default().push((
                    view.id.clone(),
                    base.clone(),
                    column.clone(),
                ));
            }
        }
        found
    }

    /// The views that show all the given columns, under which names; a column shown twice gives a row for
    /// each combination.
    pub(super) fn showing(
        &self,
        table: &QualifiedName,
        columns: &[String],
    ) -> Vec<(QualifiedName, Vec<String>, bool)> {
        let Some(shown) = self.shown.get(table) else {
            return Vec::new();
        };
        let mut views: Vec<&QualifiedName> = shown.iter().map(|(view, _, _)| view).collect();
        views.sort();
        views.dedup();
        let mut found = Vec::new();
        for view in views {
            let mut combinations: Vec<Vec<String>> = vec![Vec::new()];
            for column in columns {
                let names: Vec<&String> = shown
                    .iter()
                    .filter(|(known, base, _)| known == view && base == column)
                    .map(|(_, _, name)| name)
                    .collect();
                combinations = combinations
                    .iter()
                    .flat_map(|so_far| {
                        names
                            .iter()
                            .map(move |name| [so_far.as_slice(), &[(*name).clone()]].concat())
                    })
                    .collect();
            }
            // A view with many copies of a wide key would otherwise multiply without end.
            found.extend(
                combinations
                    .into_iter()
                    .take(64)
                    .map(|names| (view.clone(), names, true)),
            );
        }
        found
    }
}

/// Where an output column comes from: the relation and the column's number there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Origin {
    number: i32,
    table: u32,
    column: i32,
}

fn base_of(origin: Origin, views: &HashMap<u32, Vec<Origin>>, depth: u32) -> Option<(u32, i32)> {
    match views.get(&origin.table) {
        None => Some((origin.table, origin.column)),
        // A view cannot contain itself, but a broken catalog must not hang us.
        Some(_) if depth > 64 => None,
        Some(entries) => {
            let next = entries.iter().find(|entry| entry.number == origin.column)?;
            base_of(*next, views, depth + 1)
        }
    }
}

/// The origins of the outermost query's output columns.
///
/// The text is a tree of `{NODE :field value …}`. An output column is a `TARGETENTRY` directly inside the
/// outermost `QUERY`; deeper ones belong to subqueries.
fn target_list(action: &str) -> Vec<Origin> {
    let mut found = Vec::new();
    let mut open: Vec<&str> = Vec::new();
    let mut current = Origin::default();
    let mut field = "";
    for token in tokens(action) {
        match token {
            Token::Open(node) => open.push(node),
            Token::Close => {
                if open.len() == 2 && open[1] == "TARGETENTRY" && current.table != 0 {
                    found.push(current);
                }
                if open.len() == 2 {
                    current = Origin::default();
                }
                open.pop();
            }
            Token::Word(word) if open.len() == 2 && open[1] == "TARGETENTRY" => {
                if let Some(name) = word.strip_prefix(':') {
                    field = name;
                } else {
                    match field {
                        "resno" => current.number = word.parse().unwrap_or(0),
                        "resorigtbl" => current.table = word.parse().unwrap_or(0),
                        "resorigcol" => current.column = word.parse().unwrap_or(0),
                        _ => {}
                    }
                    field = "";
                }
            }
            Token::Word(_) => {}
        }
    }
    found
}

enum Token<'a> {
    Open(&'a str),
    Close,
    Word(&'a str),
}

/// Splits at blanks and braces; a backslash protects the next character, as in names with blanks.
fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let bytes = text.as_bytes();
    let mut at = 0;
    let word_end = move |from: usize| {
        let mut end = from;
        while end < bytes.len() && !matches!(bytes[end], b' ' | b'\n' | b'{' | b'}' | b'(' | b')') {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        end.min(bytes.len())
    };
    std::iter::from_fn(move || {
        while at < bytes.len() {
            let start = at;
            match bytes[at] {
                b'{' => {
                    at = word_end(start + 1);
                    return Some(Token::Open(text.get(start + 1..at).unwrap_or_default()));
                }
                b'}' => {
                    at += 1;
                    return Some(Token::Close);
                }
                b' ' | b'\n' | b'(' | b')' => at += 1,
                _ => {
                    at = word_end(start).max(start + 1);
                    return Some(Token::Word(text.get(start..at).unwrap_or_default()));
                }
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_outermost_output_columns_count() {
        let action = "({QUERY :rtable ({RTE :subquery {QUERY :targetList ({TARGETENTRY :expr {VAR :varno 1} :resno 1 \
            :resname inner :ressortgroupref 0 :resorigtbl 99 :resorigcol 9 :resjunk false})}}) \
            :targetList ({TARGETENTRY :expr {VAR :varno 1 :location 7} :resno 1 :resname a\\ \\{b :ressortgroupref 0 \
            :resorigtbl 16385 :resorigcol 2 :resjunk false} {TARGETENTRY :expr {CONST} :resno 2 :resname c \
            :ressortgroupref 0 :resorigtbl 0 :resorigcol 0 :resjunk false})})";
        assert_eq!(
            target_list(action),
            [Origin {
                number: 1,
                table: 16385,
                column: 2
            }]
        );
    }
}
