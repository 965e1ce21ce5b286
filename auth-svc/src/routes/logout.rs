//! `POST /logout`.

use axum::extract::State;
use http::StatusCode;

use super::{caller::SignedIn, extract::Query};
use crate::{
    app::App,
    domain::audit::{self, Action, Actor},
    error::Error,
    store::sessions,
};

pub(super) async fn post(
    State(app): State<App>,
    signed_in: SignedIn,
    query: Query,
) -> Result<StatusCode, Error> {
    let scope = query.get("scope");
    if !["", "global", "local", "others"].contains(&scope) {
        return Err(Error::invalid(format!(
            "Unsupported logout scope {scope:?}"
        )));
    }
    let SignedIn {
        account,
        session,
        caller,
        ..
    } = signed_in;
    let user = account.user.id;
    let failed = Error::database("Error logging out user");
    let mut tx = app.begin().await?;
    let actor = Actor::User(&account.user);
    audit::record(&app, &mut tx, &caller, actor, Action::Logout, None)
        .await
        .map_err(&failed)?;
    match (scope, session) {
        ("local", Some(session)) => sessions::delete(&mut tx, session.id).await,
        ("others", Some(session)) => {
            sessions::delete_of_user(&mut tx, user, Some(session.id)).await
        }
        _ => sessions::delete_of_user(&mut tx, user, None).await,
    }
    .map_err(&failed)?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}
