//! The syntax of PostgREST's configuration file: `key = value` lines, groups in braces, imports.

use std::{collections::BTreeMap, path::Path};

/// A value of the file.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// `"…"`
    Text(String),
    /// `12` or `1.5`
    Number(f64),
    /// `true`, `on` and their opposites.
    Bool(bool),
}

/// All settings of a file by their full names, dots between groups.
pub(crate) type Settings = BTreeMap<String, Value>;

/// Files that import each other must end somewhere.
const MAX_IMPORTS: usize = 16;

/// Reads a file and everything that it imports.
pub(crate) fn load(path: &Path) -> Result<Settings, String> {
    let mut settings = Settings::new();
    load_into(path, &mut settings, 0)?;
    Ok(settings)
}

fn load_into(path: &Path, settings: &mut Settings, depth: usize) -> Result<(), String> {
    if depth > MAX_IMPORTS {
        return Err("the configuration file imports itself".to_owned());
    }
    // The standard input has a path too, and `-` is not one.
    let text =
        std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut parser = Parser {
        text: &text,
        pos: 0,
    };
    parser
        .group("", false, &mut |name, value| match value {
            Entry::Value(value) => {
                settings.insert(name, value);
                Ok(())
            }
            Entry::Import(other) => {
                let base = path.parent().unwrap_or_else(|| Path::new("."));
                load_into(&base.join(other), settings, depth + 1)
            }
        })
        .map_err(|reason| {
            let line = text[..parser.pos].lines().count().max(1);
            format!("{}: line {line}: {reason}", path.display())
        })
}

enum Entry {
    Value(Value),
    Import(String),
}

type Sink<'a> = dyn FnMut(String, Entry) -> Result<(), String> + 'a;

struct Parser<'a> {
    text: &'a str,
    pos: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.pos..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn skip_blank(&mut self) {
        while let Some(c) = self.peek() {
            if c == '#' {
                while self.peek().is_some_and(|c| c != '\n') {
                    self.next();
                }
            } else if c.is_whitespace() {
                self.next();
            } else {
                return;
            }
        }
    }

    fn take(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.next();
        }
        found
    }

    fn word(&mut self) -> &str {
        let start = self.pos;
        while self
            .peek()
            .is_some_and(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
        {
            self.next();
        }
        &self.text[start..self.pos]
    }

    fn group(&mut self, prefix: &str, inner: bool, sink: &mut Sink<'_>) -> Result<(), String> {
        loop {
            self.skip_blank();
            if inner && self.take('}') {
                return Ok(());
            }
            if self.peek().is_none() {
                return if inner {
                    Err("a group is not closed".to_owned())
                } else {
                    Ok(())
                };
            }
            let key = self.word().to_owned();
            if key.is_empty() || !key.starts_with(char::is_alphabetic) {
                return Err("expected a name".to_owned());
            }
            let name = format!("{prefix}{key}");
            self.skip_blank();
            if self.take('=') {
                self.skip_blank();
                let value = self.value()?;
                sink(name, Entry::Value(value))?;
            } else if self.take('{') {
                self.group(&format!("{name}."), true, sink)?;
            } else if key == "import" && self.peek() == Some('"') {
                let path = self.text()?;
                sink(name, Entry::Import(path))?;
            } else {
                return Err(format!("expected = or {{ after {key}"));
            }
        }
    }

    fn value(&mut self) -> Result<Value, String> {
        if self.peek() == Some('"') {
            return self.text().map(Value::Text);
        }
        let negative = self.take('-');
        match self.word() {
            "true" | "on" if !negative => Ok(Value::Bool(true)),
            "false" | "off" if !negative => Ok(Value::Bool(false)),
            word => word
                .parse::<f64>()
                .map(|number| Value::Number(if negative { -number } else { number }))
                .map_err(|_| "expected a text in quotes, a number, true or false".to_owned()),
        }
    }

    fn text(&mut self) -> Result<String, String> {
        const OPEN: &str = "a text is not closed";
        self.next();
        let mut found = String::new();
        loop {
            match self.next().ok_or(OPEN)? {
                '"' => return interpolate(&found),
                '\\' => found.push(match self.next().ok_or(OPEN)? {
                    'n' => '\n',
                    't' => '\t',
                    'r' => '\r',
                    'u' => self.code_unit()?,
                    c => c,
                }),
                c => found.push(c),
            }
        }
    }

    fn code_unit(&mut self) -> Result<char, String> {
        let digits = self
            .text
            .get(self.pos..self.pos + 4)
            .ok_or("a text is not closed")?;
        self.pos += 4;
        u32::from_str_radix(digits, 16)
            .ok()
            .and_then(char::from_u32)
            .ok_or_else(|| "expected four hexadecimal digits after \\u".to_owned())
    }
}

/// `$(NAME)` is an environment variable, `$$` a dollar.
fn interpolate(text: &str) -> Result<String, String> {
    let mut found = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        found.push_str(&rest[..at]);
        let after = &rest[at + 1..];
        if let Some(tail) = after.strip_prefix('$') {
            found.push('$');
            rest = tail;
        } else if let Some((name, tail)) = after
            .strip_prefix('(')
            .and_then(|inner| inner.split_once(')'))
        {
            let value = std::env::var(name)
                .map_err(|_| format!("the environment has no variable {name}"))?;
            found.push_str(&value);
            rest = tail;
        } else {
            return Err("expected $( or $$ after a dollar".to_owned());
        }
    }
    found.push_str(rest);
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Settings, String> {
        let mut settings = Settings::new();
        let mut parser = Parser { text, pos: 0 };
        parser.group("", false, &mut |name, value| {
            if let Entry::Value(value) = value {
                settings.insert(name, value);
            }
            Ok(())
        })?;
        Ok(settings)
    }

    #[test]
    fn values_groups_and_comments_are_read() {
        let found = parse(
            "# a comment\ndb-pool = 5 # another\nlog-level=\"a\\\"b\\u0041$$\"\nflag = off\napp { settings { x = \"y\" } }\napp.settings.z = true",
        );
        let expected: Settings = [
            ("db-pool", Value::Number(5.0)),
            ("log-level", Value::Text("a\"bA$".to_owned())),
            ("flag", Value::Bool(false)),
            ("app.settings.x", Value::Text("y".to_owned())),
            ("app.settings.z", Value::Bool(true)),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        assert_eq!(found, Ok(expected));
    }

    #[test]
    fn what_is_no_setting_is_refused() {
        for text in [
            "- a: b",
            "a",
            "a = ",
            "a = \"x",
            "a { b = 1",
            "a = \"$x\"",
            "a = \"$(NO_SUCH_VARIABLE_HERE)\"",
        ] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
