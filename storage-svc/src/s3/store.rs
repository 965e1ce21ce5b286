//! The tables `s3_multipart_uploads` and `s3_multipart_uploads_parts`.

use chrono::{DateTime, Utc};
use svc_kit::pg;
use uuid::Uuid;

use crate::{
    db::{Db, Sql, Tx},
    error::{Error, Result},
    s3::sealed,
    store::values::{json, time},
};

/// An upload in parts.
#[derive(Clone, Debug)]
pub(super) struct Upload {
    pub(super) id: String,
    pub(super) bucket: String,
    pub(super) key: String,
    /// What policies see, and what the blob will have; JSON text.
    pub(super) metadata: Option<String>,
    /// JSON text.
    pub(super) user_metadata: Option<String>,
}

/// An upload that begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct New<'a> {
    pub(super) id: &'a str,
    pub(super) bucket: &'a str,
    pub(super) key: &'a str,
    pub(super) version: &'a str,
    pub(super) owner: Option<&'a str>,
    pub(super) metadata: &'a str,
    pub(super) user_metadata: &'a str,
}

/// A part that was received.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// Names the blob too.
    pub(super) id: Uuid,
    pub(super) number: i32,
    /// Without quotes.
    pub(super) etag: String,
    pub(super) size: i64,
    pub(super) created_at: Option<DateTime<Utc>>,
}

/// Notes that an upload began.
pub(super) async fn create(
    db: &Db,
    service: &pg::Caller,
    passphrase: &str,
    new: &New<'_>,
) -> Result<()> {
    let sql = Sql::new(
        "insert into storage.s3_multipart_uploads \
         (id, bucket_id, key, version, upload_signature, owner_id, metadata, user_metadata) \
         values ($1, $2, $3, $4, $5, $6, $7::jsonb, $8::jsonb)",
    )
    .bind(new.id)
    .bind(new.bucket)
    .bind(new.key)
    .bind(new.version)
    .bind(sealed::seal(passphrase, 0)?)
    .bind_opt(new.owner)
    .bind(new.metadata)
    .bind(new.user_metadata);
    db.run_as(service, &sql).await.map(drop)
}

/// An upload, whoever asks.
pub(super) async fn find(db: &Db, id: &str) -> Result<Upload> {
    let sql = Sql::new(
        "select id, bucket_id, key, metadata, user_metadata from storage.s3_multipart_uploads where id = $1",
    )
    .bind(id);
    let rows = db.read(&sql).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_upload(id))?;
    Ok(Upload {
        id: row.text(0).unwrap_or_default(),
        bucket: row.text(1).unwrap_or_default(),
        key: row.text(2).unwrap_or_default(),
        metadata: json(row, 3).map(str::to_owned),
        user_metadata: json(row, 4).map(str::to_owned),
    })
}

/// Locks an upload; gives how many bytes it has.
async fn lock(tx: &mut Tx, passphrase: &str, id: &str) -> Result<i64> {
    let sql = Sql::new(
        "select in_progress_size, upload_signature from storage.s3_multipart_uploads where id = $1 for update",
    )
    .bind(id);
    let rows = tx.query(&sql).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_upload(id))?;
    let progress = row.bigint(0).unwrap_or_default();
    if sealed::open(passphrase, &row.text(1).unwrap_or_default())? != progress {
        return Err(Error::new(
            "InvalidUploadSignature",
            400,
            "Invalid upload Signature",
        ));
    }
    Ok(progress)
}

fn set_progress(tx: &mut Tx, passphrase: &str, id: &str, progress: i64) -> Result<()> {
    let sql = Sql::new(
        "update storage.s3_multipart_uploads set in_progress_size = $2::bigint, upload_signature = $3 where id = $1",
    )
    .bind(id)
    .bind_display(progress)
    .bind(sealed::seal(passphrase, progress)?);
    tx.push(&sql)
}

/// Makes room for bytes of an upload, or takes it back if `length` is negative. More than `limit` is refused.
pub(super) async fn reserve(
    db: &Db,
    service: &pg::Caller,
    passphrase: &str,
    id: &str,
    length: i64,
    limit: u64,
) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.become_caller(service)?;
    let progress = lock(&mut tx, passphrase, id).await?;
    let progress = progress.checked_add(length).ok_or_else(Error::too_large)?;
    if length > 0 && u64::try_from(progress).is_ok_and(|progress| progress > limit) {
        return Err(Error::too_large());
    }
    set_progress(&mut tx, passphrase, id, progress.max(0))?;
    tx.commit().await
}

/// Notes a part whose bytes were reserved. Gives the parts of that number that it replaces.
pub(super) async fn add_part(
    db: &Db,
    service: &pg::Caller,
    passphrase: &str,
    upload: &Upload,
    owner: Option<&str>,
    part: &Part,
) -> Result<Vec<Uuid>> {
    let mut tx = db.begin().await?;
    tx.become_caller(service)?;
    let progress = lock(&mut tx, passphrase, &upload.id).await?;
    let sql = Sql::new(
        "delete from storage.s3_multipart_uploads_parts where upload_id = $1 and part_number = $2::integer \
         returning id::text, size",
    )
    .bind(upload.id.as_str())
    .bind_display(part.number);
    let replaced = tx.query(&sql).await?;
    let freed = replaced
        .iter()
        .filter_map(|row| row.bigint(1))
        .fold(0, i64::saturating_add);
    if freed > 0 {
        let progress = progress.saturating_sub(freed).max(0);
        set_progress(&mut tx, passphrase, &upload.id, progress)?;
    }
    let sql = Sql::new(
        "insert into storage.s3_multipart_uploads_parts \
         (id, upload_id, part_number, bucket_id, key, etag, owner_id, version, size) \
         select $1::uuid, id, $3::integer, bucket_id, key, $4, $5, version, $6::bigint \
         from storage.s3_multipart_uploads where id = $2",
    )
    .bind_display(part.id)
    .bind(upload.id.as_str())
    .bind_display(part.number)
    .bind(part.etag.as_str())
    .bind_opt(owner)
    .bind_display(part.size);
    tx.push(&sql)?;
    tx.commit().await?;
    Ok(replaced
        .iter()
        .filter_map(|row| row.text(0)?.parse().ok())
        .collect())
}

const PARTS: &str = "select id::text, part_number::bigint, etag, size, created_at \
     from storage.s3_multipart_uploads_parts where upload_id = $1 and part_number > $2::integer \
     order by part_number limit $3::bigint";

fn parts_sql(id: &str, after: i32, limit: i32) -> Sql<'_> {
    Sql::new(PARTS)
        .bind(id)
        .bind_display(after)
        .bind_display(limit)
}

fn part(row: &svc_kit::wire::Row) -> Option<Part> {
    Some(Part {
        id: row.text(0)?.parse().ok()?,
        number: i32::try_from(row.bigint(1)?).ok()?,
        etag: row.text(2)?,
        size: row.bigint(3)?,
        created_at: time(row, 4),
    })
}

/// All parts of an upload.
pub(super) async fn parts(db: &Db, id: &str) -> Result<Vec<Part>> {
    let rows = db.read(&parts_sql(id, 0, 10_000)).await?;
    Ok(rows.iter().filter_map(part).collect())
}

/// The parts after a number, as far as the caller may see them.
pub(super) async fn parts_as(
    db: &Db,
    caller: &pg::Caller,
    id: &str,
    after: i32,
    limit: i32,
) -> Result<Vec<Part>> {
    let rows = db.run_as(caller, &parts_sql(id, after, limit)).await?;
    Ok(rows.iter().filter_map(part).collect())
}

/// Forgets an upload and its parts; false if somebody else did.
pub(super) async fn delete(db: &Db, service: &pg::Caller, id: &str) -> Result<bool> {
    let sql =
        Sql::new("delete from storage.s3_multipart_uploads where id = $1 returning id").bind(id);
    Ok(!db.run_as(service, &sql).await?.is_empty())
}
