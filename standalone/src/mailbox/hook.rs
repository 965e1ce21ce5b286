//! The send-SMS hook: how the auth service hands over a code.

use std::time::{SystemTime, UNIX_EPOCH};

use aws_lc_rs::hmac;
use axum::{
    Json,
    body::Bytes,
    extract::State,
    response::{IntoResponse, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, StatusCode};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Mailbox, sms::Sms};

/// How far the sender's clock may be off, in seconds.
const TOLERANCE: u64 = 300;

/// Checks signatures as Standard Webhooks defines them.
#[derive(Debug)]
pub(super) struct Verifier(Option<hmac::Key>);

impl Verifier {
    /// A secret that cannot be read verifies nothing.
    pub(super) fn new(secret: &str) -> Self {
        let base64 = secret
            .strip_prefix("v1,")
            .unwrap_or(secret)
            .trim_start_matches("whsec_");
        let key = STANDARD.decode(base64).ok().filter(|key| !key.is_empty());
        if key.is_none() {
            tracing::error!("the secret of the send-SMS hook is not v1,whsec_<base64>");
        }
        Self(key.map(|key| hmac::Key::new(hmac::HMAC_SHA256, &key)))
    }

    fn check(&self, headers: &HeaderMap, body: &[u8], now: u64) -> Result<(), &'static str> {
        let header = |name| {
            headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .ok_or("a webhook header is missing")
        };
        let (id, timestamp) = (header("webhook-id")?, header("webhook-timestamp")?);
        let signatures = header("webhook-signature")?;
        let sent: u64 = timestamp
            .parse()
            .map_err(|_| "webhook-timestamp is no number")?;
        if now.abs_diff(sent) > TOLERANCE {
            return Err("webhook-timestamp is too far from now");
        }
        let key = self.0.as_ref().ok_or("no usable secret is configured")?;
        let mut message = format!("{id}.{timestamp}.").into_bytes();
        message.extend_from_slice(body);
        let genuine = signatures
            .split(' ')
            .filter_map(|signature| signature.strip_prefix("v1,"))
            .filter_map(|signature| STANDARD.decode(signature).ok())
            .any(|signature| hmac::verify(key, &message, &signature).is_ok());
        if genuine {
            Ok(())
        } else {
            Err("no signature matches")
        }
    }
}

#[derive(Deserialize)]
struct Payload {
    user: User,
    sms: Code,
}

#[derive(Deserialize)]
struct User {
    #[serde(default)]
    phone: Option<String>,
}

#[derive(Deserialize)]
struct Code {
    otp: String,
    #[serde(default)]
    phone: Option<String>,
}

/// `POST /hooks/send-sms`
pub(super) async fn receive(
    State(mailbox): State<Mailbox>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Json<Value>, Response> {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    if let Some(verifier) = &mailbox.0.verifier {
        verifier
            .check(&headers, &body, now)
            .map_err(|reason| refuse(StatusCode::UNAUTHORIZED, reason))?;
    }
    let payload: Payload = serde_json::from_slice(&body)
        .map_err(|_| refuse(StatusCode::BAD_REQUEST, "not the body of a send-SMS hook"))?;
    let phone = [payload.sms.phone, payload.user.phone]
        .into_iter()
        .flatten()
        .find(|phone| !phone.is_empty())
        .ok_or_else(|| refuse(StatusCode::BAD_REQUEST, "there is no phone number"))?;
    mailbox.store().add_sms(Sms::new(phone, payload.sms.otp));
    Ok(Json(json!({})))
}

/// The form in which a hook tells the auth service what went wrong.
fn refuse(status: StatusCode, message: &str) -> Response {
    let error = json!({ "http_code": status.as_u16(), "message": message });
    (status, Json(json!({ "error": error }))).into_response()
}
