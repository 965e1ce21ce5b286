//! The grammar of `select`.

use super::{
    Aggregate, Embed, Field, JoinType, ParseError, SelectField, SelectItem,
    cursor::{Cursor, Failed, Parsed},
    names::{cast, field, name},
};

/// Embeds within embeds: no schema is this deep, and the recursion needs an end.
const MAX_DEPTH: usize = 32;

/// Reads `select`; an empty text selects every column.
pub(super) fn parse_select(text: &str) -> Result<Vec<SelectItem>, ParseError> {
    if text.is_empty() {
        return Ok(vec![star()]);
    }
    let mut cursor = Cursor::new(text);
    match items(&mut cursor, 0) {
        // What follows a complete list is ignored, except where the list could have gone on.
        Ok(items)
            if cursor.at_end() || cursor.peek() == Some(')') || cursor.peek() == Some('\'') =>
        {
            Ok(items)
        }
        _ => {
            cursor.expected("");
            Err(cursor.error("select parameter", text, 0))
        }
    }
}

fn star() -> SelectItem {
    SelectItem::Field(SelectField {
        field: Field {
            name: "*".to_owned(),
            path: Vec::new(),
        },
        star: true,
        alias: None,
        cast: None,
        aggregate: None,
        aggregate_cast: None,
    })
}

fn items(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Vec<SelectItem>> {
    if depth > MAX_DEPTH {
        return Err(cursor.expected(""));
    }
    let mut found = Vec::new();
    loop {
        cursor.skip_blanks();
        found.push(item(cursor, depth)?);
        cursor.skip_blanks();
        if !cursor.take(",", "\",\"") {
            return Ok(found);
        }
    }
}

fn item(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<SelectItem> {
    if cursor.take("...", "\"...\"") {
        let target = name(cursor)?;
        return Ok(SelectItem::Embed(embed(cursor, target, None, true, depth)?));
    }
    if cursor.peek() == Some('*') {
        cursor.next();
        return Ok(star());
    }
    let start = cursor.pos();
    let first = name(cursor)?;
    let alias = if cursor.rest().starts_with(':') && !cursor.rest().starts_with("::") {
        cursor.next();
        Some(first)
    } else {
        cursor.back_to(start);
        None
    };
    let target_at = cursor.pos();
    if cursor.rest().starts_with("count()") {
        cursor.require("count()", "")?;
        let aggregate_cast = cast(cursor)?;
        let field = Field {
            name: String::new(),
            path: Vec::new(),
        };
        return Ok(SelectItem::Field(SelectField {
            field,
            star: false,
            alias,
            cast: None,
            aggregate: Some(Aggregate::Count),
            aggregate_cast,
        }));
    }
    let target = name(cursor)?;
    if matches!(cursor.peek(), Some('(' | '!')) {
        return Ok(SelectItem::Embed(embed(
            cursor, target, alias, false, depth,
        )?));
    }
    cursor.back_to(target_at);
    let field = field(cursor)?;
    let cast_name = cast(cursor)?;
    let (aggregate, aggregate_cast) = aggregate(cursor)?;
    Ok(SelectItem::Field(SelectField {
        field,
        star: false,
        alias,
        cast: cast_name,
        aggregate,
        aggregate_cast,
    }))
}

fn aggregate(cursor: &mut Cursor<'_>) -> Parsed<(Option<Aggregate>, Option<super::CastName>)> {
    if !cursor.rest().starts_with('.') {
        return Ok((None, None));
    }
    cursor.next();
    for aggregate in [
        Aggregate::Sum,
        Aggregate::Avg,
        Aggregate::Count,
        Aggregate::Max,
        Aggregate::Min,
    ] {
        if cursor.rest().starts_with(aggregate.name())
            && cursor.rest()[aggregate.name().len()..].starts_with("()")
        {
            cursor.require(aggregate.name(), "")?;
            cursor.require("()", "")?;
            return Ok((Some(aggregate), cast(cursor)?));
        }
    }
    Err(cursor.expected("\"sum()\", \"avg()\", \"count()\", \"max()\" or \"min()\""))
}

fn embed(
    cursor: &mut Cursor<'_>,
    target: String,
    alias: Option<String>,
    spread: bool,
    depth: usize,
) -> Parsed<Embed> {
    let (mut hint, mut join) = (None, None);
    while cursor.take("!", "") {
        let word = name(cursor)?;
        match word.as_str() {
            "inner" if join.is_none() => join = Some(JoinType::Inner),
            "left" if join.is_none() => join = Some(JoinType::Left),
            _ if hint.is_none() => hint = Some(word),
            _ => return Err(Failed),
        }
    }
    cursor.require("(", "\"(\"")?;
    cursor.skip_blanks();
    let items = if cursor.peek() == Some(')') {
        Vec::new()
    } else {
        items(cursor, depth + 1)?
    };
    cursor.require(")", "\")\"")?;
    Ok(Embed {
        target,
        alias,
        hint,
        join,
        spread,
        items,
    })
}
