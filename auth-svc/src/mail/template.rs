//! The part of Go's html/template that mail templates use: fields, conditions, comments and trimming.
//!
//! Values come from users, so what they turn into depends on where they stand: text and attributes are
//! escaped, addresses are checked for their scheme, and parts of an address are percent-encoded.

mod escape;
mod parse;

use serde_json::{Map, Value};

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

impl Template {
    /// Reads a template.
    pub fn parse(source: &str) -> Result<Self, TemplateError> {
        parse::parse(source).map(Self)
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
        let filled = escape::fill(value, escape::place(&self.literal));
        self.text.push_str(&filled);
        // Stands for the value, so that what follows it in an address is known to be inside of it.
        self.literal.push('x');
    }
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
