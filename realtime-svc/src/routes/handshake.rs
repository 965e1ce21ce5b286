//! How a socket begins.

use std::sync::{Arc, atomic::Ordering};

use axum::{
    extract::{
        RawQuery, State,
        ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection},
    },
    response::{IntoResponse as _, Response},
};
use http::HeaderMap;
use serde_json::{Map, Value};

use crate::{
    app::App,
    error::Refusal,
    session::{Client, Session},
    socket::Version,
    token,
};

/// A frame larger than this ends the connection.
const MAX_FRAME: usize = 5_000_000;
/// Sockets are idle most of the time: what each keeps for reading and writing is small.
const READ_BUFFER: usize = 2 * 1024;
const WRITE_BUFFER: usize = 16 * 1024;
/// What one header may contribute to the settings of a transaction.
const MAX_HEADERS: usize = 16 * 1024;

/// The query parameters of a socket that matter. Of one that is repeated the last counts.
#[derive(Debug, Default)]
struct SocketQuery {
    apikey: Option<String>,
    vsn: Option<String>,
}

impl SocketQuery {
    fn parse(query: Option<&str>) -> Self {
        let mut read = Self::default();
        for (name, value) in url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()) {
            match &*name {
                "apikey" => read.apikey = Some(value.into_owned()),
                "vsn" => read.vsn = Some(value.into_owned()),
                _ => {}
            }
        }
        read
    }
}

/// Checks the key, and makes a socket of the connection.
pub(super) async fn upgrade(
    State(app): State<App>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    match admit(&app, &SocketQuery::parse(query.as_deref()), &headers) {
        Ok(client) => match upgrade {
            Ok(upgrade) => upgrade
                .max_frame_size(MAX_FRAME)
                .max_message_size(MAX_FRAME)
                .read_buffer_size(READ_BUFFER)
                .write_buffer_size(WRITE_BUFFER)
                .on_upgrade(move |socket| Session::run(app, client, socket)),
            Err(rejection) => rejection.into_response(),
        },
        Err(refusal) => {
            tracing::debug!(%refusal, "socket refused");
            // Late: clients try again at once, and all of them together.
            tokio::time::sleep(app.config().connect_error_backoff).await;
            refusal.into_response()
        }
    }
}

fn admit(app: &App, query: &SocketQuery, headers: &HeaderMap) -> Result<Client, Refusal> {
    let key = token::of_socket(headers, query.apikey.as_deref()).filter(|key| !key.is_empty());
    let key = app.verifier().verify(key.ok_or(Refusal::KeyMissing)?)?;
    let (metrics, limits) = (app.metrics(), &app.config().limits);
    let sockets = metrics.sockets.load(Ordering::Relaxed);
    if metrics.users.load(Ordering::Relaxed) >= limits.max_concurrent_users
        || sockets >= app.config().max_connections
    {
        return Err(Refusal::TooManyUsers);
    }
    if metrics.joins.is_reached() {
        return Err(Refusal::TooManyJoins);
    }
    let is_v2 = query
        .vsn
        .as_deref()
        .is_some_and(|vsn| vsn.starts_with("2."));
    Ok(Client {
        version: if is_v2 { Version::V2 } else { Version::V1 },
        key,
        headers: extension_headers(headers),
    })
}

/// The `x-` headers as a JSON object, which policies may read.
fn extension_headers(headers: &HeaderMap) -> Arc<str> {
    let mut found = Map::new();
    let mut length = 0;
    for (name, value) in headers {
        let Ok(value) = value.to_str() else { continue };
        length += name.as_str().len() + value.len();
        if name.as_str().starts_with("x-") && length < MAX_HEADERS {
            found.insert(name.to_string(), value.into());
        }
    }
    Value::Object(found).to_string().into()
}
