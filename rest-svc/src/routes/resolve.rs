//! Which of the functions of a name is called.

use super::Context;
use crate::{
    error::{Error, Result},
    schema_cache::{QualifiedName, Routine, SchemaCache},
};

/// Finds the one overload that takes these arguments, which are sorted.
pub(super) fn resolve<'a>(
    context: &'a Context,
    name: &str,
    given: &[String],
    is_post: bool,
) -> Result<&'a Routine> {
    let id = context.id(name);
    let overloads = context
        .cache
        .routines
        .get(&id)
        .map(Vec::as_slice)
        .unwrap_or_default();
    let media = context.content_media();
    // The types of an unnamed argument that takes the whole body.
    let body_types: &[&str] = match media.as_str() {
        _ if !is_post => &[],
        "" | "application/json" => &["json", "jsonb"],
        "text/plain" => &["text"],
        "text/xml" => &["xml"],
        "application/octet-stream" => &["bytea"],
        _ => &[],
    };
    let is_raw = matches!(body_types, [_]);
    let fits = |routine: &&Routine| {
        if routine.arguments.is_empty() {
            return given.is_empty() && !is_raw;
        }
        let known = |name: &String| {
            routine
                .arguments
                .iter()
                .any(|argument| argument.name == *name)
        };
        given.iter().all(known)
            && routine
                .arguments
                .iter()
                .all(|argument| !argument.required || given.contains(&argument.name))
    };
    let by_name: Vec<&Routine> = overloads.iter().filter(fits).collect();
    if let [one] = by_name.as_slice() {
        return Ok(one);
    }
    let takes_body = |routine: &&Routine| {
        routine.takes_raw() && body_types.contains(&routine.arguments[0].type_name.0.as_str())
    };
    let by_body: Vec<&Routine> = if by_name.is_empty() {
        overloads.iter().filter(takes_body).collect()
    } else {
        by_name
    };
    match by_body.as_slice() {
        [one] => Ok(one),
        [] => Err(not_found(
            &context.cache,
            &id,
            given,
            overloads,
            body_types,
            is_raw,
        )),
        many => {
            let shown: Vec<String> = many.iter().map(|routine| signature(routine)).collect();
            Err(Error::new(
                300,
                "203",
                format!(
                    "Could not choose the best candidate function between: {}",
                    shown.join(", ")
                ),
            )
            .hint(Some(
                "Try renaming the parameters or the function itself in the database so function overloading can be resolved".to_owned(),
            )))
        }
    }
}

fn signature(routine: &Routine) -> String {
    let arguments: Vec<String> = routine
        .arguments
        .iter()
        .map(|argument| format!("{} => {}", argument.name, argument.type_name.0))
        .collect();
    format!(
        "{}.{}({})",
        routine.id.schema,
        routine.id.name,
        arguments.join(", ")
    )
}

fn not_found(
    cache: &SchemaCache,
    id: &QualifiedName,
    given: &[String],
    overloads: &[Routine],
    body_types: &[&str],
    is_raw: bool,
) -> Error {
    let schema = &id.schema;
    let function = format!("{schema}.{}", id.name);
    let list = given.join(", ");
    let searched = match (given.len(), is_raw) {
        (_, true) => format!(" with a single unnamed {} parameter", body_types.concat()),
        (0, _) => " without parameters".to_owned(),
        (1, _) => format!(" with parameter {list}"),
        _ => format!(" with parameters {list}"),
    };
    let shown = match (given.is_empty(), is_raw) {
        (_, true) => String::new(),
        (true, _) => " without parameters".to_owned(),
        _ => format!("({list})"),
    };
    let or_json = if body_types.len() == 2 {
        " or with a single unnamed json/jsonb parameter"
    } else {
        ""
    };
    let hint = if is_raw {
        None
    } else if overloads.is_empty() {
        cache
            .similar_routine(id)
            .map(|found| format!("Perhaps you meant to call the function {schema}.{found}"))
    } else {
        let known: Vec<String> = overloads
            .iter()
            .map(|routine| {
                let mut names: Vec<&str> = routine
                    .arguments
                    .iter()
                    .map(|argument| argument.name.as_str())
                    .collect();
                names.sort_unstable();
                format!("({})", names.join(", "))
            })
            .collect();
        SchemaCache::similar_arguments(&format!("({list})"), &known)
            .map(|found| format!("Perhaps you meant to call the function {function}{found}"))
    };
    Error::new(404, "202", format!("Could not find the function {function}{shown} in the schema cache"))
        .details(format!("Searched for the function {function}{searched}{or_json}, but no matches were found in the schema cache."))
        .hint(hint)
}
