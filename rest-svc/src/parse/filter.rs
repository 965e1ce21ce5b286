//! Filters and logic trees.

use super::{
    Filter, FullText, IsValue, LogicTree, OpExpr, Operation, Operator, ParseError, Quantifier,
    cursor::{Cursor, Failed, Parsed},
    names::{field, quoted},
};

const MAX_DEPTH: usize = 64;

const OPERATORS: [(&str, Operator); 18] = [
    ("eq", Operator::Eq),
    ("neq", Operator::Neq),
    ("gte", Operator::Gte),
    ("gt", Operator::Gt),
    ("lte", Operator::Lte),
    ("lt", Operator::Lt),
    ("like", Operator::Like),
    ("ilike", Operator::Ilike),
    ("match", Operator::Match),
    ("imatch", Operator::Imatch),
    ("cs", Operator::Cs),
    ("cd", Operator::Cd),
    ("ov", Operator::Ov),
    ("sl", Operator::Sl),
    ("sr", Operator::Sr),
    ("nxr", Operator::Nxr),
    ("nxl", Operator::Nxl),
    ("adj", Operator::Adj),
];

const FULL_TEXT: [(&str, FullText); 4] = [
    ("fts", FullText::Fts),
    ("plfts", FullText::Plfts),
    ("phfts", FullText::Phfts),
    ("wfts", FullText::Wfts),
];

const IS_VALUES: [(&str, IsValue); 5] = [
    ("not_null", IsValue::NotNull),
    ("null", IsValue::Null),
    ("true", IsValue::True),
    ("false", IsValue::False),
    ("unknown", IsValue::Unknown),
];

/// Where a value ends.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Within {
    /// The value is all that is left.
    Parameter,
    /// The value ends at a comma or a parenthesis, unless quoted.
    Tree,
}

/// Reads the value of a filter parameter.
pub(super) fn parse_filter(text: &str) -> Result<OpExpr, ParseError> {
    let mut cursor = Cursor::new(text);
    op_expr(&mut cursor, Within::Parameter).map_err(|Failed| cursor.error("filter", text, 0))
}

/// The operator expression, if the text is one: arguments of functions are not.
pub(super) fn try_filter(text: &str) -> Option<Result<OpExpr, ParseError>> {
    let begins = text.split_once('.').is_some_and(|(word, _)| {
        let word = word.split('(').next().unwrap_or(word);
        matches!(word, "not" | "in" | "is" | "isdistinct")
            || OPERATORS.iter().any(|(name, _)| *name == word)
            || FULL_TEXT.iter().any(|(name, _)| *name == word)
    });
    if !begins {
        return None;
    }
    match parse_filter(text) {
        Ok(op) => Some(Ok(op)),
        Err(error)
            if text.starts_with("not.") || text.starts_with("in.") || text.starts_with("is.") =>
        {
            Some(Err(error))
        }
        Err(_) => None,
    }
}

/// Reads `and=(…)` and its like; columns of messages count the operator too.
pub(super) fn parse_logic(negated: bool, any: bool, text: &str) -> Result<LogicTree, ParseError> {
    let operator = format!(
        "{}{}",
        if negated { "not." } else { "" },
        if any { "or" } else { "and" }
    );
    let mut cursor = Cursor::new(text);
    match children(&mut cursor, 0) {
        Ok(children) => Ok(LogicTree::Branch {
            negated,
            any,
            children,
        }),
        Err(Failed) => Err(cursor.error("logic tree", text, operator.len())),
    }
}

fn children(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<Vec<LogicTree>> {
    if depth > MAX_DEPTH {
        return Err(Failed);
    }
    cursor.require("(", "\"(\"")?;
    let mut found = Vec::new();
    loop {
        cursor.skip_blanks();
        found.push(member(cursor, depth)?);
        cursor.skip_blanks();
        if !cursor.take(",", "\",\"") {
            cursor.require(")", "\")\"")?;
            return Ok(found);
        }
    }
}

fn member(cursor: &mut Cursor<'_>, depth: usize) -> Parsed<LogicTree> {
    let start = cursor.pos();
    let negated = cursor.take("not.", "");
    for (word, any) in [("and", false), ("or", true)] {
        if cursor
            .rest()
            .strip_prefix(word)
            .is_some_and(|rest| rest.trim_start_matches([' ', '\t']).starts_with('('))
        {
            cursor.require(word, "")?;
            cursor.skip_blanks();
            let children = children(cursor, depth + 1)?;
            return Ok(LogicTree::Branch {
                negated,
                any,
                children,
            });
        }
    }
    cursor.back_to(start);
    let field = field(cursor).inspect_err(|Failed| {
        cursor.expected("negation operator (not)");
        cursor.expected("logic operator (and, or)");
    })?;
    cursor.require(".", "delimiter (.)")?;
    let op = op_expr(cursor, Within::Tree)?;
    Ok(LogicTree::Leaf(Filter { field, op }))
}

fn op_expr(cursor: &mut Cursor<'_>, within: Within) -> Parsed<OpExpr> {
    let negated = cursor.take("not.", "\"not\"");
    let operation = operation(cursor, within)?;
    Ok(OpExpr { negated, operation })
}

fn operation(cursor: &mut Cursor<'_>, within: Within) -> Parsed<Operation> {
    let start = cursor.pos();
    let word = cursor.take_while(|c| c.is_ascii_lowercase());
    match word {
        "in" if cursor.take(".", "delimiter (.)") => return Ok(Operation::In(list(cursor)?)),
        "is" if cursor.take(".", "delimiter (.)") => {
            for (text, value) in IS_VALUES {
                if cursor
                    .rest()
                    .get(..text.len())
                    .is_some_and(|head| head.eq_ignore_ascii_case(text))
                {
                    for _ in text.chars() {
                        cursor.next();
                    }
                    return Ok(Operation::Is(value));
                }
            }
            return Err(cursor.expected("isVal: (null, not_null, true, false, unknown)"));
        }
        "isdistinct" if cursor.take(".", "delimiter (.)") => {
            return Ok(Operation::IsDistinct(value(cursor, within)));
        }
        _ => {}
    }
    if let Some((_, operator)) = OPERATORS.iter().find(|(name, _)| *name == word) {
        let quantifier = quantifier(cursor, *operator);
        if cursor.take(".", "delimiter (.)") {
            return Ok(Operation::Compare(
                *operator,
                quantifier,
                value(cursor, within),
            ));
        }
    }
    if let Some((_, search)) = FULL_TEXT.iter().find(|(name, _)| *name == word) {
        let configuration = if cursor.take("(", "\"(\"") {
            let name = cursor
                .take_while(|c| c.is_alphanumeric() || c == '_' || c == '$' || c == ' ')
                .trim()
                .to_owned();
            cursor.require(")", "\")\"")?;
            Some(name)
        } else {
            None
        };
        if cursor.take(".", "delimiter (.)") {
            return Ok(Operation::FullText(
                *search,
                configuration,
                value(cursor, within),
            ));
        }
    }
    if cursor.pos() == start || !known(word) {
        cursor.back_to(start);
        return Err(cursor.expected("operator (eq, gt, ...)"));
    }
    Err(Failed)
}

fn known(word: &str) -> bool {
    matches!(word, "in" | "is" | "isdistinct")
        || OPERATORS.iter().any(|(name, _)| *name == word)
        || FULL_TEXT.iter().any(|(name, _)| *name == word)
}

fn quantifier(cursor: &mut Cursor<'_>, operator: Operator) -> Option<Quantifier> {
    use Operator::{Eq, Gt, Gte, Ilike, Imatch, Like, Lt, Lte, Match};
    if !matches!(
        operator,
        Eq | Gt | Gte | Lt | Lte | Like | Ilike | Match | Imatch
    ) {
        return None;
    }
    if cursor.take("(any)", "") {
        Some(Quantifier::Any)
    } else if cursor.take("(all)", "") {
        Some(Quantifier::All)
    } else {
        None
    }
}

fn value(cursor: &mut Cursor<'_>, within: Within) -> String {
    if within == Within::Parameter {
        return cursor.take_while(|_| true).to_owned();
    }
    let start = cursor.pos();
    if let Ok(text) = quoted_before_end(cursor) {
        return text;
    }
    cursor.back_to(start);
    // A flat array literal may hold commas.
    if cursor.peek() == Some('{')
        && let Some(end) = cursor.rest().find('}')
        && !cursor.rest()[1..end].contains('{')
    {
        let text = cursor.rest()[..=end].to_owned();
        let after = cursor.pos() + end + 1;
        cursor.back_to(after);
        return text;
    }
    cursor.take_while(|c| c != ',' && c != ')').to_owned()
}

fn quoted_before_end(cursor: &mut Cursor<'_>) -> Parsed<String> {
    let start = cursor.pos();
    if cursor.peek() != Some('"') {
        return Err(Failed);
    }
    let text = quoted(cursor)?;
    if matches!(cursor.peek(), Some(',' | ')')) {
        Ok(text)
    } else {
        cursor.back_to(start);
        Err(Failed)
    }
}

/// `(a,"b,c",d)`: an element in quotes only if the quote closes right before the separator.
fn list(cursor: &mut Cursor<'_>) -> Parsed<Vec<String>> {
    cursor.require("(", "\"(\"")?;
    cursor.skip_blanks();
    if cursor.take(")", "\")\"") {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    loop {
        let start = cursor.pos();
        let element = quoted_before_end(cursor).unwrap_or_else(|Failed| {
            cursor.back_to(start);
            cursor.take_while(|c| c != ',' && c != ')').to_owned()
        });
        found.push(element);
        if !cursor.take(",", "\",\"") {
            cursor.require(")", "\")\"")?;
            return Ok(found);
        }
    }
}
