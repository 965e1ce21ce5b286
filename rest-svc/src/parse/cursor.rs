//! A cursor over text with the error rules of a parser combinator: the furthest failure wins, and what was
//! expected there is united.

/// A text that does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// What was read, as `select parameter`.
    pub what: &'static str,
    /// The whole text.
    pub text: String,
    /// The column of the failure, from 1.
    pub column: usize,
    /// `unexpected … expecting …`.
    pub details: String,
}

/// A place in the text; going back is copying the position.
pub(super) struct Cursor<'a> {
    text: &'a str,
    pos: usize,
    furthest: usize,
    expected: Vec<&'static str>,
}

/// The failure is recorded in the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Failed;

pub(super) type Parsed<T> = Result<T, Failed>;

impl<'a> Cursor<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            text,
            pos: 0,
            furthest: 0,
            expected: Vec::new(),
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.pos..]
    }

    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    pub(super) fn back_to(&mut self, pos: usize) {
        self.pos = pos;
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn at_end(&self) -> bool {
        self.pos == self.text.len()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    /// Notes what would have been right here.
    pub(super) fn expected(&mut self, label: &'static str) -> Failed {
        if self.pos > self.furthest {
            self.furthest = self.pos;
            self.expected.clear();
        }
        if self.pos == self.furthest && !label.is_empty() && !self.expected.contains(&label) {
            self.expected.push(label);
        }
        Failed
    }

    /// Takes the token if it is next; otherwise notes that it could have been.
    pub(super) fn take(&mut self, token: &str, label: &'static str) -> bool {
        if self.rest().starts_with(token) {
            self.pos += token.len();
            true
        } else {
            self.expected(label);
            false
        }
    }

    /// Takes the token or fails.
    pub(super) fn require(&mut self, token: &str, label: &'static str) -> Parsed<()> {
        if self.take(token, label) {
            Ok(())
        } else {
            Err(Failed)
        }
    }

    pub(super) fn take_while(&mut self, accept: impl Fn(char) -> bool) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c| !accept(c)).unwrap_or(rest.len());
        self.pos += end;
        &rest[..end]
    }

    pub(super) fn skip_blanks(&mut self) {
        self.take_while(|c| c == ' ' || c == '\t');
    }

    /// The error of the furthest failure, its column shifted by what stands before the text in `shown`.
    pub(super) fn error(mut self, what: &'static str, shown: &str, shift: usize) -> ParseError {
        let unexpected = match self.text[self.furthest..].chars().next() {
            Some(c) => format!("unexpected {}", quoted(c)),
            None => "unexpected end of input".to_owned(),
        };
        let details = match self.expected.pop() {
            None => unexpected,
            Some(last) if self.expected.is_empty() => format!("{unexpected} expecting {last}"),
            Some(last) => format!(
                "{unexpected} expecting {} or {last}",
                self.expected.join(", ")
            ),
        };
        let column = self.text[..self.furthest].chars().count() + 1 + shift;
        ParseError {
            what,
            text: shown.to_owned(),
            column,
            details,
        }
    }
}

fn quoted(c: char) -> String {
    match c {
        '"' => r#""\"""#.to_owned(),
        '\\' => r#""\\""#.to_owned(),
        c => format!("\"{c}\""),
    }
}
