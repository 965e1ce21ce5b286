use chrono::{DateTime, Utc};
use serde_json::{Map, Value};
use svc_kit::{pg, wire::Row};
use uuid::Uuid;

use super::values::{JsonWriter, json, time, uuid};
use crate::{
    db::{Db, Sql},
    error::{Error, Result},
};

/// A row of `storage.objects`.
#[derive(Clone, Debug)]
pub(crate) struct Object {
    pub(crate) id: Option<Uuid>,
    pub(crate) name: String,
    pub(crate) bucket: String,
    pub(crate) version: Option<String>,
    /// What the service knows of the blob; JSON text.
    pub(crate) metadata: Option<String>,
    /// What the uploader said; JSON text.
    pub(crate) user_metadata: Option<String>,
    pub(crate) created_at: Option<DateTime<Utc>>,
    pub(crate) updated_at: Option<DateTime<Utc>>,
    owner: Option<Uuid>,
    owner_id: Option<String>,
    last_accessed_at: Option<DateTime<Utc>>,
}

/// The columns of an [`Object`].
const COLUMNS: &str = "id, name, bucket_id, version, metadata, user_metadata, created_at, updated_at, owner, \
     owner_id, last_accessed_at";

impl Object {
    fn of(row: &Row) -> Self {
        Self {
            id: uuid(row, 0),
            name: row.text(1).unwrap_or_default(),
            bucket: row.text(2).unwrap_or_default(),
            version: row.text(3),
            metadata: json(row, 4).map(str::to_owned),
            user_metadata: json(row, 5).map(str::to_owned),
            created_at: time(row, 6),
            updated_at: time(row, 7),
            owner: uuid(row, 8),
            owner_id: row.text(9),
            last_accessed_at: time(row, 10),
        }
    }

    /// The metadata as a map; an empty one if there is none.
    pub(crate) fn metadata_map(&self) -> Map<String, Value> {
        self.metadata
            .as_deref()
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default()
    }

    /// Writes the members of the whole row. An owner that is null is an empty text, as the original's schema has it.
    pub(crate) fn write(&self, json: &mut JsonWriter) {
        let owner = self.owner.map(|owner| owner.to_string());
        json.string("name", Some(&self.name))
            .string("bucket_id", Some(&self.bucket))
            .string("owner", Some(owner.as_deref().unwrap_or_default()))
            .string(
                "owner_id",
                Some(self.owner_id.as_deref().unwrap_or_default()),
            )
            .string("version", Some(self.version.as_deref().unwrap_or_default()))
            .uuid("id", self.id)
            .time("updated_at", self.updated_at)
            .time("created_at", self.created_at)
            .time("last_accessed_at", self.last_accessed_at)
            .json("metadata", self.metadata.as_deref())
            .json("user_metadata", self.user_metadata.as_deref());
    }
}

/// What a row is written from.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Write<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) owner: Option<&'a str>,
    /// JSON text.
    pub(crate) metadata: &'a str,
    /// JSON text.
    pub(crate) user_metadata: Option<&'a str>,
}

/// Whether what is there may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Only a new key.
    Create,
    /// A new key or an old one.
    Upsert,
}

impl Mode {
    pub(crate) fn upsert_if(upsert: bool) -> Self {
        if upsert { Self::Upsert } else { Self::Create }
    }
}

const INSERT: &str = "insert into storage.objects (bucket_id, name, version, owner, owner_id, metadata, user_metadata) \
     values ($1, $2, $3, $4::uuid, $5, $6::jsonb, $7::jsonb)";
/// A null stands for what was not said, and keeps what is there.
const REPLACE: &str = "on conflict (name, bucket_id) do update set version = excluded.version, \
     metadata = excluded.metadata, user_metadata = coalesce(excluded.user_metadata, objects.user_metadata), \
     owner = coalesce(excluded.owner, objects.owner), owner_id = coalesce(excluded.owner_id, objects.owner_id)";

impl<'a> Write<'a> {
    fn bind(&self, sql: Sql<'a>) -> Sql<'a> {
        sql.bind(self.bucket)
            .bind(self.name)
            .bind(self.version)
            .bind_opt(self.owner.filter(|owner| is_uuid(owner)))
            .bind_opt(self.owner)
            .bind(self.metadata)
            .bind_opt(self.user_metadata)
    }
}

/// Whether the caller may write such a row: it is written and undone, so that policies decide. To create takes no
/// more than an INSERT policy.
pub(crate) async fn test_write(
    db: &Db,
    caller: &pg::Caller,
    mode: Mode,
    write: &Write<'_>,
) -> Result<()> {
    let text = match mode {
        Mode::Create => INSERT.to_owned(),
        Mode::Upsert => format!("{INSERT} {REPLACE} returning id"),
    };
    match db.test_as(caller, &write.bind(Sql::new(text))).await {
        Err(error) if error.is_duplicate() && mode == Mode::Create => {
            Err(Error::key_exists(write.name))
        }
        other => other.map(drop),
    }
}

/// A row that is another now.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    /// Rows of old releases have none.
    pub(crate) version: Option<String>,
}

/// What writing a row has led to.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub(crate) object: Object,
    /// The row that was there before.
    pub(crate) replaced: Option<Replaced>,
}

/// What goes into the database along with a change, in its transaction; nothing if nobody is to be told.
pub(crate) type Notice<'a, T> = Option<&'a (dyn Fn(&T) -> Option<Sql<'static>> + Send + Sync)>;

/// Statements that change something, in one transaction; `read` finds the outcome in the rows of the last.
async fn change<T>(
    db: &Db,
    caller: &pg::Caller,
    statements: &[Sql<'_>],
    read: impl Fn(&[Row]) -> Result<T>,
    notice: Notice<'_, T>,
) -> Result<T> {
    let last = |rows: Vec<Vec<Row>>| rows.into_iter().next_back().unwrap_or_default();
    let Some(notice) = notice else {
        return read(&last(db.run_all_as(caller, statements).await?));
    };
    let (mut tx, rows) = db.begin_as(caller, statements).await?;
    let outcome = read(&last(rows))?;
    if let Some(sql) = notice(&outcome) {
        tx.become_login()?;
        tx.push(&sql)?;
    }
    tx.commit().await?;
    Ok(outcome)
}

/// Writes the row as the service. Writers of one key come one after the other, so that of two that create it exactly
/// one does; the other learns that the key exists.
pub(crate) async fn write(
    db: &Db,
    service: &pg::Caller,
    mode: Mode,
    write: &Write<'_>,
    notice: Notice<'_, Written>,
) -> Result<Written> {
    // What the statement sees is what was there when the lock was had.
    let text = match mode {
        Mode::Create => format!(
            "{INSERT} on conflict (name, bucket_id) do nothing returning {COLUMNS}, null::text, false"
        ),
        Mode::Upsert => format!(
            "with before as (select version from storage.objects where bucket_id = $1 and name = $2) \
             {INSERT} {REPLACE} returning {COLUMNS}, (select version from before), exists (select from before)"
        ),
    };
    let statements = [lock(write.bucket, write.name), write.bind(Sql::new(text))];
    let read = |rows: &[Row]| {
        let row = rows.first().ok_or_else(|| Error::key_exists(write.name))?;
        let was_there = super::values::boolean(row, 12).unwrap_or_default();
        Ok(Written {
            object: Object::of(row),
            replaced: was_there.then(|| Replaced {
                version: row.text(11),
            }),
        })
    };
    let service = with_lock_timeout(service);
    let written = change(db, &service, &statements, read, notice).await;
    written.map_err(lock_error)
}

fn with_lock_timeout(service: &pg::Caller) -> pg::Caller {
    service.clone().with("lock_timeout", "5000ms")
}

fn lock_error(error: Error) -> Error {
    if error.code == "ResourceLocked" {
        Error::lock_timeout()
    } else {
        error
    }
}

/// Keeps others from writing to a key until the transaction ends. The original's lock, so that both can run on one
/// database.
fn lock(bucket: &str, name: &str) -> Sql<'static> {
    Sql::new("select pg_advisory_xact_lock($1::bigint)")
        .bind_display(lock_key(&format!("{bucket}/{name}")))
}

/// The number of a lock: JavaScript's `(hash * 33) ^ unit` over UTF-16, in 32 bits.
pub(crate) fn lock_key(text: &str) -> u32 {
    text.encode_utf16()
        .fold(5381_i32, |hash, unit| {
            hash.wrapping_mul(33) ^ i32::from(unit)
        })
        .cast_unsigned()
}

/// An object that the caller may see.
pub(crate) async fn find_as(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    name: &str,
) -> Result<Object> {
    let rows = db.run_as(caller, &by_name(bucket, name)).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_key(name))?;
    Ok(Object::of(row))
}

/// An object, whoever asks.
pub(crate) async fn find(db: &Db, bucket: &str, name: &str) -> Result<Object> {
    let rows = db.read(&by_name(bucket, name)).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_key(name))?;
    Ok(Object::of(row))
}

fn by_name<'a>(bucket: &'a str, name: &'a str) -> Sql<'a> {
    const TEXT: &str = "select id, name, bucket_id, version, metadata, user_metadata, created_at, updated_at, owner, \
         owner_id, last_accessed_at from storage.objects where bucket_id = $1 and name = $2";
    Sql::new(TEXT).bind(bucket).bind(name)
}

/// What of a public bucket is asked for, in one round trip.
pub(crate) async fn find_public(db: &Db, bucket: &str, name: &str) -> Result<Object> {
    const TEXT: &str = "select o.id, o.name, o.bucket_id, o.version, o.metadata, o.user_metadata, o.created_at, \
         o.updated_at, o.owner, o.owner_id, o.last_accessed_at \
         from storage.buckets b left join storage.objects o on o.bucket_id = b.id and o.name = $2 \
         where b.id = $1 and b.public";
    let rows = db.read(&Sql::new(TEXT).bind(bucket).bind(name)).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_bucket(bucket))?;
    if row.get(0).is_none() {
        return Err(Error::no_such_key(name));
    }
    Ok(Object::of(row))
}

/// Which of these names the caller may see.
pub(crate) async fn visible(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    names: &[String],
) -> Result<std::collections::HashSet<String>> {
    let sql = Sql::new(
        "select name from storage.objects where bucket_id = $1 \
         and name = any(array(select jsonb_array_elements_text($2::jsonb)))",
    )
    .bind(bucket)
    .bind_texts(names);
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows.iter().filter_map(|row| row.text(0)).collect())
}

/// Removes one object as the caller, in one round trip; gives its row.
pub(crate) async fn delete(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    name: &str,
    notice: Notice<'_, Vec<Object>>,
) -> Result<Object> {
    let sql = Sql::new(format!(
        "delete from storage.objects where bucket_id = $1 and name = $2 returning {COLUMNS}"
    ))
    .bind(bucket)
    .bind(name);
    let deleted = change(db, caller, &[sql], all, notice).await?;
    if let Some(object) = deleted.into_iter().next() {
        return Ok(object);
    }
    // Why not: it is not there, or the policies say no.
    find(db, bucket, name).await?;
    Err(Error::access_denied("Access denied"))
}

/// Removes what of these names is there and the caller may remove.
pub(crate) async fn delete_many(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    names: &[String],
    notice: Notice<'_, Vec<Object>>,
) -> Result<Vec<Object>> {
    let sql = Sql::new(format!(
        "delete from storage.objects where bucket_id = $1 \
         and name = any(array(select jsonb_array_elements_text($2::jsonb))) returning {COLUMNS}"
    ))
    .bind(bucket)
    .bind_texts(names);
    change(db, caller, &[sql], all, notice).await
}

/// Every row.
#[expect(
    clippy::unnecessary_wraps,
    reason = "other changes can find that nothing was changed"
)]
fn all(rows: &[Row]) -> Result<Vec<Object>> {
    Ok(rows.iter().map(Object::of).collect())
}

/// Removes up to `limit` objects of a bucket that were made before a time, as the service.
pub(crate) async fn delete_before(
    db: &Db,
    service: &pg::Caller,
    bucket: &str,
    before: DateTime<Utc>,
    limit: u32,
    notice: Notice<'_, Vec<Object>>,
) -> Result<Vec<Object>> {
    let sql = Sql::new(format!(
        "delete from storage.objects where id = any(array(select id from storage.objects \
         where bucket_id = $1 and created_at < $2::timestamptz limit $3::bigint)) returning {COLUMNS}"
    ))
    .bind(bucket)
    .bind(before.to_rfc3339())
    .bind_display(limit);
    change(db, service, &[sql], all, notice).await
}

/// How many objects of a bucket the caller sees, but no more than `limit`.
pub(crate) async fn count(db: &Db, caller: &pg::Caller, bucket: &str, limit: u64) -> Result<u64> {
    let sql = Sql::new(
        "select count(*) from (select from storage.objects where bucket_id = $1 limit $2::bigint) o",
    )
    .bind(bucket)
    .bind_display(limit);
    let rows = db.run_as(caller, &sql).await?;
    let count = rows.first().and_then(|row| row.bigint(0));
    Ok(count
        .and_then(|count| u64::try_from(count).ok())
        .unwrap_or_default())
}

/// Where an object is to go.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target<'a> {
    pub(crate) bucket: &'a str,
    pub(crate) name: &'a str,
    pub(crate) version: &'a str,
    pub(crate) owner: Option<&'a str>,
}

const MOVE: &str = "update storage.objects set bucket_id = $1, name = $2, version = $3, \
     owner = coalesce($4::uuid, owner), owner_id = coalesce($5, owner_id)";

impl<'a> Target<'a> {
    fn bind(&self, sql: Sql<'a>) -> Sql<'a> {
        sql.bind(self.bucket)
            .bind(self.name)
            .bind(self.version)
            .bind_opt(self.owner.filter(|owner| is_uuid(owner)))
            .bind_opt(self.owner)
    }
}

/// Whether the caller may move an object there: sees it, and may change it into what it would be.
pub(crate) async fn test_move(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    name: &str,
    target: &Target<'_>,
) -> Result<()> {
    let sql = format!("{MOVE} where bucket_id = $6 and name = $7 returning id");
    let sql = target.bind(Sql::new(sql)).bind(bucket).bind(name);
    let rows = db.test_as(caller, &sql).await?;
    if rows.is_empty() {
        return Err(Error::no_such_key(name));
    }
    Ok(())
}

/// Moves an object as the service, if it still has the version that was copied; false if not.
pub(crate) async fn move_to(
    db: &Db,
    service: &pg::Caller,
    from: &Object,
    target: &Target<'_>,
    metadata: &str,
    notice: Notice<'_, bool>,
) -> Result<bool> {
    let sql = format!(
        "{MOVE}, metadata = $6::jsonb \
         where bucket_id = $7 and name = $8 and version is not distinct from $9 returning id"
    );
    let sql = target
        .bind(Sql::new(sql))
        .bind(metadata)
        .bind(from.bucket.as_str())
        .bind(from.name.as_str())
        .bind_opt(from.version.as_deref());
    // Both keys, in an order that is everybody's, so that two who move in a circle do not wait for each other.
    let mut keys = [
        (from.bucket.as_str(), from.name.as_str()),
        (target.bucket, target.name),
    ];
    keys.sort_unstable();
    let [first, second] = keys.map(|(bucket, name)| lock(bucket, name));
    let service = with_lock_timeout(service);
    let moved = |rows: &[Row]| Ok(!rows.is_empty());
    let moved = change(db, &service, &[first, second, sql], moved, notice).await;
    moved.map_err(lock_error)
}

/// What the original takes for a UUID.
pub(crate) fn is_uuid(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.len() == 36
        && bytes.iter().enumerate().all(|(index, byte)| match index {
            8 | 13 | 18 | 23 => *byte == b'-',
            14 => (b'0'..=b'5').contains(byte),
            19 => matches!(byte.to_ascii_lowercase(), b'0' | b'8' | b'9' | b'a' | b'b'),
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locks_number_is_javascripts() {
        // Computed with the original's function under Node.js.
        assert_eq!(lock_key(""), 5381);
        assert_eq!(lock_key("a"), 177_604);
        assert_eq!(lock_key("avatars/folder/cat.png"), 1_784_290_544);
        assert_eq!(lock_key("bucket/é漢"), 2_720_036_015);
    }

    #[test]
    fn uuids_are_what_the_original_takes_for_them() {
        assert!(is_uuid("317eadce-631a-4429-a0bb-f19a7a517b4a"));
        assert!(is_uuid("00000000-0000-0000-0000-000000000000"));
        assert!(!is_uuid("317eadce-631a-7429-a0bb-f19a7a517b4a"));
        assert!(!is_uuid("317eadce631a4429a0bbf19a7a517b4a"));
    }
}
