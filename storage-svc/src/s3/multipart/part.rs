//! Parts: received from clients or copied from objects.

use axum::response::{IntoResponse as _, Response};
use chrono::Utc;
use futures_util::TryStreamExt as _;
use http::{HeaderValue, StatusCode, header};
use serde_json::Value;
use svc_kit::pg;
use uuid::Uuid;

use crate::{
    App,
    blobs::{BlobHeaders, Incoming, Stored},
    error::{Error, Result},
    s3::{
        body::Payload,
        error, headers,
        multipart::{NO_CACHE, OCTETS, part_path, passphrase, permitted},
        request,
        routes::Call,
        store::{self, Part, Upload},
        xml::Document,
    },
    store::{buckets, objects, values::iso},
};

const MAX_PART: u64 = 5 << 30;

fn part_number(call: &Call<'_>) -> Result<i32> {
    let text = call.query.get("partNumber").unwrap_or_default();
    request::part_number(text, "Querystring, partNumber")
}

/// `UploadPart`
pub(in crate::s3) async fn upload_part(
    call: &Call<'_>,
    bucket: &str,
    key: &str,
    payload: Payload,
) -> Result<Response> {
    let number = part_number(call)?;
    let length = payload.length().ok_or_else(error::missing_content_length)?;
    if length > MAX_PART {
        return Err(Error::too_large().closing());
    }
    let body = payload.into_content();
    let received = receive(call, bucket, key, number, length, async { Ok(body) }).await;
    let part = received.map_err(Error::closing)?;
    let mut response = StatusCode::OK.into_response();
    let headers = response.headers_mut();
    headers::tell(headers, header::ETAG, Some(&part.etag));
    headers.insert(
        header::ACCESS_CONTROL_EXPOSE_HEADERS,
        HeaderValue::from_static("etag"),
    );
    Ok(response)
}

/// Makes room for a part and receives it. What goes wrong gives the room back.
async fn receive(
    call: &Call<'_>,
    bucket: &str,
    key: &str,
    number: i32,
    length: u64,
    body: impl Future<Output = Result<Incoming>>,
) -> Result<Stored> {
    let target = buckets::get(call.app.db(), bucket).await?;
    let limit = call.app.large_limit(&target);
    let upload = permitted(call, bucket, key).await?;
    let size = i64::try_from(length).map_err(|_| Error::too_large())?;
    let room = Room::reserve(call, &upload.id, size, limit).await?;
    match store_part(call, &upload, number, length, body).await {
        Ok(stored) => {
            room.keep();
            Ok(stored)
        }
        Err(error) => {
            room.give_back().await;
            Err(error)
        }
    }
}

/// Stores a part and notes it.
async fn store_part(
    call: &Call<'_>,
    upload: &Upload,
    number: i32,
    length: u64,
    body: impl Future<Output = Result<Incoming>>,
) -> Result<Stored> {
    let app = call.app;
    let id = Uuid::new_v4();
    let path = part_path(app, &upload.id, id);
    let blob = BlobHeaders {
        content_type: OCTETS,
        cache_control: NO_CACHE,
    };
    let stored = app.blobs().write(&path, blob, body.await?, length).await?;
    if stored.size != length {
        app.blobs().delete(vec![path]).await;
        return Err(error::incomplete_body());
    }
    let part = Part {
        id,
        number,
        etag: stored.etag.trim_matches('"').to_owned(),
        size: i64::try_from(length).unwrap_or(i64::MAX),
        created_at: None,
    };
    let service = call.service();
    let added = store::add_part(
        app.db(),
        &service,
        passphrase(app),
        upload,
        call.caller.subject(),
        &part,
    );
    match added.await {
        Ok(replaced) => {
            let replaced = replaced.into_iter();
            let replaced = replaced.map(|part| part_path(app, &upload.id, part));
            app.blobs().delete(replaced.collect()).await;
            Ok(stored)
        }
        Err(error) => {
            app.blobs().delete(vec![path]).await;
            Err(error)
        }
    }
}

/// Room that was made for a part. It is given back unless it is kept, also when the client goes away and the request
/// is dropped.
struct Room(Option<Reserved>);

struct Reserved {
    app: App,
    service: pg::Caller,
    upload: String,
    size: i64,
}

impl Room {
    async fn reserve(call: &Call<'_>, upload: &str, size: i64, limit: u64) -> Result<Self> {
        let reserved = Reserved {
            app: call.app.clone(),
            service: call.service(),
            upload: upload.to_owned(),
            size,
        };
        let (db, passphrase) = (call.app.db(), passphrase(call.app));
        store::reserve(db, &reserved.service, passphrase, upload, size, limit).await?;
        Ok(Self(Some(reserved)))
    }

    fn keep(mut self) {
        self.0 = None;
    }

    async fn give_back(mut self) {
        if let Some(reserved) = self.0.take() {
            reserved.give_back().await;
        }
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(reserved) = self.0.take() {
            tokio::spawn(reserved.give_back());
        }
    }
}

impl Reserved {
    async fn give_back(self) {
        let (db, passphrase) = (self.app.db(), passphrase(&self.app));
        let (upload, size) = (&self.upload, -self.size);
        let given = store::reserve(db, &self.service, passphrase, upload, size, u64::MAX).await;
        if let Err(error) = given
            && error.code != "NoSuchUpload"
        {
            tracing::warn!(%error, upload, "an upload in parts counts bytes that it does not have");
        }
    }
}

/// `UploadPartCopy`
pub(in crate::s3) async fn copy_part(call: &Call<'_>, bucket: &str, key: &str) -> Result<Response> {
    let number = part_number(call)?;
    let (from_bucket, from_key) =
        headers::copy_source(call.header("x-amz-copy-source").unwrap_or_default())?;
    if from_bucket.is_empty() {
        return Err(Error::no_such_bucket(""));
    }
    if from_key.is_empty() {
        return Err(Error::no_such_key(""));
    }
    let source = objects::find_as(call.app.db(), &call.user(), &from_bucket, &from_key).await?;
    let metadata = source.metadata_map();
    let etag = metadata.get("eTag").and_then(Value::as_str);
    headers::check_copy_conditions(&call.parts.headers, etag, source.updated_at)?;
    let size = metadata
        .get("size")
        .and_then(Value::as_u64)
        .unwrap_or_default();
    let range = match call.header("x-amz-copy-source-range") {
        Some(text) => headers::copy_range(text, size)?,
        None => 0..size,
    };
    let length = range.end.saturating_sub(range.start);
    if length > MAX_PART {
        return Err(Error::too_large());
    }
    let path = call
        .app
        .locator()
        .object(&from_bucket, &from_key, source.version.as_deref());
    let body = async {
        let content = call.app.blobs().read(&path, Some(range)).await?;
        let content = content.ok_or_else(|| Error::blob_gone(&from_key))?;
        let body: Incoming = Box::pin(content.into_stream().map_err(|error| {
            tracing::error!(%error, "the source of a copy could not be read");
            Error::internal()
        }));
        Ok(body)
    };
    let stored = receive(call, bucket, key, number, length, body).await?;
    Ok(Document::new("CopyPartResult")
        .text("ETag", &stored.etag)
        .text("LastModified", &iso(Utc::now()))
        .into_response())
}
