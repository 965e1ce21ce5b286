//! From the text of a template to its nodes.

use serde_json::Value;

use super::{Expression, Function, Node, TemplateError};

/// How deep conditions may be nested.
const MAX_DEPTH: usize = 16;
/// Reads a whole template.
pub(super) fn parse(source: &str) -> Result<Vec<Node>, TemplateError> {
    let mut pieces = split(source)?.into_iter();
    match nodes(&mut pieces, 0)? {
        (nodes, Stop::Source) => Ok(nodes),
        (_, Stop::Else(_) | Stop::End) => Err(TemplateError::Unbalanced),
    }
}

/// Pieces of the source: text and the inside of actions.
enum Piece<'a> {
    Text(&'a str),
    Action(&'a str),
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
