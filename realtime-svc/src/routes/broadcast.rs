//! Messages that are sent with a request instead of over a socket.

use std::sync::Arc;

use axum::{
    body::{Body, to_bytes},
    extract::{Path, Query, State},
};
use bytes::Bytes;
use http::{HeaderMap, StatusCode, header};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::{
    app::App,
    error::Error,
    hub::{self, Broadcast, RoomName},
    policies::{Context, PolicyError, Write},
    socket::Encoding,
    token::{self, Token},
};

/// As much as the original reads of a body.
const MAX_BODY: usize = 8_000_000;
const TOO_LARGE: &str = "Payload size exceeds tenant limit";
const BLANK: &str = "can't be blank";
const INVALID: &str = "is invalid";

/// A message of a batch.
struct Message {
    topic: Arc<str>,
    event: String,
    payload: Map<String, Value>,
    is_private: bool,
    id: Option<String>,
}

/// `POST /api/broadcast`: many messages, of which those that the caller may not send are left out.
pub(super) async fn batch(
    State(app): State<App>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Error> {
    // Before anything is read: a body of a stranger costs nothing.
    let token = authorize(&app, &headers)?;
    let body = read(body).await?;
    let body: Value = if body.is_empty() {
        Value::Null
    } else {
        serde_json::from_slice(&body).map_err(|_| Error::BadRequest)?
    };
    let messages = read_messages(&body, app.config().limits.max_payload_bytes())?;
    let events = &app.metrics().events;
    if messages.len() as u64 + events.average() > events.limit() {
        return Err(Error::BatchTooLarge);
    }
    let (private, public): (Vec<_>, Vec<_>) = messages.into_iter().partition(|it| it.is_private);
    for message in public {
        send_batched(&app, message);
    }
    // One question per topic, in the order of their first messages.
    let mut topics: Vec<(Arc<str>, Vec<Message>)> = Vec::new();
    for message in private {
        match topics.iter_mut().find(|(topic, _)| *topic == message.topic) {
            Some((_, messages)) => messages.push(message),
            None => topics.push((message.topic.clone(), vec![message])),
        }
    }
    for (topic, messages) in topics {
        let context = context(topic, &token, &headers);
        match app.policies().may_write(&context, Write::Broadcast).await {
            Ok(true) => messages.into_iter().for_each(|it| send_batched(&app, it)),
            Ok(false) => {}
            Err(error) => tracing::error!(%error, "UnableToSetPolicies"),
        }
    }
    Ok(StatusCode::ACCEPTED)
}

/// How a single message is sent.
#[derive(Debug, Deserialize)]
pub(super) struct Options {
    private: Option<String>,
}

/// `POST /api/broadcast/:topic/events/:event`: the body is the payload, JSON or bytes.
pub(super) async fn single(
    State(app): State<App>,
    Path((topic, event)): Path<(String, String)>,
    Query(options): Query<Options>,
    headers: HeaderMap,
    body: Body,
) -> Result<StatusCode, Error> {
    let is_bytes = media_type(&headers)?;
    // Before anything is read: a body of a stranger costs nothing.
    let token = authorize(&app, &headers)?;
    let body = read(body).await?;
    let (encoding, payload) = if is_bytes {
        (Encoding::Bytes, body)
    } else {
        (Encoding::Json, json_payload(body)?)
    };
    let mut errors = Map::new();
    for (name, value) in [("topic", &topic), ("event", &event)] {
        if value.trim().is_empty() {
            errors.insert(name.to_owned(), json!([BLANK]));
        }
    }
    if payload.len() > app.config().limits.max_payload_bytes() {
        errors.insert("payload".to_owned(), json!([TOO_LARGE]));
    }
    if !errors.is_empty() {
        return Err(Error::Invalid(errors.into()));
    }
    let name = RoomName {
        topic: topic.into(),
        is_private: options.private.as_deref() == Some("true"),
    };
    if name.is_private {
        let context = context(name.topic.clone(), &token, &headers);
        let answer = app.policies().may_write(&context, Write::Broadcast).await;
        if !answer.map_err(|error| refused(&error))? {
            return Err(Error::Forbidden);
        }
    }
    app.metrics().events.add(1);
    app.send(
        &name,
        &Broadcast::of_socket(hub::Body::User {
            event: event.into(),
            encoding,
            payload,
            meta: None,
        }),
    );
    Ok(StatusCode::ACCEPTED)
}

fn authorize(app: &App, headers: &HeaderMap) -> Result<Arc<Token>, Error> {
    let token = token::of_request(headers).ok_or(Error::Unauthorized)?;
    app.verifier()
        .verify(token)
        .map_err(|_| Error::Unauthorized)
}

async fn read(body: Body) -> Result<Bytes, Error> {
    to_bytes(body, MAX_BODY)
        .await
        .map_err(|_| Error::BodyTooLarge)
}

/// True for bytes, false for JSON, which also is what a request without a type means.
fn media_type(headers: &HeaderMap) -> Result<bool, Error> {
    let unsupported = "Unsupported Media Type. Use application/json or application/octet-stream";
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(false);
    };
    let text = value.to_str().unwrap_or_default();
    match text.split(';').next().unwrap_or_default().trim() {
        kind if kind.eq_ignore_ascii_case("application/json") => Ok(false),
        kind if kind.eq_ignore_ascii_case("application/octet-stream") => Ok(true),
        _ => Err(Error::MediaType(unsupported)),
    }
}

/// An object goes on as it is. Anything else is put into one, as the original's reader of bodies does.
fn json_payload(body: Bytes) -> Result<Bytes, Error> {
    if body.is_empty() {
        return Ok(Bytes::from_static(b"{}"));
    }
    let value: &serde_json::value::RawValue =
        serde_json::from_slice(&body).map_err(|_| Error::BadRequest)?;
    if value.get().starts_with('{') {
        return Ok(body);
    }
    Ok(format!(r#"{{"_json":{}}}"#, value.get()).into())
}

fn context(topic: Arc<str>, token: &Arc<Token>, headers: &HeaderMap) -> Context {
    let text = |value: &http::HeaderValue| value.to_str().ok().map(Value::from);
    let headers: Map<String, Value> = headers
        .iter()
        .filter_map(|(name, value)| Some((name.to_string(), text(value)?)))
        .collect();
    Context {
        topic,
        token: token.clone(),
        headers: Value::Object(headers).to_string().into(),
    }
}

fn refused(error: &PolicyError) -> Error {
    tracing::error!(%error, "a private message could not be checked");
    match error {
        PolicyError::Policy(_) => Error::Unprocessable("RLS policy error"),
        PolicyError::Canceled(_) => Error::Unprocessable("Query canceled"),
        PolicyError::MissingPartition => Error::Unprocessable("Missing messages partition"),
        PolicyError::PoolExhausted => Error::PoolExhausted,
        PolicyError::Unavailable => Error::Unprocessable("Tenant database unavailable"),
    }
}

fn send_batched(app: &App, message: Message) {
    app.metrics().events.add(1);
    let mut payload = Map::new();
    payload.insert("event".to_owned(), message.event.into());
    payload.insert("payload".to_owned(), message.payload.into());
    payload.insert("type".to_owned(), "broadcast".into());
    if let Some(id) = message.id {
        payload.insert("meta".to_owned(), json!({ "id": id }));
    }
    let name = RoomName {
        topic: message.topic,
        is_private: message.is_private,
    };
    let text = Value::Object(payload).to_string();
    app.send(&name, &Broadcast::of_socket(hub::Body::Text(text.into())));
}

fn read_messages(body: &Value, max_bytes: usize) -> Result<Vec<Message>, Error> {
    let whole = |text: &str| Error::Invalid(json!({ "messages": [text] }));
    let list = match body.get("messages") {
        None | Some(Value::Null) => return Err(whole(BLANK)),
        Some(Value::Array(list)) if list.is_empty() => return Err(whole(BLANK)),
        Some(Value::Array(list)) => list,
        Some(_) => return Err(whole(INVALID)),
    };
    if list.iter().any(|message| !message.is_object()) {
        return Err(whole(INVALID));
    }
    let read: Vec<_> = list.iter().map(|it| read_message(it, max_bytes)).collect();
    if read.iter().all(Result::is_ok) {
        return Ok(read.into_iter().filter_map(Result::ok).collect());
    }
    let errors = read.into_iter().map(|it| it.err().unwrap_or_default());
    let errors: Vec<Value> = errors.map(Value::Object).collect();
    Err(Error::Invalid(json!({ "messages": errors })))
}

fn read_message(message: &Value, max_bytes: usize) -> Result<Message, Map<String, Value>> {
    let mut errors = Map::new();
    let mut text = |name: &str| match message.get(name) {
        Some(Value::String(text)) if !text.trim().is_empty() => text.clone(),
        None | Some(Value::Null | Value::String(_)) => {
            errors.insert(name.to_owned(), json!([BLANK]));
            String::new()
        }
        Some(_) => {
            errors.insert(name.to_owned(), json!([INVALID]));
            String::new()
        }
    };
    let (topic, event) = (text("topic"), text("event"));
    let payload = match message.get("payload") {
        Some(Value::Object(payload)) => payload.clone(),
        None | Some(Value::Null) => {
            errors.insert("payload".to_owned(), json!([BLANK]));
            Map::new()
        }
        Some(_) => {
            errors.insert("payload".to_owned(), json!([INVALID]));
            Map::new()
        }
    };
    let is_private = match message.get("private") {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::String(text)) if matches!(&**text, "true" | "1") => true,
        Some(Value::String(text)) if matches!(&**text, "false" | "0") => false,
        Some(_) => {
            errors.insert("private".to_owned(), json!([INVALID]));
            false
        }
    };
    if Value::Object(payload.clone()).to_string().len() > max_bytes {
        errors.insert("payload".to_owned(), json!([TOO_LARGE]));
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    let id = message.get("id").and_then(Value::as_str);
    Ok(Message {
        topic: topic.into(),
        event,
        payload,
        is_private,
        id: id.map(str::to_owned),
    })
}
