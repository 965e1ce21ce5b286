//! Names, quoted and bare, and JSON paths.

use super::{
    CastName, Field, JsonOperand, JsonStep,
    cursor::{Cursor, Failed, Parsed},
};

const FIELD: &str = "field name (* or [a..z0..9_$])";

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$' || c == ' '
}

/// A quoted text; a backslash takes the next character as it is.
pub(super) fn quoted(cursor: &mut Cursor<'_>) -> Parsed<String> {
    cursor.require("\"", "\"\\\"\"")?;
    let mut value = String::new();
    loop {
        match cursor.next() {
            Some('"') => return Ok(value),
            Some('\\') => value.push(cursor.next().ok_or(Failed)?),
            Some(c) => value.push(c),
            None => return Err(cursor.expected("")),
        }
    }
}

/// A column, relation or alias: runs of name characters joined by dashes, or anything in quotes.
pub(super) fn name(cursor: &mut Cursor<'_>) -> Parsed<String> {
    if cursor.peek() == Some('"') {
        return quoted(cursor);
    }
    let mut value = cursor.take_while(is_name_char).to_owned();
    if value.trim().is_empty() {
        return Err(cursor.expected(FIELD));
    }
    loop {
        let before = cursor.pos();
        // A dash belongs to the name unless it begins an arrow.
        if cursor.rest().starts_with('-') && !cursor.rest().starts_with("->") {
            cursor.next();
            let more = cursor.take_while(is_name_char);
            if more.is_empty() {
                cursor.back_to(before);
                break;
            }
            value.push('-');
            value.push_str(more);
        } else {
            break;
        }
    }
    Ok(value.trim().to_owned())
}

/// A column with an optional path into its JSON.
pub(super) fn field(cursor: &mut Cursor<'_>) -> Parsed<Field> {
    let name = name(cursor)?;
    let path = json_path(cursor)?;
    Ok(Field { name, path })
}

fn json_path(cursor: &mut Cursor<'_>) -> Parsed<Vec<JsonStep>> {
    let mut path = Vec::new();
    while cursor.rest().starts_with("->") {
        let as_text = cursor.take("->>", "");
        if !as_text {
            cursor.require("->", "")?;
        }
        path.push(JsonStep {
            as_text,
            operand: json_operand(cursor)?,
        });
    }
    Ok(path)
}

fn json_operand(cursor: &mut Cursor<'_>) -> Parsed<JsonOperand> {
    let start = cursor.pos();
    let negative = cursor.take("-", "\"-\"");
    if !cursor.peek().is_some_and(|c| c.is_ascii_digit()) {
        cursor.expected("digit");
    }
    let digits = cursor.take_while(|c| c.is_ascii_digit());
    let ends = |rest: &str| {
        rest.is_empty()
            || ["->", "::", ".", ","]
                .iter()
                .any(|token| rest.starts_with(token))
    };
    if !digits.is_empty() && ends(cursor.rest()) {
        let number = if negative {
            format!("-{digits}")
        } else {
            digits.to_owned()
        };
        if let Ok(index) = number.parse() {
            return Ok(JsonOperand::Index(index));
        }
    }
    cursor.back_to(start);
    if cursor.peek() == Some('"') {
        return Ok(JsonOperand::Key(quoted(cursor)?));
    }
    let mut key = String::new();
    while let Some(c) = cursor.peek() {
        let arrow = cursor.rest().starts_with("->");
        if "():.,>".contains(c) || arrow {
            break;
        }
        key.push(c);
        cursor.next();
    }
    if key.is_empty() {
        Err(cursor.expected("any non reserved character different from: .,>()"))
    } else {
        Ok(JsonOperand::Key(key))
    }
}

/// `::type`, if it is there.
pub(super) fn cast(cursor: &mut Cursor<'_>) -> Parsed<Option<CastName>> {
    if !cursor.rest().starts_with("::") {
        return Ok(None);
    }
    cursor.require("::", "")?;
    let name = cursor.take_while(is_name_char).trim();
    let is_safe = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "_$ ".contains(c));
    if is_safe {
        Ok(Some(CastName(name.to_owned())))
    } else {
        Err(cursor.expected("letter, digit, \"_\", \"$\" or \" \""))
    }
}
