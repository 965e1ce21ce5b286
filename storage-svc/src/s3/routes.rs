//! The way of a request: who sends it, what it asks for, and the answer.

use axum::{
    body::Body,
    response::{IntoResponse as _, Response},
};
use chrono::Utc;
use http::{StatusCode, request::Parts};
use svc_kit::http::Lingering;

use crate::{
    App,
    auth::Caller,
    error::{Error, Result},
    s3::{
        auth,
        body::Payload,
        bucket, error, list, multipart, object,
        operation::{self, Operation, Target, Unrouted},
        post,
        query::Query,
        request,
        xml::read::LONGEST,
    },
};

/// Where the protocol is served.
const MOUNT: &str = "/s3";

/// A request whose signature verified.
pub(super) struct Call<'a> {
    pub(super) app: &'a App,
    pub(super) caller: Caller,
    pub(super) operation: Operation,
    pub(super) parts: &'a Parts,
    pub(super) query: &'a Query,
}

impl Call<'_> {
    /// The caller of a transaction.
    pub(super) fn user(&self) -> svc_kit::pg::Caller {
        self.caller.doing(self.operation.name())
    }

    /// The service, on behalf of the caller.
    pub(super) fn service(&self) -> svc_kit::pg::Caller {
        self.app
            .service_for(&self.caller)
            .doing(self.operation.name())
    }

    /// A header as text.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.parts.headers.get(name)?.to_str().ok()
    }

    /// A query parameter that is a whole number.
    pub(super) fn number(&self, name: &str, min: i32, max: i32) -> Result<Option<i32>> {
        self.query
            .get(name)
            .map(|text| request::integer(text, &format!("Querystring, {name}"), min, max))
            .transpose()
    }
}

/// Answers a request below the mount point.
pub(crate) async fn answer(app: &App, parts: &Parts, body: Body) -> Response {
    let below = below(parts);
    match serve(app, parts, below, Lingering::new(&parts.headers, body)).await {
        Ok(response) => response,
        Err(error) => {
            let segments: Vec<&str> = below.split('/').filter(|part| !part.is_empty()).collect();
            error::respond(&error, &segments.join("/"), &parts.headers)
        }
    }
}

fn below(parts: &Parts) -> &str {
    let path = parts.uri.path();
    path.strip_prefix(MOUNT).unwrap_or(path)
}

async fn serve(app: &App, parts: &Parts, below: &str, body: Lingering) -> Result<Response> {
    let query = Query::parse(parts.uri.query().unwrap_or_default());
    let Some(target) = Target::parse(below) else {
        return Err(Error::invalid_key(below));
    };
    if !target.takes(&parts.method) {
        let shown = parts.uri.path_and_query().map_or("/", |path| path.as_str());
        return Ok(Error::no_family(&parts.method, shown).into_response());
    }
    let routed = operation::route(&parts.method, &target, &query, &parts.headers);
    if let (Ok(Operation::PostObject), Target::Bucket(bucket)) = (&routed, &target) {
        return post::upload(app, parts, &query, bucket, body).await;
    }
    let verified = auth::verify(app, parts, &query, Utc::now())?;
    let operation = match routed {
        Ok(operation) => operation,
        Err(Unrouted::NotImplemented(what)) => return Err(error::not_implemented(&what)),
        Err(Unrouted::NotFound) => {
            request::check_empty_json(&parts.method, &parts.headers)?;
            return Ok(StatusCode::NOT_FOUND.into_response());
        }
    };
    let payload = Payload::new(
        body,
        &parts.headers,
        verified.hash,
        verified.signer,
        &verified.seed,
    )?;
    let call = Call {
        app,
        caller: verified.caller,
        operation,
        parts,
        query: &query,
    };
    dispatch(&call, &target, payload).await
}

async fn dispatch(call: &Call<'_>, target: &Target, payload: Payload) -> Result<Response> {
    use Operation as Op;
    // Nothing has a name that the database cannot keep.
    match target {
        Target::Bucket(bucket) | Target::Object(bucket, _) if bucket.contains('\0') => {
            return Err(Error::invalid_bucket_name(bucket));
        }
        Target::Object(_, key) if key.contains('\0') => return Err(Error::invalid_key(key)),
        _ => {}
    }
    match target {
        Target::Service => bucket::list(call).await,
        Target::Bucket(bucket) => match call.operation {
            Op::CreateBucket => bucket::create(call, bucket, payload).await,
            Op::HeadBucket => bucket::head(call, bucket).await,
            Op::DeleteBucket => bucket::delete(call, bucket).await,
            Op::GetBucketLocation => bucket::location(call, bucket).await,
            Op::GetBucketVersioning => bucket::versioning(call, bucket).await,
            Op::ListObjectsV2 => list::objects_v2(call, bucket).await,
            Op::ListObjectVersions => list::versions(call, bucket).await,
            Op::ListMultipartUploads => list::uploads(call, bucket).await,
            Op::DeleteObjects => object::delete_many(call, bucket, payload).await,
            _ => list::objects(call, bucket).await,
        },
        Target::Object(bucket, key) => match call.operation {
            Op::PutObject => object::put(call, bucket, key, payload).await,
            Op::CopyObject => object::copy(call, bucket, key).await,
            Op::DeleteObject => object::delete(call, bucket, key).await,
            Op::HeadObject => object::head(call, bucket, key).await,
            Op::GetObjectTagging => object::tagging(call, bucket, key).await,
            Op::CreateMultipartUpload => multipart::create(call, bucket, key).await,
            Op::UploadPart => multipart::upload_part(call, bucket, key, payload).await,
            Op::UploadPartCopy => multipart::copy_part(call, bucket, key).await,
            Op::CompleteMultipartUpload => multipart::complete(call, bucket, key, payload).await,
            Op::AbortMultipartUpload => multipart::abort(call, bucket, key).await,
            Op::ListParts => multipart::list_parts(call, bucket, key).await,
            _ => object::get(call, bucket, key).await,
        },
    }
}

/// The document of a body, checked by the signature's hash first.
pub(super) async fn document(
    call: &Call<'_>,
    payload: Payload,
) -> Result<Option<crate::s3::xml::read::Element>> {
    let body = payload.collect(LONGEST).await?;
    request::document(&call.parts.headers, &body)
}
