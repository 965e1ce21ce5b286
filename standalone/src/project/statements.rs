//! Where one statement of a file ends and the next begins, by the CLI's rules.
//!
//! The CLI notes a migration together with its statements, and compares and replays them later, so the
//! places where it cuts are part of its format, oddities included. Nothing is executed by these pieces:
//! the file goes to the server as it is.

/// A statement within the text of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Statement<'a> {
    /// Where it begins, in bytes.
    pub(crate) offset: usize,
    /// Without the blanks around it and without the semicolon.
    pub(crate) text: &'a str,
}

/// Cuts a text into its statements; what is blank is none.
pub(crate) fn split(text: &str) -> Vec<Statement<'_>> {
    let mut statements = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = end_of_statement(text, start);
        let piece = text[start..end].trim_end_matches(';');
        let trimmed = piece.trim();
        if !trimmed.is_empty() {
            let blanks = piece.len() - piece.trim_start().len();
            statements.push(Statement {
                offset: start + blanks,
                text: trimmed,
            });
        }
        start = end;
    }
    statements
}

/// The end of the statement that begins at `start`, its semicolon included.
fn end_of_statement(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    // What closes the brackets and SQL bodies that are open, the innermost last.
    let mut open: Vec<&'static str> = Vec::new();
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'$' => {
                at = after_dollar(text, at);
                continue;
            }
            quote @ (b'\'' | b'"') => {
                at = after_quoted(bytes, at, quote);
                continue;
            }
            b'-' if bytes.get(at + 1) == Some(&b'-') => {
                at = find(bytes, at + 2, b"\n");
                continue;
            }
            b'/' if bytes.get(at + 1) == Some(&b'*') => {
                at = after_block(bytes, at);
                continue;
            }
            b'\\' => at += 1,
            b';' if open.is_empty() => return at + 1,
            b'(' => {
                open.push(")");
                at += 1;
                continue;
            }
            b'c' | b'C' if begins_body(&text[start..=at]) => {
                open.push("END");
                at += 1;
                continue;
            }
            _ => {}
        }
        at = (at + 1).min(bytes.len());
        // One closing bracket closes all that are open, as it does in the CLI.
        while open
            .last()
            .is_some_and(|end| ends_with(&bytes[start..at], end))
        {
            open.pop();
        }
    }
    bytes.len()
}

fn ends_with(bytes: &[u8], end: &str) -> bool {
    bytes.len() >= end.len()
        && bytes[bytes.len() - end.len()..].eq_ignore_ascii_case(end.as_bytes())
}

/// The position after the next `wanted`, or the end.
fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    bytes
        .get(from..)
        .and_then(|rest| {
            rest.windows(wanted.len())
                .position(|window| window == wanted)
        })
        .map_or(bytes.len(), |position| from + position + wanted.len())
}

/// After a text in dollar quotes, or after what only began like one.
fn after_dollar(text: &str, at: usize) -> usize {
    let rest = &text[at + 1..];
    let name = rest
        .find(|c: char| !(c.is_alphanumeric() || c == '_'))
        .unwrap_or(rest.len());
    if !rest[name..].starts_with('$') {
        return at + 1 + name;
    }
    let tag = &text.as_bytes()[at..at + name + 2];
    find(text.as_bytes(), at + 1, tag)
}

fn after_quoted(bytes: &[u8], at: usize, quote: u8) -> usize {
    let mut end = find(bytes, at + 1, &[quote]);
    while bytes.get(end) == Some(&quote) {
        end = find(bytes, end + 1, &[quote]);
    }
    end
}

fn after_block(bytes: &[u8], at: usize) -> usize {
    let mut depth = 1;
    let mut last = at + 2;
    while last < bytes.len() {
        match &bytes[last - 1..=last] {
            b"/*" => depth += 1,
            b"*/" => depth -= 1,
            _ => {}
        }
        last += 1;
        if depth == 0 {
            return last;
        }
    }
    bytes.len()
}

/// Does the text end in the words `BEGIN ATOMIC`?
fn begins_body(text: &str) -> bool {
    let part_of_a_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let without = |text: &str, word: &str| -> Option<usize> {
        let cut = text.len().checked_sub(word.len())?;
        let whole = text.is_char_boundary(cut)
            && text[cut..].eq_ignore_ascii_case(word)
            && !text[..cut].ends_with(part_of_a_word);
        whole.then_some(cut)
    };
    without(text, "ATOMIC").is_some_and(|cut| without(text[..cut].trim_end(), "BEGIN").is_some())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn texts(sql: &str) -> Vec<&str> {
        split(sql)
            .into_iter()
            .map(|statement| statement.text)
            .collect()
    }

    #[test]
    fn semicolons_within_something_do_not_end_a_statement() {
        for (sql, expected) in [
            ("select 1; select 2", vec!["select 1", "select 2"]),
            (";; select 1 ;;\n", vec!["select 1"]),
            ("select ';', \"a;b\"; x", vec!["select ';', \"a;b\"", "x"]),
            ("select 'it''s; fine'; x", vec!["select 'it''s; fine'", "x"]),
            ("-- a; b\nselect 1; x", vec!["-- a; b\nselect 1", "x"]),
            (
                "/* a; /* b; */ c; */ y; x",
                vec!["/* a; /* b; */ c; */ y", "x"],
            ),
            ("do $$ begin; end $$; x", vec!["do $$ begin; end $$", "x"]),
            ("do $a$ ; $$ ; $a$; x", vec!["do $a$ ; $$ ; $a$", "x"]),
            ("select $1; x", vec!["select $1", "x"]),
            (
                "create rule r as do also (a; b); x",
                vec!["create rule r as do also (a; b)", "x"],
            ),
            (
                "create function f() begin atomic select 1; select 2; end; x",
                vec![
                    "create function f() begin atomic select 1; select 2; end",
                    "x",
                ],
            ),
            ("select atomic; x", vec!["select atomic", "x"]),
            ("a \\; b; c", vec!["a \\; b", "c"]),
            ("select 1; -- the end", vec!["select 1", "-- the end"]),
        ] {
            assert_eq!(texts(sql), expected, "{sql}");
        }
    }

    #[test]
    fn what_is_never_closed_runs_to_the_end() {
        for sql in [
            "select 'a; b",
            "do $$ a; b",
            "/* a; b",
            "f(a; b",
            "-- a; b",
            "$",
            "\\",
        ] {
            assert_eq!(texts(sql), [sql], "{sql}");
        }
    }

    #[test]
    fn offsets_are_where_the_text_is() {
        let sql = "\n select 1;\n\n  -- ö\nselect 2 ;";
        for statement in split(sql) {
            assert!(sql[statement.offset..].starts_with(statement.text));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_cut_without_losing_anything(
            sql in r#"(begin atomic|end|\$\$|\$a\$|'|"|;|--|\n|/\*|\*/|\(|\)|\\|ä|x| ){0,40}"#
        ) {
            let mut at = 0;
            for statement in split(&sql) {
                prop_assert!(statement.offset >= at);
                let between = &sql[at..statement.offset];
                prop_assert!(between.chars().all(|c| c == ';' || c.is_whitespace()), "{between:?}");
                at = statement.offset + statement.text.len();
            }
        }
    }
}
