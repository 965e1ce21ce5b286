//! The part of Go's html/template that mail templates use: fields, conditions, comments and trimming.
//!
//! Values come from users, so what they turn into depends on where they stand: text and attributes are
//! escaped, addresses are checked for their scheme, and parts of an address are percent-encoded.

use percent_encoding::{AsciiSet, CONTROLS, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

/// How deep conditions may be nested.
const MAX_DEPTH: usize = 16;
/// What Go writes instead of an address with a dangerous scheme.
const UNSAFE_URL: &str = "#ZgotmplZ";
/// What cannot stand in an address as it is.
const NOT_IN_URL: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}')
    .add(b'\'');
const NOT_IN_QUERY: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A template that was read.
#[derive(Clone, Debug, PartialEq)]
pub struct Template(Vec<Node>);

/// Why a template cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    /// `{{` without `}}`.
    #[error("an action is not closed")]
    Unclosed,
    /// `if` without `end`, or the reverse.
    #[error("if, else and end do not match")]
    Unbalanced,
    /// Something that is not supported here.
    #[error("an action is not supported")]
    Unsupported,
}

#[derive(Clone, Debug, PartialEq)]
enum Node {
    Text(String),
    Value(Expression),
    If(Expression, Vec<Node>, Vec<Node>),
}

#[derive(Clone, Debug, PartialEq)]
enum Expression {
    Field(Vec<String>),
    Literal(Value),
    Call(Function, Vec<Expression>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Function {
    Eq,
    Ne,
    And,
    Or,
    Not,
}

/// Pieces of the source: text and the inside of actions.
enum Piece<'a> {
    Text(&'a str),
    Action(&'a str),
}

impl Template {
    /// Reads a template.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        let pieces = split(source)?;
        let mut pieces = pieces.into_iter();
        let (nodes, end) = nodes(&mut pieces, 0)?;
        match end {
            Stop::Source => Ok(Self(nodes)),
            Stop::Else(_) | Stop::End => Err(TemplateError::Unbalanced),
        }
    }

    /// Fills it in as HTML.
    pub fn render_html(&self, data: &Map<String, Value>) -> String {
        let mut out = Output {
            text: String::new(),
            literal: String::new(),
            html: true,
        };
        out.nodes(&self.0, data);
        out.text
    }

    /// Fills it in as plain text, for subjects.
    pub fn render_text(&self, data: &Map<String, Value>) -> String {
        let mut out = Output {
            text: String::new(),
            literal: String::new(),
            html: false,
        };
        out.nodes(&self.0, data);
        out.text
    }
}

fn split(source: &str) -> Result<Vec<Piece<'_>>, TemplateError> {
    let mut pieces = Vec::new();
    let mut rest = source;
    let mut trim_next = false;
    loop {
        let (text, after) = match rest.split_once("{{") {
            Some((text, after)) => (text, Some(after)),
            None => (rest, None),
        };
        let mut text = if trim_next { text.trim_start() } else { text };
        let Some(after) = after else {
            pieces.push(Piece::Text(text));
            return Ok(pieces);
        };
        let (action, following) = after.split_once("}}").ok_or(TemplateError::Unclosed)?;
        let mut action = action;
        if let Some(trimmed) = action.strip_prefix("- ") {
            text = text.trim_end();
            action = trimmed;
        }
        trim_next = action.ends_with(" -");
        if trim_next {
            action = &action[..action.len() - 2];
        }
        pieces.push(Piece::Text(text));
        let action = action.trim();
        if !(action.starts_with("/*") && action.ends_with("*/")) {
            pieces.push(Piece::Action(action));
        }
        rest = following;
    }
}

enum Stop {
    Source,
    End,
    /// With the condition of an `else if`.
    Else(Option<Expression>),
}

fn nodes<'a>(
    pieces: &mut impl Iterator<Item = Piece<'a>>,
    depth: usize,
) -> Result<(Vec<Node>, Stop), TemplateError> {
    let mut list = Vec::new();
    while let Some(piece) = pieces.next() {
        let action = match piece {
            Piece::Text("") => continue,
            Piece::Text(text) => {
                list.push(Node::Text(text.to_owned()));
                continue;
            }
            Piece::Action(action) => action,
        };
        if action == "end" {
            return Ok((list, Stop::End));
        }
        if let Some(rest) = keyword(action, "else") {
            let condition = match keyword(rest, "if") {
                Some(condition) => Some(expression(condition)?),
                None if rest.is_empty() => None,
                None => return Err(TemplateError::Unsupported),
            };
            return Ok((list, Stop::Else(condition)));
        }
        if let Some(condition) = keyword(action, "if") {
            list.push(condition_node(expression(condition)?, pieces, depth + 1)?);
            continue;
        }
        list.push(Node::Value(expression(action)?));
    }
    Ok((list, Stop::Source))
}

fn condition_node(
    condition: Expression,
    pieces: &mut dyn Iterator<Item = Piece<'_>>,
    depth: usize,
) -> Result<Node, TemplateError> {
    if depth > MAX_DEPTH {
        return Err(TemplateError::Unsupported);
    }
    let (then, end) = nodes(&mut &mut *pieces, depth)?;
    let otherwise = match end {
        Stop::Source => return Err(TemplateError::Unbalanced),
        Stop::End => Vec::new(),
        Stop::Else(Some(next)) => vec![condition_node(next, pieces, depth + 1)?],
        Stop::Else(None) => match nodes(&mut &mut *pieces, depth)? {
            (otherwise, Stop::End) => otherwise,
            _ => return Err(TemplateError::Unbalanced),
        },
    };
    Ok(Node::If(condition, then, otherwise))
}

/// The rest after a word, when the action begins with it.
fn keyword<'a>(action: &'a str, word: &str) -> Option<&'a str> {
    let rest = action.strip_prefix(word)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

fn expression(source: &str) -> Result<Expression, TemplateError> {
    let mut tokens = tokens(source)?.into_iter().peekable();
    let expression = call(&mut tokens, 0)?;
    if tokens.next().is_some() {
        return Err(TemplateError::Unsupported);
    }
    Ok(expression)
}

fn tokens(source: &str) -> Result<Vec<String>, TemplateError> {
    let mut tokens = Vec::new();
    let mut chars = source.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            c if c.is_whitespace() => {}
            '(' | ')' => tokens.push(c.to_string()),
            '"' | '`' => {
                let mut text = String::from('"');
                loop {
                    match chars.next().ok_or(TemplateError::Unclosed)? {
                        end if end == c => break,
                        '\\' if c == '"' => {
                            text.push(chars.next().ok_or(TemplateError::Unclosed)?);
                        }
                        other => text.push(other),
                    }
                }
                tokens.push(text);
            }
            c => {
                let mut word = String::from(c);
                while let Some(next) =
                    chars.next_if(|next| !next.is_whitespace() && !matches!(next, '(' | ')'))
                {
                    word.push(next);
                }
                tokens.push(word);
            }
        }
    }
    Ok(tokens)
}

type Tokens = std::iter::Peekable<std::vec::IntoIter<String>>;

fn call(tokens: &mut Tokens, depth: usize) -> Result<Expression, TemplateError> {
    let function = match tokens.peek().map(String::as_str) {
        Some("eq") => Function::Eq,
        Some("ne") => Function::Ne,
        Some("and") => Function::And,
        Some("or") => Function::Or,
        Some("not") => Function::Not,
        _ => return operand(tokens, depth),
    };
    tokens.next();
    let mut operands = Vec::new();
    while tokens.peek().is_some_and(|token| token != ")") {
        operands.push(operand(tokens, depth)?);
    }
    if operands.is_empty() {
        return Err(TemplateError::Unsupported);
    }
    Ok(Expression::Call(function, operands))
}

fn operand(tokens: &mut Tokens, depth: usize) -> Result<Expression, TemplateError> {
    let token = tokens.next().ok_or(TemplateError::Unsupported)?;
    if token == "(" {
        if depth >= MAX_DEPTH {
            return Err(TemplateError::Unsupported);
        }
        let inner = call(tokens, depth + 1)?;
        return match tokens.next().as_deref() {
            Some(")") => Ok(inner),
            _ => Err(TemplateError::Unclosed),
        };
    }
    if let Some(path) = token.strip_prefix('.') {
        let names = path
            .split('.')
            .filter(|name| !name.is_empty())
            .map(str::to_owned);
        return Ok(Expression::Field(names.collect()));
    }
    if let Some(text) = token.strip_prefix('"') {
        return Ok(Expression::Literal(text.into()));
    }
    match serde_json::from_str::<Value>(&token) {
        Ok(value @ (Value::Bool(_) | Value::Number(_))) => Ok(Expression::Literal(value)),
        _ if token == "nil" => Ok(Expression::Literal(Value::Null)),
        _ => Err(TemplateError::Unsupported),
    }
}

impl Expression {
    fn evaluate(&self, data: &Map<String, Value>) -> Value {
        match self {
            Self::Literal(value) => value.clone(),
            Self::Field(names) => {
                let mut names = names.iter();
                let Some(first) = names.next() else {
                    return Value::Object(data.clone());
                };
                let first = data.get(first);
                names
                    .fold(first, |value, name| value.and_then(|v| v.get(name)))
                    .cloned()
                    .unwrap_or(Value::Null)
            }
            Self::Call(function, operands) => {
                let mut values = operands.iter().map(|operand| operand.evaluate(data));
                let first = values.next().unwrap_or(Value::Null);
                match function {
                    Function::Not => (!is_true(&first)).into(),
                    Function::Eq => values.any(|value| value == first).into(),
                    Function::Ne => values.all(|value| value != first).into(),
                    Function::And => values.fold(first, |a, b| if is_true(&a) { b } else { a }),
                    Function::Or => values.fold(first, |a, b| if is_true(&a) { a } else { b }),
                }
            }
        }
    }
}

/// What counts as true in Go's templates.
fn is_true(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value,
        Value::Number(number) => number.as_f64().is_some_and(|n| n != 0.0),
        Value::String(text) => !text.is_empty(),
        Value::Array(list) => !list.is_empty(),
        Value::Object(map) => !map.is_empty(),
    }
}

fn display(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

struct Output {
    text: String,
    /// The template's own text so far: it alone decides where a value stands.
    literal: String,
    html: bool,
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Text,
    Attribute,
    /// The whole address, or its beginning.
    Url,
    /// Inside an address, before its query.
    UrlPart,
    /// Inside the query.
    Query,
    /// A script or a style, where nothing from outside belongs.
    Code,
}

impl Output {
    fn nodes(&mut self, nodes: &[Node], data: &Map<String, Value>) {
        for node in nodes {
            match node {
                Node::Text(text) => {
                    self.text.push_str(text);
                    if self.html {
                        self.literal.push_str(text);
                    }
                }
                Node::Value(expression) => self.value(&display(&expression.evaluate(data))),
                Node::If(condition, then, otherwise) => {
                    let branch = if is_true(&condition.evaluate(data)) {
                        then
                    } else {
                        otherwise
                    };
                    self.nodes(branch, data);
                }
            }
        }
    }

    fn value(&mut self, value: &str) {
        if !self.html {
            self.text.push_str(value);
            return;
        }
        let place = place(&self.literal);
        let filled = match place {
            Place::Text | Place::Attribute => escape(value),
            Place::Url if !has_safe_scheme(value) => UNSAFE_URL.to_owned(),
            Place::Url | Place::UrlPart => {
                escape(&utf8_percent_encode(value, NOT_IN_URL).to_string())
            }
            Place::Query => utf8_percent_encode(value, NOT_IN_QUERY).to_string(),
            Place::Code => String::new(),
        };
        self.text.push_str(&filled);
        // Stands for the value, so that what follows it in an address is known to be inside of it.
        self.literal.push('x');
    }
}

fn place(before: &str) -> Place {
    let lower = before.to_ascii_lowercase();
    for code in ["script", "style"] {
        let opened = lower.rfind(&format!("<{code}"));
        if opened > lower.rfind(&format!("</{code}")) {
            return Place::Code;
        }
    }
    let Some(tag) = before.rfind('<').map(|start| &before[start..]) else {
        return Place::Text;
    };
    let mut quote = None;
    let mut value_start = 0;
    for (index, c) in tag.char_indices() {
        match quote {
            Some(open) if c == open => quote = None,
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                value_start = index + 1;
            }
            None if c == '>' => return Place::Text,
            Some(_) | None => {}
        }
    }
    if quote.is_none() {
        return Place::Attribute;
    }
    let name = tag[..value_start - 1]
        .trim_end()
        .trim_end_matches('=')
        .trim_end()
        .rsplit(char::is_whitespace)
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let value = &tag[value_start..];
    match name.as_str() {
        "href" | "src" | "action" | "formaction" | "background" | "cite" | "poster"
        | "xlink:href" => {
            if value.trim().is_empty() {
                Place::Url
            } else if value.contains(['?', '#']) {
                Place::Query
            } else {
                Place::UrlPart
            }
        }
        "style" => Place::Code,
        name if name.starts_with("on") => Place::Code,
        _ => Place::Attribute,
    }
}

fn has_safe_scheme(url: &str) -> bool {
    match url.split_once(':') {
        Some((scheme, _)) if !scheme.contains(['/', '?', '#']) => {
            ["http", "https", "mailto"].contains(&scheme.trim().to_ascii_lowercase().as_str())
        }
        _ => true,
    }
}

fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&#34;"),
            '\'' => out.push_str("&#39;"),
            '+' => out.push_str("&#43;"),
            '\0' => out.push('\u{fffd}'),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn html(source: &str) -> String {
        let data = json!({
            "ConfirmationURL": "https://a.test/verify?token=1&type=signup",
            "Token": "123456",
            "Email": "a+b@c.test",
            "Data": {"name": "<b>Ada</b>", "lang": "de", "site": "javascript:alert(1)"},
            "RedirectTo": "http://x.test/?a=b",
        });
        let data = data.as_object().unwrap();
        Template::parse(source).unwrap().render_html(data)
    }

    #[test]
    fn values_are_escaped_for_their_place() {
        for (source, expected) in [
            ("<p>{{ .Data.name }}</p>", "<p>&lt;b&gt;Ada&lt;/b&gt;</p>"),
            (
                "<a href=\"{{ .ConfirmationURL }}\">x</a>",
                "<a href=\"https://a.test/verify?token=1&amp;type=signup\">x</a>",
            ),
            (
                "<a href='/go?to={{ .RedirectTo }}'>",
                "<a href='/go?to=http%3A%2F%2Fx.test%2F%3Fa%3Db'>",
            ),
            ("<a href=\"{{.Data.site}}\">", "<a href=\"#ZgotmplZ\">"),
            ("<i title=\"{{.Email}}\">", "<i title=\"a&#43;b@c.test\">"),
            ("<script>{{.Data.name}}</script>", "<script></script>"),
            ("{{ .Missing }}{{ .Data.none.deep }}", ""),
        ] {
            assert_eq!(html(source), expected, "{source}");
        }
    }

    #[test]
    fn conditions_choose() {
        for (source, expected) in [
            ("{{ if .Token }}yes{{ else }}no{{ end }}", "yes"),
            ("{{if .Nothing}}yes{{else}}no{{end}}", "no"),
            (
                "{{ if eq .Data.lang \"de\" }}Hallo{{ else }}Hello{{ end }}",
                "Hallo",
            ),
            (
                "{{ if eq .Data.lang \"fr\" }}a{{ else if ne .Token \"\" }}b{{ else }}c{{ end }}",
                "b",
            ),
            ("{{ if and .Token (not .Nothing) }}both{{ end }}", "both"),
            ("{{ if or .Nothing .Token }}one{{ end }}", "one"),
            ("a {{- /* remark */ -}} b", "ab"),
            ("a {{- .Token -}} b", "a123456b"),
        ] {
            assert_eq!(html(source), expected, "{source}");
        }
    }

    #[test]
    fn what_cannot_be_read_is_refused() {
        for source in [
            "{{ .Token",
            "{{ if .Token }}",
            "{{ end }}",
            "{{ range .Data }}{{ end }}",
            "{{ printf \"%s\" .Token }}",
            "{{ else }}",
        ] {
            assert!(Template::parse(source).is_err(), "{source}");
        }
        let deep = "{{ if .A }}".repeat(100) + &"{{ end }}".repeat(100);
        assert!(Template::parse(&deep).is_err());
    }

    #[test]
    fn subjects_are_plain() {
        let data = json!({"Token": "1&2"});
        let template = Template::parse("Code {{ .Token }}").unwrap();
        assert_eq!(template.render_text(data.as_object().unwrap()), "Code 1&2");
    }
}
