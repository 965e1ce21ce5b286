//! The way back: a provider sent the user to us, with a code or a refusal.

use chrono::Duration;
use secrecy::{ExposeSecret as _, SecretString};
use uuid::Uuid;

use super::{
    Problem, Profile,
    account::{self, Outcome, Visitor},
    client::{Grant, Refusal},
    invite, linking,
    party::Party,
};
use crate::{
    app::App,
    domain::{
        account::Account,
        session::{self, Caller, Issued, Method},
        signup,
    },
    error::{Code, Error},
    store::{
        external_flows::{self, ExternalFlow, ProviderTokens},
        flow_state, oauth_client_states,
    },
};

/// For so long our own verifier waits for the user.
const CLIENT_STATE_LIFETIME: Duration = Duration::minutes(5);

/// What a provider says, as far as it is of interest.
#[derive(Default)]
pub struct Answer {
    /// What it gives for tokens.
    pub code: String,
    /// Why it gives nothing.
    pub error: String,
    /// The same in words.
    pub error_description: String,
    /// Apple's form with the name of a new user.
    pub user: String,
}

/// Why a user comes back without a session.
#[derive(Debug)]
pub enum Failure {
    /// The provider says so.
    Provider {
        /// In one word.
        error: String,
        /// In more.
        description: String,
    },
    /// We say so.
    Ours(Error),
}

impl<E: Into<Error>> From<E> for Failure {
    fn from(error: E) -> Self {
        Self::Ours(error.into())
    }
}

/// What a user comes back with.
#[derive(Debug)]
pub enum Completed {
    /// A code, for the app that knows the verifier.
    Code(String),
    /// A session.
    Session(Box<Issued>),
}

fn bad_state(message: &'static str) -> Error {
    Error::bad_request(Code::BadOAuthState, message)
}

fn used() -> Error {
    Error::bad_request(Code::FlowStateAlreadyUsed, "State has already been used")
}

fn failed(message: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::refused(500, Code::UnexpectedFailure, message)
}

/// The sign-in that a state belongs to.
pub async fn find_flow(app: &App, state: &str) -> Result<ExternalFlow, Error> {
    if state.is_empty() {
        return Err(Error::bad_request(
            Code::BadOAuthCallback,
            "OAuth state parameter missing",
        ));
    }
    let id: Uuid = state
        .parse()
        .map_err(|_| bad_state("OAuth state parameter is invalid"))?;
    let mut conn = app.connection().await?;
    let flow = external_flows::find(&mut conn, id)
        .await
        .map_err(Error::database("Error loading flow state"))?
        .ok_or_else(|| bad_state("OAuth state not found or expired"))?;
    if app.now() > flow.created_at + app.config().external.flow_state_expiry {
        return Err(bad_state("OAuth state has expired"));
    }
    if flow.is_pkce && flow.user_id.is_some() {
        return Err(used());
    }
    Ok(flow)
}

/// Finishes a sign-in.
pub async fn complete(
    app: &App,
    flow: &ExternalFlow,
    answer: &Answer,
    caller: &Caller,
) -> Result<Completed, Failure> {
    if !answer.error.is_empty() {
        return Err(Failure::Provider {
            error: answer.error.clone(),
            description: answer.error_description.clone(),
        });
    }
    if answer.code.is_empty() {
        return Err(Failure::Ours(Error::bad_request(
            Code::BadOAuthCallback,
            "OAuth callback with missing authorization code missing",
        )));
    }
    let grant = redeem(app, flow, answer).await?;
    if grant.profile.emails.is_empty() && !flow.email_optional {
        let message = "Error getting user email from external provider";
        return Err(Failure::Ours(failed(message)));
    }
    finish(app, flow, &grant, caller).await
}

async fn redeem(app: &App, flow: &ExternalFlow, answer: &Answer) -> Result<Grant, Error> {
    let client = Party::find(app, &flow.provider_type)
        .await
        .map_err(|error| Error::bad_request(Code::OAuthProviderNotSupported, error.to_string()))?;
    let verifier = match flow.oauth_client_state_id {
        Some(id) => Some(take_verifier(app, id, client.name()).await?),
        None => None,
    };
    if client.requires_pkce() && verifier.is_none() {
        return Err(Error::bad_request(
            Code::OAuthInvalidState,
            "OAuth PKCE code verifier missing",
        ));
    }
    let verifier = verifier.as_ref().map(SecretString::expose_secret);
    // The user shall come back to the app also when the provider does not answer, so this ends before
    // the request has to.
    let limit = app.config().api.max_request_duration.mul_f32(0.8);
    let mut grant = tokio::time::timeout(limit, client.redeem(app, answer, verifier))
        .await
        .unwrap_or(Err(Refusal::Code(Problem::Slow)))
        .map_err(|refusal| refused(&refusal, client.name(), &answer.code))?;
    if client.name() == "apple" && !answer.user.is_empty() {
        let profile: Profile = std::mem::take(&mut grant.profile);
        grant.profile = account::name_by_form(profile, &answer.user)?;
    }
    Ok(grant)
}

/// The reason is for the log alone: a provider's words may say too much.
fn refused(refusal: &Refusal, provider: &str, code: &str) -> Error {
    match refusal {
        Refusal::Code(problem) => {
            tracing::warn!(provider, %problem, "a provider did not take its code");
            let begin: String = code.chars().take(4).collect();
            failed(format!("Unable to exchange external code: {begin}"))
        }
        Refusal::Profile(problem) => {
            tracing::warn!(provider, %problem, "a provider did not tell who its user is");
            failed("Error getting user profile from external provider")
        }
    }
}

async fn take_verifier(app: &App, id: Uuid, provider: &str) -> Result<SecretString, Error> {
    let mut conn = app.connection().await?;
    let state = oauth_client_states::take(&mut conn, id)
        .await
        .map_err(Error::database("Failed to find OAuth state"))?
        .ok_or_else(|| {
            Error::unprocessable(Code::OAuthClientStateNotFound, "OAuth state not found")
        })?;
    if state.provider_type != provider {
        let message = "OAuth provider mismatch";
        return Err(Error::bad_request(Code::OAuthInvalidState, message));
    }
    if app.now() - state.created_at > CLIENT_STATE_LIFETIME {
        let message = "OAuth state expired";
        return Err(Error::unprocessable(Code::OAuthClientStateExpired, message));
    }
    Ok(state.code_verifier.unwrap_or_default().into())
}

async fn finish(
    app: &App,
    flow: &ExternalFlow,
    grant: &Grant,
    caller: &Caller,
) -> Result<Completed, Failure> {
    let visitor = Visitor {
        provider: &flow.provider_type,
        profile: &grant.profile,
        email_optional: flow.email_optional,
    };
    let mut tx = app.begin().await?;
    let outcome = match (flow.linking_target_id, &flow.invite_token) {
        (Some(target), _) => {
            let target = Account::find(&mut tx, target).await?.ok_or_else(|| {
                Error::unprocessable(Code::UserNotFound, "Linking target user not found")
            })?;
            if target.user.is_banned(app.now()) {
                return Err(Error::forbidden(Code::UserBanned, "User is banned").into());
            }
            linking::link(app, &mut tx, &target, visitor, caller).await?
        }
        (None, Some(token)) if !token.is_empty() => Outcome::Account {
            account: Box::new(invite::accept(app, &mut tx, token, visitor, caller).await?),
            created: false,
        },
        _ => account::sign_in(app, &mut tx, visitor, caller).await?,
    };
    let (account, created) = match outcome {
        Outcome::Account { account, created } => (account, created),
        Outcome::Pending(error) => {
            tx.commit().await?;
            return Err(Failure::Ours(error));
        }
    };
    let access_token = grant.access_token.expose_secret();
    let refresh_token = grant
        .refresh_token
        .as_ref()
        .map(SecretString::expose_secret);
    let completed = if flow.is_pkce {
        let tokens = ProviderTokens {
            access: access_token,
            refresh: refresh_token.unwrap_or_default(),
        };
        let user = account.user.id;
        let code = external_flows::claim(&mut tx, flow.id, user, tokens, app.now()).await?;
        Completed::Code(code.ok_or_else(used)?)
    } else {
        // Whoever deletes the row was the first to come back with this state.
        if !flow_state::delete(&mut tx, flow.id).await? {
            return Err(bad_state("OAuth state not found or expired").into());
        }
        let mut issued = session::begin(app, &mut tx, &account, Method::OAuth, caller).await?;
        issued.provider_token = Some(access_token.to_owned());
        issued.provider_refresh_token = refresh_token.map(str::to_owned);
        Completed::Session(Box::new(issued))
    };
    tx.commit().await?;
    if created {
        signup::after_created(app, &account, caller).await?;
    }
    Ok(completed)
}
