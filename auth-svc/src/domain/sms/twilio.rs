//! Twilio: messages whose text is ours, and Verify, where Twilio makes and checks the codes.

use secrecy::ExposeSecret as _;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Channel, Failure, Message, Outgoing, ask, post_form, words};
use crate::{app::App, config::TwilioAccount, domain::address};

const MESSAGES: &str = "https://api.twilio.com";
const VERIFY: &str = "https://verify.twilio.com";

/// How Twilio refuses.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Refusal {
    message: Value,
    more_info: Value,
}

/// What became of a request; which of them are there depends on the request.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Outcome {
    sid: Value,
    status: Value,
    valid: bool,
    error_code: Value,
    error_message: Value,
}

async fn ask_as(
    app: &App,
    account: &TwilioAccount,
    (host, path): (&'static str, &str),
    fields: &[(&str, &str)],
) -> Result<Outcome, Failure> {
    let token = account.auth_token.expose_secret();
    let request = post_form(app, host, path, fields)?.basic_auth(&account.sid, Some(token));
    let answer = ask(app, request).await?;
    if ![200, 201].contains(&answer.status) {
        let refusal: Refusal = answer.read()?;
        return Err(Failure::Refused(format!(
            "{} More information: {}",
            words(&refusal.message),
            words(&refusal.more_info)
        )));
    }
    answer.read()
}

/// Sends a text of ours, or the approved template that WhatsApp wants.
pub(super) async fn send(
    app: &App,
    account: &TwilioAccount,
    content_sid: &str,
    Outgoing { message, body }: Outgoing<'_>,
) -> Result<String, Failure> {
    let sender = &account.service_sid;
    let mut to = format!("+{}", message.phone);
    let mut from = sender.clone();
    let variables = format!("{{\"1\": {}}}", json!(message.code));
    let mut fields = vec![("Channel", message.channel.as_str())];
    if message.channel == Channel::Whatsapp {
        to.insert_str(0, "whatsapp:");
        // A messaging service has a name of its own; a number is one of WhatsApp's.
        if address::phone(sender).is_ok() {
            from.insert_str(0, "whatsapp:");
        }
    }
    if message.channel == Channel::Whatsapp && !content_sid.is_empty() {
        fields.push(("ContentSid", content_sid));
        fields.push(("ContentVariables", &variables));
    } else {
        fields.push(("Body", body));
    }
    fields.extend([("To", to.as_str()), ("From", from.as_str())]);
    let path = format!("/2010-04-01/Accounts/{}/Messages.json", account.sid);
    let sent = ask_as(app, account, (MESSAGES, &path), &fields).await?;
    let id = words(&sent.sid);
    if ["failed", "undelivered"].contains(&words(&sent.status).as_str()) {
        return Err(Failure::Refused(format!(
            "twilio error: {} {} for message {id}",
            words(&sent.error_message),
            words(&sent.error_code)
        )));
    }
    Ok(id)
}

/// Lets Twilio send a code of its own.
pub(super) async fn start(
    app: &App,
    account: &TwilioAccount,
    message: Message<'_>,
) -> Result<String, Failure> {
    let to = format!("+{}", message.phone);
    let fields = [("To", to.as_str()), ("Channel", message.channel.as_str())];
    let path = format!("/v2/Services/{}/Verifications", account.service_sid);
    let begun = ask_as(app, account, (VERIFY, &path), &fields).await?;
    Ok(words(&begun.sid))
}

/// Asks whether a code is the one that Twilio sent.
pub(super) async fn check(
    app: &App,
    account: &TwilioAccount,
    phone: &str,
    code: &str,
) -> Result<(), Failure> {
    // Twilio knows no other codes, and asking costs money.
    let plausible = (4..=10).contains(&code.len()) && code.bytes().all(|b| b.is_ascii_digit());
    if !plausible {
        return Err(Failure::Refused("the code has another form".to_owned()));
    }
    let to = format!("+{phone}");
    let path = format!("/v2/Services/{}/VerificationCheck", account.service_sid);
    let fields = [("To", to.as_str()), ("Code", code)];
    let checked = ask_as(app, account, (VERIFY, &path), &fields).await?;
    let status = words(&checked.status);
    if status != "approved" || !checked.valid {
        return Err(Failure::Refused(format!(
            "twilio verification error: {} {status}",
            words(&checked.error_message)
        )));
    }
    Ok(())
}
