//! A service on a port of its own, and clients of it.

use std::{
    ops::Deref,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use axum::body::Bytes;
use futures_util::{SinkExt as _, StreamExt as _};
use jsonwebtoken::{EncodingKey, Header, encode};
use realtime_svc::{App, Config};
use serde_json::{Value, json};
use svc_kit::{env::Vars, testing::TestDb};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::{
    MaybeTlsStream, WebSocketStream, connect_async,
    tungstenite::{Error, Message, client::IntoClientRequest as _, http},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

pub(crate) const SECRET: &str = "a secret of the tests, long enough for HMAC";
/// Long enough for a machine that does other things, too; only a test that fails waits for it.
const PATIENCE: Duration = Duration::from_secs(20);

/// A token of this role, for an hour.
pub(crate) fn token(claims: Value) -> String {
    let mut all = json!({ "exp": now() + 3600 });
    let (Value::Object(all), Value::Object(claims)) = (&mut all, claims) else {
        unreachable!("claims are an object");
    };
    all.extend(claims);
    let key = EncodingKey::from_secret(SECRET.as_bytes());
    encode(&Header::default(), &all, &key).unwrap()
}

pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    since.as_secs()
}

pub(crate) fn anon() -> String {
    token(json!({ "role": "anon" }))
}

/// A user.
pub(crate) fn user(sub: &str) -> String {
    token(json!({ "role": "authenticated", "sub": sub }))
}

/// A running service.
pub(crate) struct Service {
    address: String,
    serving: CancellationToken,
    workers: CancellationToken,
    tracker: TaskTracker,
}

impl Drop for Service {
    fn drop(&mut self) {
        self.serving.cancel();
        self.workers.cancel();
    }
}

impl Service {
    /// A service without a database: none answers at its address.
    pub(crate) async fn alone(settings: &[(&str, &str)]) -> Self {
        Self::start("postgres://nobody@127.0.0.1:9/none", settings).await
    }

    pub(crate) async fn on(db: &TestDb, settings: &[(&str, &str)]) -> Self {
        Self::start(&db.url_as("supabase_admin"), settings).await
    }

    pub(crate) async fn start(database: &str, settings: &[(&str, &str)]) -> Self {
        let defaults = [
            ("API_JWT_SECRET", SECRET),
            ("DATABASE_URL", database),
            ("CONNECT_ERROR_BACKOFF_MS", "0"),
            ("CHANNEL_ERROR_BACKOFF_MS", "0"),
            ("TENANT_MAX_EVENTS_PER_SECOND", "1000000"),
        ];
        let vars: Vars = defaults
            .into_iter()
            .chain(settings.iter().copied())
            .collect();
        let app = App::connect(Config::from_vars(&vars).unwrap())
            .await
            .unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (serving, workers) = (CancellationToken::new(), CancellationToken::new());
        let tracker = app.spawn_workers(workers.clone());
        tokio::spawn(svc_kit::http::serve(
            listener,
            app.router(),
            serving.clone(),
        ));
        Self {
            address,
            serving,
            workers,
            tracker,
        }
    }

    /// Stops as a process does that is told to.
    pub(crate) async fn stop(&self) {
        self.serving.cancel();
        self.workers.cancel();
        self.tracker.close();
        self.tracker.wait().await;
    }

    pub(crate) fn http(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }

    /// A socket of version 2.
    pub(crate) async fn connect(&self, key: &str) -> Client {
        self.connect_as("2.0.0", key).await.unwrap()
    }

    /// A socket, or the refusal of its handshake: status and body.
    pub(crate) async fn connect_as(
        &self,
        version: &str,
        key: &str,
    ) -> Result<Client, (u16, Value)> {
        let address = &self.address;
        let url = format!("ws://{address}/socket/websocket?vsn={version}&apikey={key}");
        let mut request = url.into_client_request().unwrap();
        let told = http::HeaderValue::from_static("told");
        request.headers_mut().insert("x-test", told);
        match connect_async(request).await {
            Ok((socket, _)) => Ok(Client {
                socket,
                count: 0,
                is_v1: version.starts_with('1'),
            }),
            Err(Error::Http(response)) => {
                let body = response.body().as_deref().unwrap_or_default();
                let body = serde_json::from_slice(body).unwrap_or_default();
                Err((response.status().as_u16(), body))
            }
            Err(error) => panic!("{error}"),
        }
    }
}

/// A frame of the server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Heard {
    pub(crate) join_ref: Value,
    pub(crate) reference: Value,
    pub(crate) topic: String,
    pub(crate) event: String,
    pub(crate) payload: Value,
}

impl Deref for Heard {
    type Target = Value;

    fn deref(&self) -> &Value {
        &self.payload
    }
}

/// A client of one socket.
pub(crate) struct Client {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    count: u64,
    is_v1: bool,
}

impl Client {
    /// Sends an event; gives its reference.
    pub(crate) async fn push(&mut self, topic: &str, event: &str, payload: Value) -> String {
        self.count += 1;
        let reference = self.count.to_string();
        let join_ref = if event == "phx_join" {
            Value::from(reference.clone())
        } else {
            Value::Null
        };
        let frame = if self.is_v1 {
            json!({"topic": topic, "event": event, "payload": payload, "ref": reference, "join_ref": join_ref})
        } else {
            json!([join_ref, reference, topic, event, payload])
        };
        self.raw(Message::text(frame.to_string())).await;
        reference
    }

    pub(crate) async fn raw(&mut self, message: Message) {
        self.socket.send(message).await.unwrap();
    }

    /// A broadcast in binary framing.
    pub(crate) async fn send_binary(
        &mut self,
        topic: &str,
        event: &str,
        json: bool,
        payload: &[u8],
    ) {
        let mut frame = vec![3, 0, 0];
        frame.push(u8::try_from(topic.len()).unwrap());
        frame.push(u8::try_from(event.len()).unwrap());
        frame.extend([0, u8::from(json)]);
        frame.extend(topic.as_bytes());
        frame.extend(event.as_bytes());
        frame.extend(payload);
        self.raw(Message::binary(frame)).await;
    }

    pub(crate) async fn send(&mut self, topic: &str, event: &str, payload: Value) -> String {
        let payload = json!({ "type": "broadcast", "event": event, "payload": payload });
        self.push(topic, "broadcast", payload).await
    }

    pub(crate) async fn track(&mut self, topic: &str, payload: Value) -> Heard {
        let payload = json!({ "type": "presence", "event": "track", "payload": payload });
        let reference = self.push(topic, "presence", payload).await;
        self.reply(&reference).await
    }

    /// Joins, and gives the reply.
    pub(crate) async fn join(&mut self, topic: &str, config: Value) -> Heard {
        let reference = self
            .push(topic, "phx_join", json!({ "config": config }))
            .await;
        self.reply(&reference).await
    }

    /// Joins, which must succeed.
    pub(crate) async fn joined(&mut self, topic: &str, config: Value) -> Value {
        let reply = self.join(topic, config).await;
        assert_eq!(reply["status"], "ok", "{reply:?}");
        reply["response"].clone()
    }

    /// The reply to a reference; what comes before it is not looked at.
    pub(crate) async fn reply(&mut self, reference: &str) -> Heard {
        loop {
            let heard = self.hear().await;
            if heard.event == "phx_reply" && heard.reference == reference {
                return heard;
            }
        }
    }

    /// The next frame of this event.
    pub(crate) async fn hear_event(&mut self, event: &str) -> Heard {
        loop {
            let heard = self.hear().await;
            if heard.event == event {
                return heard;
            }
        }
    }

    /// The next frame. One in binary framing is shown as `{event, payload, meta, binary: true}`.
    pub(crate) async fn hear(&mut self) -> Heard {
        loop {
            match self.next().await {
                Some(Message::Text(text)) => return self.read(text.as_str()),
                Some(Message::Binary(bytes)) => return read_binary(&Bytes::from(bytes.to_vec())),
                Some(Message::Close(_)) | None => panic!("the socket is closed"),
                Some(_) => {}
            }
        }
    }

    /// The code that the server closes with; nothing if it just goes.
    pub(crate) async fn closed(&mut self) -> Option<u16> {
        loop {
            match self.next().await {
                Some(Message::Close(frame)) => return frame.map(|frame| frame.code.into()),
                None => return None,
                Some(_) => {}
            }
        }
    }

    async fn next(&mut self) -> Option<Message> {
        let next = tokio::time::timeout(PATIENCE, self.socket.next()).await;
        next.expect("nothing was heard").and_then(Result::ok)
    }

    /// True if nothing but answers to heartbeats comes before this one.
    pub(crate) async fn hears_nothing(&mut self) {
        let reference = self.push("phoenix", "heartbeat", json!({})).await;
        let heard = self.hear().await;
        assert_eq!(
            (heard.topic.as_str(), heard.reference),
            ("phoenix", reference.into())
        );
    }

    /// True if a broadcast of this event came before the answer to a heartbeat.
    pub(crate) async fn heard_by_now(&mut self, event: &str) -> bool {
        let reference = self.push("phoenix", "heartbeat", json!({})).await;
        let mut is_heard = false;
        loop {
            let heard = self.hear().await;
            is_heard |= heard.event == "broadcast" && heard["event"] == event;
            if heard.reference == reference {
                return is_heard;
            }
        }
    }

    fn read(&self, text: &str) -> Heard {
        let mut frame: Value = serde_json::from_str(text).unwrap();
        if self.is_v1 {
            let members: Vec<_> = frame.as_object().unwrap().keys().cloned().collect();
            assert_eq!(members, ["topic", "event", "payload", "ref"]);
            return Heard {
                join_ref: Value::Null,
                reference: frame["ref"].take(),
                topic: frame["topic"].as_str().unwrap().to_owned(),
                event: frame["event"].as_str().unwrap().to_owned(),
                payload: frame["payload"].take(),
            };
        }
        assert_eq!(frame.as_array().unwrap().len(), 5);
        Heard {
            join_ref: frame[0].take(),
            reference: frame[1].take(),
            topic: frame[2].as_str().unwrap().to_owned(),
            event: frame[3].as_str().unwrap().to_owned(),
            payload: frame[4].take(),
        }
    }
}

fn read_binary(frame: &Bytes) -> Heard {
    assert_eq!(frame[0], 4);
    let lengths: Vec<usize> = frame[1..4].iter().map(|byte| usize::from(*byte)).collect();
    let (topic, rest) = frame[5..].split_at(lengths[0]);
    let (event, rest) = rest.split_at(lengths[1]);
    let (meta, payload) = rest.split_at(lengths[2]);
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    let payload = match frame[4] {
        1 => serde_json::from_slice(payload).unwrap(),
        _ => json!(payload),
    };
    let meta: Value = serde_json::from_slice(meta).unwrap_or_default();
    Heard {
        join_ref: Value::Null,
        reference: Value::Null,
        topic: text(topic),
        event: "broadcast".to_owned(),
        payload: json!({ "event": text(event), "payload": payload, "meta": meta, "binary": true }),
    }
}
