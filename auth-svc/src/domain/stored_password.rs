//! Passwords as they are stored: hashed, and encrypted where columns are.

use uuid::Uuid;

use super::encryption;
use crate::{app::App, error::Error, store::users::User};

/// How a password compared with what is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Comparison {
    /// True when it is the password.
    pub matches: bool,
    /// True when it had better be stored again: the hash is weaker than those that are made now, or the key is an old one.
    pub is_outdated: bool,
}

/// What is stored of a new password of this user.
pub async fn make(app: &App, user: Uuid, password: &str) -> Result<String, Error> {
    let hash = app.hasher().hash(password).await?;
    seal(app, user, &hash)
}

/// What is stored of a hash that there is already.
pub fn seal(app: &App, user: Uuid, hash: &str) -> Result<String, Error> {
    let rules = &app.config().security.encryption;
    encryption::seal(rules, app.random(), user, hash)
}

/// Compares a password with the user's. Without a user, or without one of theirs, it takes as long.
pub async fn compare(app: &App, user: Option<&User>, password: &str) -> Result<Comparison, Error> {
    let stored = user.and_then(|user| Some((user.id, user.encrypted_password.as_deref()?)));
    let opened = match stored.filter(|(_, text)| !text.is_empty()) {
        Some((id, text)) => Some(encryption::open(
            &app.config().security.encryption,
            id,
            text,
        )?),
        None => None,
    };
    let hash = opened.as_ref().map(|opened| opened.text.as_str());
    let matches = app.hasher().matches(password, hash).await?;
    let is_outdated = opened
        .as_ref()
        .is_some_and(|opened| opened.is_outdated || app.hasher().is_outdated(&opened.text));
    Ok(Comparison {
        matches,
        is_outdated,
    })
}
