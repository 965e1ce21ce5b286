//! `/user/sessions` and `/admin/users/{id}/sessions`: where somebody is signed in, and ending that.
//! GoTrue has no such routes.

use axum::{
    extract::{Path, State},
    response::Response,
};
use http::{StatusCode, Uri};
use serde_json::{Map, Value, json};
use sqlx::PgConnection;
use uuid::Uuid;

use super::{
    admin,
    caller::{Admin, SignedIn},
    extract::Query,
    paging::Page,
};
use crate::{
    app::App,
    domain::{
        account::{Account, time},
        audit::{self, Action, Actor},
    },
    error::{Code, Error},
    store::session_list::{self, Lifetimes, Listed},
};

fn shown(session: &Listed) -> Value {
    let methods = session.methods.iter();
    let methods: Vec<Value> = methods
        .map(|proof| json!({ "method": proof.method, "timestamp": proof.timestamp }))
        .collect();
    json!({
        "id": session.id,
        "created_at": session.created_at.map(time),
        "updated_at": session.updated_at.map(time),
        "refreshed_at": session.refreshed_at.map(|naive| time(naive.and_utc())),
        "not_after": session.not_after.map(time),
        "user_agent": session.user_agent,
        "ip": session.ip.map(|network| network.ip().to_string()),
        "aal": session.aal,
        "amr": methods,
        "tag": session.tag,
        "scopes": session.scopes,
        "oauth_client": session.oauth_client_id.map(|id| {
            json!({ "id": id, "name": session.client_name })
        }),
    })
}

async fn page(
    app: &App,
    conn: &mut PgConnection,
    user: Uuid,
    page: Page,
) -> Result<Vec<Listed>, Error> {
    let settings = &app.config().sessions;
    let lifetimes = Lifetimes {
        timebox: settings.timebox,
        inactivity_timeout: settings.inactivity_timeout,
        now: app.now(),
    };
    session_list::page(conn, user, lifetimes, page.limit_and_offset())
        .await
        .map_err(Error::database("Database error finding sessions"))
}

fn answer(at: Page, uri: &Uri, listed: &[Listed], sessions: Vec<Value>) -> Response {
    let mut body = Map::new();
    body.insert("sessions".to_owned(), sessions.into());
    let total = listed.first().map_or(0, |session| session.total);
    at.respond(uri, total, body.into())
}

/// A client of the OAuth server acts for the user, but where the user is signed in is not its business.
fn check_own(signed_in: &SignedIn) -> Result<(), Error> {
    let session = signed_in.session.as_ref();
    if session.is_some_and(|session| session.oauth_client_id.is_some()) {
        return Err(Error::forbidden(
            Code::NoAuthorization,
            "OAuth clients are not allowed to perform these actions",
        ));
    }
    Ok(())
}

/// The user's own, with a mark at the one that asks.
pub(super) async fn list(
    State(app): State<App>,
    signed_in: SignedIn,
    query: Query,
    uri: Uri,
) -> Result<Response, Error> {
    check_own(&signed_in)?;
    let at = Page::read(&query)?;
    let mut conn = app.connection().await?;
    let listed = page(&app, &mut conn, signed_in.account.user.id, at).await?;
    let current = signed_in.session.map(|session| session.id);
    let sessions = listed.iter().map(|session| {
        let mut shown = shown(session);
        shown["current"] = (Some(session.id) == current).into();
        shown
    });
    Ok(answer(at, &uri, &listed, sessions.collect()))
}

pub(super) async fn end(
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
) -> Result<StatusCode, Error> {
    check_own(&signed_in)?;
    let (account, caller) = (&signed_in.account, &signed_in.caller);
    let mut tx = app.begin().await?;
    let id = delete(&mut tx, account, &id).await?;
    let traits = Some(json!({ "session_id": id }));
    let actor = Actor::User(&account.user);
    audit::record(&app, &mut tx, caller, actor, Action::Logout, traits).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

pub(super) async fn list_of_user(
    State(app): State<App>,
    _: Admin,
    Path(user): Path<String>,
    query: Query,
    uri: Uri,
) -> Result<Response, Error> {
    let at = Page::read(&query)?;
    let mut conn = app.connection().await?;
    let account = admin::load(&mut conn, &user).await?;
    let listed = page(&app, &mut conn, account.user.id, at).await?;
    let sessions = listed.iter().map(shown).collect();
    Ok(answer(at, &uri, &listed, sessions))
}

pub(super) async fn end_of_user(
    State(app): State<App>,
    Admin { role, caller }: Admin,
    Path((user, id)): Path<(String, String)>,
) -> Result<StatusCode, Error> {
    let mut tx = app.begin().await?;
    let account = admin::load(&mut tx, &user).await?;
    let id = delete(&mut tx, &account, &id).await?;
    let traits = Some(json!({ "user_id": account.user.id, "session_id": id }));
    let actor = Actor::Admin(&role);
    audit::record(&app, &mut tx, &caller, actor, Action::Logout, traits).await?;
    tx.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Ends a session, with its refresh tokens, as logging out does.
async fn delete(conn: &mut PgConnection, account: &Account, id: &str) -> Result<Uuid, Error> {
    let id: Uuid = id
        .parse()
        .map_err(|_| Error::refused(404, Code::ValidationFailed, "session_id must be an UUID"))?;
    let done = session_list::delete(conn, account.user.id, id)
        .await
        .map_err(Error::database("Error logging out user"))?;
    if !done {
        return Err(Error::refused(
            404,
            Code::SessionNotFound,
            "Session not found",
        ));
    }
    Ok(id)
}
