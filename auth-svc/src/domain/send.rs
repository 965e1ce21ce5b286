//! Sending codes by mail and text message, and noting what was sent.

use std::time::Instant;

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::{
    account::Account,
    address, clock, hooks, otp,
    pkce::Challenge,
    session::{Caller, Method},
    sms::{self, Channel, Failure},
};
use crate::{
    app::App,
    error::{Code, Error},
    mail::{Kind, Link, Message, action_link},
    store::{
        flow_state::{self, NewFlowState},
        one_time_tokens,
        users::{self, EmailChange, Sent},
    },
};

/// A mail with one code to the user's own address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Mail {
    Confirmation,
    Recovery,
    MagicLink,
    Invite,
    Reauthentication,
}

impl Mail {
    fn kind(self) -> Kind {
        match self {
            Self::Confirmation => Kind::Confirmation,
            Self::Recovery => Kind::Recovery,
            Self::MagicLink => Kind::MagicLink,
            Self::Invite => Kind::Invite,
            Self::Reauthentication => Kind::Reauthentication,
        }
    }

    /// The type of `/verify` that it is for.
    fn action(self) -> &'static str {
        match self {
            Self::Confirmation => "signup",
            Self::Recovery => "recovery",
            Self::MagicLink => "magiclink",
            Self::Invite => "invite",
            Self::Reauthentication => "reauthentication",
        }
    }

    fn sent(self) -> Sent {
        match self {
            Self::Confirmation | Self::Invite => Sent::Confirmation,
            Self::Recovery | Self::MagicLink => Sent::Recovery,
            Self::Reauthentication => Sent::Reauthentication,
        }
    }
}

/// Begins a sign-in that ends with the verifier of a challenge.
pub async fn begin_flow(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    challenge: Option<&Challenge>,
    method: Method,
) -> Result<(), Error> {
    let Some(challenge) = challenge else {
        return Ok(());
    };
    let new = NewFlowState {
        id: clock::id(app.random()),
        user_id: account.user.id,
        auth_code: clock::id(app.random()),
        code_challenge: &challenge.value,
        code_challenge_method: challenge.method.as_str(),
        provider_type: if method == Method::EmailSignup {
            "email"
        } else {
            method.as_str()
        },
        authentication_method: method.as_str(),
    };
    flow_state::insert(conn, &new, app.now()).await?;
    Ok(())
}

/// Mails a code to the user's own address.
pub async fn mail(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    mail: Mail,
    pkce: bool,
    caller: &Caller,
) -> Result<(), Error> {
    let config = app.config();
    let user = &account.user;
    let now = app.now();
    let last = match mail {
        Mail::Confirmation => user.confirmation_sent_at,
        Mail::Recovery | Mail::MagicLink => user.recovery_sent_at,
        Mail::Reauthentication => user.reauthentication_sent_at,
        Mail::Invite => None,
    };
    let code = Code::OverEmailSendRateLimit;
    app.limiter()
        .check_frequency(last, config.smtp.max_frequency, code, now)?;
    let otp = otp::generate(app.random(), config.mailer.otp_length);
    let hash = otp::with_flow(otp::hash(&user.email, &otp), pkce);
    check_may_send(app, &[&user.email]).await?;
    let started = Instant::now();
    let sent = if let Some(hook) = &config.hooks.send_email {
        let data = email_data(caller, mail.action(), &otp, &hash, None);
        hooks::send_email(app, conn, hook, account, data, caller).await
    } else {
        let letter = Letter {
            to: &user.email,
            otp: &otp,
            hash: &hash,
            action: mail.action(),
        };
        post(app, account, mail.kind(), &letter, caller).await
    };
    app.metrics().mailed(mail.action(), &sent);
    sent?;
    app.send_time().record(started.elapsed());
    note(app, conn, account, mail.sent(), &hash, &user.email).await?;
    if mail == Mail::Invite {
        users::record_invited(conn, user.id, now).await?;
    }
    Ok(())
}

/// Notes a code in the user's row and among the one-time tokens.
pub async fn note(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    sent: Sent,
    hash: &str,
    relates_to: &str,
) -> Result<(), Error> {
    let (user, now) = (account.user.id, app.now());
    users::record_sent(conn, user, sent, hash, now).await?;
    let id = clock::id(app.random());
    one_time_tokens::put(conn, id, user, sent.kind(), hash, relates_to, now).await?;
    Ok(())
}

/// Mails the codes that a change of address needs: one to the new address and, unless that is switched
/// off, one to the present one.
pub async fn email_change(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    email: &str,
    pkce: bool,
    caller: &Caller,
) -> Result<(), Error> {
    let config = app.config();
    let user = &account.user;
    let now = app.now();
    let frequency = config.smtp.max_frequency;
    let code = Code::OverEmailSendRateLimit;
    app.limiter()
        .check_frequency(user.email_change_sent_at, frequency, code, now)?;
    let both = config.mailer.secure_email_change && !user.email.is_empty();
    let otp_new = otp::generate(app.random(), config.mailer.otp_length);
    let hash_new = otp::with_flow(otp::hash(email, &otp_new), pkce);
    let (otp_current, hash_current) = if both {
        let otp = otp::generate(app.random(), config.mailer.otp_length);
        let hash = otp::with_flow(otp::hash(&user.email, &otp), pkce);
        (otp, hash)
    } else {
        Default::default()
    };
    if both {
        check_may_send(app, &[email, &user.email]).await?;
    } else {
        check_may_send(app, &[email]).await?;
    }
    let mut wishing = account.clone();
    email.clone_into(&mut wishing.user.email_change);
    if let Some(hook) = &config.hooks.send_email {
        // Crossed on purpose: receivers rely on it. The plain names carry the code of the present
        // address and the hash of the new one.
        let data = if both {
            let crossed = Some((otp_new.as_str(), hash_current.as_str()));
            email_data(caller, "email_change", &otp_current, &hash_new, crossed)
        } else {
            email_data(caller, "email_change", &otp_new, &hash_new, None)
        };
        let sent = hooks::send_email(app, conn, hook, &wishing, data, caller).await;
        app.metrics().mailed("email_change", &sent);
        sent?;
    } else {
        let mut letters = vec![Letter {
            to: email,
            otp: &otp_new,
            hash: &hash_new,
            action: "email_change",
        }];
        if both {
            letters.push(Letter {
                to: &user.email,
                otp: &otp_current,
                hash: &hash_current,
                action: "email_change",
            });
        }
        for letter in &letters {
            let sent = post(app, &wishing, Kind::EmailChange, letter, caller).await;
            app.metrics().mailed("email_change", &sent);
            sent?;
        }
    }
    let change = EmailChange {
        email,
        token_new: &hash_new,
        token_current: &hash_current,
    };
    users::begin_email_change(conn, user.id, &change, now).await?;
    for (kind, hash, relates_to) in [
        ("email_change_token_current", &hash_current, &*user.email),
        ("email_change_token_new", &hash_new, email),
    ] {
        if !hash.is_empty() {
            let id = clock::id(app.random());
            one_time_tokens::put(conn, id, user.id, kind, hash, relates_to, now).await?;
        }
    }
    Ok(())
}

/// What a text message is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Text {
    Confirmation,
    PhoneChange,
    Reauthentication,
}

impl Text {
    /// The name in what goes wrong.
    fn as_str(self) -> &'static str {
        match self {
            Self::Confirmation => "confirmation",
            Self::PhoneChange => "phone_change",
            Self::Reauthentication => "reauthentication",
        }
    }

    fn not_sent(self, failure: Failure) -> Error {
        tracing::warn!(error = ?failure, "a text message was not sent");
        match failure {
            Failure::NotSetUp(_) => Error::internal("Unable to get SMS provider", failure),
            _ => Error::unprocessable(
                Code::SmsSendFailed,
                format!("Error sending {} OTP to provider: {failure}", self.as_str()),
            ),
        }
    }
}

/// Sends a code by text message; gives the id of the message when there is one.
pub async fn text(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    (phone, channel): (&str, Channel),
    text: Text,
    caller: &Caller,
) -> Result<Option<String>, Error> {
    let config = app.config();
    let user = &account.user;
    let now = app.now();
    let (last, sent) = match text {
        Text::Confirmation => (user.confirmation_sent_at, Sent::Confirmation),
        Text::PhoneChange => (user.phone_change_sent_at, Sent::PhoneChange),
        Text::Reauthentication => (user.reauthentication_sent_at, Sent::Reauthentication),
    };
    let frequency = config.sms.max_frequency;
    app.limiter()
        .check_frequency(last, frequency, Code::OverSmsSendRateLimit, now)?;
    let mut message_id = None;
    let otp = if let Some(fixed) = config.sms.test_code(phone, now) {
        message_id = Some("test-otp".to_owned());
        fixed.to_owned()
    } else {
        app.limiter()
            .check_text(config.sms.autoconfirm, now)
            .await?;
        let otp = otp::generate(app.random(), config.sms.otp_length);
        if let Some(hook) = &config.hooks.send_sms {
            let message = (phone, otp.as_str());
            let mut wishing = account.clone();
            if text == Text::PhoneChange {
                phone.clone_into(&mut wishing.user.phone_change);
            }
            let sent = hooks::send_sms(app, conn, hook, &wishing, message, caller).await;
            app.metrics().texted(&sent);
            sent?;
        } else {
            let message = sms::Message {
                phone,
                code: &otp,
                for_factor: false,
                channel,
            };
            let sent = sms::send(app, message).await;
            app.metrics().texted(&sent);
            let id = sent.map_err(|failure| text.not_sent(failure))?;
            message_id = Some(id).filter(|id| !id.is_empty());
        }
        otp
    };
    if text == Text::PhoneChange {
        users::set_phone_change(conn, user.id, phone).await?;
    }
    let hash = otp::hash(phone, &otp);
    note(app, conn, account, sent, &hash, phone).await?;
    Ok(message_id)
}

pub(super) async fn check_may_send(app: &App, recipients: &[&str]) -> Result<(), Error> {
    let config = app.config();
    for recipient in recipients {
        if !address::is_authorized(recipient, &config.external.authorized_addresses) {
            return Err(Error::bad_request(
                Code::EmailAddressNotAuthorized,
                format!("Email address {recipient:?} cannot be used as it is not authorized"),
            ));
        }
    }
    app.limiter()
        .check_mail(config.mailer.autoconfirm, app.now())
        .await
}

pub(super) fn email_data(
    caller: &Caller,
    action: &str,
    otp: &str,
    hash: &str,
    crossed: Option<(&str, &str)>,
) -> Value {
    let (token_new, token_hash_new) = crossed.unwrap_or_default();
    json!({
        "token": otp,
        "token_hash": hash,
        "redirect_to": caller.redirect_to,
        "email_action_type": action,
        "site_url": caller.external_url.as_str().trim_end_matches('/'),
        "token_new": token_new,
        "token_hash_new": token_hash_new,
        "old_email": "",
        "old_phone": "",
        "provider": "",
        "factor_type": "",
    })
}

struct Letter<'a> {
    to: &'a str,
    otp: &'a str,
    hash: &'a str,
    action: &'a str,
}

async fn post(
    app: &App,
    account: &Account,
    kind: Kind,
    letter: &Letter<'_>,
    caller: &Caller,
) -> Result<(), Error> {
    let link = Link {
        token_hash: letter.hash,
        verification_type: letter.action,
        redirect_to: &caller.redirect_to,
    };
    let url = link_url(app, kind, &link, caller);
    let user = &account.user;
    let mut data = Map::new();
    let mut fill = |fields: &[(&str, &str)]| {
        for (name, value) in fields {
            data.insert((*name).to_owned(), (*value).into());
        }
    };
    fill(&[
        ("SiteURL", app.config().site_url.as_str()),
        ("Email", &user.email),
        ("Token", letter.otp),
    ]);
    // A code that is asked for again is typed in; there is no link that it would fit.
    if kind != Kind::Reauthentication {
        fill(&[
            ("ConfirmationURL", &url),
            ("TokenHash", letter.hash),
            ("RedirectTo", &caller.redirect_to),
        ]);
    }
    if kind == Kind::EmailChange {
        fill(&[("NewEmail", &user.email_change), ("SendingTo", letter.to)]);
    }
    data.insert(
        "Data".to_owned(),
        Value::Object(user.raw_user_meta_data.0.clone()),
    );
    let (subject, body) = app.templates().render(kind, &data, app.now()).await;
    let message = Message {
        to: letter.to,
        subject: &subject,
        body: &body,
        kind: kind.message_type(),
    };
    let context = match kind {
        Kind::Invite => "Error sending invite email",
        Kind::Confirmation => "Error sending confirmation email",
        Kind::Recovery => "Error sending recovery email",
        Kind::MagicLink => "Error sending magic link email",
        Kind::EmailChange => "Error sending email change email",
        Kind::Reauthentication => "Error sending reauthentication email",
        _ => "Error sending notification email",
    };
    app.smtp()
        .send(&message)
        .await
        .map_err(|error| Error::internal(context, error))
}

/// The link of a mail, or of an administrator who sends it in another way.
pub fn link_url(app: &App, kind: Kind, link: &Link<'_>, caller: &Caller) -> String {
    let paths = &app.config().mailer.url_paths;
    let path = paths
        .get(kind.path_setting())
        .map_or("/verify", String::as_str);
    action_link(&caller.external_url, path, link)
}
