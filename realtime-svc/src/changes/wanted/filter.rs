use super::inspect::{inspect_list, inspect_string};

/// One comparison of a column with a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Condition {
    pub(crate) column: String,
    pub(crate) operator: Operator,
    /// For [`Operator::In`] the text of an array.
    pub(crate) value: String,
    pub(crate) is_negated: bool,
}

/// `realtime.equality_op`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Operator {
    Eq,
    Neq,
    Lt,
    Lte,
    Gt,
    Gte,
    In,
    Like,
    Ilike,
    Is,
    Match,
    Imatch,
    IsDistinct,
}

impl Operator {
    const ALL: [Self; 13] = [
        Self::Eq,
        Self::Neq,
        Self::Lt,
        Self::Lte,
        Self::Gt,
        Self::Gte,
        Self::In,
        Self::Like,
        Self::Ilike,
        Self::Is,
        Self::Match,
        Self::Imatch,
        Self::IsDistinct,
    ];

    /// The operator of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|it| it.name() == name)
    }

    /// Its name in a filter and in the database.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Eq => "eq",
            Self::Neq => "neq",
            Self::Lt => "lt",
            Self::Lte => "lte",
            Self::Gt => "gt",
            Self::Gte => "gte",
            Self::In => "in",
            Self::Like => "like",
            Self::Ilike => "ilike",
            Self::Is => "is",
            Self::Match => "match",
            Self::Imatch => "imatch",
            Self::IsDistinct => "isdistinct",
        }
    }
}

impl Condition {
    /// As error texts show it.
    pub(super) fn described(&self) -> String {
        format!(
            "{{{}, \"{}\", {}, {}}}",
            inspect_string(&self.column),
            self.operator.name(),
            inspect_string(&self.value),
            self.is_negated
        )
    }
}

/// Reads `column=operator.value` and more of them behind commas.
pub(super) fn parse(filter: &str) -> Result<Vec<Condition>, String> {
    let filter = filter.trim();
    if filter.is_empty() {
        return Ok(Vec::new());
    }
    segments(filter).into_iter().map(condition).collect()
}

/// Cuts at the commas that neither quotes nor parentheses protect. A quote protects only where a value begins.
fn segments(filter: &str) -> Vec<&str> {
    let mut segments = Vec::new();
    let (mut start, mut depth, mut is_quoted) = (0, 0_usize, false);
    let mut previous = '\0';
    let mut characters = filter.char_indices();
    while let Some((at, character)) = characters.next() {
        if is_quoted {
            match character {
                '\\' => {
                    characters.next();
                }
                '"' => is_quoted = false,
                _ => {}
            }
            previous = character;
            continue;
        }
        match character {
            '"' if matches!(previous, '.' | '(' | ',') => is_quoted = true,
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                segments.push(&filter[start..at]);
                start = at + 1;
                previous = '\0';
                continue;
            }
            _ => {}
        }
        previous = character;
    }
    segments.push(&filter[start..]);
    segments
}

fn condition(segment: &str) -> Result<Condition, String> {
    let segment = segment.trim();
    if segment.is_empty() {
        return Err("filter must not contain empty segments (check for extra commas)".to_owned());
    }
    let Some((column, rest)) = segment.split_once('=') else {
        return Err(inspect_list(&[segment]));
    };
    let (is_negated, rest) = match rest.strip_prefix("not.") {
        Some(rest) => (true, rest),
        None => (false, rest),
    };
    let Some((name, value)) = rest.split_once('.') else {
        return Err(inspect_list(&[rest]));
    };
    let Some(operator) = Operator::named(name) else {
        return Err(inspect_list(&[name, value]));
    };
    let value = if operator == Operator::In {
        let inner = value.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let inner = inner.ok_or("`in` filter value must be wrapped by parentheses")?;
        format!("{{{inner}}}")
    } else {
        unquoted(value).unwrap_or_else(|| value.to_owned())
    };
    Ok(Condition {
        column: column.to_owned(),
        operator,
        value,
        is_negated,
    })
}

/// What is between the quotes, if they are the first and the last character.
fn unquoted(value: &str) -> Option<String> {
    let mut characters = value.strip_prefix('"')?.chars();
    let mut text = String::new();
    loop {
        match characters.next()? {
            '"' => return characters.next().is_none().then_some(text),
            // Without a character behind it a backslash stands for itself, but then the quote is missing.
            '\\' => text.push(characters.next()?),
            character => text.push(character),
        }
    }
}
