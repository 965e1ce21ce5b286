//! Users who accept an invitation with a provider instead of the link in the mail.

use serde_json::json;
use sqlx::PgConnection;

use super::account::{self, Visitor};
use crate::{
    app::App,
    domain::{
        account::Account,
        audit::{self, Action, Actor},
        confirm,
        session::Caller,
    },
    error::{Code, Error},
    store::users::{self, Metadata},
};

/// Gives the invited account to the provider's user, whose address must be the invited one.
pub(super) async fn accept(
    app: &App,
    conn: &mut PgConnection,
    token: &str,
    visitor: Visitor<'_>,
    caller: &Caller,
) -> Result<Account, Error> {
    let user = users::find_by_token(conn, token, &["confirmation_token"])
        .await
        .map_err(Error::database("Database error finding user"))?
        .ok_or_else(|| Error::refused(404, Code::InviteNotFound, "Invite not found"))?;
    let account = Account::of(conn, user).await?;
    if account.user.is_banned(app.now()) {
        return Err(Error::forbidden(Code::UserBanned, "User is banned"));
    }
    let invited = &account.user.email;
    let emails = &visitor.profile.emails;
    if !emails
        .iter()
        .any(|email| email.address.to_lowercase() == *invited)
    {
        return Err(Error::invalid(
            "Invited email does not match emails from external provider",
        ));
    }
    let identity = account::add_identity(app, conn, account.user.id, visitor).await?;
    confirm::update_providers(app, conn, &account).await?;
    let data = visitor.profile.identity_data();
    users::merge_metadata(conn, account.user.id, Metadata::User, &data, app.now())
        .await
        .map_err(Error::database("Database error updating user"))?;
    let traits = Some(json!({ "provider": visitor.provider }));
    let actor = Actor::User(&account.user);
    audit::record(app, conn, caller, actor, Action::InviteAccepted, traits).await?;
    account::remove_unconfirmed(app, conn, &account, identity, visitor).await?;
    // Whoever has the token has read the mail.
    confirm::confirm_email(app, conn, &account).await?;
    Ok(account.reload(conn).await?)
}
