//! Objects: written, read, copied, removed.

use std::collections::HashSet;

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode, header};
use serde_json::Value;

use crate::{
    App,
    blobs::{Content, Incoming},
    db::Sql,
    domain::{
        objects::Copy,
        robots,
        upload::{NewObject, UploadType, Uploaded},
    },
    error::{Error, Result},
    names,
    s3::{
        body::Payload,
        error,
        headers::{self, http_date},
        operation::Operation,
        request,
        routes::{Call, document},
        xml::Document,
    },
    store::{
        buckets::{self, Bucket},
        objects::{self, Mode, Object},
    },
};

const OCTETS: &str = "application/octet-stream";
const NO_CACHE: &str = "no-cache";
/// How many keys one request may name where `REQUEST_HARD_LIMITS_ENABLED`.
const MOST_DELETIONS: usize = 1000;

/// The most bytes that a single upload to this key may have. A bucket's limit of 0 is none.
pub(super) fn upload_limit(app: &App, bucket: &Bucket, key: &str) -> u64 {
    let mut bucket = bucket.clone();
    bucket.file_size_limit = bucket.file_size_limit.filter(|&limit| limit > 0);
    app.standard_limit(&bucket, key)
}

fn etag_response(etag: &str) -> Response {
    let mut response = StatusCode::OK.into_response();
    headers::tell(response.headers_mut(), header::ETAG, Some(etag));
    response
}

/// What the headers of an upload say.
fn new_object(call: &Call<'_>, bucket: &str, key: &str) -> NewObject {
    NewObject {
        bucket: bucket.to_owned(),
        name: key.to_owned(),
        mode: Mode::Upsert,
        owner: call.caller.subject().map(str::to_owned),
        content_type: call.header("content-type").unwrap_or(OCTETS).to_owned(),
        cache_control: call.header("cache-control").unwrap_or(NO_CACHE).to_owned(),
        robots: None,
        user_metadata: headers::user_metadata(&call.parts.headers),
    }
}

/// Forms belong to POST; the original's answer is no error document.
fn form_refused() -> Response {
    let document = Document::new("message").content("Multipart form data not supported");
    (StatusCode::BAD_REQUEST, document).into_response()
}

/// Refuses what the original's framework refuses of any upload.
fn check_headers(call: &Call<'_>) -> Result<()> {
    if call.header("content-type") == Some("") {
        return Err(Error::new("InvalidRequest", 415, "Unsupported Media Type"));
    }
    match call.header("x-robots-tag") {
        Some(tag) => robots::check(tag),
        None => Ok(()),
    }
}

/// `PutObject`
pub(super) async fn put(
    call: &Call<'_>,
    bucket: &str,
    key: &str,
    payload: Payload,
) -> Result<Response> {
    let length = payload.length();
    let mut key = key.to_owned();
    if key.ends_with('/') && length == Some(0) {
        // What tools make for an empty folder.
        key.push_str(names::EMPTY_FOLDER);
    }
    if call
        .header("content-type")
        .is_some_and(|kind| kind.starts_with("multipart/form-data"))
    {
        return Ok(form_refused());
    }
    let target = buckets::get(call.app.db(), bucket).await?;
    check_headers(call)?;
    let mut new = new_object(call, bucket, &key);
    App::check_mime(&target, &key, &new.content_type)?;
    let limit = upload_limit(call.app, &target, &key);
    if length.is_some_and(|length| length > limit) {
        return Err(Error::too_large().closing());
    }
    call.app.config().key_rules.check(&key)?;
    let only_new = call.header("if-none-match") == Some("*");
    new.mode = Mode::upsert_if(!only_new);
    let uploaded = store(
        call.app,
        &call.caller,
        call.operation,
        new,
        length,
        payload.into_content(),
        limit,
    )
    .await;
    match uploaded {
        Ok(uploaded) => Ok(etag_response(&uploaded.etag)),
        Err(error) if only_new && error.is_duplicate() => {
            Err(error::precondition_failed().closing())
        }
        Err(error) => Err(error),
    }
}

/// Stores a body if the caller may.
pub(super) async fn store(
    app: &App,
    caller: &crate::auth::Caller,
    operation: Operation,
    new: NewObject,
    length: Option<u64>,
    content: Incoming,
    limit: u64,
) -> Result<Uploaded> {
    let name = operation.name();
    app.test_body(caller, name, &new, length)
        .await
        .map_err(Error::closing)?;
    app.store(caller, name, UploadType::S3, new, content, limit)
        .await
}

/// What the row says of the blob.
struct Described {
    etag: Option<String>,
    size: Option<u64>,
    mimetype: Option<String>,
    cache_control: Option<String>,
    expires: Option<String>,
}

impl Described {
    fn of(object: &Object) -> Self {
        let metadata = object.metadata_map();
        let text = |name: &str| {
            metadata
                .get(name)
                .and_then(Value::as_str)
                .map(str::to_owned)
        };
        Self {
            etag: text("eTag"),
            size: metadata.get("size").and_then(Value::as_u64),
            mimetype: text("mimetype"),
            cache_control: text("cacheControl"),
            expires: text("expires"),
        }
    }
}

fn tell_time(headers: &mut HeaderMap, object: &Object) {
    let modified = object.updated_at.map(http_date);
    headers::tell(headers, header::LAST_MODIFIED, modified.as_deref());
}

/// An object that the caller may see.
async fn find(call: &Call<'_>, bucket: &str, key: &str) -> Result<Object> {
    call.app.config().key_rules.check(key)?;
    objects::find_as(call.app.db(), &call.user(), bucket, key).await
}

/// `HeadObject`, from the row alone.
pub(super) async fn head(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let object = find(call, bucket, key).await?;
    let described = Described::of(&object);
    let mut response = StatusCode::OK.into_response();
    let headers = response.headers_mut();
    let created = object.created_at.map(headers::javascript_date);
    headers::tell(
        headers,
        HeaderName::from_static("created-at"),
        created.as_deref(),
    );
    headers::tell(
        headers,
        header::CACHE_CONTROL,
        described.cache_control.as_deref(),
    );
    headers::tell(headers, header::EXPIRES, described.expires.as_deref());
    headers::tell(headers, header::CONTENT_TYPE, described.mimetype.as_deref());
    headers::tell(headers, header::ETAG, described.etag.as_deref());
    if let Some(size) = described.size {
        headers.insert(header::CONTENT_LENGTH, size.into());
    }
    tell_time(headers, &object);
    headers::tell_user_metadata(headers, object.user_metadata.as_deref());
    Ok(response)
}

/// Whether the reader has the object already.
fn is_unchanged(call: &Call<'_>, object: &Object, etag: Option<&str>) -> bool {
    if let Some(tag) = call.header("if-none-match") {
        return etag.is_some_and(|etag| etag == tag);
    }
    let since = call
        .header("if-modified-since")
        .and_then(headers::parse_date);
    since
        .zip(object.updated_at)
        .is_some_and(|(since, modified)| modified.timestamp() <= since.timestamp())
}

/// `GetObject`
pub(super) async fn get(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let object = find(call, bucket, key).await?;
    let described = Described::of(&object);
    let mut headers = HeaderMap::new();
    let cache_control = described.cache_control.as_deref().unwrap_or(NO_CACHE);
    headers::tell(&mut headers, header::CACHE_CONTROL, Some(cache_control));
    let mimetype = described
        .mimetype
        .as_deref()
        .filter(|text| !text.is_empty());
    headers::tell(
        &mut headers,
        header::CONTENT_TYPE,
        Some(mimetype.unwrap_or(OCTETS)),
    );
    headers::tell(&mut headers, header::ETAG, described.etag.as_deref());
    tell_time(&mut headers, &object);
    headers::tell_user_metadata(&mut headers, object.user_metadata.as_deref());
    headers::tell_overrides(&mut headers, call.query)?;
    if is_unchanged(call, &object, described.etag.as_deref()) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let path = call
        .app
        .locator()
        .object(bucket, key, object.version.as_deref());
    let gone = || Error::blob_gone(key);
    let size = match described.size {
        Some(size) => size,
        None => call.app.blobs().info(&path).await?.ok_or_else(gone)?.size,
    };
    let range = call
        .header("range")
        .map(|text| headers::range(text, size))
        .transpose()?;
    let (status, length) = match &range {
        None => (StatusCode::OK, size),
        Some(range) => {
            let told = format!("bytes {}-{}/{size}", range.start, range.end - 1);
            headers::tell(&mut headers, header::CONTENT_RANGE, Some(&told));
            (StatusCode::PARTIAL_CONTENT, range.end - range.start)
        }
    };
    headers.insert(header::CONTENT_LENGTH, length.into());
    headers.insert(header::ACCEPT_RANGES, HeaderValue::from_static("bytes"));
    let content = call
        .app
        .blobs()
        .read(&path, range)
        .await?
        .ok_or_else(gone)?;
    let body = match content {
        Content::Whole(bytes) => Body::from(bytes),
        Content::Stream(stream) => Body::from_stream(stream),
    };
    Ok((status, headers, body).into_response())
}

/// `GetObjectTagging`: there are no tags.
pub(super) async fn tagging(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    find(call, bucket, key).await?;
    Ok(Document::new("Tagging")
        .element("TagSet", |document| document)
        .into_response())
}

/// `CopyObject`
pub(super) async fn copy(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let (from_bucket, from_key) =
        headers::copy_source(call.header("x-amz-copy-source").unwrap_or_default())?;
    if from_bucket.is_empty() {
        return Err(Error::invalid_bucket_name(""));
    }
    if from_key.is_empty() {
        return Err(Error::missing_parameter("CopySource"));
    }
    check_conditions(call, &from_bucket, &from_key).await?;
    let directive = call
        .header("x-amz-metadata-directive")
        .filter(|text| !text.is_empty());
    let copy = Copy {
        from: (&from_bucket, &from_key),
        to: (bucket, key),
        mode: Mode::Upsert,
        with_metadata: directive.is_none_or(|directive| directive == "COPY"),
        keep_unsaid: false,
        cache_control: call.header("cache-control"),
        mimetype: call.header("content-type"),
        user_metadata: headers::user_metadata(&call.parts.headers),
        kind: UploadType::S3,
    };
    let copied = call
        .app
        .copy_object(&call.caller, call.operation.name(), copy)
        .await?;
    let metadata = copied.metadata_map();
    let text = |name: &str| metadata.get(name).and_then(Value::as_str);
    Ok(Document::new("CopyObjectResult")
        .optional("ETag", text("eTag"))
        .optional("LastModified", text("lastModified"))
        .into_response())
}

/// Looks at the source of a copy whose request has conditions.
async fn check_conditions(call: &Call<'_>, bucket: &str, key: &str) -> Result<()> {
    let is_conditional = call
        .parts
        .headers
        .keys()
        .any(|name| name.as_str().starts_with("x-amz-copy-source-if-"));
    if !is_conditional {
        return Ok(());
    }
    let source = objects::find_as(call.app.db(), &call.user(), bucket, key).await?;
    let etag = Described::of(&source).etag;
    headers::check_copy_conditions(&call.parts.headers, etag.as_deref(), source.updated_at)
}

/// `DeleteObject`. That there is no such object is no error.
pub(super) async fn delete(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let deleted = call
        .app
        .delete_object(&call.caller, call.operation.name(), bucket, key)
        .await;
    match deleted {
        Err(error) if error.code == "NoSuchKey" => {
            buckets::get(call.app.db(), bucket).await?;
        }
        other => other?,
    }
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `DeleteObjects`
pub(super) async fn delete_many(
    call: &Call<'_>,
    bucket: &str,
    payload: Payload,
) -> Result<Response> {
    let body = document(call, payload).await?;
    let deletions = request::deletions(body.as_ref())?;
    if call.app.config().hard_limits && deletions.len() > MOST_DELETIONS {
        return Err(Error::invalid_request(format!(
            "Bulk object requests are limited to {MOST_DELETIONS} objects per request."
        )));
    }
    let keys: Vec<String> = deletions
        .iter()
        .filter(|deletion| !deletion.versioned)
        .map(|deletion| deletion.key.clone())
        .collect();
    let deleted = call
        .app
        .delete_objects(&call.caller, call.operation.name(), bucket, &keys)
        .await?;
    let deleted: HashSet<String> = deleted.into_iter().map(|object| object.name).collect();
    let unresolved: Vec<String> = keys
        .into_iter()
        .filter(|key| !deleted.contains(key))
        .collect();
    let remaining = existing(call, bucket, &unresolved).await?;
    if deleted.is_empty() && remaining.is_empty() {
        buckets::get(call.app.db(), bucket).await?;
    }
    let (refused, done): (Vec<_>, Vec<_>) = deletions
        .iter()
        .partition(|deletion| deletion.versioned || remaining.contains(&deletion.key));
    let document = Document::new("DeleteResult")
        .each("Deleted", done, |document, deletion| {
            document.text("Key", &deletion.key)
        })
        .each("Error", refused, |document, deletion| {
            let (code, message) = if deletion.versioned {
                ("NoSuchVersion", "The specified version does not exist.")
            } else {
                ("AccessDenied", "Access Denied")
            };
            document
                .text("Key", &deletion.key)
                .text("Code", code)
                .text("Message", message)
        });
    Ok(document.into_response())
}

/// Which of these keys there are, whoever asks.
async fn existing(call: &Call<'_>, bucket: &str, keys: &[String]) -> Result<HashSet<String>> {
    if keys.is_empty() {
        return Ok(HashSet::new());
    }
    let sql = Sql::new(
        "select name from storage.objects where bucket_id = $1 \
         and name = any(array(select jsonb_array_elements_text($2::jsonb)))",
    )
    .bind(bucket)
    .bind_texts(keys);
    let rows = call.app.db().read(&sql).await?;
    Ok(rows.iter().filter_map(|row| row.text(0)).collect())
}
