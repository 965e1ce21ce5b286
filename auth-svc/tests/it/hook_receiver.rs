//! What a project runs to send text messages itself.

use aws_lc_rs::hmac;
use axum::{Json, Router, body::Bytes, extract::State, response::IntoResponse, routing::post};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::{net::TcpListener, sync::mpsc};

pub(crate) const SECRET: &str = "v1,whsec_c2VjcmV0IG9mIHRoZSB0ZXN0IGhvb2s=";

pub(crate) struct HookReceiver {
    pub(crate) port: u16,
    calls: mpsc::UnboundedReceiver<Value>,
}

impl HookReceiver {
    pub(crate) async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let (sender, calls) = mpsc::unbounded_channel();
        let router = Router::new()
            .route("/sms", post(receive))
            .with_state(sender);
        tokio::spawn(async move { axum::serve(listener, router).await });
        Self { port, calls }
    }

    /// The next call. The service waits for the answer, so it is there already.
    pub(crate) fn next(&mut self) -> Value {
        self.calls.try_recv().expect("a call of the hook")
    }

    pub(crate) fn is_empty(&mut self) -> bool {
        self.calls.is_empty()
    }
}

/// Takes what is signed with the secret; refuses one number, as a provider would.
async fn receive(
    State(calls): State<mpsc::UnboundedSender<Value>>,
    headers: HeaderMap,
    body: Bytes,
) -> impl IntoResponse {
    let header = |name: &str| headers[name].to_str().unwrap().to_owned();
    let key = STANDARD
        .decode(SECRET.strip_prefix("v1,whsec_").unwrap())
        .unwrap();
    let signed = [
        header("webhook-id").as_bytes(),
        header("webhook-timestamp").as_bytes(),
        &body,
    ]
    .join(&b'.');
    let signature = header("webhook-signature");
    let tag = STANDARD
        .decode(signature.strip_prefix("v1,").unwrap())
        .unwrap();
    if hmac::verify(&hmac::Key::new(hmac::HMAC_SHA256, &key), &signed, &tag).is_err() {
        return (StatusCode::UNAUTHORIZED, Json(json!({})));
    }
    let call: Value = serde_json::from_slice(&body).unwrap();
    let answer = if call["sms"]["phone"] == "15550000000" {
        json!({ "error": { "http_code": 403, "message": "this number is blocked" } })
    } else {
        json!({})
    };
    calls.send(call).unwrap();
    (StatusCode::OK, Json(answer))
}
