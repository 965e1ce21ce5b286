//! The grammar of `order`.

use super::{
    OrderTerm, ParseError,
    cursor::{Cursor, Parsed},
    names::{field, name},
};

/// Reads a comma-separated list of terms.
pub(super) fn parse_order(text: &str) -> Result<Vec<OrderTerm>, ParseError> {
    let mut cursor = Cursor::new(text);
    match terms(&mut cursor) {
        Ok(terms) => Ok(terms),
        Err(_) => Err(cursor.error("order", text, 0)),
    }
}

fn terms(cursor: &mut Cursor<'_>) -> Parsed<Vec<OrderTerm>> {
    let mut found = Vec::new();
    loop {
        cursor.skip_blanks();
        found.push(term(cursor)?);
        cursor.skip_blanks();
        if !cursor.take(",", "\",\"") {
            if cursor.at_end() {
                return Ok(found);
            }
            return Err(cursor.expected("end of input"));
        }
    }
}

fn term(cursor: &mut Cursor<'_>) -> Parsed<OrderTerm> {
    let start = cursor.pos();
    let first = name(cursor)?;
    let (relation, field) = if cursor.peek() == Some('(') {
        cursor.next();
        let inner = field(cursor)?;
        cursor.require(")", "\")\"")?;
        (Some(first), inner)
    } else {
        cursor.back_to(start);
        (None, field(cursor)?)
    };
    let mut term = OrderTerm {
        relation,
        field,
        descending: None,
        nulls_first: None,
    };
    if cursor.take(".asc", "\".asc\"") {
        term.descending = Some(false);
    } else if cursor.take(".desc", "\".desc\"") {
        term.descending = Some(true);
    }
    if cursor.take(".nullsfirst", "\".nullsfirst\"") {
        term.nulls_first = Some(true);
    } else if cursor.take(".nullslast", "\".nullslast\"") {
        term.nulls_first = Some(false);
    }
    Ok(term)
}
