//! Second factors: a code of an app, a code by text message, or a WebAuthn authenticator.
//!
//! A factor is enrolled, which leaves it unverified, then challenged, and the answer verifies the factor and
//! lifts the session to the assurance level `aal2`.

mod challenge;
mod enroll;
mod totp;
mod verify;

use serde_json::json;
use sqlx::PgConnection;

pub use challenge::challenge;
pub use enroll::{Wish, enroll};
pub use verify::{Answer, verify};

use super::{
    account::Account,
    audit::{self, Action, Actor},
    notify::{self, Notice},
    session::{Caller, Method},
    webauthn::{Credential, UserEntity},
};
use crate::{
    app::App,
    config::FactorKind,
    error::{Code, Error},
    store::{
        factors::{self, Factor},
        sessions::{self, Session},
    },
};

/// Who works on their factors, in which session.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the names say it")]
pub struct Acting<'a> {
    pub account: &'a Account,
    pub session: &'a Session,
    pub caller: &'a Caller,
}

/// The kinds of factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the protocol")]
pub enum FactorType {
    Totp,
    Phone,
    WebAuthn,
}

impl FactorType {
    /// Reads the name of the protocol.
    pub fn parse(name: &str) -> Result<Self, Error> {
        match name {
            "totp" => Ok(Self::Totp),
            "phone" => Ok(Self::Phone),
            "webauthn" => Ok(Self::WebAuthn),
            _ => Err(Error::invalid(
                "factor_type needs to be totp, phone, or webauthn",
            )),
        }
    }

    /// The name of the protocol.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Totp => "totp",
            Self::Phone => "phone",
            Self::WebAuthn => "webauthn",
        }
    }

    /// What a session says that was proved with one.
    fn method(self) -> Method {
        match self {
            Self::Totp => Method::Totp,
            Self::Phone => Method::MfaPhone,
            Self::WebAuthn => Method::MfaWebAuthn,
        }
    }

    fn settings(self, app: &App) -> FactorKind {
        let mfa = &app.config().mfa;
        match self {
            Self::Totp => mfa.totp,
            Self::Phone => mfa.phone.kind,
            Self::WebAuthn => mfa.webauthn,
        }
    }

    /// The kind as error texts have it.
    fn title(self) -> &'static str {
        match self {
            Self::Totp => "TOTP",
            Self::Phone => "Phone",
            Self::WebAuthn => "WebAuthn",
        }
    }

    fn check_enroll(self, app: &App) -> Result<(), Error> {
        if self.settings(app).enroll {
            return Ok(());
        }
        let code = match self {
            Self::Totp => Code::MfaTotpEnrollNotEnabled,
            Self::Phone => Code::MfaPhoneEnrollNotEnabled,
            Self::WebAuthn => Code::MfaWebAuthnEnrollNotEnabled,
        };
        let message = format!("MFA enroll is disabled for {}", self.title());
        Err(Error::unprocessable(code, message))
    }

    fn check_verify(self, app: &App) -> Result<(), Error> {
        if self.settings(app).verify {
            return Ok(());
        }
        let code = match self {
            Self::Totp => Code::MfaTotpVerifyNotEnabled,
            Self::Phone => Code::MfaPhoneVerifyNotEnabled,
            Self::WebAuthn => Code::MfaWebAuthnVerifyNotEnabled,
        };
        let message = format!("MFA verification is disabled for {}", self.title());
        Err(Error::unprocessable(code, message))
    }
}

/// The user as authenticators for second factors know it.
fn entity<'a>(handle: &'a str, account: &'a Account) -> UserEntity<'a> {
    UserEntity {
        handle,
        name: &account.user.email,
        display_name: &account.user.email,
    }
}

/// The credentials of a user's verified factors. One that cannot be read is passed over: it could not be
/// used, and must not stop the others.
async fn credentials(
    conn: &mut PgConnection,
    account: &Account,
) -> Result<Vec<Credential>, sqlx::Error> {
    let stored = factors::credentials(conn, account.user.id).await?;
    Ok(stored
        .into_iter()
        .filter_map(|value| serde_json::from_value(value).ok())
        .collect())
}

/// A name or number that another factor of the user has already.
pub fn conflict(name: &str) -> impl Fn(sqlx::Error) -> Error {
    let name = name.to_owned();
    move |source| {
        let constraint = source
            .as_database_error()
            .and_then(|error| error.constraint())
            .unwrap_or_default();
        match constraint {
            "mfa_factors_user_friendly_name_unique" => name_conflict(&name),
            "unique_phone_factor_per_user" => verified_factor_exists(),
            _ => source.into(),
        }
    }
}

fn name_conflict(name: &str) -> Error {
    Error::unprocessable(
        Code::MfaFactorNameConflict,
        format!("A factor with the friendly name {name:?} for this user already exists"),
    )
}

fn verified_factor_exists() -> Error {
    Error::unprocessable(
        Code::MfaVerifiedFactorExists,
        "A verified phone factor already exists, unenroll the existing factor to continue",
    )
}

/// Removes a factor, and what it proved.
pub async fn remove(
    conn: &mut PgConnection,
    account: &Account,
    factor: &Factor,
) -> Result<(), Error> {
    factors::delete(conn, factor.id).await?;
    let method = FactorType::parse(&factor.factor_type)?.method();
    sessions::step_down(conn, account.user.id, factor.id, method.as_str()).await?;
    Ok(())
}

/// Lets a user remove a factor; a verified one only to somebody who proved a second factor.
pub async fn unenroll(app: &App, who: Acting<'_>, factor: &Factor) -> Result<(), Error> {
    let Acting {
        account,
        session,
        caller,
    } = who;
    let mut tx = app.begin().await?;
    // Read again under a lock: it may have been verified meanwhile.
    let factor = factors::lock(&mut tx, account.user.id, factor.id)
        .await?
        .ok_or_else(factor_not_found)?;
    if factor.is_verified() && !session.is_aal2() {
        return Err(Error::unprocessable(
            Code::InsufficientAal,
            "AAL2 required to unenroll verified factor",
        ));
    }
    remove(&mut tx, account, &factor).await?;
    let traits = json!({
        "factor_id": factor.id,
        "factor_status": factor.status,
        "session_id": session.id,
    });
    let actor = Actor::User(&account.user);
    let action = Action::FactorUnenrolled;
    audit::record(app, &mut tx, caller, actor, action, Some(traits)).await?;
    tx.commit().await?;
    let factor_type = factor.factor_type;
    notify::send(
        app,
        account,
        Notice::FactorUnenrolled { factor_type },
        caller,
    )
    .await;
    Ok(())
}

/// There is none, or it is somebody else's.
pub fn factor_not_found() -> Error {
    Error::refused(404, Code::MfaFactorNotFound, "Factor not found")
}
