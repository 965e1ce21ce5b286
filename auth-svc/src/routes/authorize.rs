//! `GET /authorize` and `GET /user/identities/authorize`: off to a provider.

use axum::{
    Json,
    extract::State,
    response::{IntoResponse as _, Response},
};
use serde_json::json;
use uuid::Uuid;

use super::{caller::SignedIn, extract::Query, target};
use crate::{
    app::App,
    domain::{
        external::begin::{self, Wish},
        limiter::Route,
        session::Caller,
    },
    error::{Code, Error},
};

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    query: Query,
) -> Result<Response, Error> {
    if !query.get("invite_token").is_empty() {
        // It tells whether there is such a token, as verifying does.
        app.limiter()
            .check(Route::Verify, caller.limited_as.as_deref(), app.now())
            .await?;
    }
    let url = begin::begin(&app, &wish(query, None), &caller).await?;
    target::found(url)
}

pub(super) async fn link(
    State(app): State<App>,
    SignedIn {
        account, caller, ..
    }: SignedIn,
    query: Query,
) -> Result<Response, Error> {
    if !app.config().security.manual_linking_enabled {
        return Err(Error::refused(
            404,
            Code::ManualLinkingDisabled,
            "Manual linking is disabled",
        ));
    }
    // A page cannot follow a redirect of a request that it signs, so it asks where to go.
    let told = query.get("skip_http_redirect") == "true";
    let url = begin::begin(&app, &wish(query, Some(account.user.id)), &caller).await?;
    if told {
        return Ok(Json(json!({ "url": url })).into_response());
    }
    target::found(url)
}

fn wish(query: Query, linking_target: Option<Uuid>) -> Wish {
    let text = |name: &str| query.get(name).to_owned();
    Wish {
        provider: text("provider"),
        scopes: text("scopes"),
        code_challenge: text("code_challenge"),
        code_challenge_method: text("code_challenge_method"),
        invite_token: text("invite_token"),
        query: query.into_pairs(),
        linking_target,
    }
}
