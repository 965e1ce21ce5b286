//! `GET /oauth/authorize`: a client sends a user here.

use axum::{
    extract::State,
    response::{IntoResponse as _, Response},
};
use http::{HeaderValue, StatusCode, header};
use uuid::Uuid;

use super::Enabled;
use crate::{
    app::App,
    domain::{
        clock,
        oauth_server::{Request, with_parameters},
    },
    error::{Code, Error},
    routes::extract::Query,
    store::{
        oauth_clients,
        oauth_grants::{self, Authorization},
    },
};

const ID_ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
const ID_LENGTH: usize = 32;

pub(super) async fn get(
    State(app): State<App>,
    _: Enabled,
    query: Query,
) -> Result<Response, Error> {
    let (client_id, redirect_uri) = (query.get("client_id"), query.get("redirect_uri"));
    for (name, value) in [("client_id", client_id), ("redirect_uri", redirect_uri)] {
        if value.is_empty() {
            return Err(Error::invalid(format!("{name} is required")));
        }
    }
    let unknown = |message| Error::bad_request(Code::OAuthClientNotFound, message);
    let id: Uuid = client_id
        .parse()
        .map_err(|_| unknown("invalid client_id format"))?;
    let mut conn = app.connection().await?;
    let client = oauth_clients::find(&mut conn, id)
        .await
        .map_err(Error::database("error validating client"))?
        .ok_or_else(|| unknown("invalid client_id"))?;
    // Nobody is sent to an address that is not registered, not even with an error.
    if !client.redirect_uris().any(|uri| uri == redirect_uri) {
        return Err(Error::invalid("invalid redirect_uri"));
    }
    let state = query.get("state");
    let back = |error: &str, description: &str| {
        let parameters = [
            ("error", error),
            ("error_description", description),
            ("state", state),
        ];
        found(&with_parameters(redirect_uri, &parameters))
    };
    let config = app.config();
    let request = Request {
        response_type: query.get("response_type"),
        scope: query.get("scope"),
        resource: query.get("resource"),
        code_challenge: query.get("code_challenge"),
        code_challenge_method: query.get("code_challenge_method"),
    };
    let scope = match request.check(&config.oauth_server) {
        Ok(scope) => scope,
        Err(reason) => return back("invalid_request", &reason),
    };
    let now = app.now();
    let authorization = Authorization {
        id: clock::id(app.random()),
        authorization_id: clock::text(app.random(), ID_ALPHABET, ID_LENGTH),
        client_id: client.id,
        user_id: None,
        redirect_uri: redirect_uri.to_owned(),
        scope,
        state: state.to_owned(),
        resource: request.resource.to_owned(),
        code_challenge: request.code_challenge.to_owned(),
        code_challenge_method: request.code_challenge_method.to_ascii_lowercase(),
        status: "pending".to_owned(),
        authorization_code: None,
        created_at: now,
        expires_at: now + config.oauth_server.authorization_ttl,
        nonce: query.get("nonce").to_owned(),
    };
    if let Err(error) = oauth_grants::insert(&mut conn, &authorization).await {
        tracing::warn!(%error, "an authorization was not kept");
        return back("server_error", "error creating authorization");
    }
    let path = config
        .oauth_server
        .authorization_path
        .trim_start_matches('/');
    if path.is_empty() {
        return back("server_error", "oauth authorization path not configured");
    }
    let site = config.site_url.as_str().trim_end_matches('/');
    let id = &authorization.authorization_id;
    found(&format!("{site}/{path}?authorization_id={id}"))
}

fn found(location: &str) -> Result<Response, Error> {
    let location = HeaderValue::try_from(location)
        .map_err(|error| Error::internal("the redirect cannot be written", error))?;
    Ok((StatusCode::FOUND, [(header::LOCATION, location)]).into_response())
}
