//! Mails that tell a user what changed about the account, to the address that was there before.

use std::time::Duration;

use serde_json::{Map, Value, json};
use tracing::Instrument as _;

use super::{account::Account, confirm::Purpose, hooks, send, session::Caller};
use crate::{
    app::App,
    error::Error,
    mail::{Kind, Message},
};

/// A change is made by the time it is told, so a slow mail server must not hold up its answer.
const PATIENCE: Duration = Duration::from_secs(3);

/// What changed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Notice {
    PasswordChanged,
    EmailChanged { old: String },
    PhoneChanged { old: String },
    IdentityLinked { provider: String },
    IdentityUnlinked { provider: String, email: String },
    FactorEnrolled { factor_type: String },
    FactorUnenrolled { factor_type: String },
}

impl Notice {
    fn kind(&self) -> Kind {
        match self {
            Self::PasswordChanged => Kind::PasswordChanged,
            Self::EmailChanged { .. } => Kind::EmailChanged,
            Self::PhoneChanged { .. } => Kind::PhoneChanged,
            Self::IdentityLinked { .. } => Kind::IdentityLinked,
            Self::IdentityUnlinked { .. } => Kind::IdentityUnlinked,
            Self::FactorEnrolled { .. } => Kind::FactorEnrolled,
            Self::FactorUnenrolled { .. } => Kind::FactorUnenrolled,
        }
    }

    /// The address that learns of it.
    fn recipient<'a>(&'a self, account: &'a Account) -> &'a str {
        match self {
            Self::EmailChanged { old } => old,
            Self::IdentityUnlinked { email, .. } => email,
            _ => &account.user.email,
        }
    }

    /// What a template can say of it.
    fn template_data(&self, account: &Account, site_url: &str) -> Map<String, Value> {
        let user = &account.user;
        let mut data = Map::new();
        let mut put = |name: &str, value: &str| data.insert(name.to_owned(), value.into());
        put("SiteURL", site_url);
        put("Email", &user.email);
        match self {
            Self::PasswordChanged => {}
            Self::EmailChanged { old } => {
                put("OldEmail", old);
            }
            Self::PhoneChanged { old } => {
                put("Phone", &user.phone);
                put("OldPhone", old);
            }
            Self::IdentityLinked { provider } => {
                put("Provider", provider);
            }
            Self::IdentityUnlinked { provider, email } => {
                put("Provider", provider);
                put("Email", email);
            }
            Self::FactorEnrolled { factor_type } | Self::FactorUnenrolled { factor_type } => {
                put("FactorType", factor_type);
            }
        }
        let metadata = Value::Object(user.raw_user_meta_data.0.clone());
        data.insert("Data".to_owned(), metadata);
        data
    }

    /// What the hook gets of it.
    fn hook_data(&self, caller: &Caller) -> Value {
        let mut data = send::email_data(caller, self.kind().as_str(), "", "", None);
        let (name, value) = match self {
            Self::PasswordChanged => return data,
            Self::EmailChanged { old } => ("old_email", old),
            Self::PhoneChanged { old } => ("old_phone", old),
            Self::IdentityLinked { provider } | Self::IdentityUnlinked { provider, .. } => {
                ("provider", provider)
            }
            Self::FactorEnrolled { factor_type } | Self::FactorUnenrolled { factor_type } => {
                ("factor_type", factor_type)
            }
        };
        data[name] = json!(value);
        data
    }
}

/// Tells a user of a change that is made and committed. That it cannot be told is logged and nothing more.
pub async fn send(app: &App, account: &Account, notice: Notice, caller: &Caller) {
    let wanted = app.config().mailer.notifications.are_enabled(notice.kind());
    if !wanted || notice.recipient(account).is_empty() {
        return;
    }
    let (app, account, caller) = (app.clone(), account.clone(), caller.clone());
    let sending = async move {
        if let Err(error) = deliver(&app, &account, &notice, &caller).await {
            let kind = notice.kind().as_str();
            tracing::warn!(kind, %error, "a user was not told of a change");
        }
    };
    let task = tokio::spawn(sending.in_current_span());
    // What takes longer goes on without us.
    tokio::time::timeout(PATIENCE, task).await.ok();
}

async fn deliver(
    app: &App,
    account: &Account,
    notice: &Notice,
    caller: &Caller,
) -> Result<(), Error> {
    let to = notice.recipient(account);
    send::check_may_send(app, &[to]).await?;
    if let Some(hook) = &app.config().hooks.send_email {
        let mut tx = app.begin().await?;
        let data = notice.hook_data(caller);
        let sent = hooks::send_email(app, &mut tx, hook, account, data, caller).await;
        app.metrics().mailed(notice.kind().as_str(), &sent);
        sent?;
        return Ok(tx.commit().await?);
    }
    let kind = notice.kind();
    let data = notice.template_data(account, &app.config().site_url);
    let (subject, body) = app.templates().render(kind, &data, app.now()).await;
    let message = Message {
        to,
        subject: &subject,
        body: &body,
        kind: kind.as_str(),
    };
    let sent = app.smtp().send(&message).await;
    app.metrics().mailed(kind.as_str(), &sent);
    sent.map_err(|error| Error::internal("Error sending notification email", error))
}

/// Tells of what a code changed: the account as it was, and as it is.
pub async fn confirmed(
    app: &App,
    purpose: Purpose,
    (before, after): (&Account, &Account),
    caller: &Caller,
) {
    match purpose {
        Purpose::EmailChange => {
            let (old, new) = (&before.user.email, &after.user.email);
            if is_replaced(old, new) {
                let notice = Notice::EmailChanged { old: old.clone() };
                send(app, after, notice, caller).await;
            }
        }
        Purpose::PhoneChange => {
            let (old, new) = (&before.user.phone, &after.user.phone);
            if is_replaced(old, new) {
                let notice = Notice::PhoneChanged { old: old.clone() };
                send(app, after, notice, caller).await;
            }
            let provider = "phone";
            if !before.identities.iter().any(|one| one.provider == provider) {
                let provider = provider.to_owned();
                send(app, after, Notice::IdentityLinked { provider }, caller).await;
            }
        }
        _ => {}
    }
}

fn is_replaced(old: &str, new: &str) -> bool {
    !old.is_empty() && !new.is_empty() && old != new
}
