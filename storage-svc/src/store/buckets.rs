use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _, postgres::PgRow};

/// What a caller may see of a bucket.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) owner: Option<String>,
    pub(crate) public: Option<bool>,
    pub(crate) kind: String,
    pub(crate) file_size_limit: Option<i64>,
    pub(crate) allowed_mime_types: Option<Vec<String>>,
    pub(crate) created_at: Option<String>,
    pub(crate) updated_at: Option<String>,
}

impl FromRow<'_, PgRow> for Row {
    fn from_row(row: &PgRow) -> Result<Self, sqlx::Error> {
        Ok(Self {
            id: row.try_get("id")?,
            name: row.try_get("name")?,
            owner: row.try_get("owner")?,
            public: row.try_get("public")?,
            kind: row.try_get("kind")?,
            file_size_limit: row.try_get("file_size_limit")?,
            allowed_mime_types: row.try_get("allowed_mime_types")?,
            created_at: row.try_get("created_at")?,
            updated_at: row.try_get("updated_at")?,
        })
    }
}

const SELECT: &str = r#"
    select id,
           name,
           owner::text,
           public,
           "type"::text as kind,
           file_size_limit,
           allowed_mime_types,
           to_char(created_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as created_at,
           to_char(updated_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as updated_at
      from storage.buckets
"#;

/// One of the columns that a list may be sorted by; never text of a request.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Order {
    pub(crate) column: &'static str,
    pub(crate) descending: bool,
}

/// Which part of the list.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) search: Option<String>,
    pub(crate) order: Option<Order>,
    pub(crate) limit: Option<u32>,
    pub(crate) offset: u32,
}

/// The buckets that the transaction's role may see.
pub(crate) async fn list(tx: &mut PgConnection, page: &Page) -> Result<Vec<Row>, sqlx::Error> {
    // The alias `buckets` keeps `order by created_at` on the time, not on the text made of it.
    let order = page.order.map_or_else(String::new, |order| {
        let direction = if order.descending { "desc" } else { "asc" };
        format!("order by buckets.{} {direction}", order.column)
    });
    let sql =
        format!("{SELECT} where ($1::text is null or name ilike $1) {order} limit $2 offset $3");
    sqlx::query_as(AssertSqlSafe(sql))
        .bind(page.search.as_deref().map(containing))
        .bind(page.limit.map(i64::from))
        .bind(i64::from(page.offset))
        .fetch_all(tx)
        .await
}

/// One bucket, if the transaction's role may see it.
pub(crate) async fn find(tx: &mut PgConnection, id: &str) -> Result<Option<Row>, sqlx::Error> {
    sqlx::query_as(AssertSqlSafe(format!("{SELECT} where id = $1")))
        .bind(id)
        .fetch_optional(tx)
        .await
}

/// Reads one row, to see that rows can be read.
pub(crate) async fn touch(tx: &mut PgConnection) -> Result<(), sqlx::Error> {
    sqlx::query("select id from storage.buckets limit 1")
        .fetch_optional(tx)
        .await
        .map(|_| ())
}

/// A pattern for everything that contains the text itself.
fn containing(text: &str) -> String {
    let mut pattern = String::from("%");
    for character in text.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}
