//! `POST /sso` and `/sso/saml/*`: single sign-on.

use axum::{
    Json,
    body::Bytes,
    extract::{FromRequestParts, State},
    response::{IntoResponse as _, Response},
};
use http::{header, request::Parts};
use serde::Deserialize;
use serde_json::json;
use url::form_urlencoded;
use uuid::Uuid;

use super::{
    callback::{self, Told},
    extract::{Body, Query},
    target, token,
};
use crate::{
    app::App,
    config::Saml,
    domain::{
        external::complete::{Completed, Failure},
        limiter::Route,
        saml::{
            begin::{self, Chosen},
            complete::{self, Posted},
            sp,
        },
        session::{Caller, Method},
    },
    error::{Code, Error},
};

/// Fails while SAML is switched off.
pub(super) struct Enabled(Saml);

impl FromRequestParts<App> for Enabled {
    type Rejection = Error;

    async fn from_request_parts(_: &mut Parts, app: &App) -> Result<Self, Error> {
        app.config()
            .saml
            .clone()
            .map(Self)
            .ok_or_else(|| Error::refused(404, Code::SamlProviderDisabled, "SAML 2.0 is disabled"))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct Params {
    provider_id: Uuid,
    domain: String,
    redirect_to: String,
    skip_http_redirect: bool,
    code_challenge: String,
    code_challenge_method: String,
}

impl Params {
    fn chosen(&self) -> Result<Chosen, Error> {
        match (self.provider_id.is_nil(), self.domain.as_str()) {
            (false, "") => Ok(Chosen::Provider(self.provider_id)),
            (true, "") => Err(Error::invalid(
                "A provider_id or domain needs to be provided",
            )),
            (true, domain) => Ok(Chosen::Domain(domain.to_owned())),
            (false, _) => Err(Error::invalid(
                "Only one of provider_id or domain supported",
            )),
        }
    }
}

pub(super) async fn begin(
    State(app): State<App>,
    Enabled(saml): Enabled,
    caller: Caller,
    body: Result<Body<Params>, Error>,
) -> Result<Response, Error> {
    let client = caller.limited_as.as_deref();
    app.limiter().check(Route::Sso, client, app.now()).await?;
    let Body(params) = body?;
    let chosen = params.chosen()?;
    let pkce = (
        params.code_challenge.as_str(),
        params.code_challenge_method.as_str(),
    );
    let url = begin::begin(&app, &saml, &chosen, params.redirect_to.clone(), pkce).await?;
    if params.skip_http_redirect {
        return Ok(Json(json!({ "url": url.as_str() })).into_response());
    }
    target::see_other(url.into())
}

pub(super) async fn metadata(
    State(app): State<App>,
    Enabled(saml): Enabled,
    query: Query,
) -> Response {
    let to_keep = query.get("download") == "true";
    let xml = sp::metadata(&saml, to_keep, app.now());
    let cache = if saml.next_key.is_some() {
        "public, max-age=60"
    } else {
        "public, max-age=600"
    };
    let headers = [
        (header::CONTENT_TYPE, "application/xml"),
        (header::CACHE_CONTROL, cache),
    ];
    let mut response = (headers, xml).into_response();
    if to_keep {
        let file = http::HeaderValue::from_static("attachment; filename=\"metadata.xml\"");
        response
            .headers_mut()
            .insert(header::CONTENT_DISPOSITION, file);
    }
    response
}

/// Whatever happens, the user gets back to the app or to the site.
pub(super) async fn acs(
    State(app): State<App>,
    Enabled(saml): Enabled,
    caller: Caller,
    query: Query,
    body: Bytes,
) -> Result<Response, Error> {
    let client = caller.limited_as.as_deref();
    app.limiter()
        .check(Route::SamlAssertion, client, app.now())
        .await?;
    let form = Query::of_pairs(form_urlencoded::parse(&body).into_owned().collect());
    let field = |name: &str| match form.get(name) {
        "" => query.get(name).to_owned(),
        value => value.to_owned(),
    };
    let posted = Posted {
        response: form.get("SAMLResponse").to_owned(),
        relay_state: field("RelayState"),
        has_artifact: !field("SAMLart").is_empty(),
    };
    let returned = match complete::complete(&app, &saml, &posted, &caller).await {
        Ok(returned) => returned,
        Err(error) => {
            app.metrics()
                .not_signed_in(Method::SsoSaml.as_str(), &error);
            let told = Told::of(&Failure::Ours(error));
            let site = target::with_query(&app.config().site_url, &told.pairs());
            return target::see_other(site);
        }
    };
    let issued = match returned.completed {
        Completed::Code(code) => {
            return target::found(target::with_query(
                &returned.redirect_to,
                &[("code", &code)],
            ));
        }
        Completed::Session(issued) => issued,
    };
    let pairs = target::encoded(callback::session_pairs(&issued));
    let mut response = target::found(target::with_fragment(&returned.redirect_to, &pairs))?;
    token::name_session(&mut response, &issued);
    Ok(response)
}
