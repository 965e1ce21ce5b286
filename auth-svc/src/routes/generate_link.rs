//! `POST /admin/generate_link`: the link of a mail, for those who send mails themselves.

use axum::{Json, extract::State};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use sqlx::PgConnection;

use super::{admin, caller::Admin, extract::Body};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        clock, confirm, otp, password, send,
        session::Caller,
        signup, stored_password,
    },
    error::{Code, Error},
    mail::{Kind, Link},
    store::{
        one_time_tokens,
        users::{self, EmailChange, Metadata, Sent},
    },
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    #[serde(rename = "type")]
    kind: String,
    email: String,
    new_email: String,
    password: String,
    data: Map<String, Value>,
    redirect_to: String,
}

pub(super) async fn post(
    State(app): State<App>,
    Admin { role, mut caller }: Admin,
    Body(mut params): Body<Params>,
) -> Result<Json<Value>, Error> {
    let email = address::email(&params.email)?;
    if app.config().allow_list.allows(&params.redirect_to) {
        caller.redirect_to.clone_from(&params.redirect_to);
    }
    let mut tx = app.begin().await?;
    let found = users::find_by_email(&mut tx, &email, &caller.aud)
        .await
        .map_err(Error::database("Database error finding user"))?;
    if found.is_none() {
        match params.kind.as_str() {
            "magiclink" => {
                params.kind = "signup".to_owned();
                params.password = password::generate(app.random(), &app.config().password);
            }
            "recovery" | "email_change_current" | "email_change_new" => {
                return Err(Error::refused(
                    404,
                    Code::UserNotFound,
                    "User with this email not found",
                ));
            }
            _ => {}
        }
    }
    let known = match found {
        Some(user) => Some(Account::of(&mut tx, user).await?),
        None => None,
    };
    let is_new = known.is_none();
    let code = otp::generate(app.random(), app.config().mailer.otp_length);
    let made = make(
        &app,
        &mut tx,
        &params,
        &email,
        known,
        &code,
        (&role, &caller),
    )
    .await?;
    let account = made.account.reload(&mut tx).await?;
    tx.commit().await?;
    if is_new {
        signup::after_created(&app, &account, &caller).await?;
    }
    let link = Link {
        token_hash: &made.hash,
        verification_type: made.verification_type,
        redirect_to: &caller.redirect_to,
    };
    let mut body = account.to_json();
    body["action_link"] = send::link_url(&app, made.kind, &link, &caller).into();
    body["email_otp"] = code.into();
    body["hashed_token"] = made.hash.into();
    body["verification_type"] = params.kind.into();
    body["redirect_to"] = caller.redirect_to.into();
    Ok(Json(body))
}

struct Made {
    account: Account,
    kind: Kind,
    verification_type: &'static str,
    hash: String,
}

async fn make(
    app: &App,
    conn: &mut PgConnection,
    params: &Params,
    email: &str,
    known: Option<Account>,
    code: &str,
    (role, caller): (&str, &Caller),
) -> Result<Made, Error> {
    let hash = otp::hash(email, code);
    match (params.kind.as_str(), known) {
        ("magiclink" | "recovery", Some(account)) => {
            let actor = Actor::User(&account.user);
            let action = Action::UserRecoveryRequested;
            audit::record(app, conn, caller, actor, action, None).await?;
            send::note(app, conn, &account, Sent::Recovery, &hash, email).await?;
            let (kind, verification_type) = if params.kind == "recovery" {
                (Kind::Recovery, "recovery")
            } else {
                (Kind::MagicLink, "magiclink")
            };
            Ok(Made {
                account,
                kind,
                verification_type,
                hash,
            })
        }
        ("invite", known) => {
            let account = if let Some(account) = known {
                unconfirmed(account)?
            } else {
                let data = params.data.clone();
                admin::without_password(app, conn, email, data, caller).await?
            };
            let traits = Some(json!({ "user_id": account.user.id, "user_email": email }));
            let actor = Actor::Admin(role);
            audit::record(app, conn, caller, actor, Action::UserInvited, traits).await?;
            send::note(app, conn, &account, Sent::Confirmation, &hash, email).await?;
            users::record_invited(conn, account.user.id, app.now()).await?;
            Ok(Made {
                account,
                kind: Kind::Invite,
                verification_type: "invite",
                hash,
            })
        }
        ("signup", known) => {
            let account = match known {
                Some(account) => {
                    let account = unconfirmed(account)?;
                    let (user, data) = (account.user.id, &params.data);
                    users::merge_metadata(conn, user, Metadata::User, data, app.now()).await?;
                    account
                }
                None => sign_up(app, conn, params, email, caller).await?,
            };
            send::note(app, conn, &account, Sent::Confirmation, &hash, email).await?;
            Ok(Made {
                account,
                kind: Kind::Confirmation,
                verification_type: "signup",
                hash,
            })
        }
        ("email_change_current" | "email_change_new", Some(account)) => {
            change(app, conn, params, account, code).await
        }
        (other, _) => Err(Error::invalid(format!(
            "Invalid email action link type requested: {other}"
        ))),
    }
}

fn unconfirmed(account: Account) -> Result<Account, Error> {
    if account.user.email_confirmed_at.is_some() {
        return Err(Error::email_exists());
    }
    Ok(account)
}

async fn sign_up(
    app: &App,
    conn: &mut PgConnection,
    params: &Params,
    email: &str,
    caller: &Caller,
) -> Result<Account, Error> {
    if params.password.is_empty() {
        return Err(Error::invalid("Signup requires a valid password"));
    }
    password::check_strength(app, &params.password).await?;
    let data = params.data.clone();
    let account = admin::without_password(app, conn, email, data, caller).await?;
    let hash = stored_password::make(app, account.user.id, &params.password).await?;
    users::fill_password(conn, account.user.id, &hash).await?;
    Ok(account)
}

async fn change(
    app: &App,
    conn: &mut PgConnection,
    params: &Params,
    account: Account,
    code: &str,
) -> Result<Made, Error> {
    let by_current = params.kind == "email_change_current";
    if by_current && !app.config().mailer.secure_email_change {
        return Err(Error::invalid(
            "Enable secure email change to generate link for current email",
        ));
    }
    let new = address::email(&params.new_email)?;
    let user = &account.user;
    let taken = users::find_duplicate_email(
        conn,
        &new,
        &user.aud,
        Some(user.id),
        &app.config().experimental.linking_domains.apart(),
    )
    .await?;
    if taken.is_some() || new == user.email {
        return Err(Error::email_exists());
    }
    // The hash that fits the token that is stored; the original gives out one that does not.
    let address = if by_current { &user.email } else { &new };
    let hash = otp::hash(address, code);
    let (token_new, token_current) = if by_current {
        (user.email_change_token_new.as_str(), hash.as_str())
    } else {
        (hash.as_str(), user.email_change_token_current.as_str())
    };
    let wish = EmailChange {
        email: &new,
        token_new,
        token_current,
    };
    let now = app.now();
    users::begin_email_change(conn, user.id, &wish, now)
        .await
        .map_err(confirm::taken)?;
    for (kind, hash, relates_to) in [
        ("email_change_token_current", token_current, &user.email),
        ("email_change_token_new", token_new, &new),
    ] {
        if !hash.is_empty() {
            let id = clock::id(app.random());
            one_time_tokens::put(conn, id, user.id, kind, hash, relates_to, now).await?;
        }
    }
    Ok(Made {
        kind: Kind::EmailChange,
        verification_type: "email_change",
        hash,
        account,
    })
}
