//! Text messages by way of those who carry them.

mod messagebird;
mod msg91;
mod textlocal;
mod twilio;
mod vonage;

use reqwest::RequestBuilder;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use url::{Url, form_urlencoded};

use crate::{
    app::App,
    config::{Carrier, Config},
    error::Error,
    mail::Template,
};

/// The largest answer that is read; they have a few hundred bytes.
const MAX_ANSWER: usize = 64 * 1024;

/// What carries a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Channel {
    Sms,
    Whatsapp,
}

impl Channel {
    /// Reads the channel of a request; none is SMS. A hook sends as it likes, so it takes any.
    pub fn read(config: &Config, text: &str) -> Result<Self, Error> {
        let by_whatsapp = ["twilio", "twilio_verify"].contains(&config.sms.provider.as_str());
        match text {
            "" | "sms" => Ok(Self::Sms),
            "whatsapp" if by_whatsapp || config.hooks.send_sms.is_some() => Ok(Self::Whatsapp),
            _ if config.hooks.send_sms.is_some() => Ok(Self::Sms),
            _ => Err(Error::invalid(
                "Invalid channel, supported values are 'sms' or 'whatsapp'. 'whatsapp' is only supported if Twilio or Twilio Verify is used as the provider.",
            )),
        }
    }

    /// The name in requests and at Twilio.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Sms => "sms",
            Self::Whatsapp => "whatsapp",
        }
    }
}

/// Why a message did not leave, or a code was not found right.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// There is no account to send with.
    #[error("{0}")]
    NotSetUp(String),
    /// The carrier said no; its words.
    #[error("{0}")]
    Refused(String),
    /// The carrier did not answer.
    #[error("the provider cannot be reached")]
    Unreachable(#[source] reqwest::Error),
    /// It did, but not in a way that can be read.
    #[error("the provider's answer cannot be read (status {0})")]
    Answer(u16),
}

/// A message with a code.
#[derive(Clone, Copy, Debug)]
pub struct Message<'a> {
    /// Whom it goes to, without a plus sign.
    pub phone: &'a str,
    /// The code.
    pub code: &'a str,
    /// Whether the code proves a second factor.
    pub for_factor: bool,
    /// What carries it.
    pub channel: Channel,
}

/// A message as it leaves.
#[derive(Clone, Copy)]
struct Outgoing<'a> {
    message: Message<'a>,
    body: &'a str,
}

/// Sends a message; gives its id, which is empty where the carrier gives none.
pub async fn send(app: &App, message: Message<'_>) -> Result<String, Failure> {
    let sending = &app.config().sms.sending;
    let template = if message.for_factor {
        &sending.factor_template
    } else {
        &sending.template
    };
    let body = text(template, message.code);
    let outgoing = Outgoing {
        message,
        body: &body,
    };
    match carrier(app)? {
        Carrier::Twilio {
            account,
            content_sid,
        } => twilio::send(app, account, content_sid, outgoing).await,
        Carrier::TwilioVerify(account) => twilio::start(app, account, message).await,
        Carrier::Messagebird {
            access_key,
            originator,
        } => messagebird::send(app, access_key, originator, outgoing).await,
        Carrier::Textlocal { api_key, sender } => {
            textlocal::send(app, api_key, sender, outgoing).await
        }
        Carrier::Vonage {
            api_key,
            api_secret,
            from,
        } => vonage::send(app, (api_key, api_secret), from, outgoing).await,
        Carrier::Msg91(account) => msg91::send(app, account, message).await,
    }
}

/// True when the carrier, and not this service, knows which code is right.
pub fn is_checked_elsewhere(config: &Config) -> bool {
    config.hooks.send_sms.is_none() && config.sms.provider == "twilio_verify"
}

/// Asks the carrier whether a code is right.
pub async fn check(app: &App, phone: &str, code: &str) -> Result<(), Failure> {
    match carrier(app)? {
        Carrier::TwilioVerify(account) => twilio::check(app, account, phone, code).await,
        _ => Err(Failure::NotSetUp("the provider checks no codes".to_owned())),
    }
}

fn carrier(app: &App) -> Result<&Carrier, Failure> {
    let carrier = app.config().sms.sending.carrier.as_ref();
    carrier.map_err(|reason| Failure::NotSetUp(reason.clone()))
}

fn text(template: &Template, code: &str) -> String {
    let mut data = Map::new();
    data.insert("Code".to_owned(), code.into());
    template.render_text(&data)
}

/// A request to the carrier.
fn post(app: &App, host: &'static str, path: &str) -> Result<RequestBuilder, Failure> {
    let base = match &app.config().sms.sending.base {
        Some(base) => base.clone(),
        None => Url::parse(host).map_err(|error| Failure::NotSetUp(error.to_string()))?,
    };
    let url = base
        .join(path)
        .map_err(|error| Failure::NotSetUp(error.to_string()))?;
    Ok(app.http().post(url))
}

/// The same with a form.
fn post_form(
    app: &App,
    host: &'static str,
    path: &str,
    fields: &[(&str, &str)],
) -> Result<RequestBuilder, Failure> {
    let body = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(fields)
        .finish();
    Ok(post(app, host, path)?
        .header(
            http::header::CONTENT_TYPE,
            "application/x-www-form-urlencoded",
        )
        .body(body))
}

/// What came back.
struct Answer {
    status: u16,
    body: Vec<u8>,
}

impl Answer {
    fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        serde_json::from_slice(&self.body).map_err(|_| Failure::Answer(self.status))
    }
}

async fn ask(app: &App, request: RequestBuilder) -> Result<Answer, Failure> {
    // An address can hold the account's number.
    let unreachable = |error: reqwest::Error| Failure::Unreachable(error.without_url());
    let timeout = app.config().sms.sending.timeout;
    let mut response = request.timeout(timeout).send().await.map_err(unreachable)?;
    let status = response.status().as_u16();
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(unreachable)? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return Err(Failure::Answer(status));
        }
        body.extend_from_slice(&chunk);
    }
    Ok(Answer { status, body })
}

/// Carriers write numbers as text and the reverse.
fn words(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_holds_the_code_and_nothing_is_escaped() {
        let template = Template::parse("<Nilam> {{ .Code }} & {{.Missing}}done").unwrap();
        assert_eq!(text(&template, "123456"), "<Nilam> 123456 & done");
    }
}
