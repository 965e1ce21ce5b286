//! Vonage. Its answers are successes for HTTP, whatever they say.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;

use super::{Failure, Outgoing, ask, post_form, words};
use crate::app::App;

const HOST: &str = "https://rest.nexmo.com";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    messages: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Part {
    message_id: Value,
    status: Value,
    error_text: Value,
}

pub(super) async fn send(
    app: &App,
    (api_key, api_secret): (&str, &SecretString),
    from: &str,
    Outgoing { message, body }: Outgoing<'_>,
) -> Result<String, Failure> {
    let mut fields = vec![
        ("from", from),
        ("to", message.phone),
        ("text", body),
        ("api_key", api_key),
        ("api_secret", api_secret.expose_secret()),
    ];
    if !body.is_ascii() {
        fields.push(("type", "unicode"));
    }
    let request = post_form(app, HOST, "/sms/json", &fields)?;
    let sent: Sent = ask(app, request).await?.read()?;
    let Some(part) = sent.messages.first() else {
        let message = "vonage error: Internal Error";
        return Err(Failure::Refused(message.to_owned()));
    };
    let (id, status) = (words(&part.message_id), words(&part.status));
    if status != "0" {
        return Err(Failure::Refused(format!(
            "vonage error: {} (status: {status}) for message {id}",
            words(&part.error_text)
        )));
    }
    Ok(id)
}
