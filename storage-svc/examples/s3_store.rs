//! An S3 store in memory, in place of the one that `compose.yaml` has: `s3_store blobs` serves the bucket `blobs` on a
//! free port of loopback to whoever has `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`, and prints its address. With a
//! folder behind the bucket, the files in it are the bucket's first objects.
//!
//! The protocol (signatures, XML, names of errors) is s3s's. Its own store of files, s3s-fs, keeps what it notes of an
//! object in a file with the object's whole name, which is more than a file system takes for many of ours.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    net::{Ipv4Addr, SocketAddr},
    ops::Bound,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use anyhow::Context as _;
use async_trait::async_trait;
use bytes::{Bytes, BytesMut};
use futures_util::TryStreamExt as _;
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use md5::{Digest as _, Md5};
use s3s::{
    Body, S3, S3Request, S3Response, S3Result,
    auth::SimpleAuth,
    dto::{
        AbortMultipartUploadInput, AbortMultipartUploadOutput, CompleteMultipartUploadInput,
        CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput, CopyObjectResult,
        CopySource, CreateMultipartUploadInput, CreateMultipartUploadOutput, DeleteObjectInput,
        DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput, DeletedObject, ETag,
        GetObjectInput, GetObjectOutput, HeadBucketInput, HeadBucketOutput, HeadObjectInput,
        HeadObjectOutput, ListObjectsV2Input, ListObjectsV2Output, MetadataDirective, Object,
        PutObjectInput, PutObjectOutput, StreamingBlob, Timestamp, UploadPartInput,
        UploadPartOutput,
    },
    s3_error,
    service::S3ServiceBuilder,
};
use tokio::net::TcpListener;
use uuid::Uuid;

/// S3's: all parts of an upload but the last have so much.
const SMALLEST_PART: usize = 5 * 1024 * 1024;
/// S3's: so many objects are listed at a time.
const PAGE: usize = 1000;

/// What is kept with an object and given back with it.
#[derive(Clone)]
struct Headers {
    content_type: Option<String>,
    cache_control: Option<String>,
}

#[derive(Clone)]
struct Blob {
    bytes: Bytes,
    headers: Headers,
    tag: String,
    since: SystemTime,
}

impl Blob {
    fn new(bytes: Bytes, headers: Headers, tag: String) -> Self {
        Self {
            bytes,
            headers,
            tag,
            since: SystemTime::now(),
        }
    }

    fn tag(&self) -> ETag {
        ETag::Strong(self.tag.clone())
    }
}

struct Upload {
    key: String,
    headers: Headers,
    parts: BTreeMap<i32, Bytes>,
}

struct Kept {
    blobs: BTreeMap<String, Blob>,
    uploads: HashMap<String, Upload>,
}

/// One bucket.
struct Store {
    bucket: String,
    kept: Mutex<Kept>,
}

impl Store {
    /// What the bucket has, if it is this one.
    fn kept(&self, bucket: &str) -> S3Result<MutexGuard<'_, Kept>> {
        if bucket != self.bucket {
            return Err(s3_error!(NoSuchBucket));
        }
        Ok(self.kept.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn blob(&self, bucket: &str, key: &str) -> S3Result<Blob> {
        let kept = self.kept(bucket)?;
        let blob = kept.blobs.get(key).cloned();
        blob.ok_or_else(|| s3_error!(NoSuchKey))
    }
}

impl Kept {
    /// The upload of this id, if it is this object's.
    fn upload(&mut self, id: &str, key: &str) -> S3Result<&mut Upload> {
        let upload = self.uploads.get_mut(id).filter(|upload| upload.key == key);
        upload.ok_or_else(|| s3_error!(NoSuchUpload))
    }
}

/// The files of a folder, by the names that they have below it.
fn files(folder: &Path) -> anyhow::Result<BTreeMap<String, Blob>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).with_context(|| inner.display().to_string())? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let key = path.strip_prefix(folder)?.to_str().context("a name")?;
            let bytes = Bytes::from(fs::read(&path)?);
            let headers = Headers {
                content_type: None,
                cache_control: None,
            };
            let tag = md5(&bytes);
            found.insert(key.to_owned(), Blob::new(bytes, headers, tag));
        }
    }
    Ok(found)
}

async fn collect(body: Option<StreamingBlob>) -> S3Result<Bytes> {
    let Some(body) = body else {
        return Ok(Bytes::new());
    };
    let bytes = body.try_fold(BytesMut::new(), async |mut all, chunk| {
        all.extend_from_slice(&chunk);
        Ok(all)
    });
    match bytes.await {
        Ok(bytes) => Ok(bytes.freeze()),
        Err(error) => Err(s3_error!(IncompleteBody, "{error}")),
    }
}

fn md5(bytes: &[u8]) -> String {
    hex::encode(Md5::digest(bytes))
}

fn length(bytes: &Bytes) -> i64 {
    i64::try_from(bytes.len()).unwrap_or(i64::MAX)
}

#[async_trait]
impl S3 for Store {
    async fn head_bucket(
        &self,
        request: S3Request<HeadBucketInput>,
    ) -> S3Result<S3Response<HeadBucketOutput>> {
        drop(self.kept(&request.input.bucket)?);
        Ok(S3Response::new(HeadBucketOutput::default()))
    }

    async fn put_object(
        &self,
        request: S3Request<PutObjectInput>,
    ) -> S3Result<S3Response<PutObjectOutput>> {
        let input = request.input;
        let bytes = collect(input.body).await?;
        let headers = Headers {
            content_type: input.content_type,
            cache_control: input.cache_control,
        };
        let tag = md5(&bytes);
        let blob = Blob::new(bytes, headers, tag);
        let output = PutObjectOutput {
            e_tag: Some(blob.tag()),
            ..PutObjectOutput::default()
        };
        self.kept(&input.bucket)?.blobs.insert(input.key, blob);
        Ok(S3Response::new(output))
    }

    async fn get_object(
        &self,
        request: S3Request<GetObjectInput>,
    ) -> S3Result<S3Response<GetObjectOutput>> {
        let input = request.input;
        let blob = self.blob(&input.bucket, &input.key)?;
        let (bytes, content_range) = match input.range {
            None => (blob.bytes.clone(), None),
            Some(range) => {
                let all = blob.bytes.len();
                let range = range.check(all as u64)?;
                let text = format!("bytes {}-{}/{all}", range.start, range.end - 1);
                let within = |end: u64| usize::try_from(end).map_or(all, |end| end.min(all));
                let part = blob.bytes.slice(within(range.start)..within(range.end));
                (part, Some(text))
            }
        };
        Ok(S3Response::new(GetObjectOutput {
            content_length: Some(length(&bytes)),
            content_range,
            body: Some(StreamingBlob::from(Body::from(bytes))),
            e_tag: Some(blob.tag()),
            last_modified: Some(Timestamp::from(blob.since)),
            content_type: blob.headers.content_type,
            cache_control: blob.headers.cache_control,
            ..GetObjectOutput::default()
        }))
    }

    async fn head_object(
        &self,
        request: S3Request<HeadObjectInput>,
    ) -> S3Result<S3Response<HeadObjectOutput>> {
        let blob = self.blob(&request.input.bucket, &request.input.key)?;
        Ok(S3Response::new(HeadObjectOutput {
            content_length: Some(length(&blob.bytes)),
            e_tag: Some(blob.tag()),
            last_modified: Some(Timestamp::from(blob.since)),
            content_type: blob.headers.content_type,
            cache_control: blob.headers.cache_control,
            ..HeadObjectOutput::default()
        }))
    }

    async fn copy_object(
        &self,
        request: S3Request<CopyObjectInput>,
    ) -> S3Result<S3Response<CopyObjectOutput>> {
        let input = request.input;
        let CopySource::Bucket { bucket, key, .. } = input.copy_source else {
            return Err(s3_error!(NotImplemented));
        };
        let from = self.blob(&bucket, &key)?;
        let replace = input
            .metadata_directive
            .is_some_and(|directive| directive.as_str() == MetadataDirective::REPLACE);
        let headers = if replace {
            Headers {
                content_type: input.content_type,
                cache_control: input.cache_control,
            }
        } else {
            from.headers
        };
        let to = Blob::new(from.bytes, headers, from.tag);
        let result = CopyObjectResult {
            e_tag: Some(to.tag()),
            last_modified: Some(Timestamp::from(to.since)),
            ..CopyObjectResult::default()
        };
        self.kept(&input.bucket)?.blobs.insert(input.key, to);
        Ok(S3Response::new(CopyObjectOutput {
            copy_object_result: Some(result),
            ..CopyObjectOutput::default()
        }))
    }

    async fn delete_object(
        &self,
        request: S3Request<DeleteObjectInput>,
    ) -> S3Result<S3Response<DeleteObjectOutput>> {
        let input = request.input;
        self.kept(&input.bucket)?.blobs.remove(&input.key);
        Ok(S3Response::new(DeleteObjectOutput::default()))
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let input = request.input;
        let mut kept = self.kept(&input.bucket)?;
        let deleted = input.delete.objects.into_iter().map(|object| {
            kept.blobs.remove(&object.key);
            DeletedObject {
                key: Some(object.key),
                ..DeletedObject::default()
            }
        });
        Ok(S3Response::new(DeleteObjectsOutput {
            deleted: Some(deleted.collect()),
            ..DeleteObjectsOutput::default()
        }))
    }

    async fn list_objects_v2(
        &self,
        request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        let input = request.input;
        if input
            .delimiter
            .as_deref()
            .is_some_and(|text| !text.is_empty())
        {
            return Err(s3_error!(
                NotImplemented,
                "a listing by folders is not kept here"
            ));
        }
        let prefix = input.prefix.unwrap_or_default();
        let page = input
            .max_keys
            .and_then(|keys| usize::try_from(keys).ok())
            .map_or(PAGE, |keys| keys.min(PAGE));
        let after = input.continuation_token.or(input.start_after);
        let from = match &after {
            Some(key) if *key >= prefix => Bound::Excluded(key.as_str()),
            _ => Bound::Included(prefix.as_str()),
        };
        let kept = self.kept(&input.bucket)?;
        let mut rest = kept
            .blobs
            .range::<str, _>((from, Bound::Unbounded))
            .take_while(|(key, _)| key.starts_with(&prefix));
        let contents: Vec<_> = rest
            .by_ref()
            .take(page)
            .map(|(key, blob)| Object {
                key: Some(key.clone()),
                size: Some(length(&blob.bytes)),
                e_tag: Some(blob.tag()),
                last_modified: Some(Timestamp::from(blob.since)),
                ..Object::default()
            })
            .collect();
        let is_truncated = page > 0 && rest.next().is_some();
        let last = contents.last().and_then(|object| object.key.clone());
        Ok(S3Response::new(ListObjectsV2Output {
            name: Some(input.bucket),
            prefix: Some(prefix),
            key_count: i32::try_from(contents.len()).ok(),
            max_keys: i32::try_from(page).ok(),
            is_truncated: Some(is_truncated),
            next_continuation_token: last.filter(|_| is_truncated),
            contents: Some(contents),
            ..ListObjectsV2Output::default()
        }))
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        let input = request.input;
        let id = Uuid::new_v4().to_string();
        let upload = Upload {
            key: input.key.clone(),
            headers: Headers {
                content_type: input.content_type,
                cache_control: input.cache_control,
            },
            parts: BTreeMap::new(),
        };
        self.kept(&input.bucket)?.uploads.insert(id.clone(), upload);
        Ok(S3Response::new(CreateMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            upload_id: Some(id),
            ..CreateMultipartUploadOutput::default()
        }))
    }

    async fn upload_part(
        &self,
        request: S3Request<UploadPartInput>,
    ) -> S3Result<S3Response<UploadPartOutput>> {
        let input = request.input;
        let bytes = collect(input.body).await?;
        let tag = md5(&bytes);
        let mut kept = self.kept(&input.bucket)?;
        let upload = kept.upload(&input.upload_id, &input.key)?;
        upload.parts.insert(input.part_number, bytes);
        Ok(S3Response::new(UploadPartOutput {
            e_tag: Some(ETag::Strong(tag)),
            ..UploadPartOutput::default()
        }))
    }

    async fn complete_multipart_upload(
        &self,
        request: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let input = request.input;
        let asked = input.multipart_upload.and_then(|upload| upload.parts);
        let asked = asked.unwrap_or_default();
        let mut kept = self.kept(&input.bucket)?;
        let upload = kept.upload(&input.upload_id, &input.key)?;
        let mut bytes = BytesMut::new();
        let mut tags = Md5::new();
        let mut number = 0;
        let count = asked.len();
        for (index, part) in asked.into_iter().enumerate() {
            let next = part.part_number.unwrap_or_default();
            if next <= number {
                return Err(s3_error!(InvalidPartOrder));
            }
            number = next;
            let sent = upload.parts.get(&number);
            let sent = sent.ok_or_else(|| s3_error!(InvalidPart))?;
            let digest = Md5::digest(sent);
            let tag = part.e_tag.map(ETag::into_value);
            if tag.is_some_and(|tag| tag != hex::encode(digest)) {
                return Err(s3_error!(InvalidPart));
            }
            if sent.len() < SMALLEST_PART && index + 1 < count {
                return Err(s3_error!(EntityTooSmall));
            }
            tags.update(digest);
            bytes.extend_from_slice(sent);
        }
        if count == 0 {
            return Err(s3_error!(MalformedXML));
        }
        let tag = format!("{}-{count}", hex::encode(tags.finalize()));
        let blob = Blob::new(bytes.freeze(), upload.headers.clone(), tag);
        let e_tag = Some(blob.tag());
        kept.uploads.remove(&input.upload_id);
        kept.blobs.insert(input.key.clone(), blob);
        Ok(S3Response::new(CompleteMultipartUploadOutput {
            bucket: Some(input.bucket),
            key: Some(input.key),
            e_tag,
            ..CompleteMultipartUploadOutput::default()
        }))
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        let input = request.input;
        let mut kept = self.kept(&input.bucket)?;
        kept.upload(&input.upload_id, &input.key)?;
        kept.uploads.remove(&input.upload_id);
        Ok(S3Response::new(AbortMultipartUploadOutput::default()))
    }
}

#[tokio::main]
#[expect(clippy::print_stdout, reason = "whoever starts it reads the address")]
async fn main() -> anyhow::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let bucket = arguments.next().context("which bucket?")?;
    let blobs = arguments.next().map(|folder| files(Path::new(&folder)));
    let id = std::env::var("AWS_ACCESS_KEY_ID").context("AWS_ACCESS_KEY_ID")?;
    let secret = std::env::var("AWS_SECRET_ACCESS_KEY").context("AWS_SECRET_ACCESS_KEY")?;
    let mut builder = S3ServiceBuilder::new(Store {
        bucket,
        kept: Mutex::new(Kept {
            blobs: blobs.transpose()?.unwrap_or_default(),
            uploads: HashMap::new(),
        }),
    });
    builder.set_auth(SimpleAuth::from_single(id, secret.as_str()));
    let service = builder.build();
    let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
    println!("ready http://{}", listener.local_addr()?);
    let server = Arc::new(Builder::new(TokioExecutor::new()));
    loop {
        let (socket, _) = listener.accept().await?;
        socket.set_nodelay(true)?;
        let (server, service) = (Arc::clone(&server), service.clone());
        tokio::spawn(async move {
            let _ = server.serve_connection(TokioIo::new(socket), service).await;
        });
    }
}
