//! What one member of `postgres_changes` asks for.

mod filter;
mod inspect;

use std::{
    fmt::Write as _,
    hash::{DefaultHasher, Hash as _, Hasher as _},
};

use serde_json::{Map, Value};

pub(crate) use filter::{Condition, Operator};
use inspect::{inspect, inspect_string};

/// Ids are below this.
const IDS: u64 = 1 << 27;
/// Elixir breaks what it prints into lines beyond this many characters.
const LINE: usize = 80;

/// What a client wants to be told of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wanted {
    /// Depends on the content of the client's object alone.
    pub(crate) id: u32,
    /// `*`, `INSERT`, `UPDATE` or `DELETE`.
    pub(crate) event: &'static str,
    /// `*` is any; otherwise a pattern of SQL's LIKE.
    pub(crate) schema: String,
    pub(crate) table: String,
    /// All of them must hold.
    pub(crate) conditions: Vec<Condition>,
    /// The columns to be shown beside the key; all if nothing is said.
    pub(crate) select: Option<Vec<String>>,
}

impl Wanted {
    /// Reads the client's object.
    ///
    /// # Errors
    /// A text for the client: asking again would not help.
    pub(crate) fn parse(params: &Value) -> Result<Self, String> {
        let nothing = Map::new();
        let members = params.as_object().unwrap_or(&nothing);
        let select = selected(members)?;
        let (schema, table, conditions) = place(params, members)?;
        if select.is_some() && (schema == "*" || table == "*") {
            return Err(
                "Column selection is not supported for wildcard subscriptions. Provide an explicit schema and table name."
                    .to_owned(),
            );
        }
        Ok(Self {
            id: id(params),
            event: event(members),
            schema: schema.to_owned(),
            table: table.to_owned(),
            conditions,
            select,
        })
    }

    /// The parameters as error texts list them.
    pub(crate) fn described(&self) -> String {
        let conditions: Vec<_> = self.conditions.iter().map(Condition::described).collect();
        let select = self.select.as_ref().map_or("nil".to_owned(), |columns| {
            let columns: Vec<_> = columns.iter().map(|name| inspect_string(name)).collect();
            list(&columns)
        });
        format!(
            "[event: {}, schema: {}, table: {}, filters: {}, select: {select}]",
            self.event,
            self.schema,
            self.table,
            list(&conditions)
        )
    }

    /// True if the table is one of those that are asked for.
    pub(crate) fn covers(&self, schema: &str, table: &str) -> bool {
        let is_like = |pattern: &str, name: &str| pattern == "*" || like(pattern, name);
        is_like(&self.schema, schema) && is_like(&self.table, table)
    }
}

/// The number of an object: equal objects have equal ones, whatever the order of their members.
pub(crate) fn id(params: &Value) -> u32 {
    let mut hasher = DefaultHasher::new();
    canonical(params).hash(&mut hasher);
    u32::try_from(hasher.finish() % IDS).unwrap_or_default()
}

/// One text for equal values, whatever the order of members.
pub(crate) fn canonical(value: &Value) -> String {
    let mut text = String::new();
    match value {
        Value::Object(members) => {
            let mut names: Vec<_> = members.keys().collect();
            names.sort_unstable();
            for name in names {
                let member = members.get(name).map(canonical).unwrap_or_default();
                let _ = write!(text, "{}:{member},", Value::String(name.clone()));
            }
            format!("{{{text}}}")
        }
        Value::Array(items) => {
            for item in items {
                let _ = write!(text, "{},", canonical(item));
            }
            format!("[{text}]")
        }
        scalar => scalar.to_string(),
    }
}

fn event(members: &Map<String, Value>) -> &'static str {
    let name = members.get("event").and_then(Value::as_str);
    match name.unwrap_or_default().to_uppercase().as_str() {
        "INSERT" => "INSERT",
        "UPDATE" => "UPDATE",
        "DELETE" => "DELETE",
        _ => "*",
    }
}

fn selected(members: &Map<String, Value>) -> Result<Option<Vec<String>>, String> {
    match members.get("select") {
        Some(Value::Array(items)) => {
            let names: Vec<_> = items.iter().filter_map(Value::as_str).collect();
            let names = names.into_iter().map(str::to_owned).collect::<Vec<_>>();
            Ok((!names.is_empty()).then_some(names))
        }
        Some(Value::String(_)) => Err(
            r#"Error parsing `select` params: expected a list of column name strings, e.g. select: ["col1", "col2"]"#
                .to_owned(),
        ),
        _ => Ok(None),
    }
}

/// Schema, table and filter, which depend on each other.
fn place<'a>(
    params: &Value,
    members: &'a Map<String, Value>,
) -> Result<(&'a str, &'a str, Vec<Condition>), String> {
    let member = |name| members.get(name);
    match (member("schema"), member("table"), member("filter")) {
        (Some(Value::String(schema)), Some(Value::String(table)), Some(Value::String(filter))) => {
            let conditions = filter::parse(filter)
                .map_err(|reason| format!("Error parsing `filter` params: {reason}"))?;
            Ok((schema, table, conditions))
        }
        (Some(Value::String(schema)), Some(Value::String(table)), None) => {
            Ok((schema, table, Vec::new()))
        }
        (Some(Value::String(schema)), None, None) => Ok((schema, "*", Vec::new())),
        (None, Some(Value::String(table)), None) => Ok(("public", table, Vec::new())),
        _ => {
            let is_secret = |name| members.contains_key(name);
            // A client of old puts its token here.
            let shown = if is_secret("user_token") || is_secret("auth_token") {
                "<redacted>".to_owned()
            } else {
                inspect(params)
            };
            Err(format!(
                "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: {shown}"
            ))
        }
    }
}

/// A list as Elixir prints it.
fn list(items: &[String]) -> String {
    let line = format!("[{}]", items.join(", "));
    if line.chars().count() <= LINE {
        return line;
    }
    format!("[\n  {}\n]", items.join(",\n  "))
}

/// SQL's LIKE without an escape character.
fn like(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), text.chars().collect());
    let (mut p, mut t) = (0, 0);
    // Where to go on when what follows the latest `%` does not fit.
    let mut retry = None;
    while t < text.len() {
        match pattern.get(p) {
            Some('%') => {
                retry = Some((p, t));
                p += 1;
            }
            Some(c) if *c == '_' || *c == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match retry {
                Some((percent, taken)) => {
                    retry = Some((percent, taken + 1));
                    p = percent + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|c| *c == '%')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conditions(filter: &str) -> Result<Vec<(String, String, String, bool)>, String> {
        let wanted =
            Wanted::parse(&json!({"schema": "public", "table": "test", "filter": filter}))?;
        let parts = wanted.conditions.into_iter().map(|it| {
            let operator = it.operator.name().to_owned();
            (it.column, operator, it.value, it.is_negated)
        });
        Ok(parts.collect())
    }

    #[track_caller]
    fn assert_one(filter: &str, expected: (&str, &str, &str, bool)) {
        let (column, operator, value, negated) = expected;
        let expected = (column.into(), operator.into(), value.into(), negated);
        assert_eq!(conditions(filter), Ok(vec![expected]), "{filter}");
    }

    #[test]
    fn a_condition_is_column_operator_and_value() {
        assert_one("id=eq.5", ("id", "eq", "5", false));
        assert_one("id=not.eq.5", ("id", "eq", "5", true));
        assert_one("a=eq.x=y.z", ("a", "eq", "x=y.z", false));
        assert_one(
            "subject=in.(hidee,ho)",
            ("subject", "in", "{hidee,ho}", false),
        );
        assert_one(
            r#"tags=in.("a,b",c)"#,
            ("tags", "in", r#"{"a,b",c}"#, false),
        );
        assert_one(r#"name=eq."a,b""#, ("name", "eq", "a,b", false));
        assert_one(r#"name=eq."a.b:c(d)""#, ("name", "eq", "a.b:c(d)", false));
        assert_one(
            r#"name=eq."she said \"hi\"""#,
            ("name", "eq", r#"she said "hi""#, false),
        );
        assert_one(r#"path=eq."C:\\tmp""#, ("path", "eq", r"C:\tmp", false));
        assert_one(r#"path=eq."C:\new""#, ("path", "eq", "C:new", false));
        assert_one(r#"name=not.neq."a,b""#, ("name", "neq", "a,b", true));
        assert_one(r#"name=eq."""#, ("name", "eq", "", false));
        assert_one(r#"name=eq." a ""#, ("name", "eq", " a ", false));
        assert_one(
            r#"name=eq."unterminated"#,
            ("name", "eq", r#""unterminated"#, false),
        );
        assert_one(r#"name=eq."ab"cd"#, ("name", "eq", r#""ab"cd"#, false));
        assert_one(
            r#"name=eq.O'Brien "x""#,
            ("name", "eq", r#"O'Brien "x""#, false),
        );
        assert_eq!(conditions("   "), Ok(vec![]));
    }

    #[test]
    fn commas_outside_of_quotes_and_parentheses_separate() {
        let columns = |filter| -> Vec<String> {
            let found = conditions(filter).unwrap().into_iter();
            found.map(|it| format!("{}={}", it.0, it.2)).collect()
        };
        assert_eq!(columns("id=gt.0, id=lt.100"), ["id=0", "id=100"]);
        assert_eq!(columns("id=in.(1,2,3),d=eq.a"), ["id={1,2,3}", "d=a"]);
        assert_eq!(columns("a=eq.x),b=eq.y),c=eq.z"), ["a=x)", "b=y)", "c=z"]);
        assert_eq!(columns(r#"d=eq.5" tall,id=gt.0"#), [r#"d=5" tall"#, "id=0"]);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (filter, reason) in [
            ("subject=foo.hey", r#"["foo", "hey"]"#),
            ("undefined", r#"["undefined"]"#),
            ("id=eq", r#"["eq"]"#),
            (
                "id=in.1,2",
                "`in` filter value must be wrapped by parentheses",
            ),
            (
                "id=gt.0,",
                "filter must not contain empty segments (check for extra commas)",
            ),
        ] {
            let expected = format!("Error parsing `filter` params: {reason}");
            assert_eq!(conditions(filter), Err(expected));
        }
        for (params, shown) in [
            (json!({}), "%{}"),
            (
                json!({"table": "images", "schema": "public", "filter": [123]}),
                r#"%{"filter" => ~c"{", "schema" => "public", "table" => "images"}"#,
            ),
            (
                json!({"schema": null, "a": {"b": [1.5, true]}}),
                r#"%{"a" => %{"b" => [1.5, true]}, "schema" => nil}"#,
            ),
            (json!({"user_token": "x"}), "<redacted>"),
        ] {
            let text = "No subscription params provided. Please provide at least a `schema` or `table` to subscribe to: ";
            assert_eq!(Wanted::parse(&params), Err(format!("{text}{shown}")));
        }
        let narrow = json!({"schema": "public", "select": ["id"]});
        assert!(
            Wanted::parse(&narrow)
                .unwrap_err()
                .starts_with("Column selection is not")
        );
    }

    #[test]
    fn members_have_defaults_and_are_described() {
        let of = |params| Wanted::parse(&params).unwrap();
        let table = of(json!({"table": "messages", "event": "insert"}));
        assert_eq!(
            table.described(),
            "[event: INSERT, schema: public, table: messages, filters: [], select: nil]"
        );
        let schema = of(json!({"schema": "public", "event": "other"}));
        assert_eq!((schema.event, &*schema.table), ("*", "*"));
        let full = of(
            json!({"schema": "public", "table": "t", "filter": "id=eq.hey", "select": ["id", 1]}),
        );
        assert_eq!(
            full.described(),
            r#"[event: *, schema: public, table: t, filters: [{"id", "eq", "hey", false}], select: ["id"]]"#
        );
    }

    #[test]
    fn equal_objects_have_equal_ids() {
        let one = id(&json!({"schema": "public", "table": "t"}));
        assert_eq!(one, id(&json!({"table": "t", "schema": "public"})));
        assert_ne!(one, id(&json!({"table": "u", "schema": "public"})));
        assert!(u64::from(one) < IDS);
    }

    #[test]
    fn names_are_patterns() {
        let wanted =
            |table: &str| Wanted::parse(&json!({"schema": "public", "table": table})).unwrap();
        for (pattern, is_covered) in [
            ("*", true),
            ("user_list", true),
            ("user%", true),
            ("%l%t", true),
            ("user", false),
            ("%x", false),
        ] {
            assert_eq!(
                wanted(pattern).covers("public", "user_list"),
                is_covered,
                "{pattern}"
            );
        }
        assert!(!wanted("*").covers("private", "user_list"));
    }
}
