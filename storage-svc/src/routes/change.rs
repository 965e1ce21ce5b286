use axum::response::Response;
use http::request::Parts;
use serde_json::Value;

use super::{Routed, header_text, input, output};
use crate::{
    App,
    domain::{objects::Copy, upload::UploadType},
    error::{Error, Result},
    names,
    schema::{Rule, Shape},
    store::{objects::Mode, values::JsonWriter},
};

const MOVE: Shape = Shape {
    required: &["bucketId", "sourceKey", "destinationKey"],
    properties: &[
        ("bucketId", Rule::Text),
        ("sourceKey", Rule::Text),
        ("destinationBucket", Rule::Text),
        ("destinationKey", Rule::Text),
    ],
};

const COPY: Shape = Shape {
    required: &["sourceKey", "bucketId", "destinationKey"],
    properties: &[
        ("bucketId", Rule::Text),
        ("sourceKey", Rule::Text),
        ("destinationBucket", Rule::Text),
        ("destinationKey", Rule::Text),
        ("metadata", Rule::Object(&COPY_METADATA)),
        ("copyMetadata", Rule::Boolean),
    ],
};

const COPY_METADATA: Shape = Shape {
    required: &[],
    properties: &[("cacheControl", Rule::Text), ("mimetype", Rule::Text)],
};

const DELETE: Shape = Shape {
    required: &["prefixes"],
    properties: &[("prefixes", Rule::Texts(1, usize::MAX))],
};

/// `POST /object/move`
pub(super) async fn rename(app: &App, routed: Routed) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &MOVE).await?;
    let caller = app.authenticate(&routed.parts)?;
    let text = |name: &str| input::text(&body, name).unwrap_or_default();
    let bucket = text("bucketId");
    names::check_bucket(bucket)?;
    let destination = Some(text("destinationBucket")).filter(|bucket| !bucket.is_empty());
    let from = (bucket, text("sourceKey"));
    let to = (destination.unwrap_or(bucket), text("destinationKey"));
    app.move_object(&caller, "storage.object.move", from, to)
        .await?;
    Ok(output::message("Successfully moved"))
}

/// `POST /object/copy`
pub(super) async fn copy(app: &App, routed: Routed) -> Result<Response> {
    let body = input::json(&routed.parts, routed.body, &COPY).await?;
    let caller = app.authenticate(&routed.parts)?;
    let text = |name: &str| input::text(&body, name).unwrap_or_default();
    let bucket = text("bucketId");
    names::check_bucket(bucket)?;
    let destination = Some(text("destinationBucket")).filter(|bucket| !bucket.is_empty());
    let to = (destination.unwrap_or(bucket), text("destinationKey"));
    let metadata = |name: &str| body.get("metadata")?.get(name)?.as_str();
    let copy = Copy {
        from: (bucket, text("sourceKey")),
        to,
        mode: Mode::upsert_if(header_text(&routed.parts, "x-upsert") == Some("true")),
        with_metadata: body.get("copyMetadata").and_then(Value::as_bool) != Some(false),
        keep_unsaid: true,
        cache_control: metadata("cacheControl"),
        mimetype: metadata("mimetype"),
        user_metadata: input::metadata_header(&routed.parts)?,
        kind: UploadType::Standard,
    };
    let object = app
        .copy_object(&caller, "storage.object.copy", copy)
        .await?;
    let mut json = JsonWriter::default();
    json.raw("{")
        .string("Key", Some(&format!("{}/{}", to.0, to.1)))
        .uuid("Id", object.id);
    object.write(&mut json);
    json.raw("}");
    Ok(output::json_text(json.finish()))
}

/// `DELETE /object/{bucket}/{key}`
pub(super) async fn delete(app: &App, parts: &Parts, bucket: &str, key: &str) -> Result<Response> {
    let caller = app.authenticate(parts)?;
    names::check_bucket(bucket)?;
    app.delete_object(&caller, "storage.object.delete", bucket, key)
        .await?;
    Ok(output::message("Successfully deleted"))
}

/// `DELETE /object/{bucket}`
pub(super) async fn delete_many(app: &App, routed: Routed, bucket: &str) -> Result<Response> {
    const HARD_LIMIT: usize = 1000;
    let body = input::json(&routed.parts, routed.body, &DELETE).await?;
    let caller = app.authenticate(&routed.parts)?;
    names::check_bucket(bucket)?;
    let names = input::texts(&body, "prefixes").unwrap_or_default();
    if app.config().hard_limits && names.len() > HARD_LIMIT {
        return Err(Error::invalid_request(format!(
            "Bulk object requests are limited to {HARD_LIMIT} objects per request."
        )));
    }
    let deleted = app
        .delete_objects(&caller, "storage.object.delete_many", bucket, &names)
        .await?;
    let mut json = JsonWriter::default();
    json.raw("[");
    for (index, object) in deleted.iter().enumerate() {
        json.raw(if index == 0 { "{" } else { ",{" });
        object.write(&mut json);
        json.raw("}");
    }
    json.raw("]");
    Ok(output::json_text(json.finish()))
}
