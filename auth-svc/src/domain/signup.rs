//! New users.

use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::{
    account::{self, Account},
    audit::{self, Action, Actor},
    clock, confirm, hooks,
    pkce::Challenge,
    send::{self, Mail, Text},
    session::{self, Caller, Issued, Method},
};
use crate::{
    app::App,
    error::{Code, Error},
    store::{
        identities,
        users::{self, NewUser, User},
    },
};

/// How a user signs up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// With a mail address, in lower case.
    Email(String),
    /// With a phone number, without its plus sign.
    Phone(String),
}

impl Address {
    /// The name of the provider.
    pub fn provider(&self) -> &'static str {
        match self {
            Self::Email(_) => "email",
            Self::Phone(_) => "phone",
        }
    }
}

/// What a sign-up says.
#[derive(Clone, Debug)]
pub struct Signup<'a> {
    /// The address.
    pub address: Address,
    /// The password, already checked.
    pub password: &'a str,
    /// The user's own metadata.
    pub data: Map<String, Value>,
    /// For sign-ups that end with a link.
    pub challenge: Option<Challenge>,
}

/// How a sign-up ended.
#[derive(Debug)]
pub enum Outcome {
    /// The address counts as confirmed: signed in.
    Session(Box<Issued>),
    /// A code is on its way, or the address is taken, which looks the same.
    User(Value),
}

/// Signs up.
pub async fn sign_up(app: &App, signup: &Signup<'_>, caller: &Caller) -> Result<Outcome, Error> {
    let config = app.config();
    let provider = signup.address.provider();
    let mut conn = app.connection().await?;
    let found = match &signup.address {
        Address::Email(email) => {
            users::find_duplicate_email(&mut conn, email, &caller.aud, None).await
        }
        Address::Phone(phone) => users::find_by_phone(&mut conn, phone, &caller.aud).await,
    }
    .map_err(Error::database("Database error finding user"))?;
    drop(conn);
    // Hashing is done for known addresses, too, or its absence would tell which are known.
    let hash = app.hasher().hash(signup.password).await?;
    let mut tx = app.begin().await?;
    let existing = match found {
        Some(user) if is_confirmed(&user, &signup.address) => {
            let answer = repeated(app, &mut tx, user, signup, caller).await?;
            tx.commit().await?;
            if answer.is_ok() {
                app.send_time().pretend(app.random()).await;
            }
            return answer.map(Outcome::User);
        }
        Some(user) => Some(Account::of(&mut tx, user).await?),
        None => None,
    };
    let is_new = existing.is_none();
    let account = match existing {
        // Whoever asks may not own the address, so nothing of an unconfirmed user changes.
        Some(account) => account,
        None => create(app, &mut tx, signup, hash, caller).await?,
    };
    let user = &account.user;
    if !identities::has_own(&mut tx, user.id, provider).await? {
        let mut data = Map::new();
        if let Address::Email(email) = &signup.address {
            data.insert("email".into(), email.as_str().into());
        }
        for (key, value) in &signup.data {
            if !["sub", "email", "email_verified", "phone_verified"].contains(&key.as_str()) {
                data.insert(key.clone(), value.clone());
            }
        }
        confirm::put_identity(app, &mut tx, &account, provider, Value::Object(data)).await?;
        let all = identities::of_user(&mut tx, user.id).await?;
        let own = all.iter().find(|identity| identity.provider == provider);
        if let Some(own) = own {
            users::replace_user_metadata(&mut tx, user.id, &own.identity_data.0).await?;
        }
        identities::keep_only(&mut tx, user.id, provider).await?;
        confirm::update_providers(app, &mut tx, &account).await?;
    }
    let account = account.reload(&mut tx).await?;
    let autoconfirm = match &signup.address {
        Address::Email(_) => config.mailer.autoconfirm,
        Address::Phone(_) => config.sms.autoconfirm,
    };
    let traits = Some(json!({ "provider": provider }));
    let actor = Actor::User(&account.user);
    if autoconfirm {
        audit::record(
            app,
            &mut tx,
            caller,
            actor,
            Action::UserSignedUp,
            traits.clone(),
        )
        .await?;
        match &signup.address {
            Address::Email(_) => confirm::confirm_email(app, &mut tx, &account).await?,
            Address::Phone(_) => {
                users::confirm_phone(&mut tx, account.user.id, app.now()).await?;
            }
        }
        audit::record(app, &mut tx, caller, actor, Action::Login, traits).await?;
        let account = account.reload(&mut tx).await?;
        let issued = session::begin(app, &mut tx, &account, Method::Password, caller).await?;
        tx.commit().await?;
        return Ok(Outcome::Session(Box::new(issued)));
    }
    let action = Action::UserConfirmationRequested;
    audit::record(app, &mut tx, caller, actor, action, traits).await?;
    match &signup.address {
        Address::Email(_) => {
            let challenge = signup.challenge.as_ref();
            send::begin_flow(app, &mut tx, &account, challenge, Method::EmailSignup).await?;
            let pkce = challenge.is_some();
            send::mail(app, &mut tx, &account, Mail::Confirmation, pkce, caller).await?;
        }
        Address::Phone(phone) => {
            send::text(app, &mut tx, &account, phone, Text::Confirmation, caller).await?;
        }
    }
    let mut account = account.reload(&mut tx).await?;
    tx.commit().await?;
    if account.user.invited_at.is_some() {
        // Whoever signs up with an invited address may not be the one who was invited.
        account.user.raw_user_meta_data.0.clear();
        account.identities.clear();
    }
    if is_new {
        after_created(app, &account, caller).await?;
    }
    Ok(Outcome::User(account.to_json()))
}

fn is_confirmed(user: &User, address: &Address) -> bool {
    match address {
        Address::Email(_) => user.email_confirmed_at.is_some(),
        Address::Phone(_) => user.phone_confirmed_at.is_some(),
    }
}

/// Tells the project of a user who is there now, outside of the transaction that made it.
pub async fn after_created(app: &App, account: &Account, caller: &Caller) -> Result<(), Error> {
    if app.config().hooks.after_user_created.is_none() {
        return Ok(());
    }
    let mut tx = app.begin().await?;
    let hook = app.config().hooks.after_user_created.as_ref();
    hooks::user_created(app, &mut tx, hook, false, account.to_json(), caller).await?;
    tx.commit().await?;
    Ok(())
}

/// Adds a user, unless the project's hook refuses.
pub async fn insert(
    app: &App,
    conn: &mut PgConnection,
    new: &NewUser,
    caller: &Caller,
) -> Result<Account, Error> {
    let hook = app.config().hooks.before_user_created.as_ref();
    let seen = json!({
        "id": new.id,
        "aud": new.aud,
        "role": new.role,
        "email": new.email.as_deref().unwrap_or_default(),
        "phone": new.phone.as_deref().unwrap_or_default(),
        "app_metadata": new.app_metadata,
        "user_metadata": new.user_metadata,
        "identities": [],
        "created_at": account::time(app.now()),
        "updated_at": account::time(app.now()),
        "is_anonymous": new.is_anonymous,
    });
    hooks::user_created(app, conn, hook, true, seen, caller).await?;
    let user =
        users::insert(conn, new, app.now())
            .await
            .map_err(|error| match confirm::taken(error) {
                Error::Database { source, .. } => Error::Database {
                    context: "Database error saving new user",
                    source,
                },
                other => other,
            })?;
    Ok(Account::of(conn, user).await?)
}

async fn create(
    app: &App,
    conn: &mut PgConnection,
    signup: &Signup<'_>,
    hash: String,
    caller: &Caller,
) -> Result<Account, Error> {
    let provider = signup.address.provider();
    let mut new = NewUser {
        id: clock::id(app.random()),
        aud: caller.aud.clone(),
        role: app.config().jwt.default_group_name.clone(),
        encrypted_password: Some(hash),
        user_metadata: signup.data.clone(),
        ..NewUser::default()
    };
    new.app_metadata.insert("provider".into(), provider.into());
    new.app_metadata
        .insert("providers".into(), json!([provider]));
    match &signup.address {
        Address::Email(email) => new.email = Some(email.to_owned()),
        Address::Phone(phone) => new.phone = Some(phone.to_owned()),
    }
    insert(app, conn, &new, caller).await
}

/// A user without any address.
pub async fn sign_up_anonymously(
    app: &App,
    data: Map<String, Value>,
    caller: &Caller,
) -> Result<Issued, Error> {
    let new = NewUser {
        id: clock::id(app.random()),
        aud: caller.aud.clone(),
        role: app.config().jwt.default_group_name.clone(),
        user_metadata: data,
        is_anonymous: true,
        ..NewUser::default()
    };
    let mut tx = app.begin().await?;
    let account = insert(app, &mut tx, &new, caller).await?;
    let issued = session::begin(app, &mut tx, &account, Method::Anonymous, caller).await?;
    tx.commit().await?;
    after_created(app, &issued.account, caller).await?;
    Ok(issued)
}

/// What somebody sees who signs up with an address that is taken: a user who does not exist.
fn decoy(app: &App, mut account: Account, signup: &Signup<'_>, caller: &Caller) -> Value {
    let provider = signup.address.provider();
    let now = app.now();
    let user = &mut account.user;
    let app_metadata = json!({ "provider": provider, "providers": [provider] });
    *user = User {
        id: clock::id(app.random()),
        aud: caller.aud.clone(),
        role: String::new(),
        email: String::new(),
        phone: String::new(),
        encrypted_password: None,
        email_confirmed_at: None,
        invited_at: None,
        confirmation_sent_at: Some(now),
        recovery_sent_at: None,
        email_change: String::new(),
        email_change_sent_at: None,
        last_sign_in_at: None,
        created_at: now,
        updated_at: now,
        phone_confirmed_at: None,
        phone_change: String::new(),
        phone_change_sent_at: None,
        confirmed_at: None,
        banned_until: None,
        reauthentication_sent_at: None,
        deleted_at: None,
        is_anonymous: false,
        ..user.clone()
    };
    user.raw_app_meta_data.0 = app_metadata.as_object().cloned().unwrap_or_default();
    user.raw_user_meta_data.0 = signup.data.clone();
    match &signup.address {
        Address::Email(email) => email.clone_into(&mut user.email),
        Address::Phone(phone) => phone.clone_into(&mut user.phone),
    }
    account.identities.clear();
    account.factors.clear();
    account.to_json()
}

async fn repeated(
    app: &App,
    conn: &mut PgConnection,
    user: User,
    signup: &Signup<'_>,
    caller: &Caller,
) -> Result<Result<Value, Error>, Error> {
    let traits = Some(json!({ "provider": signup.address.provider() }));
    let actor = Actor::User(&user);
    let action = Action::UserRepeatedSignUp;
    audit::record(app, conn, caller, actor, action, traits).await?;
    let config = app.config();
    if config.mailer.autoconfirm || config.sms.autoconfirm {
        return Ok(Err(Error::unprocessable(
            Code::UserAlreadyExists,
            "User already registered",
        )));
    }
    let account = Account::of(conn, user).await?;
    Ok(Ok(decoy(app, account, signup, caller)))
}
