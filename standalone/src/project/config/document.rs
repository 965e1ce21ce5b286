//! The file as a document: older names, `env(NAME)`, the environment over it, and defaults below it.

use svc_kit::env::Vars;
use toml::{Table, Value};

const DEFAULTS: &str = include_str!("../defaults.toml");

/// Reads the text into one document, defaults and environment included.
pub(super) fn read(text: &str, environment: &Vars) -> anyhow::Result<Table> {
    let mut file: Table = text.parse()?;
    modernise(&mut file);
    let mut document: Table = DEFAULTS.parse()?;
    lay_over(&mut document, file);
    for (name, value) in &mut document {
        resolve(
            value,
            &format!("SUPABASE_{}", name.to_uppercase()),
            environment,
        );
    }
    Ok(document)
}

/// Gives keys that have changed their names the present ones.
fn modernise(file: &mut Table) {
    if let Some(older) = file.remove("inbucket")
        && !file.contains_key("local_smtp")
    {
        file.insert("local_smtp".to_owned(), older);
    }
    let Some(Value::Table(auth)) = file.get_mut("auth") else {
        return;
    };
    for part in ["email", "sms"] {
        if let Some(Value::Table(part)) = auth.get_mut(part)
            && let Some(older) = part.remove("enable_signup")
            && !part.contains_key("enabled")
        {
            part.insert("enabled".to_owned(), older);
        }
    }
}

fn lay_over(below: &mut Table, above: Table) {
    for (name, value) in above {
        match (below.get_mut(&name), value) {
            (Some(Value::Table(below)), Value::Table(above)) => lay_over(below, above),
            (_, value) => {
                below.insert(name, value);
            }
        }
    }
}

/// Puts what the environment says in place: of a value that is `env(NAME)`, and of any value by its own
/// variable, `SUPABASE_AUTH_SITE_URL` for `auth.site_url`. A reference to nothing stays as it is.
fn resolve(value: &mut Value, variable: &str, environment: &Vars) {
    match value {
        Value::Table(table) => {
            for (name, value) in table {
                let variable = format!("{variable}_{}", name.to_uppercase());
                resolve(value, &variable, environment);
            }
        }
        _ if environment.non_empty(variable).is_some() => {
            let text = environment.get(variable).unwrap_or_default();
            *value = Value::String(text.to_owned());
        }
        Value::Array(items) => {
            for item in items {
                if item.is_str() {
                    resolve(item, "", environment);
                }
            }
        }
        Value::String(text) => {
            if let Some(found) = reference(text).and_then(|name| environment.non_empty(name)) {
                *text = found.to_owned();
            }
        }
        _ => {}
    }
}

/// The name in `env(NAME)`.
pub(crate) fn reference(text: &str) -> Option<&str> {
    text.strip_prefix("env(")?.strip_suffix(')')
}
