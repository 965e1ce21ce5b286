//! `POST /oauth/token`: a client exchanges a code, or a refresh token.

use axum::{
    Json,
    body::Bytes,
    extract::State,
    response::{IntoResponse as _, Response},
};
use base64::{Engine as _, engine::general_purpose::STANDARD};
use http::{HeaderMap, header};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::Enabled;
use crate::{
    app::App,
    domain::{
        account::Account,
        audit::{self, Action, Actor},
        oauth_server::{Credentials, authenticate, has_scope, id_token},
        pkce::{Challenge, Method as ChallengeMethod},
        refresh,
        session::{self, Caller, Issued, Method},
    },
    error::{Code, Error},
    store::{
        oauth_clients::{self, Client},
        oauth_grants::{self, Authorization},
    },
};

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Params {
    grant_type: String,
    code: String,
    refresh_token: String,
    redirect_uri: String,
    client_id: String,
    client_secret: String,
    code_verifier: String,
    resource: String,
}

impl Params {
    /// Reads JSON or a form, whose `resource` the original does not look at.
    fn read(headers: &HeaderMap, body: &[u8]) -> Result<Self, Error> {
        let kind = headers
            .get(header::CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default();
        if kind.contains("application/json") {
            return serde_json::from_slice(body)
                .map_err(|_| unauthenticated("failed to parse JSON body"));
        }
        let mut params = Self::default();
        for (name, value) in url::form_urlencoded::parse(body) {
            let slot = match name.as_ref() {
                "grant_type" => &mut params.grant_type,
                "code" => &mut params.code,
                "refresh_token" => &mut params.refresh_token,
                "redirect_uri" => &mut params.redirect_uri,
                "client_id" => &mut params.client_id,
                "client_secret" => &mut params.client_secret,
                "code_verifier" => &mut params.code_verifier,
                _ => continue,
            };
            // Of a repeated name the first counts.
            if slot.is_empty() {
                *slot = value.into_owned();
            }
        }
        Ok(params)
    }
}

fn unauthenticated(reason: &str) -> Error {
    Error::bad_request(
        Code::InvalidCredentials,
        format!("Invalid client credentials: {reason}"),
    )
}

fn credentials(headers: &HeaderMap, params: &Params) -> Result<Credentials, Error> {
    let given = headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Basic "));
    let Some(encoded) = given else {
        if params.client_id.is_empty() {
            return Err(unauthenticated("client_id is required"));
        }
        return Ok(Credentials {
            client_id: params.client_id.clone(),
            secret: params.client_secret.clone(),
            in_header: false,
        });
    };
    let decoded = STANDARD
        .decode(encoded)
        .ok()
        .and_then(|bytes| String::from_utf8(bytes).ok())
        .ok_or_else(|| unauthenticated("invalid basic auth encoding"))?;
    let (client_id, secret) = decoded
        .split_once(':')
        .ok_or_else(|| unauthenticated("invalid basic auth format"))?;
    Ok(Credentials {
        client_id: client_id.to_owned(),
        secret: secret.to_owned(),
        in_header: true,
    })
}

pub(super) async fn post(
    State(app): State<App>,
    _: Enabled,
    caller: Caller,
    headers: HeaderMap,
    body: Bytes,
) -> Result<Response, Error> {
    let params = Params::read(&headers, &body)?;
    let credentials = credentials(&headers, &params)?;
    let id: Uuid = credentials
        .client_id
        .parse()
        .map_err(|_| Error::bad_request(Code::InvalidCredentials, "Invalid client_id format"))?;
    let client = oauth_clients::find(&mut *app.connection().await?, id)
        .await
        .map_err(Error::database("Error validating client credentials"))?
        .ok_or_else(|| {
            Error::bad_request(Code::InvalidCredentials, "Invalid client credentials")
        })?;
    authenticate(&client, &credentials)?;
    let grant = params.grant_type.as_str();
    if grant.is_empty() {
        return Err(Error::oauth("invalid_request", "grant_type is required"));
    }
    if !client.grant_types().any(|allowed| allowed == grant) {
        return Err(Error::oauth(
            "unsupported_grant_type",
            format!("Client is not allowed to use grant type: {grant}"),
        ));
    }
    if grant == "authorization_code" {
        return code(&app, &client, &params, &caller).await;
    }
    if params.refresh_token.is_empty() {
        let reason = "refresh_token is required for refresh_token grant";
        return Err(Error::oauth("invalid_request", reason));
    }
    let token = &params.refresh_token;
    let refreshed = refresh::exchange(&app, token, Some(client.id), &caller).await?;
    Ok(answer(&refreshed.issued, None))
}

/// A session without the user, about whom a client asks separately.
fn answer(issued: &Issued, id_token: Option<String>) -> Response {
    let mut body = json!({
        "access_token": issued.access_token,
        "token_type": "bearer",
        "expires_in": issued.expires_in,
        "refresh_token": issued.refresh_token,
    });
    if let Some(token) = id_token {
        body["id_token"] = Value::String(token);
    }
    Json(body).into_response()
}

fn invalid_grant(reason: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::oauth("invalid_grant", reason)
}

async fn code(
    app: &App,
    client: &Client,
    params: &Params,
    caller: &Caller,
) -> Result<Response, Error> {
    if params.code.is_empty() {
        let reason = "code is required for authorization_code grant";
        return Err(Error::oauth("invalid_request", reason));
    }
    let mut tx = app.begin().await?;
    // Whoever holds the row is exchanging the same code, which is good once.
    let authorization = oauth_grants::lock_by_code(&mut tx, &params.code)
        .await
        .map_err(Error::database("Error finding authorization code"))?
        .ok_or_else(|| invalid_grant("Invalid authorization code"))?;
    check(app, client, params, &authorization)?;
    let user = authorization
        .user_id
        .ok_or_else(|| invalid_grant("Authorization code has no associated user"))?;
    let account = Account::find(&mut tx, user)
        .await
        .map_err(Error::database("Error finding user"))?
        .ok_or_else(|| invalid_grant("User not found for authorization code"))?;
    if account.user.is_banned(app.now()) {
        return Err(Error::oauth("access_denied", "User is banned"));
    }
    let traits = json!({
        "provider_type": "oauth_provider_authorization_code",
        "client_id": client.id,
    });
    let actor = Actor::User(&account.user);
    audit::record(app, &mut tx, caller, actor, Action::Login, Some(traits)).await?;
    let given = Some((client.id, authorization.scope.as_str()));
    let method = Method::OAuthServerCode;
    let issued = session::begin_for(app, &mut tx, user, method, given, caller).await?;
    oauth_grants::delete(&mut tx, authorization.id).await?;
    let id_token = if has_scope(&authorization.scope, "openid") {
        let (scope, nonce) = (&authorization.scope, &authorization.nonce);
        let user = &issued.account.user;
        Some(id_token(app, user, client.id, scope, nonce, app.now())?)
    } else {
        None
    };
    tx.commit().await?;
    Ok(answer(&issued, id_token))
}

/// Fails unless the code is this client's, in time, and asked for by whoever exchanges it.
fn check(
    app: &App,
    client: &Client,
    params: &Params,
    authorization: &Authorization,
) -> Result<(), Error> {
    if app.now() > authorization.expires_at {
        return Err(invalid_grant("Authorization code has expired"));
    }
    if authorization.client_id != client.id {
        return Err(invalid_grant(
            "Authorization code was not issued for this client",
        ));
    }
    if !params.resource.is_empty() && params.resource != authorization.resource {
        return Err(invalid_grant(
            "Authorization code resource does not match the resource parameter",
        ));
    }
    if !params.redirect_uri.is_empty() && params.redirect_uri != authorization.redirect_uri {
        return Err(invalid_grant("Invalid redirect_uri"));
    }
    let Some(method) = ChallengeMethod::parse(&authorization.code_challenge_method) else {
        return Ok(());
    };
    let failed = |reason: &str| invalid_grant(format!("PKCE verification failed: {reason}"));
    if params.code_verifier.is_empty() {
        return Err(failed(
            "code_verifier is required when PKCE challenge is present",
        ));
    }
    let challenge = Challenge {
        value: authorization.code_challenge.clone(),
        method,
    };
    challenge
        .verify(&params.code_verifier)
        .map_err(|error| failed(&error.to_string()))
}
