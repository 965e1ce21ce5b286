//! Who sends a request, and what they may do.

use http::request::Parts;
use serde_json::Value;

use super::{id::UploadId, state::Upload};
use crate::{
    App,
    auth::{Caller, Context, owner_text},
    domain::tokens::Scope,
    error::{Error, Result},
    store::objects::Mode,
};

/// What is asked for, as policies see it.
#[derive(Clone, Copy, Debug)]
pub(super) enum Action {
    Create,
    Part,
    Delete,
}

impl Action {
    pub(super) fn operation(self, is_signed: bool) -> &'static str {
        match (self, is_signed) {
            (Self::Create, false) => "storage.tus.upload.create",
            (Self::Create, true) => "storage.tus.upload.create_signed",
            (Self::Part, false) => "storage.tus.upload.part",
            (Self::Part, true) => "storage.tus.upload.part_signed",
            (Self::Delete, false) => "storage.tus.upload.delete",
            (Self::Delete, true) => "storage.tus.upload.delete_signed",
        }
    }
}

/// Who asks: somebody with a token of their own, or with one for this key that lends the service's rights.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) caller: Caller,
    pub(super) owner: Option<String>,
    pub(super) mode: Mode,
    pub(super) is_signed: bool,
}

impl Asking {
    /// The bearer of a token.
    pub(super) fn bearer(app: &App, parts: &Parts) -> Result<Self> {
        // One that is missing is one that is wrong.
        let caller = if parts.headers.contains_key(http::header::AUTHORIZATION) {
            app.authenticate(parts)?
        } else {
            app.authenticate_token("", Context::of(parts))?
        };
        let upsert = parts.headers.get("x-upsert");
        Ok(Self {
            owner: caller.subject().map(str::to_owned),
            mode: Mode::upsert_if(upsert.is_some_and(|value| value == "true")),
            caller,
            is_signed: false,
        })
    }

    /// Whoever has a signed URL; what it is for is not known yet.
    pub(super) fn signed(app: &App, parts: &Parts) -> Self {
        Self {
            caller: app.service(Context::of(parts)),
            owner: None,
            mode: Mode::Create,
            is_signed: true,
        }
    }

    /// Refuses a signature that is not for this key.
    pub(super) fn check(&mut self, app: &App, parts: &Parts, id: &UploadId) -> Result<()> {
        if !self.is_signed {
            return Ok(());
        }
        let token = parts.headers.get("x-signature");
        let token = token.and_then(|value| value.to_str().ok());
        let token = token
            .filter(|token| !token.is_empty())
            .ok_or_else(|| Error::invalid_signature("Missing x-signature header"))?;
        let path = format!("{}/{}", id.bucket, id.name);
        let claims = app.config().url_keys.verify(token, &path, Scope::Upload)?;
        let upsert = claims.get("upsert").and_then(Value::as_bool);
        self.mode = Mode::upsert_if(upsert == Some(true));
        self.owner = owner_text(claims.get("owner"));
        Ok(())
    }

    /// Whether policies let the upload happen; asked again with each part, because they, or the key, may have changed.
    pub(super) async fn test(&self, app: &App, action: Action, upload: &Upload) -> Result<()> {
        let mut object = upload.object(self);
        if upload.info.metadata.get("contentType").is_none() {
            // Policies see only what was said.
            object.content_type.clear();
        }
        let operation = action.operation(self.is_signed);
        app.test_upload(&self.caller, operation, &object, upload.length)
            .await
    }
}
