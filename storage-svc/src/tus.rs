//! Resumable uploads: version 1.0.0 of the protocol of tus.io, on every backend and from any copy of the service.

mod asking;
mod complete;
mod id;
mod lock;
mod pieces;
mod protocol;
mod refusal;
mod state;

use std::time::Duration;

use axum::{body::Body, response::Response};
use chrono::{DateTime, Utc};
use http::{HeaderValue, Method, StatusCode, header, request::Parts};
use tokio_util::sync::CancellationToken;

use self::{
    asking::{Action, Asking},
    id::UploadId,
    pieces::End,
    protocol::{Answer, Metadata, has_bytes, number_of},
    state::{Info, Upload},
};
use crate::{
    App,
    error::{Error, Result},
    names,
    store::buckets,
};

pub(crate) use lock::Locks;

const PATH: &str = "/upload/resumable";
/// Bytes of a name that file systems take.
const MAX_FILE_NAME: usize = 255;
/// How long a request waits for an upload that another one has.
const PATIENCE: Duration = Duration::from_secs(5);
/// And if that is about to be over; less than proxies wait for an answer.
const PATIENCE_AT_THE_END: Duration = Duration::from_secs(45);

/// A request to this family of routes.
struct Request {
    app: App,
    parts: Parts,
    asking: Asking,
    /// The last part of the path.
    id: String,
}

pub(crate) async fn route(app: &App, parts: Parts, body: Body) -> Result<Response> {
    let no_route = |parts: &Parts| {
        let path = parts.uri.path_and_query();
        let path = path.map_or("/", |path| path.as_str());
        Error::no_family(&parts.method, path)
    };
    let Some(rest) = parts.uri.path().strip_prefix(PATH) else {
        return Err(no_route(&parts));
    };
    let (is_signed, rest) = match rest.strip_prefix("/sign") {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => (true, rest),
        _ => (false, rest),
    };
    let is_root = rest.is_empty();
    if !is_root && !rest.starts_with('/') {
        return Err(no_route(&parts));
    }
    match parts.method {
        Method::OPTIONS => return Ok(options(app)),
        Method::POST => {}
        Method::HEAD | Method::PATCH | Method::PUT | Method::DELETE if is_signed || !is_root => {}
        _ => return Err(no_route(&parts)),
    }
    let asking = if is_signed {
        Asking::signed(app, &parts)
    } else {
        match Asking::bearer(app, &parts) {
            Ok(asking) => asking,
            Err(error) => {
                pieces::drain(body).await;
                return Err(error);
            }
        }
    };
    let id = rest.trim_end_matches('/').rsplit('/').next();
    let request = Request {
        app: app.clone(),
        id: id.unwrap_or_default().to_owned(),
        parts,
        asking,
    };
    // Goes on when the client is gone, because what it has sent is worth something.
    let answered = tokio::spawn(request.answer(body)).await;
    Ok(answered.unwrap_or_else(|error| {
        tracing::error!(%error, "a resumable upload failed");
        Answer::refusal(&Error::internal()).done()
    }))
}

fn options(app: &App) -> Response {
    Answer::new(StatusCode::NO_CONTENT)
        .with("tus-version", protocol::VERSION)
        .with("tus-extension", protocol::EXTENSIONS)
        .with("tus-max-size", app.config().file_size_limit)
        .preflight()
        .done()
}

impl Request {
    async fn answer(self, mut body: Body) -> Response {
        let method = self.parts.method.clone();
        let has_body = has_bytes(&self.parts.headers);
        let answer = match protocol::check(&self.parts) {
            Err(error) => Err(error),
            Ok(()) => match method {
                Method::POST => self.create(&mut body).await,
                Method::HEAD => self.look().await,
                Method::PATCH => self.append(&mut body).await,
                Method::DELETE => self.delete().await,
                _ => Err(refusal::no_method()),
            },
        };
        match answer {
            Ok(response) => response,
            Err(error) => {
                pieces::drain(body).await;
                let mut response = Answer::refusal(&error).done();
                if has_body {
                    // Some of it may still be on its way.
                    let close = HeaderValue::from_static("close");
                    response.headers_mut().insert(header::CONNECTION, close);
                }
                response
            }
        }
    }

    /// The upload that the path names, if its bearer may know of it.
    fn upload_id(&mut self) -> Result<UploadId> {
        // The original's words for a path that is its own.
        if self.id.is_empty() || self.app.config().tus_path.contains(&self.id) {
            return Err(refusal::file_not_found());
        }
        let id = UploadId::decode(&self.id, self.app.config().key_rules)?;
        self.asking.check(&self.app, &self.parts, &id)?;
        Ok(id)
    }

    /// The most bytes that the upload may have.
    async fn limit(&self, id: &UploadId) -> Result<u64> {
        let bucket = buckets::get(self.app.db(), &id.bucket).await?;
        Ok(self.app.large_limit(&bucket))
    }

    /// Until when an upload is there, which the original says of object stores only.
    fn expires(&self, upload: &Upload) -> Option<DateTime<Utc>> {
        let after = self.app.config().tus_expiry;
        let is_kept = self.app.blobs().are_files() || after.is_zero();
        (!is_kept).then(|| upload.expires(after))
    }

    fn check_expiry(&self, upload: &Upload) -> Result<()> {
        match self.expires(upload) {
            Some(expires) if expires < Utc::now() => Err(refusal::expired()),
            _ => Ok(()),
        }
    }

    /// `Upload-Expires`, while there is something left to send.
    fn shown_expiry(&self, upload: &Upload) -> Option<String> {
        let expires = self.expires(upload).filter(|_| !upload.is_complete())?;
        Some(httpdate::fmt_http_date(expires.into()))
    }

    /// How long the body of this request may be.
    fn body_limit(&self, upload: &Upload, limit: u64) -> Result<u64> {
        let headers = &self.parts.headers;
        let announced = headers.get(header::CONTENT_LENGTH);
        let announced = announced.and_then(|value| value.to_str().ok()?.parse::<u64>().ok());
        let left = upload.length.unwrap_or(limit).saturating_sub(upload.offset);
        if announced.is_some_and(|announced| announced > left) {
            return Err(refusal::size_exceeded());
        }
        Ok(left)
    }

    /// `POST`: makes an upload, perhaps with its first bytes.
    async fn create(mut self, body: &mut Body) -> Result<Response> {
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
        if app.blobs().are_files() && id.name.split('/').any(|part| part.len() > MAX_FILE_NAME) {
            // Better now than when all bytes are here.
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
        self.asking.test(&app, Action::Create, &draft).await?;
        if let Some(kind) = draft.info.metadata.get("contentType") {
            names::check_mime(kind, &bucket.allowed_mime_types)?;
        }
        let mut upload = draft.create(&app).await?;
        let location = upload
            .id
            .location(app.config(), &self.parts.headers, self.asking.is_signed);
        let mut answer = Answer::new(StatusCode::CREATED);
        let mut single = None;
        if has_bytes(&self.parts.headers) {
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

    /// `HEAD`: how far an upload is. Whoever writes to it is asked to stop, so that the answer stays true.
    async fn look(mut self) -> Result<Response> {
        let app = self.app.clone();
        let id = self.upload_id()?;
        let mut upload = Upload::load(&app, &id).await?;
        if !upload.is_done {
            // Whoever has all bytes is making the object, which no asking makes faster.
            let patience = if upload.is_complete() {
                PATIENCE_AT_THE_END
            } else {
                PATIENCE
            };
            let _lock = app.locks().lock(&id.path(), patience).await?;
            upload.refresh(&app).await?;
            if upload.is_complete() {
                // The last part was received, but not the object made; clients that read this send no more.
                upload.settle(&app).await?;
                if !upload.is_done {
                    self.asking.test(&app, Action::Part, &upload).await?;
                }
                let operation = Action::Part.operation(self.asking.is_signed);
                upload.complete(&app, &self.asking, operation, None).await?;
            }
        }
        if !upload.is_done {
            self.check_expiry(&upload)?;
        }
        let mut answer = Answer::new(StatusCode::OK)
            .with("cache-control", "no-store")
            .with("upload-offset", upload.offset)
            .with("upload-metadata", upload.info.metadata.header());
        answer = match upload.length {
            Some(length) => answer.with("upload-length", length),
            None => answer.with("upload-defer-length", 1),
        };
        Ok(answer.done())
    }

    /// `PATCH`: the next bytes.
    async fn append(mut self, body: &mut Body) -> Result<Response> {
        let app = self.app.clone();
        if self.id.is_empty() {
            return Err(refusal::file_not_found());
        }
        let headers = &self.parts.headers;
        let offset = number_of(headers, "upload-offset").ok_or_else(refusal::offset_required)?;
        if !has_bytes(headers) {
            return Err(refusal::content_type_required());
        }
        let id = self.upload_id()?;
        let mut upload = Upload::load(&app, &id).await?;
        upload.settle(&app).await?;
        if !upload.is_done {
            self.asking.test(&app, Action::Part, &upload).await?;
        }
        let limit = self.limit(&id).await?;
        let _writer = app.locks().writer(PATIENCE).await?;
        let lock = app.locks().lock(&id.path(), PATIENCE).await?;
        upload.refresh(&app).await?;
        if !upload.is_done {
            self.check_expiry(&upload)?;
        }
        if upload.offset != offset {
            return Err(refusal::offset_conflict());
        }
        if let Some(length) = number_of(&self.parts.headers, "upload-length") {
            if upload.length.is_some() || length < upload.offset {
                return Err(refusal::invalid_length());
            }
            if length > limit {
                return Err(refusal::max_size_exceeded());
            }
            upload.declare(&app, length).await?;
        }
        let limit = self.body_limit(&upload, limit)?;
        upload.compact(&app).await?;
        let received = upload
            .receive(&app, std::mem::take(body), limit, lock.asked())
            .await?;
        if received.end == End::TooLong {
            return Err(refusal::max_size_exceeded());
        }
        let mut answer = Answer::new(StatusCode::NO_CONTENT).with("upload-offset", upload.offset);
        if upload.is_complete() {
            let operation = Action::Part.operation(self.asking.is_signed);
            upload
                .complete(&app, &self.asking, operation, received.single)
                .await?;
            answer = answer.with("tus-complete", 1);
        }
        if received.end != End::Whole {
            answer = answer.with("connection", "close");
        }
        Ok(answer
            .with_opt("upload-expires", self.shown_expiry(&upload))
            .done())
    }

    /// `DELETE`: gives an upload up.
    async fn delete(mut self) -> Result<Response> {
        let app = self.app.clone();
        let id = self.upload_id()?;
        let mut upload = Upload::load(&app, &id).await?;
        self.asking.test(&app, Action::Delete, &upload).await?;
        let _lock = app.locks().lock(&id.path(), PATIENCE).await?;
        upload.refresh(&app).await?;
        if upload.is_complete() {
            return Err(refusal::invalid_termination());
        }
        upload.remove(&app).await;
        Ok(Answer::new(StatusCode::NO_CONTENT).done())
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
