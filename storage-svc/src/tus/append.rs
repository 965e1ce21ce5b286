//! `PATCH`: uploads grow, and are complete in the end.

use axum::{body::Body, response::Response};
use http::StatusCode;

use super::{
    PATIENCE, Request,
    asking::Action,
    pieces::End,
    protocol::{Answer, has_bytes, number_of},
    refusal,
    state::Upload,
};
use crate::error::Result;

impl Request {
    /// Adds the next bytes.
    pub(super) async fn append(mut self, body: &mut Body) -> Result<Response> {
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
}
