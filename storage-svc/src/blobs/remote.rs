//! Blobs in a bucket of S3, Google Cloud Storage or Azure.

use std::{ops::Range, sync::Arc};

use anyhow::Context as _;
use bytes::{Bytes, BytesMut};
use chrono::Utc;
use futures_util::{StreamExt as _, TryStreamExt as _, stream::BoxStream};
use md5::{Digest as _, Md5};
use object_store::{
    Attribute, AttributeValue, Attributes, Error as StoreError, GetOptions, GetRange,
    MultipartUpload as _, ObjectStore, ObjectStoreExt as _, PutMultipartOptions, PutOptions,
    PutPayload, aws::AmazonS3Builder, azure::MicrosoftAzureBuilder, gcp::GoogleCloudStorageBuilder,
    path::Path,
};
use secrecy::ExposeSecret as _;

use super::{
    BlobHeaders, BlobInfo, BlobPath, Content, Found, Incoming, Stored, failed, local::hex,
};
use crate::{config::Backend, error::Result};

/// What is sent at a time; a blob that is not longer is sent whole. Multiparts of S3 have at least 5 MiB.
const PART: usize = 8 * 1024 * 1024;
/// Up to here what is read is collected.
const WHOLE: u64 = 256 * 1024;

/// A bucket.
#[derive(Clone, Debug)]
pub(crate) struct Remote(Arc<dyn ObjectStore>);

impl Remote {
    pub(super) fn open(backend: &Backend, bucket: &str) -> anyhow::Result<Self> {
        let store: Arc<dyn ObjectStore> = match backend {
            Backend::S3 {
                endpoint,
                region,
                path_style,
                credentials,
            } => {
                let mut builder = AmazonS3Builder::new()
                    .with_bucket_name(bucket)
                    .with_region(region)
                    .with_virtual_hosted_style_request(!path_style);
                if let Some(endpoint) = endpoint {
                    builder = builder
                        .with_endpoint(endpoint)
                        .with_allow_http(endpoint.starts_with("http://"));
                }
                if let Some((id, secret)) = credentials {
                    builder = builder
                        .with_access_key_id(id)
                        .with_secret_access_key(secret.expose_secret());
                }
                Arc::new(builder.build().context("the S3 backend")?)
            }
            Backend::Gcs { service_account } => {
                let mut builder = GoogleCloudStorageBuilder::new().with_bucket_name(bucket);
                if let Some(path) = service_account {
                    builder = builder.with_service_account_path(path);
                }
                Arc::new(builder.build().context("the GCS backend")?)
            }
            Backend::Azure {
                account,
                key,
                endpoint,
            } => {
                let mut builder = MicrosoftAzureBuilder::new()
                    .with_account(account)
                    .with_container_name(bucket);
                if let Some(key) = key {
                    builder = builder.with_access_key(key.expose_secret());
                }
                if let Some(endpoint) = endpoint {
                    builder = builder
                        .with_endpoint(endpoint.clone())
                        .with_allow_http(endpoint.starts_with("http://"));
                }
                Arc::new(builder.build().context("the Azure backend")?)
            }
            Backend::File { .. } => anyhow::bail!("files are no object store"),
        };
        Ok(Self(store))
    }

    pub(super) async fn write(
        &self,
        path: &BlobPath,
        headers: BlobHeaders<'_>,
        mut body: Incoming,
    ) -> Result<Stored> {
        let path = Path::from(path.as_str());
        let attributes = attributes(headers);
        let mut hash = Md5::new();
        let mut size = 0;
        let mut buffer = BytesMut::new();
        let mut upload = None;
        let outcome = loop {
            let chunk = match body.try_next().await {
                Ok(chunk) => chunk,
                Err(error) => break Err(error),
            };
            if let Some(chunk) = &chunk {
                hash.update(chunk);
                size += u64::try_from(chunk.len()).unwrap_or(u64::MAX);
                buffer.extend_from_slice(chunk);
                if buffer.len() < PART {
                    continue;
                }
            }
            let payload = PutPayload::from(buffer.split().freeze());
            let sent = match (&mut upload, chunk.is_none()) {
                (None, true) => {
                    let options = PutOptions {
                        attributes: attributes.clone(),
                        ..PutOptions::default()
                    };
                    self.0.put_opts(&path, payload, options).await.map(drop)
                }
                (None, false) => {
                    let options = PutMultipartOptions {
                        attributes: attributes.clone(),
                        ..PutMultipartOptions::default()
                    };
                    match self.0.put_multipart_opts(&path, options).await {
                        Ok(started) => upload.insert(started).put_part(payload).await,
                        Err(error) => Err(error),
                    }
                }
                (Some(upload), is_last) => {
                    let sent = if payload.content_length() > 0 {
                        upload.put_part(payload).await
                    } else {
                        Ok(())
                    };
                    match sent {
                        Ok(()) if is_last => upload.complete().await.map(drop),
                        other => other,
                    }
                }
            };
            match sent {
                Ok(()) if chunk.is_none() => break Ok(()),
                Ok(()) => {}
                Err(error) => break Err(failed("write", &error)),
            }
        };
        match outcome {
            Ok(()) => Ok(Stored {
                size,
                etag: format!("\"{}\"", hex(&hash.finalize())),
                last_modified: Utc::now(),
            }),
            Err(error) => {
                if let Some(mut upload) = upload {
                    let _ = upload.abort().await;
                }
                Err(error)
            }
        }
    }

    pub(super) async fn read(
        &self,
        path: &BlobPath,
        range: Option<Range<u64>>,
    ) -> Result<Option<Content>> {
        if range.as_ref().is_some_and(Range::is_empty) {
            return Ok(Some(Content::Whole(Bytes::new())));
        }
        let options = GetOptions {
            range: range.map(GetRange::Bounded),
            ..GetOptions::default()
        };
        match self.0.get_opts(&Path::from(path.as_str()), options).await {
            Ok(found) if found.range.end - found.range.start <= WHOLE => {
                let bytes = found
                    .bytes()
                    .await
                    .map_err(|error| failed("read", &error))?;
                Ok(Some(Content::Whole(bytes)))
            }
            Ok(found) => Ok(Some(Content::Stream(Box::pin(
                found.into_stream().map_err(std::io::Error::other),
            )))),
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("read", &error)),
        }
    }

    pub(super) async fn info(&self, path: &BlobPath) -> Result<Option<BlobInfo>> {
        let options = GetOptions {
            head: true,
            ..GetOptions::default()
        };
        match self.0.get_opts(&Path::from(path.as_str()), options).await {
            Ok(found) => {
                let text = |attribute| {
                    let value = found.attributes.get(&attribute)?;
                    Some(AttributeValue::as_ref(value).to_owned())
                };
                Ok(Some(BlobInfo {
                    size: found.meta.size,
                    last_modified: found.meta.last_modified,
                    content_type: text(Attribute::ContentType),
                    cache_control: text(Attribute::CacheControl),
                }))
            }
            Err(StoreError::NotFound { .. }) => Ok(None),
            Err(error) => Err(failed("look at", &error)),
        }
    }

    /// The store copies by itself, unless the headers are to be others: then the bytes pass through here.
    pub(super) async fn copy(
        &self,
        from: &BlobPath,
        to: &BlobPath,
        headers: Option<BlobHeaders<'_>>,
    ) -> Result<bool> {
        if let Some(headers) = headers {
            let Some(old) = self.info(from).await? else {
                return Ok(false);
            };
            let is_same = old.content_type.as_deref() == Some(headers.content_type)
                && old.cache_control.as_deref() == Some(headers.cache_control);
            if !is_same {
                let Some(content) = self.read(from, None).await? else {
                    return Ok(false);
                };
                let body = content.into_stream();
                let body = Box::pin(body.map_err(|error| failed("read", &error)));
                self.write(to, headers, body).await?;
                return Ok(true);
            }
        }
        let (from, to) = (Path::from(from.as_str()), Path::from(to.as_str()));
        match self.0.copy(&from, &to).await {
            Ok(()) => Ok(true),
            Err(StoreError::NotFound { .. }) => Ok(false),
            Err(error) => Err(failed("copy", &error)),
        }
    }

    pub(super) async fn delete(&self, paths: Vec<BlobPath>) {
        let paths = paths.into_iter().map(|path| Ok(Path::from(path.as_str())));
        let stream = futures_util::stream::iter(paths.collect::<Vec<_>>());
        let mut deleted = self.0.delete_stream(Box::pin(stream));
        while let Some(outcome) = deleted.next().await {
            match outcome {
                Ok(_) | Err(StoreError::NotFound { .. }) => {}
                Err(error) => tracing::warn!(%error, "a blob could not be removed"),
            }
        }
    }

    pub(super) fn list(&self, prefix: &str) -> BoxStream<'static, Result<Found>> {
        let prefix = Path::from(prefix);
        let listed = self.0.list(Some(&prefix));
        Box::pin(listed.map(|entry| match entry {
            Ok(meta) => Ok(Found {
                path: BlobPath::listed(decoded(meta.location.as_ref())),
                since: meta.last_modified,
                size: meta.size,
            }),
            Err(error) => Err(failed("list", &error)),
        }))
    }
}

/// The store's paths have some characters percent-encoded, part by part.
fn decoded(path: &str) -> String {
    percent_encoding::percent_decode_str(path)
        .decode_utf8_lossy()
        .into_owned()
}

fn attributes(headers: BlobHeaders<'_>) -> Attributes {
    let mut attributes = Attributes::new();
    attributes.insert(
        Attribute::ContentType,
        headers.content_type.to_owned().into(),
    );
    attributes.insert(
        Attribute::CacheControl,
        headers.cache_control.to_owned().into(),
    );
    attributes
}
