//! `GET` and `POST /callback`: back from a provider.

use axum::{body::Bytes, extract::State, response::Response};
use url::form_urlencoded;

use super::{extract::Query, target, token};
use crate::{
    app::App,
    domain::{
        external::complete::{self, Answer, Completed, Failure},
        session::{Caller, Issued, Method},
    },
    error::{Code, Error},
    store::external_flows::ExternalFlow,
};

/// Longer values are no codes and no states.
const MAX_VALUE: usize = 16 * 1024;

pub(super) async fn get(
    State(app): State<App>,
    caller: Caller,
    query: Query,
) -> Result<Response, Error> {
    come_back(&app, &caller, |name| query.get(name)).await
}

/// Apple posts a form.
pub(super) async fn post(
    State(app): State<App>,
    caller: Caller,
    query: Query,
    body: Bytes,
) -> Result<Response, Error> {
    let form = Query::of_pairs(form_urlencoded::parse(&body).into_owned().collect());
    let field = |name: &str| match form.get(name) {
        "" => query.get(name),
        value => value,
    };
    come_back(&app, &caller, field).await
}

async fn come_back<'a>(
    app: &App,
    caller: &Caller,
    field: impl Fn(&'static str) -> &'a str,
) -> Result<Response, Error> {
    let value = |name: &'static str| {
        let value = field(name);
        if value.len() > MAX_VALUE { "" } else { value }
    };
    let flow = match complete::find_flow(app, value("state")).await {
        Ok(flow) => flow,
        Err(error) => {
            app.metrics().not_signed_in(Method::OAuth.as_str(), &error);
            // Who this was for is unknown, so only the site can be told.
            let told = Told::of(&Failure::Ours(error));
            let location = target::with_query(&app.config().site_url, &told.pairs());
            return target::see_other(location);
        }
    };
    let answer = Answer {
        code: value("code").to_owned(),
        oauth_token: value("oauth_token").to_owned(),
        oauth_verifier: value("oauth_verifier").to_owned(),
        error: value("error").to_owned(),
        error_description: value("error_description").to_owned(),
        user: value("user").to_owned(),
    };
    let goal = goal(app, &flow);
    let location = match complete::complete(app, &flow, &answer, caller).await {
        Ok(Completed::Code(code)) => target::with_query(goal, &[("code", &code)]),
        Ok(Completed::Session(issued)) => {
            let mut response = target::found(with_session(goal, &issued))?;
            token::name_session(&mut response, &issued);
            return Ok(response);
        }
        Err(failure) => {
            let (metrics, method) = (app.metrics(), Method::OAuth.as_str());
            match &failure {
                Failure::Ours(error) => metrics.not_signed_in(method, error),
                Failure::Provider { .. } => metrics.refused_by_provider(method),
            }
            with_failure(goal, &failure)
        }
    };
    target::found(location)
}

/// Where the app wished the user back, which was checked when the user left.
fn goal<'a>(app: &'a App, flow: &'a ExternalFlow) -> &'a str {
    let config = app.config();
    let wished = flow.referrer.as_deref().unwrap_or_default();
    [&config.external.redirect_url, wished, &config.site_url]
        .into_iter()
        .find(|place| !place.is_empty())
        .unwrap_or_default()
}

/// A session as parameters.
pub(super) fn session_pairs(issued: &Issued) -> Vec<(&'static str, String)> {
    vec![
        ("access_token", issued.access_token.clone()),
        ("token_type", "bearer".to_owned()),
        ("expires_in", issued.expires_in.to_string()),
        ("expires_at", issued.expires_at.timestamp().to_string()),
        ("refresh_token", issued.refresh_token.clone()),
        ("sb", String::new()),
    ]
}

fn with_session(goal: &str, issued: &Issued) -> String {
    let mut pairs = session_pairs(issued);
    let provider_token = issued.provider_token.clone().unwrap_or_default();
    pairs.push(("provider_token", provider_token));
    if let Some(token) = &issued.provider_refresh_token {
        pairs.push(("provider_refresh_token", token.clone()));
    }
    target::with_fragment(goal, &target::encoded(pairs))
}

/// What a failure looks like in an address.
pub(super) struct Told {
    error: String,
    code: Option<&'static str>,
    description: String,
}

impl Told {
    pub(super) fn of(failure: &Failure) -> Self {
        let error = match failure {
            Failure::Provider { error, description } => {
                return Self {
                    error: error.clone(),
                    code: None,
                    description: description.clone(),
                };
            }
            Failure::Ours(error) => error,
        };
        let wire = error.wire();
        if wire.status.is_server_error() {
            let cause = std::error::Error::source(error).map(ToString::to_string);
            tracing::error!(%error, cause, "an external sign-in failed");
        }
        let refused = [
            Code::SignupDisabled,
            Code::UserBanned,
            Code::ProviderEmailNeedsVerification,
        ];
        let name = match wire.status.as_u16() {
            _ if refused.contains(&wire.code) => "access_denied",
            400 => "invalid_request",
            401 => "unauthorized_client",
            403 => "access_denied",
            503 => "temporarily_unavailable",
            _ => "server_error",
        };
        Self {
            error: name.to_owned(),
            code: Some(wire.code.as_str()),
            description: wire.message,
        }
    }

    pub(super) fn pairs(&self) -> Vec<(&str, &str)> {
        let mut pairs = vec![
            ("error", self.error.as_str()),
            ("error_description", self.description.as_str()),
        ];
        pairs.extend(self.code.map(|code| ("error_code", code)));
        pairs
    }
}

/// The failure in the query and, for clients that look there, in the fragment.
fn with_failure(goal: &str, failure: &Failure) -> String {
    let told = Told::of(failure);
    let mut fragment: Vec<(&str, String)> = told
        .pairs()
        .into_iter()
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name, value.to_owned()))
        .collect();
    fragment.push(("sb", String::new()));
    let goal = target::with_query(goal, &told.pairs());
    target::with_fragment(&goal, &target::encoded(fragment))
}
