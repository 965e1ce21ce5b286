//! From a query string to the statement that it becomes, without a database; for properties and for the fuzzer.

use rest_svc::{
    parse::parse_query,
    plan::{Source, plan_read},
    schema_cache::{QualifiedName, SchemaCache},
    sql::{self, Body, Kind, Sql, Totals},
};

/// The statement of a query string over a relation that the catalog does not know.
pub(crate) fn render(query: &str) -> Option<Sql> {
    let params = parse_query(query).ok()?;
    let cache = SchemaCache::default();
    let source = Source::Relation(QualifiedName::new("public", "things"));
    let plan = plan_read(
        &cache,
        "public",
        source,
        "things",
        &params,
        Some(1000),
        true,
    )
    .ok()?;
    let mut statement = Sql::new();
    sql::wrap(
        &mut statement,
        |sql| sql::read(sql, &cache, &plan),
        |sql| {
            sql.push("SELECT * FROM pgrst_source");
        },
        |sql| sql::count_of(sql, &cache, &plan),
        Totals::Rows(None),
        &Body::Array,
        Kind::Rows,
    );
    Some(statement)
}

/// Fails if a placeholder has no parameter or a parameter no placeholder. What was asked for may itself have a dollar in
/// it, in the name of a cast's type, which then looks like a placeholder.
pub(crate) fn check_placeholders(query: &str, statement: &Sql) {
    let (text, count) = (outside_quotes(statement.text()), statement.params().len());
    for number in 1..=count {
        assert!(text.contains(&format!("${number}")), "{}", statement.text());
    }
    let beyond = format!("${}", count + 1);
    let has_dollar = query.contains('$') || query.contains("%24");
    assert!(
        has_dollar || !text.contains(&beyond),
        "{}",
        statement.text()
    );
}

/// The text without its quoted names and literals.
pub(crate) fn outside_quotes(text: &str) -> String {
    let mut kept = String::new();
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if c == '"' || c == '\'' {
            let escapes = kept.ends_with('E');
            loop {
                match chars.next() {
                    Some('\\') if c == '\'' && escapes => {
                        chars.next();
                    }
                    Some(d) if d == c && chars.peek() == Some(&c) => {
                        chars.next();
                    }
                    Some(d) if d == c => break,
                    Some(_) => {}
                    None => panic!("an open quote: {text}"),
                }
            }
            kept.push('_');
        } else {
            kept.push(c);
        }
    }
    kept
}
