//! `POST /token?grant_type=web3`.

use axum::response::Response;
use serde::Deserialize;

use super::token;
use crate::{
    app::App,
    domain::{
        session::Caller,
        web3::{self, Chain},
    },
    error::Error,
};

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    chain: String,
    message: String,
    signature: String,
}

pub(super) async fn grant(app: &App, params: &Params, caller: &Caller) -> Result<Response, Error> {
    let chain = Chain::find(&params.chain, &app.config().external.web3)?;
    let issued = web3::sign_in(app, chain, &params.message, &params.signature, caller).await?;
    Ok(token::issued(&issued, None))
}
