use axum::{
    Json,
    extract::{Path, Query, State, rejection::QueryRejection},
};
use serde::{Deserialize, Serialize};
use svc_kit::pg;

use crate::{
    App,
    auth::{Caller, Client},
    error::Error,
    store::buckets::{self, Order, Row},
};

/// A bucket as clients read it.
#[derive(Debug, Serialize)]
pub(crate) struct Bucket {
    id: String,
    name: String,
    owner: String,
    public: bool,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    file_size_limit: Option<i64>,
    allowed_mime_types: Option<Vec<String>>,
    created_at: Option<String>,
    updated_at: Option<String>,
}

impl Bucket {
    fn new(row: Row, with_type: bool) -> Self {
        Self {
            id: row.id,
            name: row.name,
            owner: row.owner.unwrap_or_default(),
            public: row.public.unwrap_or_default(),
            kind: with_type.then_some(row.kind),
            file_size_limit: row.file_size_limit,
            allowed_mime_types: row.allowed_mime_types,
            created_at: row.created_at,
            updated_at: row.updated_at,
        }
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum SortColumn {
    Id,
    Name,
    CreatedAt,
    UpdatedAt,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum SortOrder {
    Asc,
    Desc,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListQuery {
    limit: Option<u32>,
    offset: Option<u32>,
    sort_column: Option<SortColumn>,
    sort_order: Option<SortOrder>,
    search: Option<String>,
}

impl ListQuery {
    fn order(&self) -> Option<Order> {
        let descending = matches!(self.sort_order, Some(SortOrder::Desc));
        let column = match self.sort_column? {
            SortColumn::Id => "id",
            SortColumn::Name => "name",
            SortColumn::CreatedAt => "created_at",
            SortColumn::UpdatedAt => "updated_at",
        };
        Some(Order { column, descending })
    }
}

/// `GET /bucket`
pub(crate) async fn list(
    State(app): State<App>,
    caller: Caller,
    client: Client,
    query: Result<Query<ListQuery>, QueryRejection>,
) -> Result<Json<Vec<Bucket>>, Error> {
    let Query(query) = query.map_err(|rejection| Error::InvalidRequest(rejection.body_text()))?;
    let page = buckets::Page {
        search: query.search.clone().filter(|text| !text.is_empty()),
        order: query.order(),
        limit: query.limit,
        offset: query.offset.unwrap_or_default(),
    };
    let mut tx = pg::begin_as(app.db(), &caller.doing("storage.bucket.list")).await?;
    let rows = buckets::list(&mut tx, &page).await?;
    tx.commit().await?;
    let bucket = |row| Bucket::new(row, client.knows_bucket_types);
    Ok(Json(rows.into_iter().map(bucket).collect()))
}

/// `GET /bucket/{id}`
pub(crate) async fn get(
    State(app): State<App>,
    caller: Caller,
    Path(id): Path<String>,
) -> Result<Json<Bucket>, Error> {
    let mut tx = pg::begin_as(app.db(), &caller.doing("storage.bucket.get")).await?;
    let row = buckets::find(&mut tx, &id).await?;
    tx.commit().await?;
    let row = row.ok_or(Error::NoSuchBucket)?;
    Ok(Json(Bucket::new(row, false)))
}
