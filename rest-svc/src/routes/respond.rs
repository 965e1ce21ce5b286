//! What all responses have in common: counts, ranges, preferences, and what the database adds.

use axum::{
    body::{Body, Bytes},
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, PercentEncode, utf8_percent_encode};
use serde_json::Value;

use super::{Context, negotiate::Negotiated};
use svc_kit::wire::Row;

use crate::{
    error::{Error, Result},
    parse::{Count, Handling, MediaType, Missing, PlanFormat, Resolution, Return, Transaction},
};

/// The one row that a wrapped statement gives.
pub(super) struct Outcome {
    pub(super) total: Option<i64>,
    pub(super) count: i64,
    pub(super) body: Bytes,
    pub(super) headers: Option<String>,
    pub(super) status: Option<String>,
    pub(super) inserted: Option<i64>,
    pub(super) keys: Vec<(String, Option<String>)>,
}

impl Outcome {
    /// Reads the row of a reading statement.
    pub(super) fn read(rows: &[Row]) -> Result<Self> {
        Self::from_row(rows, false)
    }

    /// Reads the row of a writing statement.
    pub(super) fn written(rows: &[Row]) -> Result<Self> {
        Self::from_row(rows, true)
    }

    fn from_row(rows: &[Row], is_write: bool) -> Result<Self> {
        let unexpected = || Error::new(500, "X00", "The database gave no result");
        let row = rows.first().ok_or_else(unexpected)?;
        let at = usize::from(is_write) + 2;
        Ok(Self {
            total: row.bigint(0),
            count: row.bigint(1).unwrap_or(0),
            // Whatever its type, as Postgres sends it in binary. PostgREST gives handlers' bodies in this form too, so
            // one of the type `jsonb` begins with its version number.
            body: row.bytes(at).unwrap_or_default(),
            headers: row.text(at + 1),
            status: row.text(at + 2),
            inserted: if is_write { row.bigint(at + 3) } else { None },
            keys: if is_write { row.get(2) } else { None }
                .and_then(|text| serde_json::from_slice(text).ok())
                .unwrap_or_default(),
        })
    }

    pub(super) fn count_in(rows: &[Row]) -> i64 {
        rows.first().and_then(|row| row.bigint(1)).unwrap_or(0)
    }
}

/// PGRST116, if an object was asked for and the rows are not one.
pub(super) fn check_single(media: &MediaType, rows: &[Row]) -> Result<()> {
    let count = Outcome::count_in(rows);
    if matches!(media, MediaType::Object(_)) && count != 1 {
        return Err(Error::new(
            406,
            "116",
            "Cannot coerce the result to a single JSON object",
        )
        .details(format!("The result contains {count} rows")));
    }
    Ok(())
}

/// PGRST124, if more rows were touched than the client allows.
pub(super) fn check_affected(context: &Context, rows: &[Row]) -> Result<()> {
    let count = Outcome::count_in(rows);
    match context.preferences.max_affected {
        Some(most) if context.preferences.is_strict() && count > most => Err(Error::new(
            400,
            "124",
            "Query result exceeds max-affected preference constraint",
        )
        .details(format!("The query affects {count} rows"))),
        _ => Ok(()),
    }
}

/// `lower-upper/total`
pub(super) fn content_range(offset: i64, count: i64, total: Option<i64>) -> String {
    let (last, is_empty) = (offset + count - 1, count == 0 || total == Some(0));
    match (is_empty, total) {
        (true, None) => "*/*".to_owned(),
        (true, Some(total)) => format!("*/{total}"),
        (false, None) => format!("{offset}-{last}/*"),
        (false, Some(total)) => format!("{offset}-{last}/{total}"),
    }
}

/// 200 for everything, 206 for a part, 416 for beyond the end.
pub(super) fn range_status(offset: i64, count: i64, total: Option<i64>) -> StatusCode {
    match total {
        Some(total) if offset > total => StatusCode::RANGE_NOT_SATISFIABLE,
        Some(total) if count < total => StatusCode::PARTIAL_CONTENT,
        _ => StatusCode::OK,
    }
}

/// The body of a 416.
pub(super) fn beyond_the_end(offset: i64, total: i64) -> Response {
    Error::new(416, "103", "Requested range not satisfiable")
        .details(format!(
            "An offset of {offset} was requested, but there are only {total} rows."
        ))
        .into_response()
}

/// Which preferences may show in the answer.
#[derive(Clone, Copy, Default)]
pub(super) struct Applied {
    pub(super) resolution: bool,
    pub(super) missing: bool,
    pub(super) representation: bool,
    pub(super) max_affected: bool,
}

/// `Preference-Applied`
pub(super) fn preference_applied(context: &Context, applied: Applied) -> Option<HeaderValue> {
    let given = &context.preferences;
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &str| names.push(name.to_owned());
    match given.resolution.filter(|_| applied.resolution) {
        Some(Resolution::MergeDuplicates) => add("resolution=merge-duplicates"),
        Some(Resolution::IgnoreDuplicates) => add("resolution=ignore-duplicates"),
        None => {}
    }
    match given.missing.filter(|_| applied.missing) {
        Some(Missing::Default) => add("missing=default"),
        Some(Missing::Null) => add("missing=null"),
        None => {}
    }
    match given.representation.filter(|_| applied.representation) {
        Some(Return::Representation) => add("return=representation"),
        Some(Return::Minimal) => add("return=minimal"),
        Some(Return::HeadersOnly) => add("return=headers-only"),
        None => {}
    }
    match given.count {
        Some(Count::Exact) => add("count=exact"),
        Some(Count::Planned) => add("count=planned"),
        Some(Count::Estimated) => add("count=estimated"),
        None => {}
    }
    let may_override = context.config.tx_end.may_override;
    match given.transaction.filter(|_| may_override) {
        Some(Transaction::Commit) => add("tx=commit"),
        Some(Transaction::Rollback) => add("tx=rollback"),
        None => {}
    }
    match given.handling {
        Some(Handling::Strict) => add("handling=strict"),
        Some(Handling::Lenient) => add("handling=lenient"),
        None => {}
    }
    if let Some(zone) = context.timezone() {
        add(&format!("timezone={zone}"));
    }
    if let Some(most) = given
        .max_affected
        .filter(|_| applied.max_affected && given.is_strict())
    {
        add(&format!("max-affected={most}"));
    }
    if names.is_empty() {
        None
    } else {
        HeaderValue::from_str(&names.join(", ")).ok()
    }
}

/// An answer whose body Postgres made.
pub(super) fn with_body(
    status: StatusCode,
    media: &Negotiated,
    body: Bytes,
    is_head: bool,
) -> Response {
    let length = body.len();
    let mut response = Response::new(if is_head {
        Body::empty()
    } else {
        Body::from(body)
    });
    *response.status_mut() = status;
    let headers = response.headers_mut();
    if let Ok(kind) = HeaderValue::from_str(&media.content_type()) {
        headers.insert(header::CONTENT_TYPE, kind);
    }
    if !is_head {
        headers.insert(header::CONTENT_LENGTH, HeaderValue::from(length));
    }
    response
}

/// OPTIONS on whatever allows these methods.
pub(super) fn options(allow: &'static str) -> Response {
    let headers = [
        (header::ALLOW, allow),
        (header::ACCESS_CONTROL_ALLOW_ORIGIN, "*"),
    ];
    (StatusCode::OK, headers).into_response()
}

/// EXPLAIN's answer.
pub(super) fn plan(media: &Negotiated, format: PlanFormat, rows: &[Row]) -> Response {
    let lines: Vec<String> = rows
        .iter()
        .map(|row| match format {
            PlanFormat::Text => row.text(0).unwrap_or_default(),
            PlanFormat::Json => row
                .get(0)
                .and_then(|text| serde_json::from_slice::<Value>(text).ok())
                .map(|value| value.to_string())
                .unwrap_or_default(),
        })
        .collect();
    with_body(StatusCode::OK, media, lines.join("\n").into(), false)
}

/// What the database set in `response.headers` and `response.status` replaces ours.
pub(super) fn apply_settings(outcome: &Outcome, response: &mut Response) -> Result<()> {
    if let Some(text) = &outcome.headers {
        for (name, value) in parse_headers(text)? {
            if response.headers().contains_key(&name) && !is_repeatable(&name) {
                response.headers_mut().insert(name, value);
            } else {
                response.headers_mut().append(name, value);
            }
        }
    }
    if let Some(text) = &outcome.status {
        let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
        let status = digits
            .parse()
            .ok()
            .and_then(|number| StatusCode::from_u16(number).ok());
        *response.status_mut() = status.ok_or_else(|| {
            Error::new(
                500,
                "112",
                "response.status guc must be a valid status code",
            )
        })?;
    }
    Ok(())
}

fn is_repeatable(name: &HeaderName) -> bool {
    name == header::SET_COOKIE
}

fn parse_headers(text: &str) -> Result<Vec<(HeaderName, HeaderValue)>> {
    let wrong = || {
        Error::new(
            500,
            "111",
            "response.headers guc must be a JSON array composed of objects with a single key and a string value",
        )
    };
    let list: Vec<serde_json::Map<String, Value>> =
        serde_json::from_str(text).map_err(|_| wrong())?;
    let mut found = Vec::new();
    for entry in list {
        let mut pairs = entry.iter();
        let (Some((name, Value::String(value))), None) = (pairs.next(), pairs.next()) else {
            return Err(wrong());
        };
        found.push((
            name.parse().map_err(|_| wrong())?,
            HeaderValue::from_str(value).map_err(|_| wrong())?,
        ));
    }
    Ok(found)
}

pub(super) fn set(headers: &mut HeaderMap, name: HeaderName, value: String) {
    if let Ok(value) = HeaderValue::try_from(value) {
        headers.insert(name, value);
    }
}

/// Adds what every success has.
pub(super) fn finish(
    context: &Context,
    mut response: Response,
    outcome: &Outcome,
    applied: Applied,
) -> Result<Response> {
    if let Some(value) = preference_applied(context, applied) {
        response.headers_mut().insert("preference-applied", value);
    }
    context.show_profile(&mut response);
    apply_settings(outcome, &mut response)?;
    Ok(response)
}

/// What stays as it is in a name in a path.
pub(super) const PATH: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// A name as it stands in a path.
pub(super) fn encode(text: &str) -> PercentEncode<'_> {
    utf8_percent_encode(text, PATH)
}
