use axum::response::Response;
use serde_json::{Map, Value};

use super::{Routed, input, output};
use crate::{
    App,
    domain::list::Query,
    error::Result,
    names,
    schema::{Rule, Shape},
    store::{
        listing::{self, Entry, Search},
        values::JsonWriter,
    },
};

const SEARCH: Shape = Shape {
    required: &["prefix"],
    properties: &[
        ("prefix", Rule::Text),
        ("limit", Rule::Integer(1)),
        ("offset", Rule::Integer(0)),
        ("sortBy", Rule::Object(&SEARCH_SORT)),
        ("search", Rule::Text),
    ],
};

const SEARCH_SORT: Shape = Shape {
    required: &["column"],
    properties: &[
        (
            "column",
            Rule::OneOf(&["name", "updated_at", "created_at", "last_accessed_at"]),
        ),
        ("order", Rule::OneOf(&["asc", "desc"])),
    ],
};

const PAGE: Shape = Shape {
    required: &[],
    properties: &[
        ("prefix", Rule::Text),
        ("limit", Rule::Integer(1)),
        ("cursor", Rule::Text),
        ("with_delimiter", Rule::Boolean),
        ("sortBy", Rule::Object(&PAGE_SORT)),
    ],
};

const PAGE_SORT: Shape = Shape {
    required: &["column"],
    properties: &[
        ("column", Rule::OneOf(&["name", "updated_at", "created_at"])),
        ("order", Rule::OneOf(&["asc", "desc"])),
    ],
};

fn sort<'a>(body: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    body.get("sortBy")?.get(name)?.as_str()
}

/// `POST /object/list/{bucket}`
pub(super) async fn search(app: &App, routed: Routed, bucket: &str) -> Result<Response> {
    const DEFAULT: i64 = 100;
    let body = input::json(&routed.parts, routed.body, &SEARCH).await?;
    let caller = app.authenticate(&routed.parts)?;
    names::check_bucket(bucket)?;
    let mut prefix = input::text(&body, "prefix").unwrap_or_default().to_owned();
    if !prefix.is_empty() && !prefix.ends_with('/') {
        prefix.push('/');
    }
    let number = |name: &str| body.get(name).and_then(Value::as_i64);
    let page = Search {
        prefix: &prefix,
        begins_with: input::text(&body, "search").unwrap_or_default(),
        limit: number("limit").unwrap_or(DEFAULT),
        offset: number("offset").unwrap_or_default(),
        column: sort(&body, "column").unwrap_or("name"),
        order: sort(&body, "order").unwrap_or("asc"),
    };
    let caller = caller.doing("storage.object.list");
    let found = listing::search(app.db(), &caller, bucket, &page).await?;
    Ok(output::json_text(found))
}

/// `POST /object/list-v2/{bucket}`
pub(super) async fn page(app: &App, routed: Routed, bucket: &str) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &PAGE).await?;
    let caller = app.authenticate_or_refuse(&routed.parts)?;
    names::check_bucket(bucket)?;
    let with_delimiter = body.get("with_delimiter").and_then(Value::as_bool) == Some(true);
    let query = Query {
        prefix: input::text(&body, "prefix").unwrap_or_default(),
        delimiter: with_delimiter.then_some("/"),
        limit: body.get("limit").and_then(Value::as_i64),
        cursor: input::text(&body, "cursor"),
        start_after: None,
        column: sort(&body, "column"),
        order: sort(&body, "order"),
    };
    let caller = caller.doing("storage.object.list_v2");
    let listing = app.list(&caller, bucket, &query).await?;
    let mut json = JsonWriter::with_capacity(listing.entries.len() * 400 + 100);
    json.raw("{").json(
        "hasNext",
        Some(if listing.has_next { "true" } else { "false" }),
    );
    if listing.next_cursor.is_some() {
        json.string("nextCursor", listing.next_cursor.as_deref())
            .string("nextCursorKey", listing.next_key.as_deref());
    }
    for (name, wants_folders) in [("folders", true), ("objects", false)] {
        json.json(name, Some("["));
        let entries = listing
            .entries
            .iter()
            .filter(|entry| entry.id.is_none() == wants_folders);
        for (index, entry) in entries.enumerate() {
            json.raw(if index == 0 { "{" } else { ",{" });
            write(&mut json, entry, with_delimiter);
            json.raw("}");
        }
        json.raw("]");
    }
    json.raw("}");
    Ok(output::json_text(json.finish()))
}

/// The members of an entry, in the order of the original's columns.
fn write(json: &mut JsonWriter, entry: &Entry, by_folders: bool) {
    if by_folders {
        json.string("key", entry.key.as_deref())
            .string("name", Some(&entry.name))
            .uuid("id", entry.id)
            .time("updated_at", entry.updated_at)
            .time("created_at", entry.created_at)
            .time("last_accessed_at", entry.last_accessed_at)
            .json("metadata", entry.metadata.as_deref());
    } else {
        json.uuid("id", entry.id)
            .string("name", Some(&entry.name))
            .json("metadata", entry.metadata.as_deref())
            .time("updated_at", entry.updated_at)
            .time("created_at", entry.created_at)
            .time("last_accessed_at", entry.last_accessed_at);
    }
}
