use std::sync::Arc;

use serde_json::{Map, Value};
use uuid::Uuid;

use crate::{
    policies::PolicyError,
    replay::{Replay, ReplayError},
    token::TokenError,
};

/// What a client says when it joins. What makes no sense counts as not said.
#[derive(Clone, Debug)]
pub(crate) struct Join {
    /// `config.broadcast.ack`: broadcasts are answered.
    pub(crate) acknowledges: bool,
    /// `config.broadcast.self`: the channel gets its own broadcasts.
    pub(crate) to_self: bool,
    /// `config.broadcast.replication_ready`: the client wants to know when messages of the database flow.
    pub(crate) replication_ready: bool,
    /// True if there is a `config.broadcast.replay`, whatever it is.
    pub(crate) asks_replay: bool,
    /// `config.broadcast.replay`, where it is an object; an error where that cannot be read.
    pub(crate) replay: Option<Result<Replay, ReplayError>>,
    /// `config.presence.enabled`
    pub(crate) presence: bool,
    /// `config.presence.key`, or a new one.
    pub(crate) key: Arc<str>,
    /// `config.private`
    pub(crate) is_private: bool,
    /// `config.postgres_changes`, as the client wrote them.
    pub(crate) changes: Vec<Value>,
    /// False for clients of 2021, which have no `config`: their topic says what they subscribe to.
    pub(crate) has_config: bool,
    /// `user_token`, else `access_token`; nothing if the socket's key is to be used.
    pub(crate) token: Option<String>,
}

impl Join {
    /// Reads a join's payload. `topic` is without `realtime:`.
    pub(crate) fn parse(payload: &Value, topic: &str) -> Self {
        let empty = Value::Null;
        let config = payload.get("config");
        let member = |name: &str| config.and_then(|config| config.get(name)).unwrap_or(&empty);
        let (broadcast, presence) = (member("broadcast"), member("presence"));
        let changes = match member("postgres_changes") {
            Value::Array(list) => list.iter().filter(|it| !it.is_null()).cloned().collect(),
            _ => Vec::new(),
        };
        Self {
            acknowledges: flag(&broadcast["ack"]),
            to_self: flag(&broadcast["self"]),
            replication_ready: is_truthy(&broadcast["replication_ready"]),
            asks_replay: broadcast.get("replay").is_some(),
            replay: broadcast
                .get("replay")
                .filter(|replay| replay.is_object())
                .map(Replay::parse),
            presence: flag(&presence["enabled"]),
            key: key(&presence["key"]).into(),
            is_private: flag(member("private")),
            changes: if config.is_some() {
                changes
            } else {
                vec![of_topic(topic)]
            },
            has_config: config.is_some(),
            token: token(payload),
        }
    }
}

fn flag(value: &Value) -> bool {
    match value {
        Value::Bool(flag) => *flag,
        Value::String(text) => text.eq_ignore_ascii_case("true"),
        _ => false,
    }
}

fn is_truthy(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

fn key(value: &Value) -> String {
    match value {
        Value::String(key) if !key.is_empty() => key.clone(),
        Value::Number(number) => number.to_string(),
        Value::Bool(flag) => flag.to_string(),
        _ => Uuid::new_v4().to_string(),
    }
}

/// A key of the platform is no token: the gateway has put one in its place already, at the socket.
fn token(payload: &Value) -> Option<String> {
    let text = |name: &str| payload.get(name).and_then(Value::as_str);
    let first = text("access_token").or(text("user_token"))?;
    if first.starts_with("sb_") {
        return None;
    }
    Some(text("user_token").unwrap_or(first).to_owned())
}

/// `schema`, `schema:table` or `schema:table:filter`
fn of_topic(topic: &str) -> Value {
    let mut parts = topic.splitn(3, ':');
    let mut wanted = Map::new();
    for name in ["schema", "table", "filter"] {
        if let Some(part) = parts.next() {
            wanted.insert(name.to_owned(), part.into());
        }
    }
    Value::Object(wanted)
}

/// Why a join is refused. The text is the `reason` that the client is given.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JoinError {
    #[error("TopicNameRequired: You must provide a topic name")]
    NoTopic,
    #[error("RealtimeRestarting: Realtime is restarting, please standby")]
    Restarting,
    #[error("PrivateOnly: This project only allows private channels")]
    PrivateOnly,
    #[error("ConnectionRateLimitReached: Too many connected users")]
    TooManyUsers,
    #[error("ClientJoinRateLimitReached: Too many joins per second")]
    TooManyJoins,
    #[error("ChannelRateLimitReached: Too many channels")]
    TooManyChannels,
    #[error("{}", token_reason(.0))]
    Token(#[from] TokenError),
    #[error("Unauthorized: You do not have permissions to read from this Channel topic: {0}")]
    Unauthorized(Arc<str>),
    #[error("{code}: {0}", code = code(.0))]
    Policies(#[from] PolicyError),
    #[error("UnableToReplayMessages: {0}")]
    Replay(#[from] ReplayError),
    #[error("Unknown Error on Channel")]
    Unknown,
}

impl JoinError {
    /// The code in front of the reason, by which errors are counted.
    pub(crate) fn code(&self) -> String {
        let text = self.to_string();
        let (code, _) = text
            .split_once(": ")
            .unwrap_or(("UnknownErrorOnChannel", ""));
        code.to_owned()
    }
}

fn token_reason(error: &TokenError) -> String {
    match error {
        TokenError::Claim => error.to_string(),
        error => format!("{}: {error}", error.code()),
    }
}

fn code(error: &PolicyError) -> &'static str {
    match error {
        PolicyError::Policy(_) => "RlsPolicyError",
        PolicyError::MissingPartition => "MissingPartition",
        PolicyError::Canceled(_) => "QueryCanceled",
        PolicyError::PoolExhausted => "IncreaseConnectionPool",
        PolicyError::Unavailable => "UnableToConnectToProject",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_makes_no_sense_counts_as_not_said() {
        let join = Join::parse(
            &json!({"config": {
                "broadcast": {"ack": "True", "self": 1},
                "presence": {"enabled": "TRUE", "key": 7},
                "private": "no",
                "postgres_changes": [null, {"event": "*", "schema": "public"}],
            }}),
            "room",
        );
        assert!(join.acknowledges && !join.to_self && join.presence && !join.is_private);
        assert_eq!(&*join.key, "7");
        assert_eq!(join.changes, [json!({"event": "*", "schema": "public"})]);
        for strange in [json!(null), json!([]), json!("x"), json!({"config": 3})] {
            assert!(!Join::parse(&strange, "room").is_private, "{strange}");
        }
    }

    #[test]
    fn a_client_without_a_configuration_subscribes_by_its_topic() {
        let join = Join::parse(&json!({}), "public:todos:id=eq.1:2");
        assert!(!join.has_config);
        assert_eq!(
            join.changes,
            [json!({"schema": "public", "table": "todos", "filter": "id=eq.1:2"})]
        );
    }

    #[test]
    fn a_key_of_the_platform_is_no_token() {
        let of = |payload: Value| Join::parse(&payload, "room").token;
        assert_eq!(of(json!({"access_token": "sb_publishable_x"})), None);
        assert_eq!(
            of(json!({"access_token": "a", "user_token": "b"})).unwrap(),
            "b"
        );
        assert_eq!(of(json!({"access_token": null})), None);
    }
}
