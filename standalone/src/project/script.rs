//! One SQL file as one transaction, and an error message that says where in the file it went wrong.

use std::{fmt::Write as _, ops::Range};

use anyhow::anyhow;
use futures_util::TryStreamExt as _;
use sqlx::{
    AssertSqlSafe, PgConnection,
    postgres::{PgDatabaseError, PgErrorPosition},
};
use svc_kit::pg::quote_literal;

use super::statements::{self, Statement};

/// The statement that notes a migration.
///
/// It has no parameters, because it travels in the same message as the file: the server runs what is in
/// one message as one transaction, unless the file itself begins and ends others.
pub(crate) fn migration_note(version: &str, name: &str, sql: &str) -> String {
    let statements: Vec<_> = statements::split(sql)
        .iter()
        .map(|statement| quote_literal(statement.text))
        .collect();
    format!(
        "insert into supabase_migrations.schema_migrations (version, name, statements) \
         values ({}, {}, array[{}]::text[])",
        quote_literal(version),
        quote_literal(name),
        statements.join(", ")
    )
}

/// The statement that notes a seed file.
pub(crate) fn seed_note(path: &str, hash: &str) -> String {
    format!(
        "insert into supabase_migrations.seed_files (path, hash) values ({}, {}) \
         on conflict (path) do update set hash = excluded.hash",
        quote_literal(path),
        quote_literal(hash)
    )
}

/// Runs a file and then its note, with the settings that the role has when it logs in.
///
/// A file with statements that cannot be part of a transaction is run in pieces, as the CLI runs it.
///
/// # Errors
/// The server refused a statement; the message shows file, line and statement. Nothing of the piece stays, and the
/// connection is no longer of use, because a file that begins a transaction of its own leaves it open.
pub(crate) async fn run(
    connection: &mut PgConnection,
    shown: &str,
    sql: &str,
    note: &str,
) -> anyhow::Result<()> {
    sqlx::raw_sql("reset all").execute(&mut *connection).await?;
    let pieces = pieces(sql);
    let last = pieces.len() - 1;
    for (index, piece) in pieces.iter().enumerate() {
        // The file may end in a comment.
        let message = if index == last {
            format!("{}\n;{note}", &sql[piece.text.clone()])
        } else {
            sql[piece.text.clone()].to_owned()
        };
        let mut results = sqlx::raw_sql(AssertSqlSafe(message)).execute_many(&mut *connection);
        let mut done = 0;
        loop {
            match results.try_next().await {
                Ok(Some(_)) => done += 1,
                Ok(None) => break,
                Err(error) => {
                    let mut text = explain(shown, sql, piece, done, &error);
                    if index > 0 {
                        text.push_str(
                            "\nWhat comes before it has been applied: the file has statements that cannot be \
                             part of a transaction.",
                        );
                    }
                    return Err(anyhow!("{text}"));
                }
            }
        }
    }
    Ok(())
}

/// A part of a file that is sent at once.
#[derive(Debug, PartialEq, Eq)]
struct Piece {
    text: Range<usize>,
    /// How many statements come before it.
    before: usize,
}

/// The whole file, unless it has statements that must stand alone. The last piece takes the note, so it is none of
/// those.
fn pieces(sql: &str) -> Vec<Piece> {
    let statements = statements::split(sql);
    let mut pieces = Vec::new();
    let (mut start, mut before) = (0, 0);
    for (index, statement) in statements.iter().enumerate() {
        if !stands_alone(statement.text) {
            continue;
        }
        if index > before {
            pieces.push(Piece {
                text: start..statement.offset,
                before,
            });
        }
        let end = statement.offset + statement.text.len();
        pieces.push(Piece {
            text: statement.offset..end,
            before: index,
        });
        // Without its semicolon.
        start = sql[end..].find(';').map_or(sql.len(), |at| end + at + 1);
        before = index + 1;
    }
    pieces.push(Piece {
        text: start..sql.len(),
        before,
    });
    pieces
}

/// True for what Postgres refuses within a transaction.
fn stands_alone(statement: &str) -> bool {
    let mut rest = statement.trim_start();
    loop {
        let after = match rest.get(..2) {
            Some("--") => rest.find('\n').map(|at| &rest[at..]),
            Some("/*") => rest.find("*/").map(|at| &rest[at + 2..]),
            _ => break,
        };
        rest = after.unwrap_or_default().trim_start();
    }
    let words: Vec<_> = rest
        .split_whitespace()
        .take(6)
        .map(str::to_ascii_lowercase)
        .collect();
    let words: Vec<_> = words.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["create" | "drop", "index", "concurrently", ..]
        | ["create", "unique", "index", "concurrently", ..]
        | ["reindex", _, "concurrently", ..]
        | ["reindex", "database" | "system", ..]
        | [
            "create" | "drop",
            "database" | "tablespace" | "subscription",
            ..,
        ]
        | ["alter", "system", ..] => true,
        [first, ..] => first.starts_with("vacuum"),
        [] => false,
    }
}

fn explain(shown: &str, sql: &str, piece: &Piece, done: usize, error: &sqlx::Error) -> String {
    let Some(refusal) = error
        .as_database_error()
        .and_then(|error| error.try_downcast_ref::<PgDatabaseError>())
    else {
        return format!("{shown}: {error}");
    };
    let position = match refusal.position() {
        // Characters, counted from one.
        Some(PgErrorPosition::Original(position)) => sql[piece.text.clone()]
            .char_indices()
            .nth(position.saturating_sub(1))
            .map(|(at, _)| piece.text.start + at),
        _ => None,
    };
    let statements = statements::split(sql);
    let found = position
        .and_then(|at| {
            statements
                .iter()
                .rposition(|statement| statement.offset <= at)
        })
        .or(Some(piece.before + done))
        .and_then(|index| statements.get(index).map(|statement| (index, *statement)));
    let at = position.or(found.map(|(_, statement)| statement.offset));
    let mut text = match at {
        Some(at) => format!("{shown}:{}: ", line_of(sql, at)),
        None => format!("{shown}: "),
    };
    let _ = write!(
        text,
        "ERROR: {} (SQLSTATE {})",
        refusal.message(),
        refusal.code()
    );
    for (name, more) in [("DETAIL", refusal.detail()), ("HINT", refusal.hint())] {
        if let Some(more) = more {
            let _ = write!(text, "\n{name}: {more}");
        }
    }
    if let Some((index, statement)) = found {
        let _ = write!(text, "\nAt statement: {index}\n");
        text.push_str(&marked(sql, &statement, position));
    }
    if refusal.code() == "42704" && refusal.message().starts_with("type \"") {
        text.push_str(
            "\nHint: the type may be in a schema that is not in the search path; name it with its schema, \
             as in extensions.citext.",
        );
    }
    text
}

fn line_of(sql: &str, at: usize) -> usize {
    sql[..at].matches('\n').count() + 1
}

/// The statement, and a caret under the place.
fn marked(sql: &str, statement: &Statement<'_>, position: Option<usize>) -> String {
    let Some(at) = position
        .filter(|at| (statement.offset..=statement.offset + statement.text.len()).contains(at))
    else {
        return statement.text.to_owned();
    };
    let line_start = sql[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let line_end = sql[at..]
        .find('\n')
        .map_or(sql.len(), |newline| at + newline);
    let end = statement.offset + statement.text.len();
    let column = sql[line_start.max(statement.offset)..at].chars().count();
    let mut text = sql[statement.offset..line_end.min(end)].to_owned();
    let _ = write!(text, "\n{}^", " ".repeat(column));
    if line_end < end {
        text.push_str(&sql[line_end..end]);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_caret_stands_under_the_place() {
        let sql = "select 1;\n\nselect a,\n  b from c;\n";
        let statement = statements::split(sql)[1];
        let at = sql.find("b from").unwrap();
        assert_eq!(
            marked(sql, &statement, Some(at)),
            "select a,\n  b from c\n  ^"
        );
        let at = sql.find("a,").unwrap();
        assert_eq!(
            marked(sql, &statement, Some(at)),
            "select a,\n       ^\n  b from c"
        );
        assert_eq!(line_of(sql, at), 3);
    }

    #[test]
    fn what_cannot_be_part_of_a_transaction_stands_alone() {
        let texts = |sql: &'static str| -> Vec<(&'static str, usize)> {
            pieces(sql)
                .into_iter()
                .map(|piece| (sql[piece.text].trim(), piece.before))
                .collect()
        };
        assert_eq!(texts("select 1; select 2"), [("select 1; select 2", 0)]);
        assert_eq!(
            texts("a; b;\n-- fast\nCREATE INDEX CONCURRENTLY i on t (x);\nc; d"),
            [
                ("a; b;", 0),
                ("-- fast\nCREATE INDEX CONCURRENTLY i on t (x)", 2),
                ("c; d", 3)
            ]
        );
        assert_eq!(
            texts("vacuum(analyze) t"),
            [("vacuum(analyze) t", 0), ("", 1)]
        );
        assert_eq!(texts(""), [("", 0)]);
        assert!(!stands_alone("create index i on t (concurrently)"));
        assert!(!stands_alone("/* vacuum */ select 1"));
    }

    #[test]
    fn a_note_holds_any_text() {
        let note = migration_note("1", "it's", "select 'a\\b'; select 2");
        assert!(note.contains("'it''s'"), "{note}");
        assert!(!note.contains("select 'a"), "{note}");
    }
}
