//! Uploads: permission first, then the blob, then the row.

use std::time::{Duration, Instant};

use serde_json::{Map, Value};
use uuid::Uuid;

use super::events::{Event, Kind};
use crate::{
    App,
    auth::Caller,
    blobs::{BlobHeaders, Incoming, Stored},
    error::{Error, Result},
    names,
    store::{
        buckets::Bucket,
        objects::{self, Mode, Write},
        values::iso,
    },
};

/// Bytes that may be stored before it is known whether their key is free.
const STORED_IN_VAIN: u64 = 64 * 1024;

/// What an upload makes.
#[derive(Clone, Debug)]
pub(crate) struct NewObject {
    pub(crate) bucket: String,
    pub(crate) name: String,
    pub(crate) mode: Mode,
    /// `sub` of who uploads.
    pub(crate) owner: Option<String>,
    pub(crate) content_type: String,
    pub(crate) cache_control: String,
    pub(crate) robots: Option<String>,
    pub(crate) user_metadata: Option<Map<String, Value>>,
}

/// What users say about a file, as JSON. What cannot be read is nothing; what is no object cannot be stored.
pub(crate) fn user_metadata(json: &[u8]) -> Result<Option<Map<String, Value>>> {
    match serde_json::from_slice(json) {
        Ok(Value::Object(said)) => Ok(Some(said)),
        Ok(Value::Array(_) | Value::String(_)) => Err(Error::no_json_object()),
        _ => Ok(None),
    }
}

/// Through which door an upload came, for who is told of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UploadType {
    Standard,
    S3,
    Resumable,
}

impl UploadType {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Standard => "standard",
            Self::S3 => "s3",
            Self::Resumable => "resumable",
        }
    }
}

/// A finished upload.
#[derive(Debug)]
pub(crate) struct Uploaded {
    pub(crate) object: objects::Object,
    pub(crate) etag: String,
}

impl NewObject {
    fn user_metadata_json(&self) -> Option<String> {
        let map = self.user_metadata.as_ref()?;
        Some(Value::Object(map.clone()).to_string())
    }

    /// What the permission test shows to policies.
    fn announced(&self, content_length: Option<u64>) -> String {
        let mut map = Map::new();
        if !self.content_type.is_empty() {
            map.insert("mimetype".to_owned(), self.content_type.clone().into());
        }
        if let Some(length) = content_length {
            map.insert("contentLength".to_owned(), length.into());
        }
        Value::Object(map).to_string()
    }
}

/// What the row says of a blob.
pub(crate) fn metadata(new: &NewObject, stored: &Stored) -> Map<String, Value> {
    let mut map = Map::new();
    let mut set = |name: &str, value: Value| map.insert(name.to_owned(), value);
    set("eTag", stored.etag.clone().into());
    set("size", stored.size.into());
    set("mimetype", new.content_type.clone().into());
    set("cacheControl", new.cache_control.clone().into());
    set("lastModified", iso(stored.last_modified).into());
    set("contentLength", stored.size.into());
    set("httpStatusCode", 200.into());
    if let Some(robots) = &new.robots {
        set("xRobotsTag", robots.clone().into());
    }
    map
}

impl App {
    /// The most bytes that a standard upload to this key may have.
    pub(crate) fn standard_limit(&self, bucket: &Bucket, name: &str) -> u64 {
        if names::is_empty_folder(name) {
            return 0;
        }
        let config = self.config();
        let standard = match config.standard_size_limit {
            0 => u64::MAX,
            limit => limit,
        };
        config
            .file_size_limit
            .min(standard)
            .min(bucket.file_size_limit.unwrap_or(u64::MAX))
    }

    /// The same for S3 and resumable uploads, where a bucket's limit of 0 is none.
    pub(crate) fn large_limit(&self, bucket: &Bucket) -> u64 {
        let own = bucket.file_size_limit.filter(|limit| *limit > 0);
        self.config().file_size_limit.min(own.unwrap_or(u64::MAX))
    }

    /// Refuses a media type that the bucket does not take.
    pub(crate) fn check_mime(bucket: &Bucket, name: &str, mime: &str) -> Result<()> {
        if names::is_empty_folder(name) {
            return Ok(());
        }
        names::check_mime(mime, &bucket.allowed_mime_types)
    }

    /// Whether the caller may upload this: policies see its type, and its length if it is known.
    pub(crate) async fn test_upload(
        &self,
        caller: &Caller,
        operation: &'static str,
        new: &NewObject,
        content_length: Option<u64>,
    ) -> Result<()> {
        let announced = new.announced(content_length);
        let user_metadata = new.user_metadata_json();
        let write = Write {
            bucket: &new.bucket,
            name: &new.name,
            version: "1",
            owner: new.owner.as_deref(),
            metadata: &announced,
            user_metadata: user_metadata.as_deref(),
        };
        objects::test_write(self.db(), &caller.doing(operation), new.mode, &write).await
    }

    /// The same, where a body follows for a bucket that is there. Of the service role nothing is asked that writing the row
    /// will not answer, which is done as this role: what it uploads is only kept from being stored in vain.
    pub(crate) async fn test_body(
        &self,
        caller: &Caller,
        operation: &'static str,
        new: &NewObject,
        content_length: Option<u64>,
    ) -> Result<()> {
        if !caller.is_service(self.config()) {
            return self
                .test_upload(caller, operation, new, content_length)
                .await;
        }
        let is_small = content_length.is_some_and(|length| length <= STORED_IN_VAIN);
        if new.mode == Mode::Upsert || is_small {
            return Ok(());
        }
        match objects::find(self.db(), &new.bucket, &new.name).await {
            Ok(_) => Err(Error::key_exists(&new.name)),
            Err(error) if error.code == "NoSuchKey" => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Stores a body whose upload is permitted, and writes its row as the service.
    pub(crate) async fn store(
        &self,
        caller: &Caller,
        operation: &'static str,
        kind: UploadType,
        new: NewObject,
        body: Incoming,
        limit: u64,
    ) -> Result<Uploaded> {
        let version = Uuid::new_v4().to_string();
        let path = self
            .locator()
            .object(&new.bucket, &new.name, Some(&version));
        let headers = BlobHeaders {
            content_type: &new.content_type,
            cache_control: &new.cache_control,
        };
        let stored = self.blobs().write(&path, headers, body, limit).await?;
        self.finish(caller, operation, kind, new, &version, &stored)
            .await
    }

    /// Writes the row of a blob that is there. Whatever happens to the request, this is not given up half-way: who
    /// goes away now will find the object, or an error will have removed the blob.
    pub(crate) async fn finish(
        &self,
        caller: &Caller,
        operation: &'static str,
        kind: UploadType,
        new: NewObject,
        version: &str,
        stored: &Stored,
    ) -> Result<Uploaded> {
        let finishing = Finishing {
            app: self.clone(),
            service: self.service_for(caller),
            operation,
            kind,
            version: version.to_owned(),
            stored: stored.clone(),
            new,
            since: Instant::now(),
        };
        let finished = tokio::spawn(finishing.run()).await;
        finished.unwrap_or_else(|error| {
            tracing::error!(%error, "an upload could not be finished");
            Err(Error::internal())
        })
    }
}

struct Finishing {
    app: App,
    service: Caller,
    operation: &'static str,
    kind: UploadType,
    version: String,
    stored: Stored,
    new: NewObject,
    since: Instant,
}

impl Finishing {
    async fn run(self) -> Result<Uploaded> {
        let (app, new) = (&self.app, &self.new);
        let metadata = Value::Object(metadata(new, &self.stored)).to_string();
        // Only resumable uploads tell nothing said from an empty map.
        let nothing = (self.kind != UploadType::Resumable).then(|| "{}".to_owned());
        let user_metadata = new.user_metadata_json().or(nothing);
        let write = Write {
            bucket: &new.bucket,
            name: &new.name,
            version: &self.version,
            owner: new.owner.as_deref(),
            metadata: &metadata,
            user_metadata: user_metadata.as_deref(),
        };
        let service = self.service.doing(self.operation);
        let path = |version: Option<&str>| app.locator().object(&new.bucket, &new.name, version);
        let notice = |written: &objects::Written| {
            let is_put = new.mode == Mode::Upsert && written.replaced.is_some();
            let event = Event {
                kind: if is_put {
                    Kind::CreatedPut
                } else {
                    Kind::CreatedPost
                },
                bucket: &new.bucket,
                name: &new.name,
                version: Some(&self.version),
                metadata: Some(&metadata),
                upload_type: Some(self.kind.text()),
                old: None,
            };
            app.notice(&self.service, [event])
        };
        let notice = app.noticing(&notice);
        let written = match self.still_fresh() {
            Ok(()) => objects::write(app.db(), &service, new.mode, &write, notice).await,
            Err(error) => Err(error),
        };
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                // Unless nobody knows whether it was written: then the sweep decides, by the row.
                if error.status != 500 {
                    app.blobs().delete(vec![path(Some(&self.version))]).await;
                }
                return Err(error);
            }
        };
        app.bell().ring();
        app.metrics().uploaded(self.kind);
        if let Some(old) = &written.replaced {
            app.blobs().delete(vec![path(old.version.as_deref())]).await;
        }
        Ok(Uploaded {
            object: written.object,
            etag: self.stored.etag,
        })
    }

    /// The sweep removes blobs without a row that are older than its grace. A process that was stopped for so long
    /// must not write a row for a blob that may be gone.
    fn still_fresh(&self) -> Result<()> {
        let grace = self.app.config().sweep_grace;
        if grace > Duration::ZERO && self.since.elapsed() > grace / 2 {
            return Err(Error::internal());
        }
        Ok(())
    }
}
