//! Messagebird.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;

use super::{Failure, Outgoing, ask, post_form, words};
use crate::app::App;

const HOST: &str = "https://rest.messagebird.com";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    id: Value,
    recipients: Recipients,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Recipients {
    #[serde(rename = "totalSentCount")]
    sent: i64,
}

#[derive(Deserialize)]
struct Refusal {
    errors: Vec<Reason>,
}

#[derive(Deserialize)]
struct Reason {
    description: Value,
}

pub(super) async fn send(
    app: &App,
    access_key: &SecretString,
    originator: &str,
    Outgoing { message, body }: Outgoing<'_>,
) -> Result<String, Failure> {
    let fields = [
        ("originator", originator),
        ("body", body),
        ("recipients", message.phone),
        ("type", "sms"),
        ("datacoding", "unicode"),
    ];
    let key = format!("AccessKey {}", access_key.expose_secret());
    let request = post_form(app, HOST, "/messages", &fields)?.header("authorization", key);
    let answer = ask(app, request).await?;
    if !(200..300).contains(&answer.status) {
        let refusal: Refusal = answer.read()?;
        let reason = refusal.errors.first();
        let reason = reason.ok_or(Failure::Answer(answer.status))?;
        return Err(Failure::Refused(words(&reason.description)));
    }
    let sent: Sent = answer.read()?;
    if sent.recipients.sent == 0 {
        let message = "messagebird error: total sent count is 0";
        return Err(Failure::Refused(message.to_owned()));
    }
    Ok(words(&sent.id))
}
