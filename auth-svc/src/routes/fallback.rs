//! Paths and methods that no handler is for.
//!
//! Whole parts of the tree are behind a condition: what they do not have is only told to those who meet it.

use axum::{
    extract::{FromRequestParts as _, Request, State},
    middleware::Next,
    response::{IntoResponse as _, Response},
};
use http::{StatusCode, Uri, request::Parts};

use super::{
    caller::{Admin, SignedIn},
    oauth_server, passkeys, scim, sso,
};
use crate::{app::App, error::Error};

/// A path that there is not.
pub(super) async fn not_found(State(app): State<App>, request: Request) -> Response {
    answer(
        &app,
        request,
        (StatusCode::NOT_FOUND, "404 page not found\n").into_response(),
    )
    .await
}

/// A method that a path does not take.
pub(super) async fn method_not_allowed(State(app): State<App>, request: Request) -> Response {
    answer(
        &app,
        request,
        StatusCode::METHOD_NOT_ALLOWED.into_response(),
    )
    .await
}

async fn answer(app: &App, request: Request, usual: Response) -> Response {
    let (mut parts, _) = request.into_parts();
    match check(&mut parts, app).await {
        Ok(()) => usual,
        Err(error) => error.into_response(),
    }
}

async fn check(parts: &mut Parts, app: &App) -> Result<(), Error> {
    let path = parts.uri.path().to_owned();
    match path.split('/').nth(1).unwrap_or_default() {
        "user" | "reauthenticate" => {
            SignedIn::from_request_parts(parts, app).await?;
        }
        "factors" => {
            let signed_in = SignedIn::from_request_parts(parts, app).await?;
            signed_in.check_not_anonymous()?;
        }
        "admin" => {
            Admin::from_request_parts(parts, app).await?;
        }
        "passkeys" => passkeys::check_enabled(app)?,
        "oauth" => oauth_server::check_enabled(app)?,
        "sso" => {
            sso::Enabled::from_request_parts(parts, app).await?;
        }
        "scim" if path.starts_with("/scim/v2") => scim::check_enabled(app)?,
        _ => {}
    }
    Ok(())
}

/// Takes the slash off the end of a path that means the same with it.
pub(super) async fn without_slash(mut request: Request, next: Next) -> Response {
    if let Some(uri) = trimmed(request.uri()) {
        *request.uri_mut() = uri;
    }
    next.run(request).await
}

fn trimmed(uri: &Uri) -> Option<Uri> {
    let path = uri.path().strip_suffix('/')?;
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    let twin = matches!(
        segments[..],
        ["callback"
            | "signup"
            | "verify"
            | "reauthenticate"
            | "user"
            | "factors"
            | "passkeys"
            | "sso"]
            | ["user", "oauth", "grants"]
            | ["factors", _]
            | ["admin", "audit" | "users" | "custom-providers"]
            | ["admin", "users" | "custom-providers", _]
            | ["admin", "users", _, "factors" | "passkeys"]
            | ["admin", "users", _, "factors" | "passkeys", _]
            | ["admin", "sso", "providers"]
            | ["admin", "sso", "providers", _]
            | ["admin", "oauth", "clients"]
            | ["admin", "oauth", "clients", _]
    ) || matches!(segments[..], ["passkeys", id] if !["authentication", "registration"].contains(&id));
    if !twin {
        return None;
    }
    let query = uri.query().map(|query| format!("?{query}"));
    format!("{path}{}", query.unwrap_or_default()).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_paths_mean_the_same_with_a_slash() {
        let of = |text: &str| trimmed(&text.parse().unwrap()).map(|uri| uri.to_string());
        assert_eq!(of("/user/").as_deref(), Some("/user"));
        assert_eq!(
            of("/admin/users/1/?page=2").as_deref(),
            Some("/admin/users/1?page=2")
        );
        for path in [
            "/",
            "/user",
            "/health/",
            "/token/",
            "/factors/1/verify/",
            "/passkeys/registration/",
        ] {
            assert_eq!(of(path), None, "{path}");
        }
    }
}
