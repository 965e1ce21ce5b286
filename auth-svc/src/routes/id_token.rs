//! `POST /token?grant_type=id_token`.

use axum::{extract::FromRequestParts as _, response::Response};
use http::request::Parts;
use serde::Deserialize;

use super::{caller::SignedIn, token};
use crate::{
    app::App,
    domain::{
        external::grant::{self, Shown},
        session::Caller,
    },
    error::Error,
};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    id_token: String,
    access_token: String,
    nonce: String,
    provider: String,
    client_id: String,
    issuer: String,
    link_identity: bool,
}

pub(super) async fn grant(
    app: &App,
    params: &Params,
    mut parts: Parts,
    caller: &Caller,
) -> Result<Response, Error> {
    let incomplete = |description: &'static str| Error::OAuth {
        error: "invalid request",
        description: description.into(),
    };
    if params.id_token.is_empty() {
        return Err(incomplete("id_token required"));
    }
    if params.provider.is_empty() && (params.client_id.is_empty() || params.issuer.is_empty()) {
        return Err(incomplete("provider or client_id and issuer required"));
    }
    let target = if params.link_identity {
        if !parts.headers.contains_key(http::header::AUTHORIZATION) {
            return Err(incomplete(
                "Linking requires a valid user access token in Authorization",
            ));
        }
        Some(SignedIn::from_request_parts(&mut parts, app).await?)
    } else {
        None
    };
    let shown = Shown {
        id_token: &params.id_token,
        access_token: &params.access_token,
        nonce: &params.nonce,
        provider: &params.provider,
        issuer: &params.issuer,
        client_id: &params.client_id,
    };
    let account = target.as_ref().map(|signed_in| &signed_in.account);
    let issued = grant::sign_in(app, &shown, account, caller).await?;
    Ok(token::issued(&issued, None))
}
