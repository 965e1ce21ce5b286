//! Lists that go on where they ended, without counting what there is.

use axum::response::{IntoResponse as _, Response};
use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use chrono::{DateTime, Utc};
use http::{HeaderMap, HeaderValue, Uri, header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use url::form_urlencoded;
use uuid::Uuid;

use super::extract::Query;
use crate::{domain::account, error::Error};

const DEFAULT_LIMIT: u64 = 50;
const MAX_LIMIT: u64 = 1000;

/// The row that a page ended with. For clients only a text to pass back.
#[derive(Debug, Deserialize, Serialize)]
struct Cursor {
    #[serde(default)]
    created_at: Option<String>,
    #[serde(default)]
    id: Uuid,
}

/// How many rows, and after which.
#[derive(Debug)]
pub(super) struct Keyset {
    pub(super) limit: usize,
    pub(super) after: Option<(DateTime<Utc>, Uuid)>,
}

fn bad(reason: impl std::fmt::Display) -> Error {
    Error::invalid(format!("Bad Pagination Parameters: {reason}"))
}

impl Keyset {
    /// True unless a page is asked for by its number.
    pub(super) fn is_wanted(query: &Query) -> bool {
        query.get("page").is_empty() && query.get("per_page").is_empty()
    }

    /// Reads `limit` and `cursor`.
    pub(super) fn read(query: &Query) -> Result<Self, Error> {
        let limit = match query.get("limit") {
            "" => DEFAULT_LIMIT,
            text => text.parse::<u64>().map_err(|_| {
                let text: String = text.chars().take(100).collect();
                bad(format!(
                    "strconv.ParseUint: parsing {text:?}: invalid syntax"
                ))
            })?,
        };
        if limit == 0 {
            return Err(bad("limit must be greater than 0"));
        }
        let after = match query.get("cursor") {
            "" => None,
            text => Some(position(text)?),
        };
        Ok(Self {
            limit: usize::try_from(limit.min(MAX_LIMIT)).unwrap_or(1),
            after,
        })
    }
}

fn position(text: &str) -> Result<(DateTime<Utc>, Uuid), Error> {
    let bytes = URL_SAFE_NO_PAD
        .decode(text)
        .map_err(|_| bad("invalid cursor encoding"))?;
    let cursor: Cursor = serde_json::from_slice(&bytes).map_err(|_| bad("invalid cursor"))?;
    if cursor.id.is_nil() {
        return Err(bad("invalid cursor: missing id"));
    }
    let created_at = cursor
        .created_at
        .ok_or_else(|| bad("invalid cursor: missing created_at"))?;
    let created_at =
        DateTime::parse_from_rfc3339(&created_at).map_err(|_| bad("invalid cursor"))?;
    Ok((created_at.to_utc(), cursor.id))
}

/// A page of users as a response; `last` is the row that it ended with, if there are more.
pub(super) fn respond(
    uri: &Uri,
    users: &[Value],
    aud: &str,
    last: Option<(DateTime<Utc>, Uuid)>,
) -> Response {
    let mut pagination = json!({ "has_more": last.is_some() });
    let mut headers = HeaderMap::new();
    if let Some((created_at, id)) = last {
        let cursor = json!({ "created_at": account::time(created_at), "id": id });
        let cursor = URL_SAFE_NO_PAD.encode(cursor.to_string());
        let query = uri.query().unwrap_or_default();
        let mut pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .filter(|(name, _)| name != "page" && name != "cursor")
            .collect();
        pairs.push(("cursor".to_owned(), cursor.clone()));
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        let link = format!("<{}?{query}>; rel=\"next\"", uri.path());
        if let Ok(link) = HeaderValue::from_str(&link) {
            headers.insert(header::LINK, link);
        }
        pagination = json!({ "next_cursor": cursor, "has_more": true });
    }
    let body = json!({ "users": users, "aud": aud, "pagination": pagination });
    (headers, axum::Json(body)).into_response()
}
