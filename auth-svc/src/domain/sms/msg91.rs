//! MSG91. In India operators deliver only texts that were registered with them, so a message is the number
//! of a template and the code that goes into it; a text of ours is not sent.

use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::{Failure, Message, ask, post, words};
use crate::{app::App, config::Msg91};

const HOST: &str = "https://control.msg91.com";

#[derive(Default, Deserialize)]
#[serde(default)]
struct Sent {
    r#type: Value,
    /// The number of the request, or the reason.
    message: Value,
}

pub(super) async fn send(
    app: &App,
    account: &Msg91,
    message: Message<'_>,
) -> Result<String, Failure> {
    let template = account
        .factor_template_id
        .as_ref()
        .filter(|_| message.for_factor)
        .unwrap_or(&account.template_id);
    let mut recipient = Map::new();
    recipient.insert(account.code_variable.clone(), message.code.into());
    recipient.insert("mobiles".to_owned(), message.phone.into());
    let mut body = json!({
        "template_id": template,
        "short_url": "0",
        "recipients": [recipient],
    });
    for (name, value) in [
        ("sender", &account.sender_id),
        ("DLT_TE_ID", &account.dlt_template_id),
        ("PE_ID", &account.dlt_entity_id),
    ] {
        if let Some(value) = value {
            body[name] = value.as_str().into();
        }
    }
    let request = post(app, HOST, "/api/v5/flow/")?
        .header("authkey", account.auth_key.expose_secret())
        .header("accept", "application/json")
        .json(&body);
    let answer = ask(app, request).await?;
    let sent: Sent = answer.read()?;
    let words = words(&sent.message);
    if (200..300).contains(&answer.status) && sent.r#type == "success" {
        return Ok(words);
    }
    Err(Failure::Refused(format!("msg91 error: {words}")))
}
