//! Textlocal.

use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use serde_json::Value;

use super::{Failure, Outgoing, ask, post_form, words};
use crate::app::App;

const HOST: &str = "https://api.textlocal.in";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    status: Value,
    errors: Vec<Reason>,
    messages: Vec<Part>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Reason {
    code: Value,
    message: Value,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Part {
    id: Value,
}

pub(super) async fn send(
    app: &App,
    api_key: &SecretString,
    sender: &str,
    Outgoing { message, body }: Outgoing<'_>,
) -> Result<String, Failure> {
    let fields = [
        ("sender", sender),
        ("apikey", api_key.expose_secret()),
        ("message", body),
        ("numbers", message.phone),
    ];
    let request = post_form(app, HOST, "/send", &fields)?;
    let answer = ask(app, request).await?;
    let sent: Sent = answer.read()?;
    let id = sent.messages.first().map(|part| words(&part.id));
    let id = id.unwrap_or_default();
    if words(&sent.status) != "success" {
        let reason = sent.errors.first().ok_or(Failure::Answer(answer.status))?;
        // The original adds the text when the template is not a known one. It holds the code.
        return Err(Failure::Refused(format!(
            "textlocal error: {} (code: {}) message {id}",
            words(&reason.message),
            words(&reason.code)
        )));
    }
    Ok(id)
}
