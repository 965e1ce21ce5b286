//! `/factors`: a user's second factors.

use axum::{
    Json,
    extract::{Path, State},
};
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::{caller::SignedIn, extract::Body};
use crate::{
    app::App,
    domain::{
        limiter::Route,
        mfa::{self, Acting, Answer, FactorType, Wish},
        session::Method,
        sms::Channel,
    },
    error::{Code, Error},
    store::{
        factors::{self, Factor},
        sessions::Session,
    },
};

/// The session that the request is about; a token without one can have no second factor.
fn session_of(signed_in: &SignedIn) -> Result<&Session, Error> {
    signed_in.session.as_ref().ok_or_else(|| {
        Error::refused(
            500,
            Code::UnexpectedFailure,
            "A valid session and a registered user are required to enroll a factor",
        )
    })
}

fn acting(signed_in: &SignedIn) -> Result<Acting<'_>, Error> {
    signed_in.check_not_anonymous()?;
    Ok(Acting {
        account: &signed_in.account,
        session: session_of(signed_in)?,
        caller: &signed_in.caller,
    })
}

/// The factor of the path, if it is the user's own.
async fn load(app: &App, signed_in: &SignedIn, id: &str) -> Result<Factor, Error> {
    signed_in.check_not_anonymous()?;
    let id = factor_id(id)?;
    let mut conn = app.connection().await?;
    factors::find(&mut conn, signed_in.account.user.id, id)
        .await
        .map_err(Error::database("Database error loading factor"))?
        .ok_or_else(mfa::factor_not_found)
}

pub(super) fn factor_id(id: &str) -> Result<Uuid, Error> {
    id.parse()
        .map_err(|_| Error::refused(404, Code::ValidationFailed, "factor_id must be an UUID"))
}

async fn check_limit(app: &App, signed_in: &SignedIn, route: Route) -> Result<(), Error> {
    let client = signed_in.caller.limited_as.as_deref();
    app.limiter().check(route, client, app.now()).await
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct EnrollParams {
    friendly_name: String,
    factor_type: String,
    issuer: String,
    phone: String,
}

pub(super) async fn enroll(
    State(app): State<App>,
    signed_in: SignedIn,
    body: Result<Body<EnrollParams>, Error>,
) -> Result<Json<Value>, Error> {
    let acting = acting(&signed_in)?;
    let Body(params) = body?;
    let wish = Wish {
        factor_type: FactorType::parse(&params.factor_type)?,
        friendly_name: &params.friendly_name,
        issuer: &params.issuer,
        phone: &params.phone,
    };
    mfa::enroll(&app, acting, wish).await.map(Json)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct ChallengeParams {
    channel: String,
}

pub(super) async fn challenge(
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
    body: Result<Body<ChallengeParams>, Error>,
) -> Result<Json<Value>, Error> {
    let factor = load(&app, &signed_in, &id).await?;
    check_limit(&app, &signed_in, Route::FactorChallenge).await?;
    let acting = acting(&signed_in)?;
    // The other kinds need no body, and the original does not look at one.
    let channel = if factor.factor_type == "phone" {
        Channel::read(app.config(), &body?.0.channel)?
    } else {
        Channel::Sms
    };
    mfa::challenge(&app, acting, &factor, channel)
        .await
        .map(Json)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct VerifyParams {
    challenge_id: Uuid,
    code: String,
    webauthn: Option<WebAuthnParams>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct WebAuthnParams {
    r#type: String,
    credential_response: Option<Value>,
}

impl VerifyParams {
    fn answer(&self, factor: &Factor) -> Result<Answer<'_>, Error> {
        if factor.factor_type != "webauthn" {
            if self.code.is_empty() {
                return Err(Error::invalid("Code needs to be non-empty"));
            }
            return Ok(Answer::Code(&self.code));
        }
        let Some(params) = &self.webauthn else {
            return Err(Error::invalid("WebAuthn config required"));
        };
        if !["create", "request"].contains(&params.r#type.as_str()) {
            return Err(Error::invalid("WebAuthn type must be create or request"));
        }
        let Some(response) = &params.credential_response else {
            return Err(Error::invalid("credential_response required"));
        };
        Ok(Answer::WebAuthn {
            kind: &params.r#type,
            response,
        })
    }
}

pub(super) async fn verify(
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
    body: Result<Body<VerifyParams>, Error>,
) -> Result<Json<Value>, Error> {
    let factor = load(&app, &signed_in, &id).await?;
    check_limit(&app, &signed_in, Route::FactorVerify).await?;
    let acting = acting(&signed_in)?;
    let Body(params) = body?;
    let answer = params.answer(&factor)?;
    let verified = mfa::verify(&app, acting, &factor, params.challenge_id, answer).await;
    let method = match factor.factor_type.as_str() {
        "phone" => Method::MfaPhone,
        "webauthn" => Method::MfaWebAuthn,
        _ => Method::Totp,
    };
    match &verified {
        Ok(_) => app.metrics().signed_in(method.as_str()),
        Err(error) => app.metrics().not_signed_in(method.as_str(), error),
    }
    Ok(Json(verified?.to_json()))
}

pub(super) async fn unenroll(
    State(app): State<App>,
    Path(id): Path<String>,
    signed_in: SignedIn,
) -> Result<Json<Value>, Error> {
    let factor = load(&app, &signed_in, &id).await?;
    mfa::unenroll(&app, acting(&signed_in)?, &factor).await?;
    Ok(Json(json!({ "id": factor.id })))
}
