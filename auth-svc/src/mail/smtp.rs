use std::{collections::BTreeMap, time::Duration};

use lettre::{
    AsyncSmtpTransport, AsyncTransport as _, Tokio1Executor,
    message::{
        Mailbox, SinglePart,
        header::{ContentType, HeaderName, HeaderValue},
    },
    transport::smtp::{
        PoolConfig,
        authentication::Credentials,
        client::{Tls, TlsParameters},
    },
};
use secrecy::ExposeSecret as _;

use crate::config;

/// Where TLS begins with the first byte.
const SMTPS: u16 = 465;
const TIMEOUT: Duration = Duration::from_secs(10);

/// One mail.
#[derive(Clone, Debug)]
pub struct Message<'a> {
    /// The recipient.
    pub to: &'a str,
    /// The subject, as it is shown.
    pub subject: &'a str,
    /// The HTML body.
    pub body: &'a str,
    /// What kind of mail it is, for `$messageType` in extra headers.
    pub kind: &'a str,
}

/// The way to the mail server.
#[derive(Clone, Debug)]
pub struct Smtp {
    transport: Option<AsyncSmtpTransport<Tokio1Executor>>,
    from: Option<Mailbox>,
    headers: BTreeMap<String, Vec<String>>,
}

impl Smtp {
    /// Connects when the first mail is sent. Without a host, mail is dropped.
    pub fn new(settings: &config::Smtp) -> anyhow::Result<Self> {
        let Some(host) = &settings.host else {
            tracing::warn!("no mail server is configured: mail is dropped");
            return Ok(Self {
                transport: None,
                from: None,
                headers: BTreeMap::new(),
            });
        };
        let parameters = TlsParameters::new(host.clone())?;
        let tls = if settings.port == SMTPS {
            Tls::Wrapper(parameters)
        } else {
            Tls::Opportunistic(parameters)
        };
        let mut builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(host)
            .port(settings.port)
            .tls(tls)
            .timeout(Some(TIMEOUT))
            .pool_config(PoolConfig::new().max_size(4));
        if !settings.user.is_empty() {
            let password = settings.pass.expose_secret().to_owned();
            builder = builder.credentials(Credentials::new(settings.user.clone(), password));
        }
        let name = Some(settings.sender_name.clone()).filter(|name| !name.is_empty());
        Ok(Self {
            transport: Some(builder.build()),
            from: Some(Mailbox::new(name, settings.admin_email.parse()?)),
            headers: settings.headers.clone(),
        })
    }

    /// Sends a mail.
    pub async fn send(&self, message: &Message<'_>) -> anyhow::Result<()> {
        let (Some(transport), Some(from)) = (&self.transport, &self.from) else {
            return Ok(());
        };
        let mut builder = lettre::Message::builder()
            .from(from.clone())
            .to(message.to.parse()?)
            // A line break would begin another header.
            .subject(message.subject.replace(['\r', '\n'], " "));
        for (name, values) in &self.headers {
            let values: Vec<String> = values
                .iter()
                .filter(|value| !value.is_empty())
                .map(|value| value.replace("$messageType", message.kind))
                .collect();
            if name.is_empty() || values.is_empty() {
                continue;
            }
            let name = HeaderName::new_from_ascii(name.clone())?;
            // A field has one line, as in the original.
            let value = values.join(", ").replace(['\r', '\n'], " ");
            builder = builder.raw_header(HeaderValue::new(name, value));
        }
        let mail = builder.singlepart(
            SinglePart::builder()
                .header(ContentType::TEXT_HTML)
                .body(message.body.to_owned()),
        )?;
        transport.send(mail).await?;
        Ok(())
    }
}
