//! Uploads from a browser's form, which a signed policy allows.

use axum::{body::Body, response::Response};
use chrono::Utc;
use futures_util::TryStreamExt as _;
use http::{StatusCode, header, request::Parts};
use multer::{Field, Multipart};
use svc_kit::http::Lingering;

use crate::{
    App,
    blobs::Incoming,
    domain::upload::NewObject,
    error::{Error, Result},
    names,
    s3::{
        auth,
        body::unverified,
        error, headers,
        object::{store, upload_limit},
        operation::Operation,
        query::Query,
        signature::ClientSignature,
    },
    store::{buckets, objects::Mode},
};

const MOST_FIELDS: usize = 100;
/// All fields together, in bytes.
const LONGEST_FIELDS: usize = 256 << 10;

/// A form as far as its file.
struct Form {
    fields: Vec<(String, String)>,
    file: Option<Field<'static>>,
}

fn wrong(error: &multer::Error) -> Error {
    Error::invalid_request(format!("The form cannot be read: {error}")).closing()
}

async fn read(parts: &Parts, body: Lingering) -> Result<Form> {
    let boundary = parts
        .headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| multer::parse_boundary(value).ok())
        .ok_or_else(|| Error::invalid_request("The form has no boundary"))?;
    let mut form = Multipart::new(body, boundary);
    let mut fields = Vec::new();
    let mut length = 0_usize;
    while let Some(mut field) = form.next_field().await.map_err(|error| wrong(&error))? {
        let name = field.name().unwrap_or_default().to_owned();
        if name == "file" || field.file_name().is_some() {
            return Ok(Form {
                fields,
                file: Some(field),
            });
        }
        let mut value = Vec::new();
        while let Some(chunk) = field.chunk().await.map_err(|error| wrong(&error))? {
            length = length.saturating_add(chunk.len());
            if length > LONGEST_FIELDS {
                return Err(too_long());
            }
            value.extend_from_slice(&chunk);
        }
        if fields.len() >= MOST_FIELDS {
            return Err(too_long());
        }
        let value = String::from_utf8(value)
            .map_err(|_| Error::invalid_request("The form has a field that is no text"))?;
        fields.push((name, value));
    }
    Ok(Form { fields, file: None })
}

fn too_long() -> Error {
    Error::new(
        "MaxPostPreDataLengthExceeded",
        400,
        "Your POST request fields preceding the upload file were too large.",
    )
    .closing()
}

/// `PostObject`. A signature in the headers counts as one for any other request, one in the form for its policy.
pub(super) async fn upload(
    app: &App,
    parts: &Parts,
    query: &Query,
    bucket: &str,
    body: Lingering,
) -> Result<Response> {
    let now = Utc::now();
    let is_signed = ClientSignature::find(&parts.headers, query, now)?.is_some();
    if is_signed {
        return Err(Error::access_denied("Missing signature"));
    }
    let form = read(parts, body).await?;
    let Some(file) = form.file else {
        return Err(Error::invalid_signature("Invalid signature format"));
    };
    let signature = ClientSignature::from_form(form.fields).map_err(Error::closing)?;
    let (caller, range) =
        auth::verify_form(app, parts, &signature, bucket, now).map_err(Error::closing)?;
    names::check_bucket(bucket)?;
    let key = signature
        .field("key")
        .unwrap_or_default()
        .replace("${filename}", file.file_name().unwrap_or_default());
    let target = buckets::get(app.db(), bucket).await?;
    app.config().key_rules.check(&key).map_err(Error::closing)?;
    let field = |name: &str, default: &str| {
        let value = signature.field(name).filter(|value| !value.is_empty());
        value.unwrap_or(default).to_owned()
    };
    let new = NewObject {
        bucket: bucket.to_owned(),
        name: key,
        mode: Mode::Upsert,
        owner: caller.subject().map(str::to_owned),
        content_type: field("content-type", "application/octet-stream"),
        cache_control: field("cache-control", "no-cache"),
        robots: None,
        user_metadata: headers::user_metadata_of_fields(signature.fields()),
    };
    App::check_mime(&target, &new.name, &new.content_type).map_err(Error::closing)?;
    let limit = upload_limit(app, &target, &new.name).min(range.max);
    let content: Incoming = Box::pin(file.map_err(|error| {
        tracing::debug!(%error, "the file of a form broke off");
        error::incomplete_body().closing()
    }));
    let content = unverified(content, range.min);
    let uploaded = store(
        app,
        &caller,
        Operation::PostObject,
        new,
        None,
        content,
        limit,
    )
    .await?;
    let mut response = Response::new(Body::empty());
    *response.status_mut() = StatusCode::OK;
    headers::tell(response.headers_mut(), header::ETAG, Some(&uploaded.etag));
    Ok(response)
}
