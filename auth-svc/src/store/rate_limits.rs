//! `auth.rate_limit_buckets`: what is left under each limit, for all copies of the service.

use std::time::Duration;

use chrono::{DateTime, Utc};
use sqlx::PgPool;

use crate::domain::limiter::{Bucket, Rule};

/// Takes one from the bucket of this name in one statement, or says how long to wait. A refusal writes nothing.
pub async fn take(
    pool: &PgPool,
    name: &str,
    rule: Rule,
    now: DateTime<Utc>,
) -> Result<Result<(), Duration>, sqlx::Error> {
    let (burst, per_second, window) = match rule {
        Rule::Refilled { burst, per_second } => (burst, per_second, None),
        Rule::Window { events, length } => (events, 0.0, Some(length.as_secs_f64())),
    };
    let taken = sqlx::query(
        "insert into auth.rate_limit_buckets as bucket (name, tokens, since) values ($1, $2 - 1, $3)
         on conflict (name) do update
         set tokens = case
                 when extract(epoch from $3 - bucket.since)::float8 >= $5 then $2
                 else least($2, bucket.tokens + $4 * greatest(0, extract(epoch from $3 - bucket.since)::float8))
             end - 1,
             since = case
                 when extract(epoch from $3 - bucket.since)::float8 < $5 then bucket.since
                 else greatest($3, bucket.since)
             end
         where extract(epoch from $3 - bucket.since)::float8 >= $5
            or least($2, bucket.tokens + $4 * greatest(0, extract(epoch from $3 - bucket.since)::float8)) >= 1",
    )
    .bind(name)
    .bind(burst)
    .bind(now)
    .bind(per_second)
    .bind(window)
    .execute(pool)
    .await?;
    if taken.rows_affected() > 0 {
        return Ok(Ok(()));
    }
    // Nothing is left of one that was removed meanwhile.
    let left = peek(pool, name).await?;
    Ok(left.map_or(Ok(()), |bucket| Err(rule.wait(&bucket, now))))
}

/// What is left in the bucket of this name; nothing when it was never taken from.
pub async fn peek(pool: &PgPool, name: &str) -> Result<Option<Bucket>, sqlx::Error> {
    let left: Option<(f64, DateTime<Utc>)> =
        sqlx::query_as("select tokens, since from auth.rate_limit_buckets where name = $1")
            .bind(name)
            .fetch_optional(pool)
            .await?;
    Ok(left.map(|(tokens, since)| Bucket { tokens, since }))
}

/// Removes the buckets that nobody took from since then.
pub async fn forget(pool: &PgPool, before: DateTime<Utc>) -> Result<(), sqlx::Error> {
    sqlx::query("delete from auth.rate_limit_buckets where since < $1")
        .bind(before)
        .execute(pool)
        .await?;
    Ok(())
}
