use axum::response::Response;
use chrono::Utc;
use http::{Method, request::Parts};
use serde_json::{Map, Value, json};

use super::{Routed, input, is_get, output};
use crate::{
    App,
    auth::omits_bucket_type,
    error::{Error, Result},
    names,
    schema::{Rule, Shape},
    store::{
        buckets::{self, Change, Changes, New, Order, Page},
        objects,
    },
};

const CREATE: Shape = Shape {
    required: &["name"],
    properties: &[
        ("name", Rule::Text),
        ("id", Rule::Text),
        ("public", Rule::Boolean),
        ("type", Rule::OneOf(&["STANDARD", "ANALYTICS"])),
        ("file_size_limit", Rule::Size),
        ("allowed_mime_types", Rule::NullableTexts),
    ],
};

const UPDATE: Shape = Shape {
    required: &[],
    properties: &[
        ("public", Rule::Boolean),
        ("file_size_limit", Rule::Size),
        ("allowed_mime_types", Rule::NullableTexts),
    ],
};

const LIST: [(&str, Rule); 5] = [
    ("limit", Rule::Integer(1)),
    ("offset", Rule::Integer(0)),
    (
        "sortColumn",
        Rule::OneOf(&["id", "name", "created_at", "updated_at"]),
    ),
    ("sortOrder", Rule::OneOf(&["asc", "desc"])),
    ("search", Rule::Text),
];

pub(super) async fn route(app: &App, routed: Routed) -> Result<Response> {
    let rest = routed.path().strip_prefix("/bucket").unwrap_or_default();
    let has_slash = rest.starts_with('/');
    let rest = rest.strip_prefix('/').unwrap_or_default();
    let (id, tail) = match rest.split_once('/') {
        Some((id, tail)) => (id, Some(tail)),
        None => (rest, None),
    };
    let id = input::decode(id)?;
    let method = routed.parts.method.clone();
    match (id.as_str(), tail) {
        ("", None) if is_get(&method) => list(app, routed).await,
        ("", None) if method == Method::POST => create(app, routed).await,
        (id, None) if is_get(&method) => get(app, &routed.parts, id).await,
        _ if !has_slash => Err(routed.no_route()),
        (id, None) if method == Method::PUT => update(app, routed, id).await,
        (id, None) if method == Method::DELETE => {
            input::unused_json(&routed.parts, routed.body, true).await?;
            delete(app, &routed.parts, id).await
        }
        (id, Some("empty")) if method == Method::POST => {
            input::unused_json(&routed.parts, routed.body, true).await?;
            empty(app, &routed.parts, id).await
        }
        _ => Err(routed.no_route()),
    }
}

async fn list(app: &App, routed: Routed) -> Result<Response> {
    let mut query = input::query(&routed.parts);
    for (name, rule) in &LIST {
        if let Some(value) = query.get_mut(*name) {
            let at = format!("querystring/{name}");
            rule.check(&at, value).map_err(Error::schema)?;
        }
    }
    let caller = app.authenticate(&routed.parts)?;
    let column = match input::text(&query, "sortColumn") {
        Some("id") => Some("id"),
        Some("name") => Some("name"),
        Some("created_at") => Some("created_at"),
        Some("updated_at") => Some("updated_at"),
        _ => None,
    };
    let page = Page {
        search: input::text(&query, "search").filter(|text| !text.is_empty()),
        order: column.map(|column| Order {
            column,
            descending: input::text(&query, "sortOrder") == Some("desc"),
        }),
        limit: query.get("limit").and_then(Value::as_i64),
        offset: query
            .get("offset")
            .and_then(Value::as_i64)
            .unwrap_or_default(),
    };
    let with_type = !omits_bucket_type(&routed.parts.headers);
    let caller = caller.doing("storage.bucket.list");
    let list = buckets::list(app.db(), &caller, &page, with_type).await?;
    Ok(output::json_text(list))
}

async fn get(app: &App, parts: &Parts, id: &str) -> Result<Response> {
    let caller = app.authenticate(parts)?.doing("storage.bucket.get");
    let bucket = buckets::describe(app.db(), &caller, id).await?;
    let bucket = bucket.ok_or_else(|| Error::no_such_bucket(id))?;
    Ok(output::json_text(bucket))
}

/// What a body says of the limit.
fn size_limit(app: &App, body: &Map<String, Value>) -> Result<Change<i64>> {
    let Some(value) = body.get("file_size_limit") else {
        return Ok(Change::Keep);
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "limits are far below what a float holds"
    )]
    let limit = match value {
        Value::Null => return Ok(Change::Clear),
        Value::String(text) => {
            let size = names::parse_size(text).unwrap_or_default();
            if size.fract() != 0.0 {
                let text = format!("invalid input syntax for type bigint: \"{size}\"");
                return Err(Error::new("InvalidParameter", 400, text));
            }
            size as i64
        }
        number => number.as_i64().unwrap_or(i64::MAX),
    };
    if u64::try_from(limit).is_ok_and(|limit| limit > app.config().file_size_limit) {
        return Err(Error::too_large());
    }
    Ok(Change::Set(limit))
}

/// The media types of a body, without empty ones.
fn mime_types(body: &Map<String, Value>) -> Result<Change<Vec<String>>> {
    let Some(value) = body.get("allowed_mime_types") else {
        return Ok(Change::Keep);
    };
    if value.is_null() {
        return Ok(Change::Clear);
    }
    let types = input::texts(body, "allowed_mime_types").unwrap_or_default();
    let types: Vec<_> = types.into_iter().filter(|kind| !kind.is_empty()).collect();
    match types.iter().find(|kind| !names::is_mime_pattern(kind)) {
        Some(wrong) => Err(Error::invalid_mime_type(wrong)),
        None => Ok(Change::Set(types)),
    }
}

async fn create(app: &App, routed: Routed) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &CREATE).await?;
    let caller = app.authenticate(&routed.parts)?;
    let name = input::text(&body, "name").unwrap_or_default();
    names::check_new_bucket(name)?;
    if input::text(&body, "type") == Some("ANALYTICS") {
        return Err(Error::feature_not_enabled(
            "Iceberg buckets are not enabled for this tenant",
        ));
    }
    let limit = size_limit(app, &body)?.into_value();
    let types = mime_types(&body)?.into_value();
    let new = New {
        id: input::text(&body, "id")
            .filter(|id| !id.is_empty())
            .unwrap_or(name),
        name,
        owner: caller.subject(),
        is_public: body
            .get("public")
            .and_then(Value::as_bool)
            .unwrap_or_default(),
        file_size_limit: limit,
        allowed_mime_types: types.as_deref(),
    };
    // Its blobs are to have it as a folder.
    names::check_bucket(new.id)?;
    buckets::create(app.db(), &caller.doing("storage.bucket.create"), &new).await?;
    Ok(output::json(&json!({ "name": name })))
}

async fn update(app: &App, routed: Routed, id: &str) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &UPDATE).await?;
    if !UPDATE
        .properties
        .iter()
        .any(|(name, _)| body.contains_key(*name))
    {
        return Err(Error::schema(
            "body must have required property 'public', body must have required property \
             'file_size_limit', body must have required property 'allowed_mime_types', \
             body must match a schema in anyOf",
        ));
    }
    let caller = app.authenticate(&routed.parts)?;
    names::check_bucket(id)?;
    let changes = Changes {
        is_public: body.get("public").and_then(Value::as_bool),
        file_size_limit: size_limit(app, &body)?,
        allowed_mime_types: mime_types(&body)?,
    };
    let caller = caller.doing("storage.bucket.update");
    let was_public = buckets::update(app.db(), &caller, id, &changes).await?;
    if was_public && changes.is_public == Some(false) {
        app.purge_later(super::cdn::Purge::bucket(id));
    }
    Ok(output::message("Successfully updated"))
}

async fn delete(app: &App, parts: &Parts, id: &str) -> Result<Response> {
    let caller = app.authenticate(parts)?;
    let operation = "storage.bucket.delete";
    let service = app.service_for(&caller).doing(operation);
    buckets::delete(app.db(), &caller.doing(operation), &service, id).await?;
    app.purge_later(super::cdn::Purge::bucket(id));
    Ok(output::message("Successfully deleted"))
}

async fn empty(app: &App, parts: &Parts, id: &str) -> Result<Response> {
    let caller = app.authenticate_service(parts)?;
    let operation = "storage.bucket.empty";
    let user = caller.doing(operation);
    if buckets::describe(app.db(), &user, id).await?.is_none() {
        return Err(Error::no_such_bucket(id));
    }
    let most = app.config().empty_bucket_max;
    if objects::count(app.db(), &user, id, most.saturating_add(1)).await? > most {
        return Err(Error::new(
            "InvalidRequest",
            409,
            "Unable to empty the bucket because it contains too many objects",
        ));
    }
    app.empty_bucket(&caller, operation, id, Utc::now()).await?;
    Ok(output::message(
        "Empty bucket has been queued. Completion may take up to an hour.",
    ))
}
