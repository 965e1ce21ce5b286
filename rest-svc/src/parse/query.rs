//! The whole query string.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

use super::{
    At, EmbedPath, Filter, LogicTree, OpExpr, OrderTerm, ParseError, Range, Ranges, SelectItem,
    cursor::Cursor,
    filter::{parse_filter, parse_logic, try_filter},
    names::{field, name},
    order::parse_order,
    select::parse_select,
};

/// A query string, taken apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryParams {
    /// What to select.
    pub select: Vec<SelectItem>,
    /// True if `select` was given.
    pub has_select: bool,
    /// Conditions on columns.
    pub filters: Vec<At<Filter>>,
    /// Trees of conditions.
    pub logic: Vec<At<LogicTree>>,
    /// Orders.
    pub order: Vec<At<Vec<OrderTerm>>>,
    /// Windows.
    pub ranges: Ranges,
    /// True if the root has a limit or an offset.
    pub has_root_range: bool,
    /// The keys of the body that are used.
    pub columns: Option<Vec<String>>,
    /// The columns of the conflict.
    pub on_conflict: Option<Vec<String>>,
    /// Arguments of a function, in order.
    pub arguments: Vec<(String, String)>,
    /// The parameters in their canonical form, for `Content-Location`.
    pub canonical: String,
}

/// Reads a query string for a relation, or for a function called by POST: what is no reserved name is a filter.
pub fn parse_query(query: &str) -> Result<QueryParams, ParseError> {
    parse(query, false)
}

/// Reads a query string for a function called by GET: what is no operator expression is an argument.
pub fn parse_arguments(query: &str) -> Result<QueryParams, ParseError> {
    parse(query, true)
}

fn parse(query: &str, with_arguments: bool) -> Result<QueryParams, ParseError> {
    let pairs = decode(query);
    let mut params = QueryParams {
        canonical: canonical(&pairs),
        ..QueryParams::default()
    };
    for (key, value) in &pairs {
        read_pair(&mut params, key, value, with_arguments)?;
    }
    if !params.has_select {
        params.select = parse_select("")?;
    }
    Ok(params)
}

fn read_pair(
    params: &mut QueryParams,
    key: &str,
    value: &str,
    with_arguments: bool,
) -> Result<(), ParseError> {
    match key {
        "select" => {
            if !params.has_select {
                params.has_select = true;
                params.select = parse_select(value)?;
            }
            return Ok(());
        }
        "columns" => {
            let names = name_list(value, "columns parameter")?;
            params.columns.get_or_insert(names);
            return Ok(());
        }
        "on_conflict" => {
            let names = name_list(value, "on_conflict parameter")?;
            params.on_conflict.get_or_insert(names);
            return Ok(());
        }
        _ => {}
    }
    let segments: Vec<&str> = key.split('.').collect();
    let (last, before) = segments.split_last().unwrap_or((&"", &[]));
    match *last {
        "order" => {
            let path = embed_path(key, before)?;
            let terms = parse_order(value)?;
            if !params.order.iter().any(|(known, _)| *known == path) {
                params.order.push((path, terms));
            }
        }
        "limit" | "offset" => {
            let path = embed_path(key, before)?;
            if let Ok(number) = value.trim().parse::<i64>() {
                params.has_root_range |= path.is_empty();
                let range = range_at(&mut params.ranges, path);
                if *last == "limit" {
                    range.limit = Some(number);
                } else {
                    range.offset = number.max(0);
                }
            }
        }
        "and" | "or" => {
            let negated = before.last() == Some(&"not");
            let before = if negated {
                &before[..before.len() - 1]
            } else {
                before
            };
            let path = embed_path(key, before)?;
            params
                .logic
                .push((path, parse_logic(negated, *last == "or", value)?));
        }
        _ => return read_filter(params, key, value, with_arguments),
    }
    Ok(())
}

fn read_filter(
    params: &mut QueryParams,
    key: &str,
    value: &str,
    with_arguments: bool,
) -> Result<(), ParseError> {
    let op: OpExpr = if with_arguments {
        match try_filter(value) {
            None => {
                params.arguments.push((key.to_owned(), value.to_owned()));
                return Ok(());
            }
            Some(op) => op?,
        }
    } else {
        parse_filter(value)?
    };
    let mut cursor = Cursor::new(key);
    let parsed = filter_target(&mut cursor);
    let (path, field) = parsed.map_err(|_| cursor.error("tree path", key, 0))?;
    params.filters.push((path, Filter { field, op }));
    Ok(())
}

/// `embed.embed.column->path`
fn filter_target(
    cursor: &mut Cursor<'_>,
) -> Result<(EmbedPath, super::Field), super::cursor::Failed> {
    let mut path = Vec::new();
    loop {
        let start = cursor.pos();
        let segment = name(cursor)?;
        if cursor.peek() == Some('.') {
            cursor.next();
            path.push(segment);
        } else {
            cursor.back_to(start);
            return Ok((path, field(cursor)?));
        }
    }
}

fn embed_path(key: &str, segments: &[&str]) -> Result<EmbedPath, ParseError> {
    let mut path = Vec::new();
    for segment in segments {
        let mut cursor = Cursor::new(segment);
        match name(&mut cursor) {
            Ok(name) => path.push(name),
            Err(_) => return Err(cursor.error("tree path", key, 0)),
        }
    }
    Ok(path)
}

fn range_at(ranges: &mut Ranges, path: EmbedPath) -> &mut Range {
    let index = ranges
        .iter()
        .position(|(known, _)| *known == path)
        .unwrap_or_else(|| {
            ranges.push((path, Range::default()));
            ranges.len() - 1
        });
    &mut ranges[index].1
}

fn name_list(text: &str, what: &'static str) -> Result<Vec<String>, ParseError> {
    let mut cursor = Cursor::new(text);
    let mut names = Vec::new();
    loop {
        cursor.skip_blanks();
        match name(&mut cursor) {
            Ok(name) => names.push(name),
            Err(_) => return Err(cursor.error(what, text, 0)),
        }
        cursor.skip_blanks();
        if !cursor.take(",", "\",\"") {
            return Ok(names);
        }
    }
}

/// A parameter: its name and its value.
type Pair<'a> = (Cow<'a, str>, Cow<'a, str>);

/// Pairs split at `&` and `;`, `+` is a space, a parameter without `=` is dropped.
fn decode(query: &str) -> Vec<Pair<'_>> {
    query
        .split(['&', ';'])
        .filter_map(|pair| pair.split_once('='))
        .map(|(key, value)| (decode_part(key), decode_part(value)))
        .collect()
}

fn decode_part(text: &str) -> Cow<'_, str> {
    if text.contains('+') {
        let spaced = text.replace('+', " ");
        let decoded = percent_decode_str(&spaced).decode_utf8_lossy();
        return Cow::Owned(decoded.into_owned());
    }
    percent_decode_str(text).decode_utf8_lossy()
}

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

fn canonical(pairs: &[Pair<'_>]) -> String {
    let mut sorted: Vec<_> = pairs.iter().collect();
    sorted.sort_by(|a, b| a.0.cmp(&b.0));
    let mut out = String::with_capacity(128);
    for (key, value) in sorted {
        if !out.is_empty() {
            out.push('&');
        }
        out.extend(utf8_percent_encode(key, UNRESERVED));
        out.push('=');
        out.extend(utf8_percent_encode(value, UNRESERVED));
    }
    out
}
