//! `/admin/users`: what an administrator does with users.

pub(super) mod credentials;
mod delete;
mod list;
pub(super) mod sso;

pub(super) use delete::delete;
pub(super) use list::list;

use axum::{
    Json,
    extract::{Path, State},
};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{caller::Admin, extract::Body};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        clock, confirm, password,
        session::Caller,
        signup, stored_password,
    },
    error::{Code, Error},
    store::users::{self, AdminChange, Ban, Metadata, NewUser},
};

pub(super) async fn load(conn: &mut PgConnection, id: &str) -> Result<Account, Error> {
    let id: Uuid = id
        .parse()
        .map_err(|_| Error::refused(404, Code::ValidationFailed, "user_id must be an UUID"))?;
    Account::find(conn, id)
        .await
        .map_err(Error::database("Database error loading user"))?
        .ok_or_else(|| Error::refused(404, Code::UserNotFound, "User not found"))
}

pub(super) async fn get(
    State(app): State<App>,
    _: Admin,
    Path(id): Path<String>,
) -> Result<Json<Value>, Error> {
    let mut conn = app.connection().await?;
    Ok(Json(load(&mut conn, &id).await?.to_json()))
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    id: String,
    aud: String,
    role: String,
    email: String,
    phone: String,
    password: Option<String>,
    password_hash: String,
    email_confirm: bool,
    phone_confirm: bool,
    user_metadata: Option<Map<String, Value>>,
    app_metadata: Option<Map<String, Value>>,
    ban_duration: String,
}

/// What a wished ban means.
fn ban(params: &Params, now: DateTime<Utc>) -> Result<Ban, Error> {
    match params.ban_duration.as_str() {
        "" => Ok(Ban::Unchanged),
        "none" => Ok(Ban::Lifted),
        text => {
            let invalid = |reason: &str| {
                Error::invalid(format!(
                    "invalid format for ban duration: time: {reason} {text:?}"
                ))
            };
            let (negative, length) = match text.strip_prefix('-') {
                Some(rest) => (true, rest),
                None => (false, text.strip_prefix('+').unwrap_or(text)),
            };
            // A number alone would be seconds elsewhere; here the unit is asked for.
            if length != "0" && length.parse::<f64>().is_ok() {
                return Err(invalid("missing unit in duration"));
            }
            let length = svc_kit::env::parse_duration(length)
                .ok()
                .and_then(|duration| chrono::Duration::from_std(duration).ok())
                .ok_or_else(|| invalid("invalid duration"))?;
            if length.is_zero() {
                return Ok(Ban::Lifted);
            }
            let end = now.checked_add_signed(if negative { -length } else { length });
            end.map(Ban::Until)
                .ok_or_else(|| invalid("invalid duration"))
        }
    }
}

async fn hash_of(app: &App, params: &Params) -> Result<String, Error> {
    let wished = params.password.as_deref().filter(|text| !text.is_empty());
    if wished.is_some() && !params.password_hash.is_empty() {
        return Err(Error::invalid(
            "Only a password or a password hash should be provided",
        ));
    }
    if !params.password_hash.is_empty() {
        if !password::is_readable_hash(&params.password_hash) {
            return Err(Error::invalid(
                "The password hash is not one that this server can read",
            ));
        }
        return Ok(params.password_hash.clone());
    }
    match wished {
        Some(text) if text.len() > 72 => Err(Error::invalid(
            "Password cannot be longer than 72 characters",
        )),
        Some(text) => app.hasher().hash(text).await,
        None => {
            let unknown = password::generate(app.random(), &app.config().password);
            app.hasher().hash(&unknown).await
        }
    }
}

async fn new_user(app: &App, params: &Params, caller: &Caller) -> Result<NewUser, Error> {
    let id = if params.id.is_empty() {
        clock::id(app.random())
    } else {
        let id: Uuid = params
            .id
            .parse()
            .map_err(|_| Error::invalid("ID must conform to the uuid v4 format"))?;
        if id.is_nil() {
            return Err(Error::invalid("ID cannot be a nil uuid"));
        }
        id
    };
    let or = |wished: &String, default: &str| {
        if wished.is_empty() {
            default.to_owned()
        } else {
            wished.clone()
        }
    };
    let mut new = NewUser {
        id,
        aud: or(&params.aud, &caller.aud),
        role: or(&params.role, &app.config().jwt.default_group_name),
        user_metadata: params.user_metadata.clone().unwrap_or_default(),
        ..NewUser::default()
    };
    let mut providers = Vec::new();
    if !params.email.is_empty() {
        new.email = Some(address::email(&params.email)?);
        providers.push("email");
    }
    if !params.phone.is_empty() {
        new.phone = Some(address::phone(&params.phone)?);
        providers.push("phone");
    }
    let Some(first) = providers.first() else {
        return Err(Error::invalid(
            "Cannot create a user without either an email or phone",
        ));
    };
    new.app_metadata.insert("provider".into(), (*first).into());
    new.app_metadata
        .insert("providers".into(), json!(providers));
    let given = params.app_metadata.iter().flatten();
    for (key, value) in given.filter(|(_, value)| !value.is_null()) {
        new.app_metadata.insert(key.clone(), value.clone());
    }
    let mut conn = app.connection().await?;
    if let Some(email) = &new.email
        && users::find_duplicate_email(
            &mut conn,
            email,
            &new.aud,
            None,
            &app.config().experimental.linking_domains.apart(),
        )
        .await?
        .is_some()
    {
        return Err(Error::email_exists());
    }
    if let Some(phone) = &new.phone
        && users::find_by_phone(&mut conn, phone, &new.aud)
            .await?
            .is_some()
    {
        return Err(Error::unprocessable(
            Code::PhoneExists,
            "Phone number already registered by another user",
        ));
    }
    drop(conn);
    let hash = hash_of(app, params).await?;
    new.encrypted_password = Some(stored_password::seal(app, new.id, &hash)?);
    Ok(new)
}

pub(super) async fn create(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    let now = app.now();
    let ban = ban(&params, now)?;
    let new = new_user(&app, &params, &caller).await?;
    let mut tx = app.begin().await?;
    let user =
        users::insert(&mut tx, &new, now)
            .await
            .map_err(|error| match confirm::taken(error) {
                Error::Database { source, .. } => Error::Database {
                    context: "Database error creating new user",
                    source,
                },
                other => other,
            })?;
    let account = Account::of(&mut tx, user).await?;
    if let Some(email) = &new.email {
        let data = json!({ "email": email });
        confirm::put_identity(&app, &mut tx, &account, "email", data).await?;
    }
    if let Some(phone) = &new.phone {
        let data = json!({ "phone": phone });
        confirm::put_identity(&app, &mut tx, &account, "phone", data).await?;
    }
    let traits = Some(json!({
        "user_id": new.id,
        "user_email": new.email.as_deref().unwrap_or_default(),
        "user_phone": new.phone.as_deref().unwrap_or_default(),
        "provider": if new.email.is_some() { "email" } else { "phone" },
    }));
    let actor = Actor::Admin(&role);
    audit::record(&app, &mut tx, &caller, actor, Action::UserSignedUp, traits).await?;
    if params.email_confirm {
        users::confirm_email(&mut tx, new.id, now).await?;
    }
    if params.phone_confirm {
        users::confirm_phone(&mut tx, new.id, now).await?;
    }
    let change = AdminChange {
        ban,
        ..AdminChange::default()
    };
    users::change(&mut tx, new.id, &change, now).await?;
    let account = account.reload(&mut tx).await?;
    tx.commit().await?;
    Ok(Json(account.to_json()))
}

/// A user who was invited and has no password yet.
pub(super) async fn without_password(
    app: &App,
    conn: &mut PgConnection,
    email: &str,
    data: Map<String, Value>,
    caller: &Caller,
) -> Result<Account, Error> {
    let mut new = NewUser {
        id: clock::id(app.random()),
        aud: caller.aud.clone(),
        role: app.config().jwt.default_group_name.clone(),
        email: Some(email.to_owned()),
        encrypted_password: Some(String::new()),
        user_metadata: data,
        ..NewUser::default()
    };
    new.app_metadata.insert("provider".into(), "email".into());
    new.app_metadata
        .insert("providers".into(), json!(["email"]));
    let account = signup::insert(app, conn, &new, caller).await?;
    let identity = json!({ "email": email });
    confirm::put_identity(app, conn, &account, "email", identity).await?;
    Ok(account.reload(conn).await?)
}

pub(super) async fn update(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Path(id): Path<String>,
    Body(params): Body<Params>,
) -> Result<Json<Value>, Error> {
    let now = app.now();
    let account = {
        let mut conn = app.connection().await?;
        load(&mut conn, &id).await?
    };
    let user = account.user.id;
    let non_empty = |text: String| Some(text).filter(|text| !text.is_empty());
    let email = match non_empty(params.email.clone()) {
        Some(email) => Some(address::email(&email)?),
        None => None,
    };
    let phone = match non_empty(params.phone.clone()) {
        Some(phone) => Some(address::phone(&phone)?),
        None => None,
    };
    let ban = ban(&params, now)?;
    let hash = match params.password.as_deref() {
        Some(password) => {
            password::check_strength(&app, password).await?;
            Some(stored_password::make(&app, user, password).await?)
        }
        None => None,
    };
    let is_first_password = params
        .password
        .as_deref()
        .is_some_and(|new| !new.is_empty())
        && !account.user.has_password();
    let mut tx = app.begin().await?;
    if let Some(hash) = hash {
        confirm::change_password(&app, &mut tx, &account, &hash, None).await?;
    }
    if let Some(email) = &email {
        let data = json!({ "email": email, "email_verified": params.email_confirm });
        confirm::put_identity(&app, &mut tx, &account, "email", data).await?;
    }
    if let Some(phone) = &phone {
        let data = json!({ "phone": phone, "phone_verified": params.phone_confirm });
        confirm::put_identity(&app, &mut tx, &account, "phone", data).await?;
    }
    let confirms_address =
        (email.is_some() && params.email_confirm) || (phone.is_some() && params.phone_confirm);
    if account.user.is_anonymous && confirms_address {
        users::set_permanent(&mut tx, user).await?;
    }
    let change = AdminChange {
        role: Some(params.role.as_str()).filter(|role| !role.is_empty()),
        email: email.as_deref(),
        phone: phone.as_deref(),
        ban,
    };
    users::change(&mut tx, user, &change, now)
        .await
        .map_err(confirm::taken)?;
    if params.email_confirm {
        confirm::confirm_email(&app, &mut tx, &account).await?;
    }
    if params.phone_confirm {
        users::confirm_phone(&mut tx, user, now).await?;
    }
    if is_first_password {
        confirm::ensure_email_identity(&app, &mut tx, &account).await?;
    }
    for (which, changes) in [
        (Metadata::App, &params.app_metadata),
        (Metadata::User, &params.user_metadata),
    ] {
        if let Some(changes) = changes {
            users::merge_metadata(&mut tx, user, which, changes, now).await?;
        }
    }
    let account = account.reload(&mut tx).await?;
    let traits = Some(named(&account));
    let actor = Actor::Admin(&role);
    audit::record(&app, &mut tx, &caller, actor, Action::UserModified, traits).await?;
    tx.commit().await?;
    Ok(Json(account.to_json()))
}

fn named(account: &Account) -> Value {
    json!({
        "user_id": account.user.id,
        "user_email": account.user.email,
        "user_phone": account.user.phone,
    })
}
