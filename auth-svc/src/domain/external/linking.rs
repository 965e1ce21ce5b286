//! Ways to sign in that users add and remove themselves.

use sqlx::PgConnection;

use super::account::{self, Outcome, Visitor};
use crate::{
    app::App,
    domain::{
        account::Account,
        confirm,
        send::{self, Mail},
        session::Caller,
    },
    error::{Code, Error},
    store::{
        identities::{self, Identity},
        users,
    },
};

/// Adds a provider's user to somebody's ways to sign in.
pub async fn link(
    app: &App,
    conn: &mut PgConnection,
    target: &Account,
    visitor: Visitor<'_>,
    caller: &Caller,
) -> Result<Outcome, Error> {
    let subject = visitor.profile.subject();
    let known = identities::find_external(conn, visitor.provider, subject)
        .await
        .map_err(Error::database(
            "Database error finding identity for linking",
        ))?;
    if let Some((_, user)) = known {
        let message = if user == target.user.id {
            "Identity is already linked"
        } else {
            "Identity is already linked to another user"
        };
        return Err(Error::unprocessable(Code::IdentityAlreadyExists, message));
    }
    let identity = account::add_identity(app, conn, target.user.id, visitor).await?;
    account::record_linked(app, conn, target, identity, visitor, caller).await?;
    if target.user.email.is_empty() {
        let taken = || {
            Error::bad_request(
                Code::EmailExists,
                "A user with this email address has already been registered",
            )
        };
        move_email(app, conn, target).await?.ok_or_else(taken)?;
        let verified = visitor.profile.email().is_some_and(|email| email.verified);
        if !verified {
            let target = target.reload(conn).await?;
            if !target.user.email.is_empty() {
                send::mail(app, conn, &target, Mail::Confirmation, false, caller).await?;
            }
            let message = account::sent_message(visitor.provider);
            let error = Error::unprocessable(Code::EmailNotConfirmed, message);
            return Ok(Outcome::Pending(error));
        }
        confirm::confirm_email(app, conn, target).await?;
        users::set_permanent(conn, target.user.id).await?;
    }
    confirm::update_providers(app, conn, target).await?;
    Ok(Outcome::Account {
        account: Box::new(target.reload(conn).await?),
        created: false,
    })
}

fn is_verified(identity: &Identity) -> bool {
    identity.identity_data.get("email_verified") == Some(&true.into())
}

/// Makes the address of an identity the account's own, unless it is one already: verified ones first,
/// then the others, then none at all. Nothing comes back when all belong to somebody else.
pub async fn move_email(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
) -> Result<Option<()>, Error> {
    let user = &account.user;
    let mut candidates = identities::of_user(conn, user.id).await?;
    // Having no address, as users with a phone number do, is nothing to keep.
    let keeps = |one: &Identity| !user.email.is_empty() && one.email == user.email;
    if candidates.iter().any(keeps) {
        return Ok(Some(()));
    }
    candidates.sort_by_key(|one| {
        let rank = match (one.email.is_empty(), is_verified(one)) {
            (true, _) => 2,
            (false, false) => 1,
            (false, true) => 0,
        };
        (rank, one.created_at, one.id)
    });
    for one in candidates {
        let email = Some(one.email.as_str()).filter(|email| !email.is_empty());
        let taken = match email {
            Some(email) => users::find_by_email(conn, email, &user.aud)
                .await?
                .is_some_and(|other| other.id != user.id),
            None => false,
        };
        if taken {
            continue;
        }
        let confirmed = email.is_some() && (is_verified(&one) || app.config().mailer.autoconfirm);
        users::move_to_email(conn, user.id, email, confirmed, app.now())
            .await
            .map_err(confirm::taken)?;
        crate::store::one_time_tokens::clear(conn, user.id).await?;
        return Ok(Some(()));
    }
    Ok(None)
}
