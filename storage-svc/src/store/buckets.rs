use svc_kit::{pg, wire::Row};

use super::values::{JsonWriter, boolean, time};
use crate::{
    db::{Db, Sql},
    error::{Error, Result},
};

/// What the service needs of a bucket.
#[derive(Clone, Debug)]
pub(crate) struct Bucket {
    pub(crate) is_public: bool,
    /// Bytes.
    pub(crate) file_size_limit: Option<u64>,
    pub(crate) allowed_mime_types: Vec<String>,
}

/// A bucket that is to be made.
#[derive(Debug)]
pub(crate) struct New<'a> {
    pub(crate) id: &'a str,
    pub(crate) name: &'a str,
    pub(crate) owner: Option<&'a str>,
    pub(crate) is_public: bool,
    pub(crate) file_size_limit: Option<i64>,
    pub(crate) allowed_mime_types: Option<&'a [String]>,
}

/// What becomes of a value that may be null.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Change<T> {
    #[default]
    Keep,
    Clear,
    Set(T),
}

impl<T> Change<T> {
    /// The value of something new.
    pub(crate) fn into_value(self) -> Option<T> {
        match self {
            Self::Set(value) => Some(value),
            Self::Keep | Self::Clear => None,
        }
    }
}

/// What is to be changed.
#[derive(Debug, Default)]
pub(crate) struct Changes {
    pub(crate) is_public: Option<bool>,
    pub(crate) file_size_limit: Change<i64>,
    pub(crate) allowed_mime_types: Change<Vec<String>>,
}

const COLUMNS: &str = "id, name, owner::text, public, type::text, file_size_limit, \
     to_jsonb(allowed_mime_types), created_at, updated_at";

/// Writes a bucket as clients read it, from a row of [`COLUMNS`].
fn write(json: &mut JsonWriter, row: &Row, with_type: bool) {
    let text = |index| row.text(index);
    json.raw("{")
        .string("id", text(0).as_deref())
        .string("name", text(1).as_deref())
        .string("owner", Some(&text(2).unwrap_or_default()))
        .json(
            "public",
            Some(if boolean(row, 3).unwrap_or_default() {
                "true"
            } else {
                "false"
            }),
        );
    if with_type {
        json.string("type", text(4).as_deref());
    }
    let limit = row.bigint(5).map(|limit| limit.to_string());
    json.json("file_size_limit", limit.as_deref())
        .json("allowed_mime_types", super::values::json(row, 6))
        .time("created_at", time(row, 7))
        .time("updated_at", time(row, 8))
        .raw("}");
}

/// One of the columns that a list may be sorted by; never text of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) column: &'static str,
    pub(crate) descending: bool,
}

/// Which part of the list.
#[derive(Debug)]
pub(crate) struct Page<'a> {
    pub(crate) search: Option<&'a str>,
    pub(crate) order: Option<Order>,
    pub(crate) limit: Option<i64>,
    pub(crate) offset: i64,
}

/// The buckets that the caller may see, as a JSON array.
pub(crate) async fn list(
    db: &Db,
    caller: &pg::Caller,
    page: &Page<'_>,
    with_type: bool,
) -> Result<String> {
    let order = page.order.map_or_else(String::new, |order| {
        let direction = if order.descending { "desc" } else { "asc" };
        format!("order by buckets.{} {direction}", order.column)
    });
    let sql = Sql::new(format!(
        "select {COLUMNS} from storage.buckets where ($1::text is null or name ilike $1) {order} \
         limit $2::bigint offset $3::bigint"
    ))
    .bind_opt(page.search.map(containing))
    .bind_opt(page.limit.map(|limit| limit.to_string()))
    .bind_display(page.offset);
    let rows = db.run_as(caller, &sql).await?;
    let mut json = JsonWriter::default();
    json.raw("[");
    for (index, row) in rows.iter().enumerate() {
        json.raw(if index == 0 { "" } else { "," });
        write(&mut json, row, with_type);
    }
    json.raw("]");
    Ok(json.finish())
}

/// One bucket as JSON, if the caller may see it.
pub(crate) async fn describe(db: &Db, caller: &pg::Caller, id: &str) -> Result<Option<String>> {
    let sql = Sql::new(format!(
        "select {COLUMNS} from storage.buckets where id = $1"
    ))
    .bind(id);
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows.first().map(|row| {
        let mut json = JsonWriter::default();
        write(&mut json, row, false);
        json.finish()
    }))
}

/// A bucket, whoever asks.
pub(crate) async fn find(db: &Db, id: &str) -> Result<Option<Bucket>> {
    let sql = Sql::new(
        "select public, file_size_limit, to_jsonb(allowed_mime_types) from storage.buckets where id = $1",
    )
    .bind(id);
    let rows = db.read(&sql).await?;
    Ok(rows.first().map(|row| Bucket {
        is_public: boolean(row, 0).unwrap_or_default(),
        file_size_limit: row.bigint(1).and_then(|limit| u64::try_from(limit).ok()),
        allowed_mime_types: super::values::json(row, 2)
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default(),
    }))
}

/// The same; its absence is an error.
pub(crate) async fn get(db: &Db, id: &str) -> Result<Bucket> {
    find(db, id).await?.ok_or_else(|| Error::no_such_bucket(id))
}

/// The SQL array of a parameter that holds a JSON array of texts.
const TEXTS: &str = "(select array_agg(value) from jsonb_array_elements_text($n::jsonb))";

fn texts(parameter: usize) -> String {
    // An empty array is not null.
    let array = TEXTS.replace("$n", &format!("${parameter}"));
    format!("case when ${parameter}::jsonb is null then null else coalesce({array}, '{{}}') end")
}

/// Makes a bucket as the caller.
pub(crate) async fn create(db: &Db, caller: &pg::Caller, new: &New<'_>) -> Result<()> {
    let sql = format!(
        "insert into storage.buckets (id, name, owner, owner_id, public, file_size_limit, allowed_mime_types) \
         values ($1, $2, $3::uuid, $4, $5::boolean, $6::bigint, {})",
        texts(7)
    );
    let sql = Sql::new(sql)
        .bind(new.id)
        .bind(new.name)
        .bind_opt(new.owner.filter(|owner| super::objects::is_uuid(owner)))
        .bind_opt(new.owner)
        .bind_display(new.is_public)
        .bind_opt(new.file_size_limit.map(|limit| limit.to_string()))
        .bind_opt(new.allowed_mime_types.map(json_array));
    match db.run_as(caller, &sql).await {
        Err(error) if error.is_duplicate() => Err(Error::bucket_exists(new.id)),
        other => other.map(drop),
    }
}

fn json_array(texts: &[String]) -> String {
    // Texts always serialise.
    serde_json::to_string(texts).unwrap_or_default()
}

/// Changes a bucket as the caller; gives whether it was public before.
pub(crate) async fn update(
    db: &Db,
    caller: &pg::Caller,
    id: &str,
    changes: &Changes,
) -> Result<bool> {
    let mut sets = Vec::new();
    let mut values = Vec::new();
    if let Some(public) = changes.is_public {
        values.push(Some(public.to_string()));
        sets.push(format!("public = ${}::boolean", values.len()));
    }
    if changes.file_size_limit != Change::Keep {
        values.push(match changes.file_size_limit {
            Change::Set(limit) => Some(limit.to_string()),
            _ => None,
        });
        sets.push(format!("file_size_limit = ${}::bigint", values.len()));
    }
    if changes.allowed_mime_types != Change::Keep {
        values.push(match &changes.allowed_mime_types {
            Change::Set(types) => Some(json_array(types)),
            _ => None,
        });
        sets.push(format!("allowed_mime_types = {}", texts(values.len())));
    }
    let (sets, parameter) = (sets.join(", "), values.len() + 1);
    let mut sql = Sql::new(format!(
        "with before as (select public from storage.buckets where id = ${parameter}) \
         update storage.buckets set {sets} where id = ${parameter} returning (select public from before)"
    ));
    for value in values {
        sql = sql.bind_opt(value);
    }
    let rows = db.run_as(caller, &sql.bind(id)).await?;
    let row = rows.first().ok_or_else(|| Error::no_such_bucket(id))?;
    Ok(boolean(row, 0).unwrap_or_default())
}

/// Removes an empty bucket as the caller.
pub(crate) async fn delete(
    db: &Db,
    caller: &pg::Caller,
    service: &pg::Caller,
    id: &str,
) -> Result<()> {
    let mut tx = db.begin().await?;
    tx.become_caller(service)?;
    // The lock keeps uploads out, whose foreign key would need the row.
    let sql = Sql::new("select from storage.buckets where id = $1 for update").bind(id);
    if tx.query(&sql).await?.is_empty() {
        return Err(Error::no_such_bucket(id));
    }
    let sql = Sql::new("select from storage.objects where bucket_id = $1 limit 1").bind(id);
    if !tx.query(&sql).await?.is_empty() {
        return Err(Error::bucket_not_empty(id));
    }
    tx.become_caller(caller)?;
    let sql = Sql::new(
        "with deleted as (delete from storage.buckets where id = $1 returning 1) select from deleted",
    )
    .bind(id);
    if tx.query(&sql).await?.is_empty() {
        return Err(Error::no_such_bucket(id));
    }
    tx.commit().await
}

/// Reads one row, to see that rows can be read.
pub(crate) async fn touch(db: &Db) -> Result<()> {
    let sql = Sql::new("select id from storage.buckets limit 1");
    db.read(&sql).await.map(drop)
}

/// A pattern for everything that contains the text itself.
fn containing(text: &str) -> String {
    format!("%{}%", escape_like(text))
}

/// A text in which no character of a LIKE pattern has a meaning.
pub(crate) fn escape_like(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}
