use chrono::{DateTime, Utc};
use svc_kit::{pg, wire::Row};
use uuid::Uuid;

use super::{
    buckets::escape_like,
    values::{JsonWriter, json, time, uuid},
};
use crate::{
    db::{Db, Sql},
    error::Result,
};

/// A page of the older list: one level below a prefix.
#[derive(Debug)]
pub(crate) struct Search<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) begins_with: &'a str,
    pub(crate) limit: i64,
    pub(crate) offset: i64,
    pub(crate) column: &'a str,
    pub(crate) order: &'a str,
}

/// The most entries of a page.
const MOST: i64 = 1500;
/// Up to so many keys a page is looked for among the keys themselves.
const PLAIN: i64 = 2 * MOST;

/// What the caller may see of it, as a JSON array.
pub(crate) async fn search(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    page: &Search<'_>,
) -> Result<String> {
    let rows = match plain(db, caller, bucket, page).await? {
        Some(rows) => rows,
        None => by_function(db, caller, bucket, page).await?,
    };
    let mut writer = JsonWriter::with_capacity(rows.len() * 400 + 2);
    let behind = page.prefix.chars().count();
    writer.raw("[");
    for (index, (row, is_whole)) in rows.iter().enumerate() {
        let name = row.get(0).and_then(|name| std::str::from_utf8(name).ok());
        let name = name.map(|name| if *is_whole { skip(name, behind) } else { name });
        writer
            .raw(if index == 0 { "{" } else { ",{" })
            .string("name", name)
            .uuid("id", uuid(row, 1))
            .time("updated_at", time(row, 2))
            .time("created_at", time(row, 3))
            .time("last_accessed_at", time(row, 4))
            .json("metadata", json(row, 5))
            .raw("}");
    }
    writer.raw("]");
    Ok(writer.finish())
}

/// A text without its first characters.
fn skip(text: &str, characters: usize) -> &str {
    let mut rest = text.chars();
    for _ in 0..characters {
        rest.next();
    }
    rest.as_str()
}

/// The page, if there are no folders on it or before it: then it is a stretch of the index, and the function of the
/// database, which looks at every key for the folder it is in, need not be asked. Rows have whole names.
async fn plain(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    page: &Search<'_>,
) -> Result<Option<Vec<(Row, bool)>>> {
    let limit = page.limit.min(MOST);
    let all = page.offset.saturating_add(limit);
    if page.column != "name" || page.order != "asc" || all > PLAIN {
        return Ok(None);
    }
    let wanted = format!("{}{}", page.prefix, page.begins_with);
    let sql = Sql::new(
        "select name, id, updated_at, created_at, last_accessed_at, metadata from storage.objects \
         where bucket_id = $1 and lower(name) collate \"C\" >= lower($2) \
         and lower(name) collate \"C\" < lower($2) || chr(1114111) \
         order by lower(name) collate \"C\" limit $3::bigint",
    )
    .bind(bucket)
    .bind(wanted.as_str())
    .bind_display(all);
    let rows = db.run_as(caller, &sql).await?;
    let behind = wanted.chars().count();
    let has_folder = rows.iter().any(|row| {
        let name = row.get(0).and_then(|name| std::str::from_utf8(name).ok());
        name.is_none_or(|name| skip(name, behind).contains('/'))
    });
    if has_folder {
        return Ok(None);
    }
    let offset = usize::try_from(page.offset).unwrap_or(usize::MAX);
    Ok(Some(
        rows.into_iter()
            .skip(offset)
            .map(|row| (row, true))
            .collect(),
    ))
}

/// The page as the database's function makes it. Rows have names that are relative already.
async fn by_function(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    page: &Search<'_>,
) -> Result<Vec<(Row, bool)>> {
    // Only the other columns are compared with patterns.
    let literal = |text: &str| {
        if page.column == "name" {
            text.to_owned()
        } else {
            escape_like(text)
        }
    };
    let (prefix, search) = (literal(page.prefix), literal(page.begins_with));
    let levels = format!("{prefix}{search}").split('/').count();
    let sql = Sql::new(
        "select name, id, updated_at, created_at, last_accessed_at, metadata \
         from storage.search($1, $2, $3::integer, $4::integer, $5::integer, $6, $7, $8)",
    )
    .bind(prefix)
    .bind(bucket)
    .bind_display(i32::try_from(page.limit).unwrap_or(i32::MAX))
    .bind_display(levels)
    .bind_display(i32::try_from(page.offset).unwrap_or(i32::MAX))
    .bind(search)
    .bind(page.column)
    .bind(page.order);
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows.into_iter().map(|row| (row, false)).collect())
}

/// The columns that a list may be sorted by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Column {
    #[default]
    Name,
    CreatedAt,
    UpdatedAt,
}

impl Column {
    pub(crate) fn parse(text: &str) -> Self {
        match text {
            "created_at" => Self::CreatedAt,
            "updated_at" => Self::UpdatedAt,
            _ => Self::Name,
        }
    }

    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Name => "name",
            Self::CreatedAt => "created_at",
            Self::UpdatedAt => "updated_at",
        }
    }
}

/// A page of the newer list, which S3 also gives.
#[derive(Debug, Default)]
pub(crate) struct Page<'a> {
    pub(crate) prefix: &'a str,
    pub(crate) delimiter: Option<&'a str>,
    pub(crate) limit: i64,
    /// The last name of the page before.
    pub(crate) cursor: Option<&'a str>,
    /// The name behind which the first page begins.
    pub(crate) start_after: Option<&'a str>,
    pub(crate) column: Column,
    pub(crate) descending: bool,
    /// The time of the last entry of the page before, where times are sorted.
    pub(crate) after: Option<&'a str>,
}

/// An object, or a folder, which has no id.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// The part of the name behind the prefix; only lists by folders have it.
    pub(crate) key: Option<String>,
    pub(crate) name: String,
    pub(crate) id: Option<Uuid>,
    pub(crate) updated_at: Option<DateTime<Utc>>,
    pub(crate) created_at: Option<DateTime<Utc>>,
    pub(crate) last_accessed_at: Option<DateTime<Utc>>,
    /// JSON text.
    pub(crate) metadata: Option<String>,
}

impl Entry {
    fn of(row: &Row) -> Self {
        Self {
            key: row.text(0),
            name: row.text(1).unwrap_or_default(),
            id: uuid(row, 2),
            updated_at: time(row, 3),
            created_at: time(row, 4),
            last_accessed_at: time(row, 5),
            metadata: json(row, 6).map(str::to_owned),
        }
    }
}

/// What the caller may see of a page.
pub(crate) async fn page(
    db: &Db,
    caller: &pg::Caller,
    bucket: &str,
    page: &Page<'_>,
) -> Result<Vec<Entry>> {
    let order = if page.descending { "desc" } else { "asc" };
    let sql = match page.delimiter {
        None => flat(bucket, page, order),
        Some("/") => {
            let levels = if page.prefix.is_empty() {
                1
            } else {
                page.prefix.split('/').count()
            };
            Sql::new(
                "select key, name, id, updated_at, created_at, last_accessed_at, metadata \
                 from storage.search_v2($1, $2, $3::integer, $4::integer, $5, $6, $7, $8)",
            )
            .bind(page.prefix)
            .bind(bucket)
            .bind_display(page.limit)
            .bind_display(levels)
            .bind(page.cursor.or(page.start_after).unwrap_or_default())
            .bind(order)
            .bind(page.column.text())
            .bind_opt(page.after)
        }
        Some(delimiter) => Sql::new(
            "select null::text, name, id, updated_at, created_at, last_accessed_at, metadata \
             from storage.list_objects_with_delimiter($1, $2, $3, $4::integer, $5, $6)",
        )
        .bind(bucket)
        .bind(page.prefix)
        .bind(delimiter)
        .bind_display(page.limit)
        .bind(page.start_after.unwrap_or_default())
        .bind(page.cursor.unwrap_or_default()),
    };
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows.iter().map(Entry::of).collect())
}

fn flat<'a>(bucket: &'a str, page: &Page<'a>, order: &str) -> Sql<'a> {
    let operator = if page.descending { '<' } else { '>' };
    let mut sql = Sql::new("").bind(bucket).bind_display(page.limit);
    let mut conditions = vec!["bucket_id = $1".to_owned()];
    let mut count = 2;
    let mut next = || {
        count += 1;
        count
    };
    if !page.prefix.is_empty() {
        sql = sql.bind(format!("{}%", escape_like(page.prefix)));
        conditions.push(format!("name like ${}", next()));
    }
    if let Some(cursor) = page.cursor {
        if let Some(after) = page.after.filter(|_| page.column != Column::Name) {
            sql = sql.bind(after).bind(cursor);
            let (time, name) = (next(), next());
            // Clients hold times to the millisecond.
            conditions.push(format!(
                    "row(date_trunc('milliseconds', {}), name collate \"C\") {operator} \
                     row(coalesce(nullif(${time}, '')::timestamptz, 'epoch'::timestamptz), ${name})",
                    page.column.text()
                ));
        } else {
            sql = sql.bind(cursor);
            conditions.push(format!("name collate \"C\" {operator} ${}", next()));
        }
    } else if let Some(start) = page.start_after {
        sql = sql.bind(start);
        conditions.push(format!("name collate \"C\" > ${}", next()));
    }
    let by_time = match page.column {
        Column::Name => String::new(),
        // As the cursor compares them, so that no entry is skipped or told twice.
        column => format!("date_trunc('milliseconds', {}) {order}, ", column.text()),
    };
    sql.with_text(format!(
        "select null::text, name, id, updated_at, created_at, last_accessed_at, metadata \
         from storage.objects where {} order by {by_time}name collate \"C\" {order} limit $2::bigint",
        conditions.join(" and ")
    ))
}
