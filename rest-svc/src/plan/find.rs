//! Which relationship an embed means.

use serde_json::Value;

use crate::{
    error::{Error, Result, relationship_details},
    parse::Embed,
    schema_cache::{Cardinality, QualifiedName, Relationship, SchemaCache},
};

/// Finds the one relationship, or says which there are.
pub(super) fn relationship<'a>(
    cache: &'a SchemaCache,
    schema: &str,
    origin: &QualifiedName,
    embed: &Embed,
) -> Result<&'a Relationship> {
    let known = cache
        .relationships
        .get(origin)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let candidates: Vec<&Relationship> = known
        .iter()
        .filter(|relationship| relationship.target.schema == schema && matches(relationship, embed))
        .collect();
    match candidates.as_slice() {
        [] => Err(not_found(cache, schema, origin, embed)),
        [one] => Ok(one),
        many => {
            // What a project computes comes before what is detected.
            if let Some(computed) = many
                .iter()
                .find(|r| matches!(r.cardinality, Cardinality::Computed { .. }))
            {
                return Ok(computed);
            }
            Err(ambiguous(origin, embed, many))
        }
    }
}

/// What a target and a hint may be called by is PostgREST's rule, kept as it is.
fn matches(relationship: &Relationship, embed: &Embed) -> bool {
    let target = embed.target.as_str();
    if let Cardinality::Computed { function, .. } = &relationship.cardinality {
        return function.name == target;
    }
    let by_name = relationship.target.name == target;
    let keys = Keys::of(relationship);
    if relationship.is_self() {
        // From a relation to itself its name means the children; the parent is reached by the key's column.
        let to_children = matches!(relationship.cardinality, Cardinality::OneToMany { .. });
        let to_parent = matches!(relationship.cardinality, Cardinality::ManyToOne { .. });
        return match &embed.hint {
            None => by_name && to_children || to_parent && keys.own == Some(target),
            Some(hint) => by_name && to_children && keys.theirs == Some(hint.as_str()),
        };
    }
    match &embed.hint {
        // A view has no constraints or keys of its own to be called by.
        None => {
            by_name
                || !relationship.target_is_view
                    && (keys.constraint == Some(target) || keys.own == Some(target))
        }
        Some(hint) => {
            let hint = Some(hint.as_str());
            by_name
                && [keys.constraint, keys.own, keys.theirs, keys.junction]
                    .iter()
                    .any(|name| name.is_some() && *name == hint)
        }
    }
}

/// The names that tell relationships apart; a column only if it is the key's only one.
#[derive(Default)]
struct Keys<'a> {
    constraint: Option<&'a str>,
    own: Option<&'a str>,
    theirs: Option<&'a str>,
    junction: Option<&'a str>,
}

impl<'a> Keys<'a> {
    fn of(relationship: &'a Relationship) -> Self {
        match &relationship.cardinality {
            Cardinality::ManyToOne {
                constraint,
                columns,
            }
            | Cardinality::OneToMany {
                constraint,
                columns,
            }
            | Cardinality::OneToOne {
                constraint,
                columns,
                ..
            } => {
                let only = match columns.as_slice() {
                    [(own, theirs)] => Some((own.as_str(), theirs.as_str())),
                    _ => None,
                };
                Self {
                    constraint: Some(constraint),
                    own: only.map(|(own, _)| own),
                    theirs: only.map(|(_, theirs)| theirs),
                    junction: None,
                }
            }
            Cardinality::ManyToMany { junction, .. } => Self {
                junction: Some(&junction.name),
                ..Self::default()
            },
            Cardinality::Computed { .. } => Self::default(),
        }
    }
}

fn not_found(cache: &SchemaCache, schema: &str, origin: &QualifiedName, embed: &Embed) -> Error {
    let (parent, child) = (&origin.name, &embed.target);
    let using = embed
        .hint
        .as_ref()
        .map(|hint| format!(" using the hint '{hint}'"))
        .unwrap_or_default();
    let known_parent = cache.relationships.contains_key(origin);
    let suggestion = if known_parent {
        let exists = cache.relationships[origin]
            .iter()
            .any(|relationship| relationship.target.name == *child);
        if exists {
            None
        } else {
            cache
                .similar_target(origin, child)
                .map(|found| (found, child))
        }
    } else {
        cache.similar_origin(origin).map(|found| (found, parent))
    };
    Error::new(400, "200", format!("Could not find a relationship between '{parent}' and '{child}' in the schema cache"))
        .details(format!(
            "Searched for a foreign key relationship between '{parent}' and '{child}'{using} in the schema '{schema}', but no matches were found."
        ))
        .hint(suggestion.map(|(found, instead)| format!("Perhaps you meant '{found}' instead of '{instead}'.")))
}

fn ambiguous(origin: &QualifiedName, embed: &Embed, candidates: &[&Relationship]) -> Error {
    let mut sorted = candidates.to_vec();
    sorted.sort_by_key(|relationship| (rank(relationship), hint_of(relationship)));
    let details: Vec<Value> = sorted
        .iter()
        .map(|relationship| describe(relationship))
        .collect();
    let hints: Vec<String> = sorted
        .iter()
        .map(|relationship| format!("'{}!{}'", relationship.target.name, hint_of(relationship)))
        .collect();
    let (parent, child) = (&origin.name, &embed.target);
    Error::new(300, "201", format!("Could not embed because more than one relationship was found for '{parent}' and '{child}'"))
        .details(details)
        .hint(Some(format!(
            "Try changing '{child}' to one of the following: {}. Find the desired relationship in the 'details' key.",
            hints.join(", ")
        )))
}

fn rank(relationship: &Relationship) -> u8 {
    match relationship.cardinality {
        Cardinality::OneToMany { .. } => 0,
        Cardinality::ManyToOne { .. } => 1,
        Cardinality::OneToOne { .. } => 2,
        Cardinality::ManyToMany { .. } => 3,
        Cardinality::Computed { .. } => 4,
    }
}

fn hint_of(relationship: &Relationship) -> String {
    match &relationship.cardinality {
        Cardinality::ManyToOne { constraint, .. }
        | Cardinality::OneToMany { constraint, .. }
        | Cardinality::OneToOne { constraint, .. } => constraint.clone(),
        Cardinality::ManyToMany { junction, .. } => junction.name.clone(),
        Cardinality::Computed { function, .. } => function.name.clone(),
    }
}

fn describe(relationship: &Relationship) -> Value {
    let (origin, target) = (&relationship.origin.name, &relationship.target.name);
    let list = |names: Vec<&String>| {
        names
            .into_iter()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ")
    };
    let embedding = format!("{origin} with {target}");
    let pair = |constraint: &str, columns: &[(String, String)]| {
        let own = list(columns.iter().map(|(own, _)| own).collect());
        let theirs = list(columns.iter().map(|(_, theirs)| theirs).collect());
        format!("{constraint} using {origin}({own}) and {target}({theirs})")
    };
    match &relationship.cardinality {
        Cardinality::OneToMany {
            constraint,
            columns,
        } => relationship_details("one-to-many", &embedding, &pair(constraint, columns)),
        Cardinality::ManyToOne {
            constraint,
            columns,
        } => relationship_details("many-to-one", &embedding, &pair(constraint, columns)),
        Cardinality::OneToOne {
            constraint,
            columns,
            ..
        } => relationship_details("one-to-one", &embedding, &pair(constraint, columns)),
        Cardinality::ManyToMany {
            junction,
            origin_constraint,
            target_constraint,
            origin_columns,
            target_columns,
        } => {
            let first = list(origin_columns.iter().map(|(_, theirs)| theirs).collect());
            let second = list(target_columns.iter().map(|(own, _)| own).collect());
            relationship_details(
                "many-to-many",
                &embedding,
                &format!(
                    "{} using {origin_constraint}({first}) and {target_constraint}({second})",
                    junction.name
                ),
            )
        }
        Cardinality::Computed { function, .. } => {
            relationship_details("computed", &embedding, &function.name)
        }
    }
}
