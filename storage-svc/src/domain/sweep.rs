//! Removes blobs that no row names: what a crash, a lost connection or an upload that was given up has left.

use std::{collections::HashSet, time::Duration};

use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use secrecy::ExposeSecret as _;
use sqlx::Connection as _;
use svc_kit::wire::Row;
use tokio_util::sync::CancellationToken;
use uuid::Uuid;

use crate::{
    App,
    blobs::{BlobPath, Found},
    db::Sql,
    error::Result,
};

/// Blobs that are looked up at a time.
const BATCH: usize = 500;
/// With more orphans than this, and than a fifth of all blobs, something else is wrong: another database uses the same
/// store, or this one was restored from an old backup. Then nothing is removed.
const SUSPICIOUS: usize = 1000;

/// What a sweep has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// Blobs that were looked at.
    pub seen: usize,
    /// Blobs that no row names.
    pub orphans: usize,
    /// Bytes of those that were removed.
    pub bytes: u64,
}

/// How long after the start the first sweep comes, and how long each waits for the one before.
const FIRST: Duration = Duration::from_secs(60);
const BETWEEN: Duration = Duration::from_secs(3600);
/// The lock that one of several copies of the service gets.
const LOCK: i64 = 0x7377_6565_7000;

/// Sweeps again and again, unless another copy of the service does.
pub(crate) async fn repeat(app: App, stop: CancellationToken) {
    let mut wait = FIRST;
    loop {
        tokio::select! {
            () = tokio::time::sleep(wait) => {}
            () = stop.cancelled() => return,
        }
        wait = BETWEEN;
        tokio::select! {
            swept = once(&app) => match swept {
                Ok(Some(swept)) if swept.orphans > 0 => tracing::info!(?swept, "swept"),
                Ok(_) => {}
                Err(error) => tracing::warn!(error = format!("{error:#}"), "no sweep"),
            },
            () = stop.cancelled() => return,
        }
    }
}

/// One sweep under the lock, which ends with its connection; nothing if another copy has it.
async fn once(app: &App) -> anyhow::Result<Option<Swept>> {
    let url = app.config().database_url.expose_secret();
    let mut connection = sqlx::PgConnection::connect(url).await?;
    let has_lock: bool = sqlx::query_scalar("select pg_try_advisory_lock($1)")
        .bind(LOCK)
        .fetch_one(&mut connection)
        .await?;
    let swept = if has_lock {
        let before = Utc::now() - app.config().sweep_grace;
        Some(app.sweep(before).await?)
    } else {
        None
    };
    connection.close().await?;
    Ok(swept)
}

impl App {
    /// Looks through the store once, and removes blobs without a row that were there before `before`.
    ///
    /// # Errors
    /// The store or the database could not be read; nothing was removed then that has a row.
    pub async fn sweep(&self, before: DateTime<Utc>) -> anyhow::Result<Swept> {
        let swept = self.sweep_objects(before).await;
        let swept = swept.map_err(|error| anyhow::anyhow!("{error}"))?;
        self.sweep_uploads(before)
            .await
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        Ok(swept)
    }

    async fn sweep_objects(&self, before: DateTime<Utc>) -> Result<Swept> {
        let mut swept = Swept::default();
        let mut orphans = Vec::new();
        let mut batch = Vec::new();
        let mut found = self.blobs().list(&self.locator().objects());
        loop {
            let next = found.try_next().await?;
            let is_last = next.is_none();
            if let Some(blob) = next {
                swept.seen += 1;
                if blob.since < before && version_of(&blob.path).is_some() {
                    batch.push(blob);
                }
            }
            if batch.len() >= BATCH || (is_last && !batch.is_empty()) {
                for orphan in self.without_row(std::mem::take(&mut batch)).await? {
                    swept.bytes += orphan.size;
                    orphans.push(orphan.path);
                }
            }
            if is_last {
                break;
            }
        }
        swept.orphans = orphans.len();
        if orphans.len() > SUSPICIOUS && orphans.len() > swept.seen / 5 {
            tracing::error!(
                orphans = orphans.len(),
                seen = swept.seen,
                "too many blobs have no row: does another database use this store? Nothing is removed"
            );
            swept.bytes = 0;
            return Ok(swept);
        }
        for batch in orphans.chunks(BATCH) {
            self.blobs().delete(batch.to_vec()).await;
        }
        Ok(swept)
    }

    /// Which of these blobs no row names.
    async fn without_row(&self, batch: Vec<Found>) -> Result<Vec<Found>> {
        let parsed = batch
            .iter()
            .filter_map(|found| self.locator().parse(&found.path));
        // A row without a version names its blob by the key alone.
        let versions: Vec<&str> = parsed.clone().map(|(_, _, name)| base(name)).collect();
        let buckets: Vec<&str> = parsed.clone().map(|(bucket, ..)| bucket).collect();
        let keys: Vec<String> = parsed
            .map(|(_, key, name)| format!("{key}/{}", base(name)))
            .collect();
        let sql = Sql::new(
            "with blob as (select b.value #>> '{}' as bucket, k.value #>> '{}' as path, v.value #>> '{}' as version \
               from jsonb_array_elements($1::jsonb) with ordinality b \
               join jsonb_array_elements($2::jsonb) with ordinality k using (ordinality) \
               join jsonb_array_elements($3::jsonb) with ordinality v using (ordinality)) \
             select blob.bucket || '/' || blob.path from blob where exists (select from storage.objects o \
               where o.bucket_id = blob.bucket and ( \
                 (o.name = left(blob.path, length(blob.path) - length(blob.version) - 1) and o.version = blob.version) \
                 or (o.name = blob.path and o.version is null)))",
        )
        .bind_texts(&buckets)
        .bind_texts(&keys)
        .bind_texts(&versions);
        let rows = self.db().read(&sql).await?;
        let named: HashSet<String> = rows.iter().filter_map(|row: &Row| row.text(0)).collect();
        Ok(batch
            .into_iter()
            .filter(|found| {
                self.locator()
                    .parse(&found.path)
                    .is_some_and(|(bucket, key, name)| {
                        !named.contains(&format!("{bucket}/{key}/{}", base(name)))
                    })
            })
            .collect())
    }

    /// Removes the pieces of uploads that nobody goes on with.
    async fn sweep_uploads(&self, before: DateTime<Utc>) -> Result<()> {
        use std::collections::HashMap;
        let prefix = self.locator().uploads();
        let mut uploads: HashMap<String, (DateTime<Utc>, Vec<BlobPath>)> = HashMap::new();
        let mut found = self.blobs().list(&prefix);
        while let Some(piece) = found.try_next().await? {
            let rest = piece
                .path
                .as_str()
                .strip_prefix(&prefix)
                .unwrap_or_default();
            let Some((upload, _)) = rest.split_once('/') else {
                continue;
            };
            let entry = uploads
                .entry(upload.to_owned())
                .or_insert_with(|| (piece.since, Vec::new()));
            entry.0 = entry.0.max(piece.since);
            entry.1.push(piece.path);
        }
        let resting = TimeDelta::from_std(self.config().tus_expiry).unwrap_or_default();
        for (upload, (last, pieces)) in uploads {
            // Multipart uploads of S3 have a row until somebody ends them.
            let is_over = match upload.strip_prefix("s3-") {
                Some(id) => last < before && !self.has_multipart(id).await?,
                None => last < before - resting,
            };
            if is_over {
                self.blobs().delete(pieces).await;
            }
        }
        Ok(())
    }

    async fn has_multipart(&self, id: &str) -> Result<bool> {
        let sql = Sql::new("select from storage.s3_multipart_uploads where id = $1").bind(id);
        Ok(!self.db().read(&sql).await?.is_empty())
    }
}

/// The name of a blob without what the original puts beside it.
fn base(name: &str) -> &str {
    name.strip_suffix(".json")
        .or_else(|| name.strip_suffix(".info"))
        .unwrap_or(name)
}

/// The version in a path. What has none was not put there by a service like this, and is left alone.
fn version_of(path: &BlobPath) -> Option<Uuid> {
    let name = path.as_str().rsplit('/').next()?;
    Uuid::try_parse(base(name)).ok()
}
