//! What happens once a code was shown to be right.

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::{
    account::Account,
    audit::{self, Action, Actor},
    clock, otp, password,
    session::Caller,
    sms, stored_password,
};
use crate::{
    app::App,
    error::{Code, Error},
    store::{
        identities, one_time_tokens, sessions,
        users::{self, Metadata},
    },
};

/// What a code is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the types of /verify")]
pub enum Purpose {
    Signup,
    Invite,
    Recovery,
    MagicLink,
    EmailChange,
    /// A sign-up or a magic link, whichever the code fits.
    Email,
    Sms,
    PhoneChange,
}

impl Purpose {
    /// Reads the type of a request.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "signup" => Self::Signup,
            "invite" => Self::Invite,
            "recovery" => Self::Recovery,
            "magiclink" => Self::MagicLink,
            "email_change" => Self::EmailChange,
            "email" => Self::Email,
            "sms" => Self::Sms,
            "phone_change" => Self::PhoneChange,
            _ => return None,
        })
    }

    /// The type as requests have it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Signup => "signup",
            Self::Invite => "invite",
            Self::Recovery => "recovery",
            Self::MagicLink => "magiclink",
            Self::EmailChange => "email_change",
            Self::Email => "email",
            Self::Sms => "sms",
            Self::PhoneChange => "phone_change",
        }
    }
}

/// A user whose code was right.
#[derive(Clone, Debug)]
pub struct Proved {
    /// The user.
    pub account: Account,
    /// What the code turned out to be for.
    pub purpose: Purpose,
    /// Its hash.
    pub hash: String,
    /// The number that it was sent to, for the types about phones.
    pub phone: String,
}

fn check_ban(app: &App, account: &Account) -> Result<(), Error> {
    if account.user.is_banned(app.now()) {
        return Err(Error::forbidden(Code::UserBanned, "User is banned"));
    }
    Ok(())
}

/// Finds the user whom a link was sent to.
pub async fn by_hash(
    app: &App,
    conn: &mut PgConnection,
    purpose: Purpose,
    hash: &str,
) -> Result<Proved, Error> {
    let kinds: &[&str] = match purpose {
        Purpose::Signup | Purpose::Invite => &["confirmation_token"],
        Purpose::Recovery | Purpose::MagicLink => &["recovery_token"],
        Purpose::Email => &["confirmation_token", "recovery_token"],
        Purpose::EmailChange => &["email_change_token_current", "email_change_token_new"],
        Purpose::Sms | Purpose::PhoneChange => {
            return Err(Error::invalid("Invalid email verification type"));
        }
    };
    let user = users::find_by_token(conn, hash, kinds)
        .await
        .map_err(Error::database(
            "Database error finding user from email link",
        ))?
        .ok_or_else(Error::link_expired)?;
    let account = Account::of(conn, user).await?;
    check_ban(app, &account)?;
    let user = &account.user;
    let (purpose, sent_at) = match purpose {
        Purpose::Email if user.recovery_token == hash => {
            (Purpose::MagicLink, user.recovery_sent_at)
        }
        Purpose::Email => (Purpose::Signup, user.confirmation_sent_at),
        Purpose::Recovery | Purpose::MagicLink => (purpose, user.recovery_sent_at),
        Purpose::EmailChange => (purpose, user.email_change_sent_at),
        other => (other, user.confirmation_sent_at),
    };
    if otp::is_expired(sent_at, app.config().mailer.otp_exp, app.now()) {
        return Err(Error::link_expired());
    }
    Ok(Proved {
        account,
        purpose,
        hash: hash.to_owned(),
        phone: String::new(),
    })
}

/// Checks a code that was sent to a mail address.
pub async fn by_email_code(
    app: &App,
    conn: &mut PgConnection,
    purpose: Purpose,
    (email, code): (&str, &str),
    aud: &str,
) -> Result<Proved, Error> {
    let hash = otp::hash(email, code);
    let found = if purpose == Purpose::EmailChange {
        let kinds = ["email_change_token_current", "email_change_token_new"];
        let prefixed = otp::with_flow(hash.clone(), true);
        match users::find_by_token(conn, &hash, &kinds).await? {
            Some(user) => Some(user),
            None => users::find_by_token(conn, &prefixed, &kinds).await?,
        }
        .filter(|user| user.aud == aud && (user.email == email || user.email_change == email))
    } else {
        users::find_by_email(conn, email, aud).await?
    };
    let account = Account::of(conn, found.ok_or_else(Error::code_expired)?).await?;
    check_ban(app, &account)?;
    let user = &account.user;
    let (lifetime, now) = (app.config().mailer.otp_exp, app.now());
    let fits = |stored: &str, sent_at| otp::is_valid(&hash, stored, sent_at, lifetime, now);
    let confirmation = fits(&user.confirmation_token, user.confirmation_sent_at);
    let recovery = fits(&user.recovery_token, user.recovery_sent_at);
    let purpose = match purpose {
        Purpose::Email if confirmation => Some(Purpose::Signup),
        Purpose::Email => recovery.then_some(Purpose::MagicLink),
        Purpose::Signup | Purpose::Invite => confirmation.then_some(purpose),
        Purpose::Recovery | Purpose::MagicLink => recovery.then_some(purpose),
        Purpose::EmailChange => {
            let changed = fits(&user.email_change_token_current, user.email_change_sent_at)
                || fits(&user.email_change_token_new, user.email_change_sent_at);
            changed.then_some(purpose)
        }
        Purpose::Sms | Purpose::PhoneChange => None,
    };
    Ok(Proved {
        purpose: purpose.ok_or_else(Error::code_expired)?,
        account,
        hash,
        phone: String::new(),
    })
}

/// Checks a code that was sent to a phone.
pub async fn by_phone_code(
    app: &App,
    conn: &mut PgConnection,
    purpose: Purpose,
    (phone, code): (&str, &str),
    aud: &str,
) -> Result<Proved, Error> {
    let found = match purpose {
        Purpose::PhoneChange => users::find_by_phone_change(conn, phone, aud).await?,
        Purpose::Sms => users::find_by_phone(conn, phone, aud).await?,
        _ => None,
    };
    let account = Account::of(conn, found.ok_or_else(Error::code_expired)?).await?;
    check_ban(app, &account)?;
    let config = app.config();
    let now = app.now();
    let user = &account.user;
    let hash = otp::hash(phone, code);
    let (stored, sent_at) = if purpose == Purpose::PhoneChange {
        (&user.phone_change_token, user.phone_change_sent_at)
    } else {
        (&user.confirmation_token, user.confirmation_sent_at)
    };
    let is_test = config.sms.test_code(phone, now) == Some(code);
    if !is_test && sms::is_checked_elsewhere(config) && !stored.is_empty() {
        check_elsewhere(app, phone, code).await?;
    } else if !is_test && !otp::is_valid(&hash, stored, sent_at, config.sms.otp_exp, now) {
        return Err(Error::code_expired());
    }
    Ok(Proved {
        account,
        purpose,
        hash,
        phone: phone.to_owned(),
    })
}

/// Asks whoever made a code for a phone whether it is the right one.
pub async fn check_elsewhere(app: &App, phone: &str, code: &str) -> Result<(), Error> {
    sms::check(app, phone, code)
        .await
        .map_err(|failure| match failure {
            sms::Failure::NotSetUp(_) => Error::internal("Unable to get SMS provider", failure),
            other => {
                tracing::info!(error = ?other, "the provider did not approve a code");
                Error::code_expired()
            }
        })
}

/// Does what the code was for. Nothing comes back after the first of two confirmations.
pub async fn apply(
    app: &App,
    conn: &mut PgConnection,
    proved: &Proved,
    caller: &Caller,
) -> Result<Option<Account>, Error> {
    let account = &proved.account;
    match proved.purpose {
        Purpose::Signup | Purpose::Invite | Purpose::Email => {
            confirm_signup(app, conn, account, caller).await?;
        }
        Purpose::Recovery | Purpose::MagicLink => recover(app, conn, account, caller).await?,
        Purpose::EmailChange => {
            let config = &app.config().mailer;
            let first_of_two = !config.autoconfirm
                && config.secure_email_change
                && account.user.email_change_confirm_status == 0
                && !account.user.email.is_empty();
            if first_of_two {
                return confirm_half(conn, account, &proved.hash)
                    .await
                    .map(|()| None);
            }
            change_email(app, conn, account, &account.user.email_change, caller).await?;
        }
        Purpose::Sms => confirm_phone(app, conn, account, caller).await?,
        Purpose::PhoneChange => change_phone(app, conn, account, &proved.phone, caller).await?,
    }
    update_providers(app, conn, account).await?;
    Ok(Some(account.reload(conn).await?))
}

/// Recomputes which providers a user has.
pub async fn update_providers(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
) -> Result<(), Error> {
    let mut providers: Vec<String> = Vec::new();
    for identity in identities::of_user(conn, account.user.id).await? {
        if !providers.contains(&identity.provider) {
            providers.push(identity.provider);
        }
    }
    let mut changes = Map::new();
    if let Some(first) = providers.first() {
        changes.insert("provider".into(), first.as_str().into());
    }
    changes.insert("providers".into(), providers.into());
    users::merge_metadata(conn, account.user.id, Metadata::App, &changes, app.now()).await?;
    Ok(())
}

/// Confirms the mail address.
pub async fn confirm_email(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
) -> Result<(), sqlx::Error> {
    users::confirm_email(conn, account.user.id, app.now()).await?;
    one_time_tokens::clear(conn, account.user.id).await
}

async fn confirm_signup(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    caller: &Caller,
) -> Result<(), Error> {
    let user = &account.user;
    if !user.has_password() && user.invited_at.is_some() {
        // Nobody knows it; the app asks the invited user for one of their own.
        let unknown = password::generate(app.random(), &app.config().password);
        let hash = stored_password::make(app, user.id, &unknown).await?;
        users::fill_password(conn, user.id, &hash).await?;
    }
    let traits = Some(json!({ "provider": "email" }));
    let actor = Actor::User(user);
    audit::record(app, conn, caller, actor, Action::UserSignedUp, traits).await?;
    confirm_email(app, conn, account).await?;
    identities::verify_email(conn, user.id, &user.email, app.now()).await?;
    Ok(())
}

async fn recover(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    caller: &Caller,
) -> Result<(), Error> {
    let user = &account.user;
    users::clear_recovery(conn, user.id).await?;
    one_time_tokens::clear(conn, user.id).await?;
    let actor = Actor::User(user);
    if user.email_confirmed_at.is_some() {
        audit::record(app, conn, caller, actor, Action::Login, None).await?;
    } else {
        let traits = Some(json!({ "provider": "email" }));
        audit::record(app, conn, caller, actor, Action::UserSignedUp, traits).await?;
        confirm_email(app, conn, account).await?;
    }
    Ok(())
}

async fn confirm_phone(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    caller: &Caller,
) -> Result<(), Error> {
    let user = &account.user;
    let traits = Some(json!({ "provider": "phone" }));
    let actor = Actor::User(user);
    audit::record(app, conn, caller, actor, Action::UserSignedUp, traits).await?;
    users::confirm_phone(conn, user.id, app.now()).await?;
    one_time_tokens::clear(conn, user.id).await?;
    Ok(())
}

async fn confirm_half(conn: &mut PgConnection, account: &Account, hash: &str) -> Result<(), Error> {
    let user = &account.user;
    let bare = |text: &str| {
        text.strip_prefix(otp::PKCE_PREFIX)
            .unwrap_or(text)
            .to_owned()
    };
    let by_current = bare(&user.email_change_token_current) == bare(hash);
    users::confirm_email_change_once(conn, user.id, by_current).await?;
    let kind = if by_current {
        "email_change_token_current"
    } else {
        "email_change_token_new"
    };
    one_time_tokens::clear_kind(conn, user.id, kind).await?;
    Ok(())
}

/// Gives the user another address, which is confirmed.
pub async fn change_email(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    email: &str,
    caller: &Caller,
) -> Result<(), Error> {
    let user = &account.user;
    let now = app.now();
    let actor = Actor::User(user);
    audit::record(app, conn, caller, actor, Action::UserModified, None).await?;
    let known = json!({ "email": email, "email_verified": true });
    put_identity(app, conn, account, "email", known).await?;
    users::finish_email_change(conn, user.id, email, now)
        .await
        .map_err(taken)?;
    one_time_tokens::clear(conn, user.id).await?;
    if user.email_confirmed_at.is_none() {
        users::confirm_email(conn, user.id, now).await?;
    }
    Ok(())
}

/// Gives the user another number, which is confirmed.
pub async fn change_phone(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    phone: &str,
    caller: &Caller,
) -> Result<(), Error> {
    let user = &account.user;
    let actor = Actor::User(user);
    audit::record(app, conn, caller, actor, Action::UserModified, None).await?;
    let known = json!({ "phone": phone, "phone_verified": true });
    put_identity(app, conn, account, "phone", known).await?;
    users::finish_phone_change(conn, user.id, phone, app.now())
        .await
        .map_err(taken)?;
    one_time_tokens::clear(conn, user.id).await?;
    Ok(())
}

/// Somebody else may have taken the address between the wish and the confirmation.
pub fn taken(error: sqlx::Error) -> Error {
    match error.as_database_error() {
        Some(raised) if raised.is_unique_violation() => match raised.constraint() {
            Some("users_email_partial_key") => Error::email_exists(),
            Some("users_phone_key") => Error::phone_exists(),
            _ => Error::from(error),
        },
        _ => Error::from(error),
    }
}

/// Creates the user's own identity of a provider, or updates what it says.
pub async fn put_identity(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    provider: &str,
    data: Value,
) -> Result<(), Error> {
    let user = account.user.id;
    let data = data.as_object().cloned().unwrap_or_default();
    if identities::has_own(conn, user, provider).await? {
        identities::merge_own(conn, user, provider, &data, app.now()).await?;
        return Ok(());
    }
    let mut full = Map::new();
    full.insert("sub".into(), user.to_string().into());
    full.insert("email_verified".into(), false.into());
    full.insert("phone_verified".into(), false.into());
    full.extend(data);
    let id = clock::id(app.random());
    identities::insert(conn, id, user, provider, &full, app.now())
        .await
        .map_err(Error::database("Error creating identity"))?;
    Ok(())
}

/// Sets a new password and ends all sessions but the one given.
pub async fn change_password(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    hash: &str,
    keep: Option<uuid::Uuid>,
) -> Result<(), Error> {
    let user = account.user.id;
    let failed = Error::database("Error during password storage");
    users::set_password(conn, user, hash, app.now())
        .await
        .map_err(&failed)?;
    one_time_tokens::clear(conn, user).await.map_err(&failed)?;
    sessions::delete_of_user(conn, user, keep)
        .await
        .map_err(&failed)
}

/// Lets a user who set a first password sign in with the mail address, where the project wants that and the
/// address is confirmed: nobody shall come into an account by an address that is not theirs.
pub async fn ensure_email_identity(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
) -> Result<(), Error> {
    if !app.config().experimental.email_identity_on_password {
        return Ok(());
    }
    // The same request may have changed the address.
    let account = account.reload(conn).await?;
    let user = &account.user;
    if user.is_sso_user
        || user.is_anonymous
        || user.email.is_empty()
        || user.email_confirmed_at.is_none()
        || identities::has_own(conn, user.id, "email").await?
    {
        return Ok(());
    }
    let data = json!({ "email": user.email, "email_verified": true });
    put_identity(app, conn, &account, "email", data).await?;
    update_providers(app, conn, &account).await
}
