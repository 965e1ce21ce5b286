//! Copying, moving and removing.

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use uuid::Uuid;

use super::{
    events::{Event, Kind, OldObject},
    upload::UploadType,
};
use crate::{
    App,
    auth::Caller,
    blobs::BlobHeaders,
    error::{Error, Result},
    store::{
        objects::{self, Mode, Object, Target, Write},
        values::iso,
    },
};

/// How often a move begins anew when its source was replaced meanwhile.
const MOVE_TRIES: usize = 5;
/// How many objects one transaction removes.
const BATCH: usize = 500;

/// A copy that is to be made.
#[derive(Debug)]
pub(crate) struct Copy<'a> {
    pub(crate) from: (&'a str, &'a str),
    pub(crate) to: (&'a str, &'a str),
    pub(crate) mode: Mode,
    /// Whether all of the source's metadata goes with it.
    pub(crate) with_metadata: bool,
    /// Whether of a source whose metadata does not go with it the type and cache control still do.
    pub(crate) keep_unsaid: bool,
    pub(crate) cache_control: Option<&'a str>,
    pub(crate) mimetype: Option<&'a str>,
    pub(crate) user_metadata: Option<Map<String, Value>>,
    pub(crate) kind: UploadType,
}

fn text<'a>(metadata: &'a Map<String, Value>, name: &str) -> Option<&'a str> {
    metadata.get(name).and_then(Value::as_str)
}

impl App {
    /// Copies an object as the caller; gives the new row.
    pub(crate) async fn copy_object(
        &self,
        caller: &Caller,
        operation: &'static str,
        copy: Copy<'_>,
    ) -> Result<Object> {
        let (from_bucket, from_name) = copy.from;
        let (bucket, name) = copy.to;
        self.config().key_rules.check(name)?;
        let user = caller.doing(operation);
        let source = objects::find_as(self.db(), &user, from_bucket, from_name).await?;
        let mut metadata = source.metadata_map();
        let user_metadata = if copy.with_metadata {
            source.user_metadata.clone()
        } else {
            if !copy.keep_unsaid {
                metadata.remove("cacheControl");
                metadata.remove("mimetype");
            }
            for (name, value) in [
                ("cacheControl", copy.cache_control),
                ("mimetype", copy.mimetype),
            ] {
                if let Some(value) = value {
                    metadata.insert(name.to_owned(), value.into());
                }
            }
            copy.user_metadata.map(|map| Value::Object(map).to_string())
        };
        let announced = Value::Object(metadata.clone()).to_string();
        let tested = Write {
            bucket,
            name,
            version: "1",
            owner: caller.subject(),
            metadata: &announced,
            user_metadata: user_metadata.as_deref(),
        };
        objects::test_write(self.db(), &user, copy.mode, &tested).await?;
        let version = Uuid::new_v4().to_string();
        let headers = BlobHeaders {
            content_type: text(&metadata, "mimetype").unwrap_or("application/octet-stream"),
            cache_control: text(&metadata, "cacheControl").unwrap_or("no-cache"),
        };
        let headers = (!copy.with_metadata).then_some(headers);
        let from = self
            .locator()
            .object(from_bucket, from_name, source.version.as_deref());
        let to = self.locator().object(bucket, name, Some(&version));
        if !self.blobs().copy(&from, &to, headers).await? {
            return Err(Error::no_such_key(from_name));
        }
        metadata.insert("lastModified".to_owned(), iso(Utc::now()).into());
        let metadata = Value::Object(metadata).to_string();
        let write = Write {
            version: &version,
            metadata: &metadata,
            ..tested
        };
        let notice = |_: &objects::Written| {
            let event = Event {
                kind: Kind::CreatedCopy,
                bucket,
                name,
                version: Some(&version),
                metadata: Some(&metadata),
                upload_type: Some(copy.kind.text()),
                old: None,
            };
            self.notice(caller, [event])
        };
        let notice = self.noticing(&notice);
        let service = self.service_for(caller).doing(operation);
        let written = objects::write(self.db(), &service, copy.mode, &write, notice).await;
        let written = match written {
            Ok(written) => written,
            Err(error) => {
                if error.status != 500 {
                    self.blobs().delete(vec![to]).await;
                }
                return Err(error);
            }
        };
        self.bell().ring();
        if let Some(old) = &written.replaced {
            let old = self.locator().object(bucket, name, old.version.as_deref());
            self.blobs().delete(vec![old]).await;
        }
        Ok(written.object)
    }

    /// Moves an object as the caller.
    pub(crate) async fn move_object(
        &self,
        caller: &Caller,
        operation: &'static str,
        from: (&str, &str),
        to: (&str, &str),
    ) -> Result<()> {
        self.config().key_rules.check(to.1)?;
        let user = caller.doing(operation);
        let version = Uuid::new_v4().to_string();
        let target = Target {
            bucket: to.0,
            name: to.1,
            version: &version,
            owner: caller.subject(),
        };
        objects::test_move(self.db(), &user, from.0, from.1, &target).await?;
        if from == to {
            return Ok(());
        }
        let service = self.service_for(caller).doing(operation);
        let destination = self.locator().object(to.0, to.1, Some(&version));
        for _ in 0..MOVE_TRIES {
            let source = objects::find(self.db(), from.0, from.1).await?;
            let origin = self
                .locator()
                .object(from.0, from.1, source.version.as_deref());
            if !self.blobs().copy(&origin, &destination, None).await? {
                // Replaced between the two, or never there.
                let now = objects::find(self.db(), from.0, from.1).await?;
                if now.version == source.version {
                    return Err(Error::blob_gone(from.1));
                }
                continue;
            }
            let metadata = self.metadata_of(&source, &destination).await?;
            let notice = |moved: &bool| {
                let events = moved.then(|| moving(&source, &target, &metadata));
                self.notice(caller, events.into_iter().flatten())
            };
            let notice = self.noticing(&notice);
            let moved =
                objects::move_to(self.db(), &service, &source, &target, &metadata, notice).await;
            match moved {
                Ok(true) => {
                    self.bell().ring();
                    self.blobs().delete(vec![origin]).await;
                    return Ok(());
                }
                Ok(false) => self.blobs().delete(vec![destination.clone()]).await,
                Err(error) => {
                    if error.status != 500 {
                        self.blobs().delete(vec![destination]).await;
                    }
                    return Err(error);
                }
            }
        }
        Err(Error::lock_timeout())
    }

    /// The metadata of an object whose blob is now another.
    async fn metadata_of(&self, source: &Object, blob: &crate::blobs::BlobPath) -> Result<String> {
        let mut metadata = source.metadata_map();
        if !metadata.contains_key("size")
            && let Some(info) = self.blobs().info(blob).await?
        {
            // A row that somebody wrote by hand.
            metadata.insert("size".to_owned(), info.size.into());
            metadata.insert("contentLength".to_owned(), info.size.into());
            if let Some(kind) = info.content_type {
                metadata.entry("mimetype").or_insert(kind.into());
            }
            if let Some(cache) = info.cache_control {
                metadata.entry("cacheControl").or_insert(cache.into());
            }
        }
        metadata.insert("lastModified".to_owned(), iso(Utc::now()).into());
        Ok(Value::Object(metadata).to_string())
    }

    /// Removes one object as the caller.
    pub(crate) async fn delete_object(
        &self,
        caller: &Caller,
        operation: &'static str,
        bucket: &str,
        name: &str,
    ) -> Result<()> {
        let user = caller.doing(operation);
        let notice =
            |deleted: &Vec<Object>| self.notice(caller, deleted.iter().map(Event::removed));
        let notice = self.noticing(&notice);
        let deleted = objects::delete(self.db(), &user, bucket, name, notice).await?;
        self.forget(&[deleted]).await;
        Ok(())
    }

    /// Removes what of these objects is there and the caller may remove; gives their rows.
    pub(crate) async fn delete_objects(
        &self,
        caller: &Caller,
        operation: &'static str,
        bucket: &str,
        names: &[String],
    ) -> Result<Vec<Object>> {
        let user = caller.doing(operation);
        let notice =
            |deleted: &Vec<Object>| self.notice(caller, deleted.iter().map(Event::removed));
        let notice = self.noticing(&notice);
        let mut all = Vec::new();
        for batch in names.chunks(BATCH) {
            let deleted = objects::delete_many(self.db(), &user, bucket, batch, notice).await?;
            self.forget(&deleted).await;
            all.extend(deleted);
        }
        Ok(all)
    }

    /// Removes every object of a bucket that was made before a time.
    pub(crate) async fn empty_bucket(
        &self,
        caller: &Caller,
        operation: &'static str,
        bucket: &str,
        before: DateTime<Utc>,
    ) -> Result<()> {
        let notice =
            |deleted: &Vec<Object>| self.notice(caller, deleted.iter().map(Event::removed));
        let notice = self.noticing(&notice);
        let service = self.service_for(caller).doing(operation);
        loop {
            let limit = u32::try_from(BATCH).unwrap_or(u32::MAX);
            let deleted =
                objects::delete_before(self.db(), &service, bucket, before, limit, notice).await?;
            if deleted.is_empty() {
                return Ok(());
            }
            self.forget(&deleted).await;
        }
    }

    /// Removes the blobs of rows that are gone. Should this not come to pass, the sweep will do it.
    async fn forget(&self, deleted: &[Object]) {
        self.bell().ring();
        let path = |object: &Object| {
            self.locator()
                .object(&object.bucket, &object.name, object.version.as_deref())
        };
        self.blobs()
            .delete(deleted.iter().map(path).collect())
            .await;
    }
}

/// What a move is told as: gone from where it was, and there where it is.
fn moving<'a>(source: &'a Object, target: &Target<'a>, metadata: &'a str) -> [Event<'a>; 2] {
    let removed = Event {
        kind: Kind::RemovedMove,
        ..Event::removed(source)
    };
    let created = Event {
        kind: Kind::CreatedMove,
        bucket: target.bucket,
        name: target.name,
        version: Some(target.version),
        metadata: Some(metadata),
        upload_type: Some(UploadType::Standard.text()),
        old: Some(OldObject {
            bucket: &source.bucket,
            name: &source.name,
            version: source.version.as_deref(),
        }),
    };
    [removed, created]
}
