//! Adding a factor.

use serde_json::{Value, json};
use sqlx::PgConnection;
use url::Url;

use super::{Acting, FactorType, conflict, name_conflict, totp, verified_factor_exists};
use crate::{
    app::App,
    domain::{
        account::Account,
        address,
        audit::{self, Action, Actor},
        clock, encryption,
    },
    error::{Code, Error},
    store::{
        factors::{self, NewFactor},
        sessions::Session,
    },
};

/// The longest name of a factor or issuer; bytes. The original knows no limit but that of the body.
const MAX_NAME: usize = 255;

/// What somebody asks for.
#[derive(Clone, Copy, Debug)]
pub struct Wish<'a> {
    /// The kind.
    pub factor_type: FactorType,
    /// The user's name for it.
    pub friendly_name: &'a str,
    /// For TOTP: whose code it is, in the app; empty is the host of the site.
    pub issuer: &'a str,
    /// For phones: the number.
    pub phone: &'a str,
}

/// Adds an unverified factor; gives what clients see of it, which is the only time that they see the secret.
pub async fn enroll(app: &App, who: Acting<'_>, wish: Wish<'_>) -> Result<Value, Error> {
    wish.factor_type.check_enroll(app)?;
    for (field, text) in [
        ("friendly_name", wish.friendly_name),
        ("issuer", wish.issuer),
    ] {
        if text.len() > MAX_NAME {
            return Err(Error::invalid(format!(
                "{field} must be {MAX_NAME} characters or less"
            )));
        }
    }
    let Acting {
        account,
        session,
        caller,
    } = who;
    let id = clock::id(app.random());
    let mut new = NewFactor {
        id,
        user_id: account.user.id,
        friendly_name: wish.friendly_name,
        factor_type: wish.factor_type.as_str(),
        secret: None,
        phone: None,
    };
    let mut answer = json!({
        "id": id,
        "type": new.factor_type,
        "friendly_name": wish.friendly_name,
    });
    let mut traits = json!({ "factor_id": id });
    let mut tx = app.begin().await?;
    let (secret, phone);
    if wish.factor_type == FactorType::Totp {
        let plain = totp::secret(app.random());
        answer["totp"] = picture(app, wish.issuer, account, &plain)?;
        let rules = &app.config().security.encryption;
        secret = encryption::seal(rules, app.random(), new.id, &plain)?;
        new.secret = Some(&secret);
    } else {
        traits["factor_type"] = new.factor_type.into();
    }
    if wish.factor_type == FactorType::Phone {
        phone = number(&mut tx, account, wish.phone).await?;
        answer["phone"] = wish.phone.into();
        new.phone = Some(&phone);
    }
    check_allowed(app, &mut tx, account, session, wish.friendly_name).await?;
    factors::insert(&mut tx, &new, app.now())
        .await
        .map_err(conflict(wish.friendly_name))?;
    let actor = Actor::User(&account.user);
    let action = Action::FactorInProgress;
    audit::record(app, &mut tx, caller, actor, action, Some(traits)).await?;
    tx.commit().await?;
    Ok(answer)
}

/// The secret in the forms that an app takes it in.
fn picture(app: &App, issuer: &str, account: &Account, secret: &str) -> Result<Value, Error> {
    let site;
    let issuer = if issuer.is_empty() {
        site = host(&app.config().site_url)?;
        &site
    } else {
        issuer
    };
    let user = &account.user;
    let name = if user.email.is_empty() {
        &user.phone
    } else {
        &user.email
    };
    let uri = totp::uri(issuer, name, secret);
    Ok(json!({ "qr_code": totp::qr_code(&uri)?, "secret": secret, "uri": uri }))
}

/// Host and port of the site.
fn host(site_url: &str) -> Result<String, Error> {
    let url = Url::parse(site_url)
        .map_err(|error| Error::internal("site url is improperly formatted", error))?;
    let host = url.host_str().unwrap_or_default();
    Ok(match url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_owned(),
    })
}

/// The number as it is stored. An unverified factor with the same one makes way.
async fn number(conn: &mut PgConnection, account: &Account, phone: &str) -> Result<String, Error> {
    if phone.is_empty() {
        return Err(Error::invalid(
            "Phone number required to enroll Phone factor",
        ));
    }
    let phone = address::phone(phone)?;
    for factor in &account.factors {
        if factor.factor_type == "phone" && factor.phone == phone {
            if factor.is_verified() {
                return Err(verified_factor_exists());
            }
            factors::delete(conn, factor.id).await?;
        }
    }
    Ok(phone)
}

/// Fails when the user has too many factors, one of this name, or proved too little.
async fn check_allowed(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    session: &Session,
    name: &str,
) -> Result<(), Error> {
    let mfa = &app.config().mfa;
    factors::delete_forgotten(conn, app.now() - mfa.factor_expiry).await?;
    let existing = factors::of_user(conn, account.user.id).await?;
    // Two factors without a name are a conflict, too, as in the original.
    if existing.iter().any(|factor| factor.friendly_name == name) {
        return Err(name_conflict(name));
    }
    let verified = existing
        .iter()
        .filter(|factor| factor.is_verified())
        .count();
    if existing.len() >= mfa.max_enrolled || verified >= mfa.max_verified {
        return Err(Error::unprocessable(
            Code::TooManyEnrolledMfaFactors,
            "Maximum number of verified factors reached, unenroll to continue",
        ));
    }
    if verified > 0 && !session.is_aal2() {
        return Err(Error::forbidden(
            Code::InsufficientAal,
            "AAL2 required to enroll a new factor",
        ));
    }
    Ok(())
}
