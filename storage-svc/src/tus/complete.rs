//! The end of an upload: its pieces become the blob of an object.

use uuid::Uuid;

use super::{asking::Asking, state::Upload};
use crate::{
    App,
    blobs::{BlobPath, Stored},
    domain::upload::{NewObject, UploadType},
    error::{Error, Result},
};

impl Upload {
    /// What the upload makes, for who asks.
    pub(super) fn object(&self, asking: &Asking) -> NewObject {
        let headers = self.info.headers();
        NewObject {
            bucket: self.id.bucket.clone(),
            name: self.id.name.clone(),
            mode: asking.mode,
            owner: asking.owner.clone(),
            content_type: headers.content_type.to_owned(),
            cache_control: headers.cache_control.to_owned(),
            robots: None,
            // Checked when the upload was made.
            user_metadata: self.info.user_metadata().ok().flatten(),
        }
    }

    /// Makes the object of an upload whose bytes are all here. Each try has a blob of its own and is noted before its
    /// row is written, so that whoever comes after a crash knows whether it was.
    pub(super) async fn complete(
        &mut self,
        app: &App,
        asking: &Asking,
        operation: &'static str,
        single: Option<Stored>,
    ) -> Result<()> {
        self.settle(app).await?;
        if !self.is_done {
            let version = Uuid::new_v4();
            let text = version.to_string();
            let path = app
                .locator()
                .object(&self.id.bucket, &self.id.name, Some(&text));
            let stored = self.assemble(app, &path, single).await?;
            if Some(stored.size) != self.length {
                tracing::error!(size = stored.size, "the pieces of an upload do not add up");
                app.blobs().delete(vec![path]).await;
                return Err(Error::internal());
            }
            self.attempt(app, version).await?;
            let object = self.object(asking);
            let kind = UploadType::Resumable;
            app.finish(&asking.caller, operation, kind, object, &text, &stored)
                .await?;
        }
        self.conclude(app).await;
        Ok(())
    }

    /// The pieces as one blob. One piece that was just written is that already.
    async fn assemble(&self, app: &App, path: &BlobPath, single: Option<Stored>) -> Result<Stored> {
        let headers = self.info.headers();
        if let ([piece], Some(stored)) = (self.pieces.as_slice(), single)
            && app.blobs().copy(&piece.path, path, Some(headers)).await?
        {
            return Ok(stored);
        }
        let pieces = self.pieces.iter().map(|piece| piece.path.clone());
        app.blobs().concat(pieces.collect(), path, headers).await
    }
}
