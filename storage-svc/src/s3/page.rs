//! Pages of keys and of uploads. Keys that go on with the delimiter behind the prefix are shown as one, in any
//! number and for any delimiter in one round trip.

use chrono::{DateTime, Utc};
use svc_kit::pg;

use crate::{
    db::{Db, Sql},
    error::Result,
    store::values::{boolean, time},
};

/// Which keys, and from where on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Page<'a> {
    pub(super) bucket: &'a str,
    pub(super) prefix: &'a str,
    pub(super) delimiter: Option<&'a str>,
    /// The last entry of the page before, a key or what several keys begin with.
    pub(super) after: Option<&'a str>,
    pub(super) limit: i32,
}

/// An object, or what the keys of several begin with.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) name: String,
    pub(super) is_prefix: bool,
    pub(super) etag: Option<String>,
    pub(super) size: u64,
    pub(super) updated_at: Option<DateTime<Utc>>,
}

/// An upload in parts, or what the keys of several begin with.
#[derive(Clone, Debug)]
pub(super) struct UploadEntry {
    pub(super) name: String,
    pub(super) is_prefix: bool,
    pub(super) id: String,
    pub(super) created_at: Option<DateTime<Utc>>,
}

/// What a key is shown as, in SQL: `$5` is the delimiter and `$2` the prefix.
const FOLDER: &str = "case when strpos(substr(o.KEY, length($2::text) + 1), $5::text) > 0 \
     then left(o.KEY, length($2::text) + strpos(substr(o.KEY, length($2::text) + 1), $5::text) - 1 + length($5::text)) end";

/// The first key at or behind a place. `$6` is the delimiter with its last character replaced by the next one, so
/// that what several keys begin with is passed over at once.
const FIRST: &str = "select o.name, o.metadata ->> 'eTag' as etag, o.metadata ->> 'size' as size, o.updated_at, f.folder, \
     case when f.folder is null then o.name || chr(1) else left(f.folder, -length($5::text)) || $6::text end as next \
     from storage.objects o cross join lateral (select FOLDER as folder) f \
     where o.bucket_id = $1 and o.name collate \"C\" >= PLACE and o.name collate \"C\" < $4 \
     order by o.name collate \"C\" limit 1";

/// The smallest text that is greater than every text that begins with this one; none for the last ones.
fn beyond(text: &str) -> Option<String> {
    let mut characters = text.chars();
    let last = characters.next_back()?;
    let next = match last {
        '\u{d7ff}' => '\u{e000}',
        _ => char::from_u32(u32::from(last) + 1)?,
    };
    Some(format!("{}{next}", characters.as_str()))
}

impl Page<'_> {
    /// The first place that the page may show. No key has the character that is appended.
    fn start(&self) -> String {
        let Some(after) = self.after else {
            return self.prefix.to_owned();
        };
        let is_shown_as_one = self.delimiter.is_some_and(|delimiter| {
            after
                .strip_prefix(self.prefix)
                .and_then(|rest| {
                    rest.find(delimiter)
                        .map(|at| at + delimiter.len() == rest.len())
                })
                .unwrap_or_default()
        });
        let start = if is_shown_as_one {
            beyond(after).unwrap_or_else(|| after.to_owned())
        } else {
            format!("{after}\u{1}")
        };
        start.max(self.prefix.to_owned())
    }

    /// What every key of the prefix is less than.
    fn end(&self) -> String {
        format!("{}{}", self.prefix, char::MAX)
    }
}

/// The objects that the caller may see.
pub(super) async fn objects(db: &Db, caller: &pg::Caller, page: &Page<'_>) -> Result<Vec<Entry>> {
    let sql = match page.delimiter {
        None => Sql::new(
            "select o.name, false, o.metadata ->> 'eTag', o.metadata ->> 'size', o.updated_at from storage.objects o \
             where o.bucket_id = $1 and o.name collate \"C\" >= $2 and o.name collate \"C\" < $3 \
             order by o.name collate \"C\" limit $4::bigint",
        )
        .bind(page.bucket)
        .bind(page.start())
        .bind(page.end())
        .bind_display(page.limit),
        Some(delimiter) => {
            let first = FIRST.replace("FOLDER", &FOLDER.replace("KEY", "name"));
            Sql::new(format!(
                "with recursive entry as (({}) union all select n.* from entry e cross join lateral ({}) n) \
                 select coalesce(folder, name), folder is not null, etag, size, updated_at from entry limit $7::bigint",
                first.replace("PLACE", "$3"),
                first.replace("PLACE", "e.next"),
            ))
            .bind(page.bucket)
            .bind(page.prefix)
            .bind(page.start())
            .bind(page.end())
            .bind(delimiter)
            .bind(beyond(delimiter).unwrap_or_else(|| delimiter.to_owned() + "\u{1}"))
            .bind_display(page.limit)
        }
    };
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows
        .iter()
        .map(|row| Entry {
            name: row.text(0).unwrap_or_default(),
            is_prefix: boolean(row, 1).unwrap_or_default(),
            etag: row.text(2),
            size: row
                .text(3)
                .and_then(|size| size.parse().ok())
                .unwrap_or_default(),
            updated_at: time(row, 4),
        })
        .collect())
}

/// The uploads that the caller may see; of `after`, also those whose id is greater than `after_id`.
pub(super) async fn uploads(
    db: &Db,
    caller: &pg::Caller,
    page: &Page<'_>,
    after_id: Option<&str>,
) -> Result<Vec<UploadEntry>> {
    let folder = match page.delimiter {
        Some(_) => FOLDER.replace("KEY", "key"),
        None => "case when $5 = '' then null end".to_owned(),
    };
    let sql = Sql::new(format!(
        "select distinct on (entry collate \"C\", own_id) entry, is_prefix, id, created_at from ( \
             select coalesce(f.folder, o.key) as entry, f.folder is not null as is_prefix, o.id, o.created_at, \
                 case when f.folder is null then o.id else '' end collate \"C\" as own_id \
             from storage.s3_multipart_uploads o cross join lateral (select {folder}::text as folder) f \
             where o.bucket_id = $1 and starts_with(o.key, $2) and o.key collate \"C\" < $4 \
                 and (o.key collate \"C\" >= $3 or o.key = $6 and o.id collate \"C\" > $7) \
         ) o order by entry collate \"C\", own_id, created_at limit $8::bigint"
    ))
    .bind(page.bucket)
    .bind(page.prefix)
    .bind(page.start())
    .bind(page.end())
    .bind(page.delimiter.unwrap_or_default())
    .bind_opt(page.after.filter(|_| after_id.is_some()))
    .bind_opt(after_id)
    .bind_display(page.limit);
    let rows = db.run_as(caller, &sql).await?;
    Ok(rows
        .iter()
        .map(|row| UploadEntry {
            name: row.text(0).unwrap_or_default(),
            is_prefix: boolean(row, 1).unwrap_or_default(),
            id: row.text(2).unwrap_or_default(),
            created_at: time(row, 3),
        })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(prefix: &str, delimiter: Option<&str>, after: Option<&str>) -> String {
        Page {
            bucket: "b",
            prefix,
            delimiter,
            after,
            limit: 1,
        }
        .start()
    }

    #[test]
    fn a_page_begins_behind_the_one_before() {
        assert_eq!(start("p/", Some("/"), None), "p/");
        assert_eq!(start("", None, Some("a/")), "a/\u{1}");
        assert_eq!(start("", Some("/"), Some("a/")), "a0");
        assert_eq!(start("", Some("/"), Some("a/b")), "a/b\u{1}");
        // The key of a folder that is listed itself.
        assert_eq!(start("a/", Some("/"), Some("a/")), "a/\u{1}");
        assert_eq!(start("a/", Some("/"), Some("a/b/")), "a/b0");
        assert_eq!(start("a/", Some("/"), Some("a//")), "a/0");
        assert_eq!(start("", Some("--"), Some("a--")), "a-.");
        assert_eq!(start("m", None, Some("a")), "m");
        assert_eq!(start("m", None, Some("z")), "z\u{1}");
    }

    #[test]
    fn the_next_text_has_the_next_character() {
        assert_eq!(beyond("a/").as_deref(), Some("a0"));
        assert_eq!(beyond("\u{d7ff}").as_deref(), Some("\u{e000}"));
        assert_eq!(beyond(""), None);
        assert_eq!(beyond("a\u{10ffff}"), None);
    }
}
