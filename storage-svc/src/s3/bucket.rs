//! Buckets.

use axum::response::{IntoResponse as _, Response};
use http::{HeaderValue, StatusCode, header};

use crate::{
    db::Sql,
    error::{Error, Result},
    names,
    s3::{
        body::Payload,
        routes::{Call, document},
        xml::Document,
    },
    store::{
        buckets::{self, New},
        values::{iso, time},
    },
};

/// `ListBuckets`
pub(super) async fn list(call: &Call<'_>) -> Result<Response> {
    let sql = Sql::new("select name, created_at from storage.buckets order by name collate \"C\"");
    let rows = call.app.db().run_as(&call.user(), &sql).await?;
    let document = Document::new("ListAllMyBucketsResult").element("Buckets", |document| {
        document.each("Bucket", &rows, |document, row| {
            document
                .text("Name", &row.text(0).unwrap_or_default())
                .optional("CreationDate", time(row, 1).map(iso).as_deref())
        })
    });
    Ok(document.into_response())
}

/// `CreateBucket`. The body can only ask for a region, and there is but one.
pub(super) async fn create(call: &Call<'_>, bucket: &str, payload: Payload) -> Result<Response> {
    document(call, payload).await?;
    names::check_new_bucket(bucket)?;
    let new = New {
        id: bucket,
        name: bucket,
        owner: call.caller.subject(),
        is_public: call.header("x-amz-acl") == Some("public-read"),
        file_size_limit: None,
        allowed_mime_types: None,
    };
    buckets::create(call.app.db(), &call.user(), &new).await?;
    let mut response = StatusCode::OK.into_response();
    if let Ok(location) = HeaderValue::from_str(&format!("/{bucket}")) {
        response.headers_mut().insert(header::LOCATION, location);
    }
    Ok(response)
}

/// Refuses a bucket that the caller cannot see.
async fn see(call: &Call<'_>, bucket: &str) -> Result<()> {
    let sql = Sql::new("select id from storage.buckets where id = $1").bind(bucket);
    let rows = call.app.db().run_as(&call.user(), &sql).await?;
    if rows.is_empty() {
        return Err(Error::no_such_bucket(bucket));
    }
    Ok(())
}

/// `HeadBucket`
pub(super) async fn head(call: &Call<'_>, bucket: &str) -> Result<Response> {
    see(call, bucket).await?;
    let mut response = StatusCode::OK.into_response();
    let region = call.app.config().s3.region.as_deref();
    if let Some(region) = region.and_then(|region| HeaderValue::from_str(region).ok()) {
        response.headers_mut().insert("x-amz-bucket-region", region);
    }
    Ok(response)
}

/// `DeleteBucket`
pub(super) async fn delete(call: &Call<'_>, bucket: &str) -> Result<Response> {
    buckets::delete(call.app.db(), &call.user(), &call.service(), bucket).await?;
    Ok(StatusCode::NO_CONTENT.into_response())
}

/// `GetBucketLocation`
pub(super) async fn location(call: &Call<'_>, bucket: &str) -> Result<Response> {
    see(call, bucket).await?;
    let region = call.app.config().s3.region.as_deref().unwrap_or_default();
    Ok(Document::new("LocationConstraint")
        .content(region)
        .into_response())
}

/// `GetBucketVersioning`
pub(super) async fn versioning(call: &Call<'_>, bucket: &str) -> Result<Response> {
    see(call, bucket).await?;
    Ok(Document::new("VersioningConfiguration")
        .text("Status", "Suspended")
        .text("MfaDelete", "Disabled")
        .into_response())
}
