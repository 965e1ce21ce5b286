/// Quotes an identifier. The one way by which a name from a request or the catalog gets into SQL text.
///
/// Everything from the first NUL on is cut, because Postgres cannot hold one in a name.
pub fn quote_ident(name: &str) -> String {
    let mut quoted = String::with_capacity(name.len() + 2);
    write_ident(&mut quoted, name);
    quoted
}

/// Appends what [`quote_ident`] makes of a name.
pub fn write_ident(out: &mut String, name: &str) {
    let name = name.split('\0').next().unwrap_or_default();
    out.push('"');
    for (index, part) in name.split('"').enumerate() {
        if index > 0 {
            out.push_str("\"\"");
        }
        out.push_str(part);
    }
    out.push('"');
}

/// Quotes a literal for the few statements that take no parameters (`LISTEN`, `ALTER ROLE … SET`).
///
/// Values of a request are bound as parameters instead.
pub fn quote_literal(text: &str) -> String {
    let text = text.split('\0').next().unwrap_or_default();
    let escaped = text.replace('\'', "''");
    if text.contains('\\') {
        format!(" E'{}'", escaped.replace('\\', "\\\\"))
    } else {
        format!("'{escaped}'")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quote_inside_a_name_cannot_end_it() {
        assert_eq!(
            quote_ident(r#"a"; drop table x; --"#),
            r#""a""; drop table x; --""#
        );
        assert_eq!(quote_ident("a\0b"), r#""a""#);
    }

    #[test]
    fn a_quote_or_backslash_inside_a_literal_cannot_end_it() {
        assert_eq!(quote_literal("it's"), "'it''s'");
        assert_eq!(quote_literal(r"\'"), r" E'\\'''");
    }
}
