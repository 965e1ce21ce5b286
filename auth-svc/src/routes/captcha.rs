//! The layer around routes that only a person may use.

use axum::{
    body::Body,
    extract::{FromRequestParts as _, Request, State},
    middleware::Next,
    response::Response,
};
use serde::Deserialize;

use super::{
    caller::Admin,
    extract::{self, Query},
};
use crate::{
    app::App,
    domain::{captcha, session::Caller},
    error::Error,
};

#[derive(Default, Deserialize)]
#[serde(default)]
struct Presented {
    gotrue_meta_security: Security,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Security {
    captcha_token: Option<String>,
}

/// Grants that prove otherwise who asks.
const EXEMPT: [&str; 3] = ["pkce", "refresh_token", "id_token"];

/// Lets a request pass if it comes with a token of the captcha provider, or from an administrator.
pub(super) async fn layer(
    State(app): State<App>,
    request: Request,
    next: Next,
) -> Result<Response, Error> {
    let Some(rules) = &app.config().captcha else {
        return Ok(next.run(request).await);
    };
    let (mut parts, body) = request.into_parts();
    let is_exempt = parts.uri.path().ends_with("/token")
        && EXEMPT.contains(&Query::of(&parts).get("grant_type"));
    if is_exempt || Admin::from_request_parts(&mut parts, &app).await.is_ok() {
        return Ok(next.run(Request::from_parts(parts, body)).await);
    }
    let caller = Caller::from_request_parts(&mut parts, &app).await?;
    let bytes = extract::read(Request::from_parts(parts.clone(), body), &app).await?;
    let presented: Presented = extract::parse(&bytes)?;
    let token = presented.gotrue_meta_security.captcha_token;
    captcha::check(&app, rules, &token.unwrap_or_default(), caller.ip).await?;
    let request = Request::from_parts(parts, Body::from(bytes));
    Ok(next.run(request).await)
}
