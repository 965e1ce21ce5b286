//! `POST`: uploads begin.

use axum::{body::Body, response::Response};
use http::StatusCode;
use tokio_util::sync::CancellationToken;

use super::{
    PATIENCE, Request,
    asking::Action,
    id::UploadId,
    pieces::End,
    protocol::{Answer, Metadata, has_bytes, number_of},
    refusal,
    state::{Info, Upload},
};
use crate::{
    error::{Error, Result},
    names,
    store::buckets,
};

impl Request {
    /// Makes an upload, perhaps with its first bytes.
    pub(super) async fn create(mut self, body: &mut Body) -> Result<Response> {
        let app = self.app.clone();
        let headers = &self.parts.headers;
        if headers.contains_key("upload-concat") {
            return Err(refusal::no_concatenation());
        }
        let length = number_of(headers, "upload-length");
        if length.is_some() == headers.contains_key("upload-defer-length") {
            return Err(refusal::invalid_length());
        }
        let mut metadata = Metadata::of(headers).ok_or_else(refusal::metadata_required)?;
        let text = |name: &str| metadata.get(name).unwrap_or_default();
        let rules = app.config().key_rules;
        let id = UploadId::new(text("bucketName"), text("objectName"), rules)?;
        if !app.blobs().takes(&id.name) {
            return Err(Error::invalid_key(&id.name));
        }
        let bucket = buckets::get(app.db(), &id.bucket).await?;
        let limit = app.large_limit(&bucket);
        if length.is_some_and(|length| length > limit) {
            return Err(refusal::max_size_exceeded());
        }
        self.asking.check(&app, &self.parts, &id)?;
        let cache = cache_control(text("cacheControl"));
        metadata.set("cacheControl", cache);
        let info = Info::new(&id, length, metadata);
        let draft = Upload::draft(id, info);
        draft.info.user_metadata()?;
        self.asking.test(&app, Action::Create, &draft).await?;
        if let Some(kind) = draft.info.metadata.get("contentType") {
            names::check_mime(kind, &bucket.allowed_mime_types)?;
        }
        let has_bytes = has_bytes(&self.parts.headers);
        if has_bytes {
            self.body_limit(&draft, limit)?;
        }
        let mut upload = draft.create(&app).await?;
        let location = upload
            .id
            .location(app.config(), &self.parts.headers, self.asking.is_signed);
        let mut answer = Answer::new(StatusCode::CREATED);
        let mut single = None;
        if has_bytes {
            let _writer = app.locks().writer(PATIENCE).await?;
            let limit = self.body_limit(&upload, limit)?;
            // Nobody else knows of it yet.
            let received = upload
                .receive(&app, std::mem::take(body), limit, CancellationToken::new())
                .await?;
            if received.end == End::TooLong {
                return Err(refusal::max_size_exceeded());
            }
            single = received.single;
            answer = answer.with("upload-offset", upload.offset);
        }
        if upload.is_complete() {
            let operation = Action::Create.operation(self.asking.is_signed);
            upload
                .complete(&app, &self.asking, operation, single)
                .await?;
            answer = answer.with("tus-complete", 1);
        }
        Ok(answer
            .with_opt("upload-expires", self.shown_expiry(&upload))
            .with("location", location)
            .done())
    }
}

/// Seconds become a header; whatever else is said is not kept.
fn cache_control(seconds: &str) -> String {
    let digits = seconds.strip_prefix('-').unwrap_or(seconds);
    if !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        format!("max-age={seconds}")
    } else {
        "no-cache".to_owned()
    }
}
