//! Uploads in parts. Each part is a blob of its own below the upload's folder; to complete an upload is to write the
//! object from them. Whether the caller may upload is asked at every step, because policies may change between them.

mod part;

use axum::response::{IntoResponse as _, Response};
use futures_util::TryStreamExt as _;
use http::StatusCode;
use secrecy::ExposeSecret as _;
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    App,
    blobs::{BlobHeaders, BlobPath},
    domain::upload::{NewObject, UploadType},
    error::{Error, Result},
    names,
    s3::{
        body::Payload,
        headers, request,
        routes::{Call, document},
        store::{self, New, Part, Upload},
        xml::Document,
    },
    store::{
        buckets,
        objects::{self, Mode, Write},
        values::iso,
    },
};

pub(super) use part::{copy_part, upload_part};

const OCTETS: &str = "application/octet-stream";
const NO_CACHE: &str = "no-cache";
const MOST_PARTS: i32 = 1000;

/// The folder of an upload's parts.
fn folder(upload: &str) -> String {
    format!("s3-{upload}")
}

fn part_path(app: &App, upload: &str, part: Uuid) -> BlobPath {
    app.locator().piece(&folder(upload), &part.to_string())
}

fn passphrase(app: &App) -> &str {
    app.config().s3.encryption_key.expose_secret()
}

/// Whether the caller may upload to the key: policies see what was said when the upload began.
async fn test(
    call: &Call<'_>,
    bucket: &str,
    key: &str,
    metadata: Option<&str>,
    user_metadata: Option<&str>,
) -> Result<()> {
    let write = Write {
        bucket,
        name: key,
        version: "1",
        owner: call.caller.subject(),
        metadata: metadata.unwrap_or("{}"),
        user_metadata,
    };
    objects::test_write(call.app.db(), &call.user(), Mode::Upsert, &write).await
}

/// `CreateMultipartUpload`
pub(super) async fn create(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    names::check_bucket(bucket)?;
    call.app.config().key_rules.check(key)?;
    if !call.app.blobs().takes(key) {
        return Err(Error::invalid_key(key));
    }
    let target = buckets::get(call.app.db(), bucket).await?;
    let content_type = call.header("content-type").filter(|text| !text.is_empty());
    let mut metadata = Map::new();
    if let Some(content_type) = content_type {
        names::check_mime(content_type, &target.allowed_mime_types)?;
        metadata.insert("mimetype".into(), content_type.into());
    }
    if let Some(cache_control) = call.header("cache-control") {
        metadata.insert("cacheControl".into(), cache_control.into());
    }
    let metadata = Value::Object(metadata).to_string();
    let user_metadata = headers::user_metadata(&call.parts.headers).unwrap_or_default();
    let user_metadata = Value::Object(user_metadata).to_string();
    test(call, bucket, key, Some(&metadata), Some(&user_metadata)).await?;
    let (id, version) = (Uuid::new_v4().to_string(), Uuid::new_v4().to_string());
    let new = New {
        id: &id,
        bucket,
        key,
        version: &version,
        owner: call.caller.subject(),
        metadata: &metadata,
        user_metadata: &user_metadata,
    };
    store::create(call.app.db(), &call.service(), passphrase(call.app), &new).await?;
    Ok(Document::new("InitiateMultipartUploadResult")
        .text("Bucket", bucket)
        .text("Key", key)
        .text("UploadId", &id)
        .into_response())
}

/// The upload that a request names, if it is one to this key and the caller may upload there.
async fn permitted(call: &Call<'_>, bucket: &str, key: &str) -> Result<Upload> {
    let id = call.query.get("uploadId").unwrap_or_default();
    let upload = store::find(call.app.db(), id).await?;
    if upload.bucket != bucket || upload.key != key {
        return Err(Error::no_such_upload(id));
    }
    test(
        call,
        bucket,
        key,
        upload.metadata.as_deref(),
        upload.user_metadata.as_deref(),
    )
    .await?;
    Ok(upload)
}

/// The parts that become the object, in order.
fn chosen(
    upload: &Upload,
    mut there: Vec<Part>,
    mut wanted: Vec<request::CompletedPart>,
) -> Result<Vec<Part>> {
    if wanted.is_empty() {
        if there.is_empty() {
            return Err(missing_part(1, &upload.id));
        }
        return Ok(there);
    }
    wanted.sort_by_key(|part| part.number);
    let is_twice = wanted.windows(2).any(|pair| match pair {
        [first, second] => first.number == second.number,
        _ => false,
    });
    if is_twice {
        return Err(Error::new(
            "InvalidPartOrder",
            400,
            "The list of parts names a part twice",
        ));
    }
    there.retain(|part| {
        wanted
            .binary_search_by_key(&part.number, |wanted| wanted.number)
            .is_ok()
    });
    let mut parts = there.into_iter();
    wanted
        .into_iter()
        .map(|wanted| {
            let part = parts
                .next()
                .filter(|part| part.number == wanted.number)
                .ok_or_else(|| missing_part(wanted.number, &upload.id))?;
            if part.etag != wanted.etag {
                let message = format!("Invalid ETag for part {}", part.number);
                return Err(Error::new("InvalidChecksum", 400, message));
            }
            Ok(part)
        })
        .collect()
}

fn missing_part(number: i32, upload: &str) -> Error {
    let message = format!("Part {number} is missing for upload id {upload}");
    Error::new("MissingPart", 400, message)
}

/// `CompleteMultipartUpload`
pub(super) async fn complete(
    call: &Call<'_>,
    bucket: &str,
    key: &str,
    payload: Payload,
) -> Result<Response> {
    let body = document(call, payload).await?;
    let wanted = request::completed_parts(body.as_ref())?;
    let upload = permitted(call, bucket, key).await?;
    let app = call.app;
    let parts = chosen(&upload, store::parts(app.db(), &upload.id).await?, wanted)?;
    let new = new_object(call, &upload);
    // A version of its own: whoever completes the same upload at the same time writes another blob.
    let version = Uuid::new_v4().to_string();
    let path = app.locator().object(bucket, key, Some(&version));
    let blob = BlobHeaders {
        content_type: &new.content_type,
        cache_control: &new.cache_control,
    };
    let sources: Vec<BlobPath> = parts
        .iter()
        .map(|part| part_path(app, &upload.id, part.id))
        .collect();
    let stored = app.blobs().concat(sources, &path, blob).await;
    let stored = match stored {
        // Parts that vanish meanwhile belong to an upload that somebody else has ended.
        Err(error) if error.code == "NoSuchKey" => return Err(Error::no_such_upload(&upload.id)),
        other => other?,
    };
    let name = call.operation.name();
    let uploaded = app
        .finish(&call.caller, name, UploadType::S3, new, &version, &stored)
        .await?;
    end(call, &upload.id).await;
    Ok(Document::new("CompleteMultipartUploadResult")
        .text("Location", &format!("{bucket}/{key}"))
        .text("Bucket", bucket)
        .text("Key", key)
        .text("ETag", &uploaded.etag)
        .into_response())
}

fn new_object(call: &Call<'_>, upload: &Upload) -> NewObject {
    let metadata: Value = upload
        .metadata
        .as_deref()
        .and_then(|json| serde_json::from_str(json).ok())
        .unwrap_or_else(|| json!({}));
    let text = |name: &str, default: &str| {
        let text = metadata.get(name).and_then(Value::as_str);
        text.unwrap_or(default).to_owned()
    };
    NewObject {
        bucket: upload.bucket.clone(),
        name: upload.key.clone(),
        mode: Mode::Upsert,
        owner: call.caller.subject().map(str::to_owned),
        content_type: text("mimetype", OCTETS),
        cache_control: text("cacheControl", NO_CACHE),
        robots: None,
        user_metadata: upload
            .user_metadata
            .as_deref()
            .and_then(|json| serde_json::from_str(json).ok()),
    }
}

/// Forgets an upload whose object is there. Should this fail, it is one more upload that nobody completed.
async fn end(call: &Call<'_>, upload: &str) {
    let forgotten = store::delete(call.app.db(), &call.service(), upload).await;
    if let Err(error) = forgotten {
        tracing::warn!(%error, upload, "a completed upload in parts could not be forgotten");
        return;
    }
    remove_parts(call.app, upload).await;
}

async fn remove_parts(app: &App, upload: &str) {
    let pieces = app.blobs().list(&app.locator().pieces(&folder(upload)));
    let paths: Result<Vec<BlobPath>> = pieces.map_ok(|found| found.path).try_collect().await;
    match paths {
        Ok(paths) => app.blobs().delete(paths).await,
        Err(error) => {
            tracing::warn!(%error, upload, "the parts of an upload are left to the sweep");
        }
    }
}

/// `AbortMultipartUpload`
pub(super) async fn abort(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let upload = permitted(call, bucket, key).await?;
    store::delete(call.app.db(), &call.service(), &upload.id).await?;
    remove_parts(call.app, &upload.id).await;
    Ok(StatusCode::OK.into_response())
}

/// `ListParts`: those that the caller may see.
pub(super) async fn list_parts(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let id = call.query.get("uploadId").unwrap_or_default();
    let limit = call
        .number("max-parts", 1, MOST_PARTS)?
        .unwrap_or(MOST_PARTS);
    let after: i32 = match call.query.non_empty("part-number-marker") {
        Some(text) => text.parse().map_err(|_| {
            let message = format!("invalid input syntax for type integer: \"{text}\"");
            Error::new("InvalidParameter", 400, message)
        })?,
        None => 0,
    };
    let upload = store::find(call.app.db(), id).await?;
    if upload.bucket != bucket || upload.key != key {
        return Err(Error::no_such_upload(id));
    }
    let mut parts = store::parts_as(call.app.db(), &call.user(), id, after, limit + 1).await?;
    let most = usize::try_from(limit).unwrap_or_default();
    let is_truncated = parts.len() > most;
    parts.truncate(most);
    let next = parts
        .last()
        .filter(|_| is_truncated)
        .map(|part| part.number.to_string());
    Ok(Document::new("ListPartsResult")
        .text("Bucket", bucket)
        .text("Key", key)
        .text("UploadId", id)
        .optional("PartNumberMarker", call.query.get("part-number-marker"))
        .optional("NextPartNumberMarker", next.as_deref())
        .value("MaxParts", limit)
        .value("IsTruncated", is_truncated)
        .each("Part", &parts, |document, part| {
            document
                .value("PartNumber", part.number)
                .optional("LastModified", part.created_at.map(iso).as_deref())
                .text("ETag", &format!("\"{}\"", part.etag))
                .value("Size", part.size)
        })
        .into_response())
}
