//! Messages of the database that a client missed.

use serde_json::Value;
use svc_kit::wire::{Lease, Pool};
use uuid::Uuid;

/// The most messages of one replay, and how many it is when the client does not say.
const MAX: i64 = 25;
/// How long the database may take.
const PATIENCE: std::time::Duration = std::time::Duration::from_secs(5);

/// What a client asks for: messages since a time, at most so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Replay {
    /// Milliseconds since 1970.
    since: i64,
    limit: i64,
}

/// Why there is no replay; the text follows `UnableToReplayMessages: `.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ReplayError {
    #[error("Replay is not allowed for public channels")]
    Public,
    #[error("Replay params are not valid")]
    Params,
    #[error("Realtime was unable to replay messages")]
    Failed,
}

/// A message of the table `realtime.messages`.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    pub(crate) id: Uuid,
    pub(crate) event: String,
    pub(crate) content: Content,
}

/// A message has one of these.
#[derive(Clone, Debug)]
pub(crate) enum Content {
    /// JSON text.
    Json(String),
    Bytes(Vec<u8>),
}

impl Replay {
    /// Reads `config.broadcast.replay`.
    pub(crate) fn parse(value: &Value) -> Result<Self, ReplayError> {
        let number = |name: &str| value.get(name).filter(|value| !value.is_null());
        let since = number("since").and_then(Value::as_i64);
        let limit = match number("limit") {
            Some(limit) => limit.as_i64(),
            None => Some(MAX),
        };
        let (Some(since), Some(limit)) = (since, limit) else {
            return Err(ReplayError::Params);
        };
        // Years that no calendar here has.
        if chrono::DateTime::from_timestamp_millis(since).is_none() {
            return Err(ReplayError::Params);
        }
        Ok(Self {
            since,
            limit: limit.clamp(1, MAX),
        })
    }

    /// The newest of the messages, oldest first. Those of the future are in partitions that need not be looked at.
    pub(crate) async fn load(self, pool: &Pool, topic: &str) -> Result<Vec<Stored>, ReplayError> {
        let mut lease = Lease::take(pool).await.map_err(|_| ReplayError::Failed)?;
        let (connection, _) = lease.parts();
        let (since, limit) = (self.since.to_string(), self.limit.to_string());
        let values = [topic.as_bytes(), since.as_bytes(), limit.as_bytes()];
        let sql = "select id::text, event, payload::text, binary_payload \
            from realtime.messages \
            where topic = $1 and private and extension = 'broadcast' \
            and inserted_at >= to_timestamp($2::float8 / 1000) at time zone 'utc' \
            and inserted_at < now() at time zone 'utc' + interval '1 minute' \
            order by inserted_at desc limit $3::int8";
        let queued = connection.queue(Some(""), sql, values.map(Some));
        queued.map_err(|_| ReplayError::Failed)?;
        let answer = tokio::time::timeout(PATIENCE, connection.exchange()).await;
        let rows = answer.map_err(|_| ReplayError::Failed)?.map_err(|error| {
            tracing::error!(%error, "UnableToReplayMessages");
            ReplayError::Failed
        })?;
        let stored = rows.iter().rev().filter_map(|row| {
            let content = match (row.text(2), row.get(3)) {
                (Some(json), _) => Content::Json(json),
                (None, Some(bytes)) => Content::Bytes(bytes.to_vec()),
                (None, None) => Content::Json("null".to_owned()),
            };
            Some(Stored {
                id: row.text(0)?.parse().ok()?,
                event: row.text(1).unwrap_or_default(),
                content,
            })
        });
        Ok(stored.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_time_is_required_and_the_limit_is_held_within_bounds() {
        let parsed = |value| Replay::parse(&value);
        assert_eq!(
            parsed(json!({"since": 1_763_407_103_911_i64})).unwrap(),
            Replay {
                since: 1_763_407_103_911,
                limit: 25
            }
        );
        assert_eq!(parsed(json!({"since": 0, "limit": 99})).unwrap().limit, 25);
        assert_eq!(parsed(json!({"since": 0, "limit": -1})).unwrap().limit, 1);
        for wrong in [
            json!({}),
            json!({"limit": 3}),
            json!({"since": "yesterday"}),
            json!({"since": 1, "limit": "x"}),
            json!({"since": i64::MAX}),
        ] {
            assert_eq!(parsed(wrong.clone()), Err(ReplayError::Params), "{wrong}");
        }
    }
}
