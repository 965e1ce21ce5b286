//! `auth.audit_log_entries`.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{FromRow, PgConnection, types::Json};
use uuid::Uuid;

/// One event.
#[derive(Clone, Debug, FromRow, serde::Serialize)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct Entry {
    pub id: Uuid,
    pub payload: Json<Value>,
    pub created_at: DateTime<Utc>,
    pub ip_address: String,
}

/// An event that is about to be added.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of the table")]
pub struct NewEntry {
    pub id: Uuid,
    pub payload: Value,
    pub created_at: DateTime<Utc>,
    pub ip_address: String,
}

/// Adds an event.
pub async fn insert(conn: &mut PgConnection, new: &NewEntry) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into auth.audit_log_entries (instance_id, id, payload, created_at, ip_address)
         values ('00000000-0000-0000-0000-000000000000', $1, $2::json, $3, $4)",
    )
    .bind(new.id)
    .bind(Json(&new.payload))
    .bind(new.created_at)
    .bind(&new.ip_address)
    .execute(conn)
    .await?;
    Ok(())
}

/// One page of events whose `field` contains a text, and how many there are in all.
pub async fn page(
    conn: &mut PgConnection,
    filter: Option<(&[&str], &str)>,
    (limit, offset): (i64, i64),
) -> Result<(Vec<Entry>, i64), sqlx::Error> {
    let (fields, text) = filter.unwrap_or((&[], ""));
    let entries = sqlx::query_as(
        "select id, payload, coalesce(created_at, 'epoch') as created_at, ip_address
         from auth.audit_log_entries
         where $2 = '' or exists (
             select from unnest($1::text[]) as field where payload->>field ilike '%' || $2 || '%')
         order by created_at desc
         limit $3 offset $4",
    )
    .bind(fields)
    .bind(text)
    .bind(limit)
    .bind(offset)
    .fetch_all(&mut *conn)
    .await?;
    let count = sqlx::query_scalar(
        "select count(*)
         from auth.audit_log_entries
         where $2 = '' or exists (
             select from unnest($1::text[]) as field where payload->>field ilike '%' || $2 || '%')",
    )
    .bind(fields)
    .bind(text)
    .fetch_one(conn)
    .await?;
    Ok((entries, count))
}
