use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use axum::{body::Body, response::Response};
use bytes::BytesMut;
use futures_util::{StreamExt as _, TryStreamExt as _};
use http::{HeaderValue, header};
use serde_json::{Map, Value, json};

use super::{Routed, header_text, input, output, read};
use crate::{
    App,
    auth::{Caller, owner_text},
    blobs::Incoming,
    domain::{
        robots,
        tokens::Scope,
        upload::{NewObject, UploadType, user_metadata},
    },
    error::{Error, Result},
    names,
    store::{
        buckets::{self, Bucket},
        objects::Mode,
    },
};

/// Fields of a form before its file.
const MAX_FIELDS: usize = 10;
/// Bytes of the field with the user's metadata, and of any other.
const MAX_FIELD: usize = 1024 * 1024;
const CLOSED: &str = "Request stream closed before upload could begin";
/// Bytes of a file that is read whole, so that fields behind it count.
const SMALL_FILE: usize = 64 * 1024;

/// What a request uploads.
struct Upload {
    content_type: String,
    cache_control: String,
    user_metadata: Option<Map<String, Value>>,
    /// As announced; of a form that of the whole form.
    content_length: Option<u64>,
    body: Incoming,
}

/// `POST /object/{bucket}/{key}`
pub(super) async fn create(app: &App, routed: Routed, bucket: &str, key: &str) -> Result<Response> {
    input::check_content_type(&routed.parts)?;
    let caller = app.authenticate(&routed.parts)?;
    let mode = Mode::upsert_if(header_text(&routed.parts, "x-upsert") == Some("true"));
    let owner = caller.subject().map(str::to_owned);
    let operation = "storage.object.upload";
    let door = Door {
        caller,
        operation,
        mode,
        owner,
    };
    door.take(app, routed, bucket, key, true).await
}

/// `PUT /object/{bucket}/{key}`
pub(super) async fn replace(
    app: &App,
    routed: Routed,
    bucket: &str,
    key: &str,
) -> Result<Response> {
    input::check_content_type(&routed.parts)?;
    let caller = app.authenticate(&routed.parts)?;
    let owner = caller.subject().map(str::to_owned);
    let door = Door {
        caller,
        operation: "storage.object.upload_update",
        mode: Mode::Upsert,
        owner,
    };
    door.take(app, routed, bucket, key, true).await
}

/// `PUT /object/upload/sign/{bucket}/{key}?token=`: with the rights of the service, which the token lends.
pub(super) async fn signed(app: &App, routed: Routed, bucket: &str, key: &str) -> Result<Response> {
    let parts = &routed.parts;
    input::check_content_type(parts)?;
    let token = input::required_query_value(parts, "token")?;
    let path = format!("{bucket}/{key}");
    let claims = app.config().url_keys.verify(&token, &path, Scope::Upload)?;
    let upsert = claims.get("upsert").and_then(Value::as_bool);
    let door = Door {
        caller: app.service(read::context(parts)),
        operation: "storage.object.upload_signed",
        mode: Mode::upsert_if(upsert == Some(true)),
        owner: owner_text(claims.get("owner")),
    };
    door.take(app, routed, bucket, key, false).await
}

/// Who uploads, and how.
struct Door {
    caller: Caller,
    operation: &'static str,
    mode: Mode,
    owner: Option<String>,
}

impl Door {
    async fn take(
        self,
        app: &App,
        routed: Routed,
        bucket_id: &str,
        key: &str,
        with_id: bool,
    ) -> Result<Response> {
        names::check_bucket(bucket_id)?;
        let bucket = buckets::get(app.db(), bucket_id).await?;
        let limit = app.standard_limit(&bucket, key);
        let robots = match header_text(&routed.parts, "x-robots-tag") {
            Some(value) if !value.is_empty() => {
                robots::check(value)?;
                Some(value.to_owned())
            }
            _ => None,
        };
        let upload = Upload::read(routed, &bucket, key, limit).await?;
        app.config().key_rules.check(key)?;
        let new = NewObject {
            bucket: bucket_id.to_owned(),
            name: key.to_owned(),
            mode: self.mode,
            owner: self.owner,
            content_type: upload.content_type,
            cache_control: upload.cache_control,
            robots,
            user_metadata: upload.user_metadata,
        };
        app.test_body(&self.caller, self.operation, &new, upload.content_length)
            .await?;
        let kind = UploadType::Standard;
        let uploaded = app
            .store(&self.caller, self.operation, kind, new, upload.body, limit)
            .await?;
        let mut answer = json!({ "Key": format!("{bucket_id}/{key}") });
        if with_id {
            answer["Id"] = json!(uploaded.object.id);
        }
        Ok(output::json(&answer))
    }
}

impl Upload {
    async fn read(routed: Routed, bucket: &Bucket, key: &str, limit: u64) -> Result<Self> {
        let kind = header_text(&routed.parts, header::CONTENT_TYPE);
        let content_length = input::content_length(&routed.parts);
        if let Some(kind) = kind.filter(|kind| kind.starts_with("multipart/form-data")) {
            let kind = kind.to_owned();
            let mut upload = Self::read_form(&kind, routed.body, bucket, key).await?;
            upload.content_length = content_length;
            return Ok(upload);
        }
        let content_type = kind.unwrap_or("application/octet-stream").to_owned();
        App::check_mime(bucket, key, &content_type)?;
        if content_length.is_some_and(|length| length > limit) {
            // The rest of the body would have to be read to keep the connection.
            return Err(Error::too_large().closing());
        }
        let cache_control = routed.parts.headers.get(header::CACHE_CONTROL);
        let cache_control = cache_control.map(latin1);
        Ok(Self {
            cache_control: cache_control
                .filter(|text| !text.is_empty())
                .unwrap_or_else(|| "no-cache".to_owned()),
            user_metadata: input::metadata_header(&routed.parts)?,
            content_type,
            content_length,
            body: incoming(routed.body),
        })
    }

    /// Reads the fields of a form up to its file, whose content is the body. Of a small file also those behind it.
    async fn read_form(kind: &str, body: Body, bucket: &Bucket, key: &str) -> Result<Self> {
        let boundary = multer::parse_boundary(kind).map_err(unreadable)?;
        let has_begun = Arc::new(AtomicBool::new(false));
        let begun = Arc::clone(&has_begun);
        let body = body
            .into_data_stream()
            .inspect_ok(move |_| begun.store(true, Ordering::Relaxed));
        let mut form = multer::Multipart::new(body, boundary);
        let mut fields = Fields::default();
        let mut file = loop {
            let field = form.next_field().await.map_err(|error| {
                if has_begun.load(Ordering::Relaxed) {
                    unreadable(error)
                } else {
                    Error::no_content()
                }
            })?;
            let field = field.ok_or_else(Error::no_content)?;
            if is_file(&field) {
                break field;
            }
            fields.take(field).await?;
        };
        let mime = media_type(&file);
        let mut start = BytesMut::new();
        let mut is_whole = false;
        while start.len() <= SMALL_FILE && !is_whole {
            if let Some(chunk) = file.chunk().await.map_err(cut_off)? {
                start.extend_from_slice(&chunk);
            } else {
                is_whole = true;
            }
        }
        let start = futures_util::stream::once(async { Ok(start.freeze()) });
        let body: Incoming = if is_whole {
            drop(file);
            while let Some(field) = form.next_field().await.map_err(cut_off)? {
                if !is_file(&field) {
                    fields.take(field).await?;
                }
            }
            start.boxed()
        } else {
            start.chain(file.map_err(cut_off)).boxed()
        };
        let content_type = fields.content_type.said().unwrap_or(mime);
        App::check_mime(bucket, key, &content_type)?;
        let cache_control = fields.cache_control.said();
        let said = fields
            .metadata
            .said()
            .or_else(|| fields.user_metadata.said());
        let user_metadata = said.map_or(Ok(None), |json| user_metadata(json.as_bytes()))?;
        Ok(Self {
            content_type,
            cache_control: cache_control.map_or_else(
                || "no-cache".to_owned(),
                |seconds| format!("max-age={seconds}"),
            ),
            user_metadata,
            content_length: None,
            body,
        })
    }
}

/// What a field says; one that is there twice says nothing.
#[derive(Debug, Default)]
enum Said {
    #[default]
    Nothing,
    Once(String),
    Twice,
}

impl Said {
    fn said(&self) -> Option<String> {
        match self {
            Self::Once(text) if !text.is_empty() => Some(text.clone()),
            _ => None,
        }
    }
}

#[derive(Debug, Default)]
struct Fields {
    count: usize,
    cache_control: Said,
    metadata: Said,
    user_metadata: Said,
    content_type: Said,
}

impl Fields {
    async fn take(&mut self, field: multer::Field<'static>) -> Result<()> {
        self.count += 1;
        if self.count > MAX_FIELDS {
            return Err(Error::invalid_request(CLOSED));
        }
        let name = field.name().unwrap_or_default().to_owned();
        let value = field_text(field).await?;
        let slot = match name.as_str() {
            "cacheControl" => &mut self.cache_control,
            "metadata" => &mut self.metadata,
            "userMetadata" => &mut self.user_metadata,
            "contentType" => &mut self.content_type,
            _ => return Ok(()),
        };
        *slot = match slot {
            Said::Nothing => Said::Once(value),
            _ => Said::Twice,
        };
        Ok(())
    }
}

fn is_file(field: &multer::Field<'_>) -> bool {
    field.file_name().is_some() || media_type(field) == "application/octet-stream"
}

/// The media type of a part without its parameters; text, if it names none.
fn media_type(field: &multer::Field<'_>) -> String {
    let header = field.headers().get(header::CONTENT_TYPE);
    let text = header.and_then(|value| value.to_str().ok());
    let kind = text.unwrap_or("text/plain").split(';').next();
    kind.unwrap_or_default().trim().to_ascii_lowercase()
}

/// A header as Node.js reads it.
fn latin1(value: &HeaderValue) -> String {
    value.as_bytes().iter().copied().map(char::from).collect()
}

/// A form that makes no sense.
fn unreadable(error: multer::Error) -> Error {
    Error::invalid_request(match error {
        multer::Error::NoBoundary | multer::Error::NoMultipart => {
            "Multipart: Boundary not found".to_owned()
        }
        multer::Error::IncompleteStream => "Unexpected end of multipart data".to_owned(),
        other => other.to_string(),
    })
}

/// A file that ends before its time.
fn cut_off(error: multer::Error) -> Error {
    match error {
        multer::Error::IncompleteFieldData { .. } | multer::Error::IncompleteStream => {
            Error::invalid_request(CLOSED)
        }
        other => broken(other),
    }
}

async fn field_text(mut field: multer::Field<'static>) -> Result<String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = field.chunk().await.map_err(unreadable)? {
        if bytes.len() + chunk.len() > MAX_FIELD {
            return Err(Error::entity_too_large("user_metadata").closing());
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A body that ended before its time; who sent it is mostly gone.
fn broken(error: impl std::fmt::Display) -> Error {
    tracing::debug!(%error, "an upload broke off");
    Error::new(
        "InternalError",
        500,
        "Request stream closed before upload could complete",
    )
    .closing()
}

/// A request's body as an upload's.
pub(crate) fn incoming(body: Body) -> Incoming {
    body.into_data_stream().map_err(broken).boxed()
}
