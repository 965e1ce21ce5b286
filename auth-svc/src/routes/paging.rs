//! Pages of lists, and the headers that lead from one to the next.

use std::num::IntErrorKind;

use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, HeaderName, HeaderValue, Uri, header};
use serde_json::Value;
use url::form_urlencoded;

use super::extract::Query;
use crate::error::Error;

const DEFAULT_PER_PAGE: i64 = 50;
const MAX_PER_PAGE: i64 = 1000;

/// One page of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    number: i64,
    per_page: i64,
}

impl Page {
    /// Reads `page` and `per_page`.
    pub(super) fn read(query: &Query) -> Result<Self, Error> {
        let number = |name: &str, default| match query.get(name) {
            "" => Ok(default),
            text => text.parse::<u32>().map(i64::from).map_err(|error| {
                let reason = match error.kind() {
                    IntErrorKind::PosOverflow => "value out of range",
                    _ => "invalid syntax",
                };
                Error::invalid(format!(
                    "Bad Pagination Parameters: strconv.ParseUint: parsing {text:?}: {reason}"
                ))
            }),
        };
        Ok(Self {
            number: number("page", 1)?.max(1),
            per_page: number("per_page", DEFAULT_PER_PAGE)?.clamp(1, MAX_PER_PAGE),
        })
    }

    /// How many rows, and after how many.
    pub(super) fn limit_and_offset(self) -> (i64, i64) {
        (self.per_page, (self.number - 1) * self.per_page)
    }

    /// The page as a response.
    pub(super) fn respond(self, uri: &Uri, total: i64, body: Value) -> Response {
        let last = total.div_euclid(self.per_page) + i64::from(total % self.per_page > 0);
        let mut links = Vec::new();
        if self.number < last {
            links.push(Self::link(uri, self.number + 1, "next"));
        }
        links.push(Self::link(uri, last, "last"));
        let mut headers = HeaderMap::new();
        let total = HeaderValue::from(total);
        headers.insert(HeaderName::from_static("x-total-count"), total);
        if let Ok(links) = HeaderValue::from_str(&links.join(", ")) {
            headers.insert(header::LINK, links);
        }
        (headers, axum::Json(body)).into_response()
    }

    fn link(uri: &Uri, page: i64, relation: &str) -> String {
        let query = uri.query().unwrap_or_default();
        let mut pairs: Vec<(String, String)> = form_urlencoded::parse(query.as_bytes())
            .into_owned()
            .filter(|(key, _)| key != "page")
            .collect();
        pairs.push(("page".to_owned(), page.to_string()));
        // In the order of their names, as the original writes them.
        pairs.sort_by(|a, b| a.0.cmp(&b.0));
        let query = form_urlencoded::Serializer::new(String::new())
            .extend_pairs(pairs)
            .finish();
        format!("<{}?{query}>; rel=\"{relation}\"", uri.path())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_to_the_next_and_the_last_page() {
        let uri: Uri = "/admin/users?page=1&per_page=2".parse().unwrap();
        let page = |number| Page {
            number,
            per_page: 2,
        };
        let links = |number| {
            let response = page(number).respond(&uri, 5, Value::Null);
            response.headers()["link"].to_str().unwrap().to_owned()
        };
        assert_eq!(
            links(1),
            "</admin/users?page=2&per_page=2>; rel=\"next\", </admin/users?page=3&per_page=2>; rel=\"last\""
        );
        assert_eq!(links(3), "</admin/users?page=3&per_page=2>; rel=\"last\"");
    }
}
