//! The record of who did what.

use serde_json::{Map, Value};
use sqlx::PgConnection;

use super::{clock, session::Caller};
use crate::{
    app::App,
    store::{self, audit::NewEntry, users::User},
};

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Action {
    Login,
    Logout,
    InviteAccepted,
    UserSignedUp,
    UserInvited,
    UserDeleted,
    UserModified,
    UserRecoveryRequested,
    UserReauthenticateRequested,
    UserConfirmationRequested,
    UserRepeatedSignUp,
    UserUpdatedPassword,
    TokenRevoked,
    TokenRefreshed,
    IdentityLinked,
    IdentityUnlinked,
    FactorInProgress,
    FactorUnenrolled,
    FactorDeleted,
    FactorUpdated,
    ChallengeCreated,
    VerificationAttempted,
    PasskeyCreated,
    PasskeyUpdated,
    PasskeyDeleted,
}

impl Action {
    /// The action and the kind of log that it belongs to.
    fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Login => ("login", "account"),
            Self::Logout => ("logout", "account"),
            Self::InviteAccepted => ("invite_accepted", "account"),
            Self::UserSignedUp => ("user_signedup", "team"),
            Self::UserInvited => ("user_invited", "team"),
            Self::UserDeleted => ("user_deleted", "team"),
            Self::UserModified => ("user_modified", "user"),
            Self::UserRecoveryRequested => ("user_recovery_requested", "user"),
            Self::UserReauthenticateRequested => ("user_reauthenticate_requested", "user"),
            Self::UserConfirmationRequested => ("user_confirmation_requested", "user"),
            Self::UserRepeatedSignUp => ("user_repeated_signup", "user"),
            Self::UserUpdatedPassword => ("user_updated_password", "user"),
            Self::TokenRevoked => ("token_revoked", "token"),
            Self::TokenRefreshed => ("token_refreshed", "token"),
            Self::IdentityLinked => ("identity_linked", "user"),
            Self::IdentityUnlinked => ("identity_unlinked", "user"),
            Self::FactorInProgress => ("factor_in_progress", "factor"),
            Self::FactorUnenrolled => ("factor_unenrolled", "factor"),
            Self::FactorDeleted => ("factor_deleted", "factor"),
            Self::FactorUpdated => ("factor_updated", "factor"),
            Self::ChallengeCreated => ("challenge_created", "factor"),
            Self::VerificationAttempted => ("verification_attempted", "factor"),
            Self::PasskeyCreated => ("passkey_created", "user"),
            Self::PasskeyUpdated => ("passkey_updated", "user"),
            Self::PasskeyDeleted => ("passkey_deleted", "user"),
        }
    }
}

/// Who did it.
#[derive(Clone, Copy, Debug)]
pub enum Actor<'a> {
    /// A user, on its own account.
    User(&'a User),
    /// An administrator, known by the role of the token alone.
    Admin(&'a str),
}

/// Adds one row and one log line.
pub async fn record(
    app: &App,
    conn: &mut PgConnection,
    caller: &Caller,
    actor: Actor<'_>,
    action: Action,
    traits: Option<Value>,
) -> Result<(), sqlx::Error> {
    match entry(app, caller, actor, action, traits) {
        Some(entry) => store::audit::insert(conn, &entry).await,
        None => Ok(()),
    }
}

/// Writes the log line, and gives the row, for statements that write more than this; no row when only the log is
/// wanted.
pub fn entry(
    app: &App,
    caller: &Caller,
    actor: Actor<'_>,
    action: Action,
    traits: Option<Value>,
) -> Option<NewEntry> {
    let (action, log_type) = action.names();
    let mut payload = Map::new();
    match actor {
        Actor::User(user) => {
            let username = if user.phone.is_empty() {
                &user.email
            } else {
                &user.phone
            };
            payload.insert("actor_id".into(), user.id.to_string().into());
            payload.insert("actor_via_sso".into(), user.is_sso_user.into());
            payload.insert("actor_username".into(), username.as_str().into());
            if let Some(name) = user.raw_user_meta_data.get("full_name") {
                payload.insert("actor_name".into(), name.clone());
            }
        }
        Actor::Admin(role) => {
            payload.insert("actor_id".into(), uuid::Uuid::nil().to_string().into());
            payload.insert("actor_via_sso".into(), false.into());
            payload.insert("actor_username".into(), role.into());
        }
    }
    payload.insert("action".into(), action.into());
    payload.insert("log_type".into(), log_type.into());
    if let Some(traits) = traits {
        payload.insert("traits".into(), traits);
    }
    let actor = payload.get("actor_id").and_then(Value::as_str);
    tracing::info!(user.id = actor, action, log_type, "audit event");
    if app.config().audit_log_disable_postgres {
        return None;
    }
    Some(NewEntry {
        id: clock::id(app.random()),
        payload: Value::Object(payload),
        created_at: app.now(),
        ip_address: caller.ip.map(|ip| ip.to_string()).unwrap_or_default(),
    })
}
