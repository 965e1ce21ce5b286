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

/// What is open within a statement, and keeps semicolons from ending it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Open {
    Bracket,
    /// The body of a function in SQL, or a `CASE` in one: both end in `END`.
    Block,
}

/// The end of the statement that begins at `start`, its semicolon included.
fn end_of_statement(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut open: Vec<Open> = Vec::new();
    let mut last_word = "";
    let mut at = start;
    while let Some(next) = text[at..].chars().next() {
        if part_of_a_word(next) && next != '$' {
            let rest = &text[at..];
            let end = rest.find(|c| !part_of_a_word(c)).unwrap_or(rest.len());
            let word = &rest[..end];
            at += end;
            if word.eq_ignore_ascii_case("e") && bytes.get(at) == Some(&b'\'') {
                at = after_escape_string(bytes, at);
            } else if last_word.eq_ignore_ascii_case("begin")
                && word
                    .get(..6)
                    .is_some_and(|word| word.eq_ignore_ascii_case("atomic"))
            {
                // The CLI does not look at what follows.
                at = at + 6 - end;
                open.push(Open::Block);
            } else if open.last() == Some(&Open::Block) {
                if word.eq_ignore_ascii_case("case") {
                    open.push(Open::Block);
                } else if word.eq_ignore_ascii_case("end") {
                    open.pop();
                }
            }
            last_word = word;
            continue;
        }
        if !next.is_whitespace() {
            last_word = "";
        }
        at = match next {
            '$' => after_dollar(text, at),
            '\'' => after_quoted(bytes, at, b'\''),
            '"' => after_quoted(bytes, at, b'"'),
            '-' if text[at..].starts_with("--") => find(bytes, at + 2, b"\n"),
            '/' if text[at..].starts_with("/*") => after_block(bytes, at),
            // Whatever follows is passed over.
            '\\' => at + 1 + text[at + 1..].chars().next().map_or(0, char::len_utf8),
            ';' if open.is_empty() => return at + 1,
            '(' => {
                open.push(Open::Bracket);
                at + 1
            }
            ')' => {
                // One closing bracket closes all that are open, as it does in the CLI.
                while open.last() == Some(&Open::Bracket) {
                    open.pop();
                }
                at + 1
            }
            other => at + other.len_utf8(),
        };
    }
    bytes.len()
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

fn after_escape_string(bytes: &[u8], at: usize) -> usize {
    let mut next = at + 1;
    while next < bytes.len() {
        match bytes[next] {
            b'\\' => next += 2,
            b'\'' if bytes.get(next + 1) == Some(&b'\'') => next += 2,
            b'\'' => return next + 1,
            _ => next += 1,
        }
    }
    bytes.len()
}

fn part_of_a_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// After a comment, in which others may be nested.
fn after_block(bytes: &[u8], at: usize) -> usize {
    let mut depth = 0;
    let mut next = at;
    while next < bytes.len() {
        match bytes.get(next..next + 2) {
            Some(b"/*") => depth += 1,
            Some(b"*/") => depth -= 1,
            _ => {
                next += 1;
                continue;
            }
        }
        next += 2;
        if depth == 0 {
            return next;
        }
    }
    bytes.len()
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
            ("select a$$; x$$", vec!["select a$$", "x$$"]),
            (
                "select E'it\\'s; fine'; x",
                vec!["select E'it\\'s; fine'", "x"],
            ),
            ("select name'a\\'; x'", vec!["select name'a\\'", "x'"]),
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
            (
                "create function f() begin atomic select case when a then 1 end; select 2; end; x",
                vec![
                    "create function f() begin atomic select case when a then 1 end; select 2; end",
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
