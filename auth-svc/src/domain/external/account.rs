//! Whose account it is that a provider's user signs in to.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::Profile;
use crate::{
    app::App,
    config::DEFAULT_DOMAIN,
    domain::{
        account::Account,
        audit::{self, Action, Actor},
        clock, confirm,
        send::{self, Mail},
        session::Caller,
        signup, web3,
    },
    error::{Code, Error},
    store::{
        identities::{self, NewIdentity},
        one_time_tokens, sessions,
        users::{self, Metadata, NewUser},
    },
};

/// A provider's user.
#[derive(Clone, Copy, Debug)]
pub struct Visitor<'a> {
    /// The provider, as identities name it.
    pub provider: &'a str,
    /// What it says.
    pub profile: &'a Profile,
    /// Whether it may leave the mail address out.
    pub email_optional: bool,
}

impl<'a> Visitor<'a> {
    /// The domain that the provider is in. Only users of the default one are known by their address alone.
    fn domain(&self, app: &'a App) -> &'a str {
        app.config().experimental.linking_domains.of(self.provider)
    }

    /// Whether the provider's users keep to themselves, or share with some providers only.
    fn is_apart(&self, app: &App) -> bool {
        self.domain(app) != DEFAULT_DOMAIN
    }
}

/// How it ended.
#[derive(Debug)]
pub enum Outcome {
    /// With an account to begin a session for.
    Account {
        /// The account.
        account: Box<Account>,
        /// Whether it is new.
        created: bool,
    },
    /// With a refusal, although what was written is to stay: a mail is on its way.
    Pending(Error),
}

enum Decision {
    /// The identity is known: its id and its user's.
    Known(Uuid, Uuid),
    /// Somebody else has a verified address in common.
    Link(Uuid),
    /// Nobody has, or no address is verified. With the address that the account gets, if it is free.
    Create(Option<String>),
}

async fn decide(
    app: &App,
    conn: &mut PgConnection,
    visitor: Visitor<'_>,
    aud: &str,
) -> Result<Decision, Error> {
    let profile = visitor.profile;
    let known = identities::find_external(conn, visitor.provider, profile.subject()).await?;
    if let Some((identity, user)) = known {
        return Ok(Decision::Known(identity, user));
    }
    let written: Vec<_> = profile
        .emails
        .iter()
        .filter(|email| !email.address.is_empty())
        .collect();
    let main = written
        .iter()
        .rfind(|email| email.primary)
        .map(|email| email.address.to_lowercase());
    let autoconfirm = app.config().mailer.autoconfirm;
    let verified: Vec<String> = written
        .iter()
        .filter(|email| email.verified || autoconfirm)
        .map(|email| email.address.to_lowercase())
        .collect();
    if verified.is_empty() {
        // An address that nobody vouched for never leads to an account, and takes none away.
        let apart = app.config().experimental.linking_domains.apart();
        let taken = match &main {
            Some(email) => users::find_duplicate_email(conn, email, aud, None, &apart).await?,
            None => None,
        };
        return Ok(Decision::Create(main.filter(|_| taken.is_none())));
    }
    let domains = &app.config().experimental.linking_domains;
    let domain = visitor.domain(app);
    let candidates = if domain == DEFAULT_DOMAIN {
        let apart = domains.apart();
        let (by_identity, by_account) =
            identities::users_with_email(conn, &verified, &apart).await?;
        if by_identity.is_empty() {
            by_account
        } else {
            by_identity
        }
    } else {
        let mut together = domains.members(domain);
        if domain == visitor.provider {
            together.push(domain.to_owned());
        }
        identities::users_with_email_at(conn, &verified, &together).await?
    };
    match candidates.into_iter().collect::<BTreeSet<_>>() {
        users if users.len() > 1 => Err(Error::refused(
            500,
            Code::UnexpectedFailure,
            format!(
                "Multiple accounts with the same email address in the same linking domain detected: {domain}"
            ),
        )),
        users => Ok(users
            .into_iter()
            .next()
            .map_or(Decision::Create(main), Decision::Link)),
    }
}

/// Adds an identity to a user.
pub(super) async fn add_identity(
    app: &App,
    conn: &mut PgConnection,
    user: Uuid,
    visitor: Visitor<'_>,
) -> Result<Uuid, Error> {
    let data = visitor.profile.identity_data();
    let new = NewIdentity {
        id: clock::id(app.random()),
        user_id: user,
        provider: visitor.provider,
        provider_id: visitor.profile.subject(),
        data: &data,
    };
    identities::insert_external(conn, &new, app.now())
        .await
        .map_err(Error::database("Error creating identity"))?;
    Ok(new.id)
}

/// Notes that a user has one more way to sign in.
pub(super) async fn record_linked(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    identity: Uuid,
    visitor: Visitor<'_>,
    caller: &Caller,
) -> Result<(), Error> {
    let traits = json!({
        "identity_id": identity,
        "provider": visitor.provider,
        "provider_id": visitor.profile.subject(),
    });
    let actor = Actor::User(&account.user);
    let action = Action::IdentityLinked;
    audit::record(app, conn, caller, actor, action, Some(traits)).await?;
    Ok(())
}

/// Whoever made an account with somebody else's address and never confirmed it may wait for its owner
/// to come: their password, sessions, codes, identities and metadata go away.
pub(super) async fn remove_unconfirmed(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    identity: Uuid,
    visitor: Visitor<'_>,
) -> Result<(), Error> {
    let user = account.user.id;
    let data = visitor.profile.identity_data();
    users::drop_password(conn, user).await?;
    sessions::delete_of_user(conn, user, None).await?;
    one_time_tokens::clear(conn, user).await?;
    users::replace_user_metadata(conn, user, &data).await?;
    identities::keep_one(conn, user, identity).await?;
    confirm::update_providers(app, conn, account).await
}

async fn create(
    app: &App,
    conn: &mut PgConnection,
    visitor: Visitor<'_>,
    email: Option<String>,
    caller: &Caller,
) -> Result<Account, Error> {
    if app.config().disable_signup {
        return Err(Error::unprocessable(
            Code::SignupDisabled,
            "Signups not allowed for this instance",
        ));
    }
    let mut new = NewUser {
        id: clock::id(app.random()),
        aud: caller.aud.clone(),
        role: app.config().jwt.default_group_name.clone(),
        email,
        user_metadata: visitor.profile.identity_data(),
        is_sso_user: visitor.is_apart(app),
        ..NewUser::default()
    };
    let provider = visitor.provider;
    new.app_metadata.insert("provider".into(), provider.into());
    let providers = json!([provider]);
    new.app_metadata.insert("providers".into(), providers);
    signup::insert(app, conn, &new, caller).await
}

/// Finds or makes the account, and brings it up to date with what the provider says.
pub async fn sign_in(
    app: &App,
    conn: &mut PgConnection,
    visitor: Visitor<'_>,
    caller: &Caller,
) -> Result<Outcome, Error> {
    let data = visitor.profile.identity_data();
    let now = app.now();
    let gone = || Error::from(sqlx::Error::RowNotFound);
    let decision = decide(app, conn, visitor, &caller.aud).await?;
    let created = matches!(decision, Decision::Create(_));
    // The address that stands for the account in what follows, and whether the provider vouches for it.
    let main = visitor.profile.emails.iter().rfind(|email| email.primary);
    let vouched = main.is_some_and(|email| email.verified);
    let (account, identity, address) = match decision {
        Decision::Known(identity, user) => {
            identities::refresh_external(conn, identity, &data, now).await?;
            let account = Account::find(conn, user).await?.ok_or_else(gone)?;
            let address = account.user.email.clone();
            (account, identity, address)
        }
        Decision::Link(user) => {
            let account = Account::find(conn, user).await?.ok_or_else(gone)?;
            let identity = add_identity(app, conn, user, visitor).await?;
            // The record has the name that the provider told.
            users::merge_metadata(conn, user, Metadata::User, &data, now).await?;
            let account = account.reload(conn).await?;
            record_linked(app, conn, &account, identity, visitor, caller).await?;
            let address = main.map(|email| email.address.to_lowercase());
            (account, identity, address.unwrap_or_default())
        }
        Decision::Create(email) => {
            let address = email.clone().unwrap_or_default();
            let account = create(app, conn, visitor, email, caller).await?;
            let identity = add_identity(app, conn, account.user.id, visitor).await?;
            (account, identity, address)
        }
    };
    if account.user.is_banned(now) {
        return Err(Error::forbidden(Code::UserBanned, "User is banned"));
    }
    if !created {
        let user = account.user.id;
        users::merge_metadata(conn, user, Metadata::User, &data, now).await?;
        confirm::update_providers(app, conn, &account).await?;
    }
    let account = account.reload(conn).await?;
    let traits = Some(json!({ "provider": visitor.provider }));
    // A wallet has no address to confirm, whatever its owner's account has.
    let needs_email =
        visitor.provider != web3::PROVIDER && !(visitor.email_optional && address.is_empty());
    if !needs_email || account.user.email_confirmed_at.is_some() {
        let actor = Actor::User(&account.user);
        audit::record(app, conn, caller, actor, Action::Login, traits).await?;
    } else {
        remove_unconfirmed(app, conn, &account, identity, visitor).await?;
        if vouched || app.config().mailer.autoconfirm {
            let actor = Actor::User(&account.user);
            audit::record(app, conn, caller, actor, Action::UserSignedUp, traits).await?;
            confirm::confirm_email(app, conn, &account).await?;
        } else if let Some(error) = unverified(app, conn, &account, visitor, caller).await? {
            return Ok(Outcome::Pending(error));
        }
    }
    Ok(Outcome::Account {
        account: Box::new(account.reload(conn).await?),
        created,
    })
}

/// Asks the user to confirm the address, and says so, unless the project takes users as they are.
async fn unverified(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    visitor: Visitor<'_>,
    caller: &Caller,
) -> Result<Option<Error>, Error> {
    let provider = visitor.provider;
    let sent = !account.user.email.is_empty();
    if sent {
        let account = account.reload(conn).await?;
        send::mail(app, conn, &account, Mail::Confirmation, false, caller).await?;
    }
    if app.config().external.allow_unverified_email_sign_ins {
        return Ok(None);
    }
    let message = if sent {
        sent_message(provider)
    } else {
        format!(
            "Unverified email with {provider}. Verify the email with {provider} in order to sign in"
        )
    };
    let code = Code::ProviderEmailNeedsVerification;
    Ok(Some(Error::unprocessable(code, message)))
}

pub(super) fn sent_message(provider: &str) -> String {
    format!(
        "Unverified email with {provider}. A confirmation email has been sent to your {provider} email"
    )
}

/// The name that some providers tell once, and apart from everything else.
pub(super) fn name_by_form(profile: Profile, form: &str) -> Result<Profile, Error> {
    let unreadable = |_| {
        let message = "Error getting user profile from external provider";
        Error::refused(500, Code::UnexpectedFailure, message)
    };
    let user: Value = serde_json::from_str(form).map_err(unreadable)?;
    let part = |pointer: &str| {
        let text = user.pointer(pointer).and_then(Value::as_str);
        text.unwrap_or_default()
            .chars()
            .take(200)
            .collect::<String>()
    };
    let name = format!("{} {}", part("/name/firstName"), part("/name/lastName"));
    Ok(profile.named(name.trim()))
}
