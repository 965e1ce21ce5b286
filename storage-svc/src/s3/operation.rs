//! Which operation a request asks for: by its method, what its path names, and the presence of certain
//! names in its query and headers.

use http::{HeaderMap, Method, header};

use crate::s3::query::Query;

/// What a path below the mount point names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Target {
    /// The service itself.
    Service,
    /// A bucket.
    Bucket(String),
    /// A key in a bucket.
    Object(String, String),
}

impl Target {
    /// From the percent-encoded path below the mount point, with or without its first slash.
    ///
    /// `None` for what names nothing: text that is not UTF-8, or a key without a bucket.
    pub(crate) fn parse(path: &str) -> Option<Self> {
        let path = path.strip_prefix('/').unwrap_or(path);
        let (bucket, key) = path.split_once('/').unwrap_or((path, ""));
        let decode = |text| {
            percent_encoding::percent_decode_str(text)
                .decode_utf8()
                .map(std::borrow::Cow::into_owned)
                .ok()
        };
        let (bucket, key) = (decode(bucket)?, decode(key)?);
        match (bucket.is_empty(), key.is_empty()) {
            (true, true) => Some(Self::Service),
            (true, false) => None,
            (false, true) => Some(Self::Bucket(bucket)),
            (false, false) => Some(Self::Object(bucket, key)),
        }
    }

    /// Whether anything can be asked of it with this method.
    pub(crate) fn takes(&self, method: &Method) -> bool {
        match self {
            Self::Service => *method == Method::GET,
            Self::Bucket(_) | Self::Object(..) => {
                matches!(method.as_str(), "GET" | "HEAD" | "PUT" | "POST" | "DELETE")
            }
        }
    }
}

/// What can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    ListBuckets,
    CreateBucket,
    HeadBucket,
    DeleteBucket,
    GetBucketLocation,
    GetBucketVersioning,
    ListObjects,
    ListObjectsV2,
    ListObjectVersions,
    ListMultipartUploads,
    PostObject,
    DeleteObjects,
    GetObject,
    HeadObject,
    GetObjectTagging,
    PutObject,
    CopyObject,
    DeleteObject,
    CreateMultipartUpload,
    UploadPart,
    UploadPartCopy,
    CompleteMultipartUpload,
    AbortMultipartUpload,
    ListParts,
}

/// Why a request names no operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unrouted {
    /// S3 has it, this service does not.
    NotImplemented(String),
    /// S3 has no such thing either.
    NotFound,
}

/// Query names that turn a request into another one. Taking such a request for the plain one would show or
/// overwrite the object itself, so each is refused unless [`recognise`] knows the combination.
const SUBRESOURCES: [&str; 40] = [
    "abac",
    "accelerate",
    "acl",
    "analytics",
    "attributes",
    "cors",
    "delete",
    "encryption",
    "intelligent-tiering",
    "inventory",
    "legal-hold",
    "lifecycle",
    "location",
    "logging",
    "metadataConfiguration",
    "metadataTable",
    "metrics",
    "notification",
    "object-lock",
    "ownershipControls",
    "partNumber",
    "policy",
    "policyStatus",
    "publicAccessBlock",
    "renameObject",
    "replication",
    "requestPayment",
    "restore",
    "retention",
    "select",
    "select-type",
    "session",
    "tagging",
    "torrent",
    "uploadId",
    "uploads",
    "versionId",
    "versioning",
    "versions",
    "website",
];

impl Operation {
    /// The name that policies see as `storage.operation()`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::ListBuckets => "storage.s3.bucket.list",
            Self::CreateBucket => "storage.s3.bucket.create",
            Self::HeadBucket => "storage.s3.bucket.head",
            Self::DeleteBucket => "storage.s3.bucket.delete",
            Self::GetBucketLocation => "storage.s3.bucket.get_location",
            Self::GetBucketVersioning => "storage.s3.bucket.get_versioning",
            Self::ListObjects | Self::ListObjectsV2 | Self::ListObjectVersions => {
                "storage.s3.object.list"
            }
            Self::ListMultipartUploads => "storage.s3.upload.list_multipart",
            Self::PostObject | Self::PutObject => "storage.s3.upload",
            Self::DeleteObjects => "storage.s3.object.delete_many",
            Self::GetObject => "storage.s3.object.get",
            Self::HeadObject => "storage.s3.object.info",
            Self::GetObjectTagging => "storage.s3.object.get_tagging",
            Self::CopyObject => "storage.s3.object.copy",
            Self::DeleteObject => "storage.s3.object.delete",
            Self::CreateMultipartUpload => "storage.s3.upload.create_multipart",
            Self::UploadPart => "storage.s3.upload.part",
            Self::UploadPartCopy => "storage.s3.upload.part_copy",
            Self::CompleteMultipartUpload => "storage.s3.upload.complete_multipart",
            Self::AbortMultipartUpload => "storage.s3.upload.abort_multipart",
            Self::ListParts => "storage.s3.upload.list_parts",
        }
    }

    /// Query names that belong to this operation although they are listed as subresources.
    const fn own_names(self) -> &'static [&'static str] {
        match self {
            Self::GetBucketLocation => &["location"],
            Self::GetBucketVersioning => &["versioning"],
            Self::ListObjectVersions => &["versions"],
            Self::ListMultipartUploads | Self::CreateMultipartUpload => &["uploads"],
            Self::DeleteObjects => &["delete"],
            Self::GetObjectTagging => &["tagging"],
            Self::UploadPart | Self::UploadPartCopy => &["uploadId", "partNumber"],
            Self::CompleteMultipartUpload | Self::AbortMultipartUpload | Self::ListParts => {
                &["uploadId"]
            }
            _ => &[],
        }
    }
}

/// The operation that a request asks for.
pub(crate) fn route(
    method: &Method,
    target: &Target,
    query: &Query,
    headers: &HeaderMap,
) -> Result<Operation, Unrouted> {
    let recognised = recognise(method, target, query, headers);
    let own = recognised.map_or(&[][..], Operation::own_names);
    let foreign = query.iter().find(|&(name, value)| {
        // Without versions, the only one there is goes by the name "null".
        SUBRESOURCES.contains(&name)
            && !own.contains(&name)
            && (name, value) != ("versionId", "null")
    });
    if let Some((name, _)) = foreign {
        return Err(Unrouted::NotImplemented(format!("{method} ?{name}")));
    }
    if recognised == Some(Operation::PutObject) && headers.contains_key("x-amz-write-offset-bytes")
    {
        return Err(Unrouted::NotImplemented("Appending to an object".into()));
    }
    recognised.ok_or(Unrouted::NotFound)
}

fn recognise(
    method: &Method,
    target: &Target,
    query: &Query,
    headers: &HeaderMap,
) -> Option<Operation> {
    use Operation as Op;
    let form = || {
        headers
            .get(header::CONTENT_TYPE)
            .is_some_and(|value| value.as_bytes().starts_with(b"multipart/form-data"))
    };
    let copied = headers.contains_key("x-amz-copy-source");
    Some(match (target, method.as_str()) {
        (Target::Service, "GET") => Op::ListBuckets,

        (Target::Bucket(_), "PUT") => Op::CreateBucket,
        (Target::Bucket(_), "HEAD") => Op::HeadBucket,
        (Target::Bucket(_), "DELETE") => Op::DeleteBucket,
        (Target::Bucket(_), "GET") if query.has("uploads") => Op::ListMultipartUploads,
        (Target::Bucket(_), "GET") if query.has("location") => Op::GetBucketLocation,
        (Target::Bucket(_), "GET") if query.has("versioning") => Op::GetBucketVersioning,
        (Target::Bucket(_), "GET") if query.has("versions") => Op::ListObjectVersions,
        (Target::Bucket(_), "GET") if query.get("list-type") == Some("2") => Op::ListObjectsV2,
        (Target::Bucket(_), "GET") => Op::ListObjects,
        (Target::Bucket(_), "POST") if form() => Op::PostObject,
        (Target::Bucket(_), "POST") if query.has("delete") => Op::DeleteObjects,

        (Target::Object(..), "PUT") if query.has("uploadId") && query.has("partNumber") => {
            if copied {
                Op::UploadPartCopy
            } else {
                Op::UploadPart
            }
        }
        (Target::Object(..), "PUT") if copied => Op::CopyObject,
        (Target::Object(..), "PUT") => Op::PutObject,
        (Target::Object(..), "POST") if query.has("uploadId") => Op::CompleteMultipartUpload,
        (Target::Object(..), "POST") if query.has("uploads") => Op::CreateMultipartUpload,
        (Target::Object(..), "DELETE") if query.has("uploadId") => Op::AbortMultipartUpload,
        (Target::Object(..), "DELETE") => Op::DeleteObject,
        (Target::Object(..), "HEAD") => Op::HeadObject,
        (Target::Object(..), "GET") if query.has("uploadId") => Op::ListParts,
        (Target::Object(..), "GET") if query.has("tagging") => Op::GetObjectTagging,
        (Target::Object(..), "GET") => Op::GetObject,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    type Headers<'a> = &'a [(&'static str, &'a str)];

    fn routed(method: &str, path: &str, headers: Headers<'_>) -> Result<Operation, Unrouted> {
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let headers: HeaderMap = headers
            .iter()
            .map(|&(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
            .collect();
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        route(
            &method,
            &Target::parse(path).unwrap(),
            &Query::parse(query),
            &headers,
        )
    }

    #[test]
    fn paths_name_the_service_a_bucket_or_a_key() {
        let object = |key: &str| Some(Target::Object("b".into(), key.into()));
        assert_eq!(Target::parse(""), Some(Target::Service));
        assert_eq!(Target::parse("/"), Some(Target::Service));
        assert_eq!(Target::parse("/b"), Some(Target::Bucket("b".into())));
        assert_eq!(Target::parse("/b/"), Some(Target::Bucket("b".into())));
        assert_eq!(Target::parse("/b/a%2Fb%20c/"), object("a/b c/"));
        assert_eq!(Target::parse("/b//x"), object("/x"));
        assert_eq!(Target::parse("/b/a+b"), object("a+b"));
        assert_eq!(Target::parse("//x"), None);
        assert_eq!(Target::parse("/b/%ff"), None);
        assert!(!Target::Service.takes(&Method::PUT));
        assert!(!Target::Bucket("b".into()).takes(&Method::PATCH));
    }

    #[test]
    fn every_operation_has_its_request() {
        use Operation as Op;
        let copy = &[("x-amz-copy-source", "b/k")];
        let cases: &[(&str, &str, Headers<'_>, Op)] = &[
            ("GET", "/", &[], Op::ListBuckets),
            ("PUT", "/b", &[], Op::CreateBucket),
            ("HEAD", "/b/", &[], Op::HeadBucket),
            ("DELETE", "/b", &[], Op::DeleteBucket),
            ("GET", "/b?location", &[], Op::GetBucketLocation),
            ("GET", "/b?versioning=", &[], Op::GetBucketVersioning),
            ("GET", "/b", &[], Op::ListObjects),
            ("GET", "/b?list-type=2&prefix=x", &[], Op::ListObjectsV2),
            ("GET", "/b?list-type=3", &[], Op::ListObjects),
            ("GET", "/b?versions", &[], Op::ListObjectVersions),
            ("GET", "/b?uploads", &[], Op::ListMultipartUploads),
            ("POST", "/b?delete", &[], Op::DeleteObjects),
            (
                "POST",
                "/b",
                &[("content-type", "multipart/form-data; boundary=x")],
                Op::PostObject,
            ),
            ("GET", "/b/k", &[], Op::GetObject),
            ("GET", "/b/k?versionId=null", &[], Op::GetObject),
            ("HEAD", "/b/k", &[], Op::HeadObject),
            ("GET", "/b/k?tagging", &[], Op::GetObjectTagging),
            ("PUT", "/b/k?x-id=PutObject", &[], Op::PutObject),
            ("PUT", "/b/k", copy, Op::CopyObject),
            ("DELETE", "/b/k", &[], Op::DeleteObject),
            ("POST", "/b/k?uploads", &[], Op::CreateMultipartUpload),
            ("PUT", "/b/k?partNumber=1&uploadId=u", &[], Op::UploadPart),
            (
                "PUT",
                "/b/k?partNumber=1&uploadId=u",
                copy,
                Op::UploadPartCopy,
            ),
            ("POST", "/b/k?uploadId=u", &[], Op::CompleteMultipartUpload),
            ("DELETE", "/b/k?uploadId=u", &[], Op::AbortMultipartUpload),
            ("GET", "/b/k?uploadId=u&max-parts=1", &[], Op::ListParts),
        ];
        for (method, path, headers, operation) in cases {
            assert_eq!(
                routed(method, path, headers),
                Ok(*operation),
                "{method} {path}"
            );
        }
    }

    #[test]
    fn what_is_not_served_is_never_taken_for_the_plain_request() {
        for (method, path) in [
            ("GET", "/b/k?acl"),
            ("PUT", "/b/k?tagging"),
            ("DELETE", "/b/k?tagging"),
            ("GET", "/b/k?versionId=1"),
            ("DELETE", "/b/k?versionId=1"),
            ("GET", "/b/k?partNumber=1"),
            ("GET", "/b/k?tagging&uploadId=u"),
            ("PUT", "/b/k?partNumber=1"),
            ("POST", "/b/k?restore"),
            ("POST", "/b/k?uploads&uploadId=u"),
            ("GET", "/b?policy"),
            ("DELETE", "/b?versions"),
            ("PUT", "/b?lifecycle"),
            ("PUT", "/b?versioning"),
            ("DELETE", "/b?cors"),
            ("GET", "/b?uploads&acl"),
        ] {
            let outcome = routed(method, path, &[]);
            assert!(
                matches!(outcome, Err(Unrouted::NotImplemented(_))),
                "{method} {path}: {outcome:?}"
            );
        }
        let append = routed("PUT", "/b/k", &[("x-amz-write-offset-bytes", "5")]);
        assert!(matches!(append, Err(Unrouted::NotImplemented(_))));
    }

    #[test]
    fn the_rest_is_not_found() {
        for (method, path) in [
            ("PATCH", "/b/k"),
            ("POST", "/b/k"),
            ("POST", "/b"),
            ("PUT", "/"),
            ("OPTIONS", "/b"),
        ] {
            assert_eq!(
                routed(method, path, &[]),
                Err(Unrouted::NotFound),
                "{method} {path}"
            );
        }
    }
}
