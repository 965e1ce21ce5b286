//! The way back: an identity provider sent the user to us, with a response.

use aws_lc_rs::digest;
use base64::{Engine as _, engine::general_purpose::STANDARD};
use chrono::Duration;
use url::Url;
use uuid::Uuid;

use super::{
    assertion::Assertion,
    fetch, mapping,
    mapping::Mapping,
    metadata::Metadata,
    providers,
    response::{self, Expected},
    sp::Addresses,
};
use crate::{
    app::App,
    config::Saml,
    domain::{
        external::{
            account::{self, Outcome, Visitor},
            complete::Completed,
        },
        session::{self, Caller, Method},
        signup,
    },
    error::{Code, Error, UNEXPECTED},
    store::{
        external_flows::{self, ProviderTokens},
        flow_state,
        saml_relay_states::{self, RelayState},
        sessions,
        sso::{self, SsoProvider},
    },
};

/// Metadata that nobody fetches anew are worth a warning so long before they end.
const EXPIRES_SOON: Duration = Duration::days(30);

/// What a provider's form brings.
#[derive(Clone, Debug, Default)]
pub struct Posted {
    /// `SAMLResponse`.
    pub response: String,
    /// `RelayState`.
    pub relay_state: String,
    /// Whether there is an `SAMLart`.
    pub has_artifact: bool,
}

/// How a sign-in ended, and where the user wants to go on.
#[derive(Debug)]
pub struct Returned {
    /// With what.
    pub completed: Completed,
    /// Where to: allowed, or the site.
    pub redirect_to: String,
}

fn not_found(code: Code, message: &'static str) -> Error {
    Error::refused(404, code, message)
}

fn disabled() -> Error {
    let message = "SSO Provider assigned for this domain is currently disabled";
    not_found(Code::SsoProviderDisabled, message)
}

/// Which sign-in this is: one that was begun here, or one that the provider began.
enum Begun {
    Here(RelayState),
    There { entity_id: String },
}

/// Finishes a sign-in.
pub async fn complete(
    app: &App,
    saml: &Saml,
    posted: &Posted,
    caller: &Caller,
) -> Result<Returned, Error> {
    let (begun, wished) = match posted.relay_state.parse::<Uuid>() {
        Ok(id) if !id.is_nil() => {
            let state = take(app, saml, id).await?;
            let wished = state.redirect_to.clone();
            (Begun::Here(state), wished)
        }
        _ => (begun_there(posted)?, posted.relay_state.clone()),
    };
    let (provider, metadata) = provider(app, &begun).await?;
    let assertion = believe(app, saml, &begun, &metadata, &provider, posted)?;
    let completed = sign_in(app, &begun, &provider, &assertion, caller).await?;
    let redirect_to = app.config().allow_list.choose([wished.as_str()]).to_owned();
    Ok(Returned {
        completed,
        redirect_to,
    })
}

/// The sign-in that was begun here, which nobody else can finish from now on.
async fn take(app: &App, saml: &Saml, id: Uuid) -> Result<RelayState, Error> {
    let unknown = || {
        not_found(
            Code::SamlRelayStateNotFound,
            "SAML RelayState does not exist, try logging in again?",
        )
    };
    let mut conn = app.connection().await?;
    let state = saml_relay_states::find(&mut conn, id).await?;
    let state = state.ok_or_else(unknown)?;
    let enabled = sso::find(&mut conn, state.sso_provider_id)
        .await?
        .is_some_and(|provider| provider.is_enabled());
    let is_over = app.now() >= state.created_at + saml.relay_state_validity;
    if !is_over && !enabled {
        return Err(disabled());
    }
    if !saml_relay_states::delete(&mut conn, id).await? {
        return Err(unknown());
    }
    if is_over {
        return Err(Error::unprocessable(
            Code::SamlRelayStateExpired,
            "SAML RelayState has expired. Try logging in again?",
        ));
    }
    Ok(state)
}

fn begun_there(posted: &Posted) -> Result<Begun, Error> {
    let state = posted.relay_state.as_str();
    if !state.is_empty() && !state.starts_with('/') && Url::parse(state).is_err() {
        return Err(Error::invalid("SAML RelayState is not a valid UUID or URL"));
    }
    if posted.has_artifact {
        return Err(Error::invalid(
            "SAML Artifact response can only be used with SP initiated flow",
        ));
    }
    if posted.response.is_empty() {
        return Err(Error::invalid("SAMLResponse is missing"));
    }
    let text = decode(&posted.response)
        .ok_or_else(|| Error::invalid("SAMLResponse is not a valid Base64 string"))?;
    let unreadable = || Error::invalid("SAMLResponse is not a valid XML SAML assertion");
    let text = String::from_utf8(text).map_err(|_| unreadable())?;
    let entity_id = response::issuer(&text).map_err(|problem| {
        tracing::info!(%problem, "a response of an identity provider cannot be read");
        unreadable()
    })?;
    Ok(Begun::There { entity_id })
}

/// Some providers break the text into lines.
fn decode(text: &str) -> Option<Vec<u8>> {
    let text: String = text.split_ascii_whitespace().collect();
    STANDARD.decode(text).ok()
}

/// The provider with its newest metadata.
async fn provider(app: &App, begun: &Begun) -> Result<(SsoProvider, Metadata), Error> {
    let mut conn = app.connection().await?;
    let found = match begun {
        Begun::Here(state) => sso::find(&mut conn, state.sso_provider_id).await?,
        Begun::There { entity_id } => sso::find_by_entity_id(&mut conn, entity_id).await?,
    };
    // The connection is free while the provider is asked.
    drop(conn);
    let provider = found.ok_or_else(|| {
        not_found(
            Code::SamlIdpNotFound,
            "A SAML connection has not been established with this Identity Provider",
        )
    })?;
    if !provider.is_enabled() {
        return Err(disabled());
    }
    let metadata = Metadata::parse(&provider.metadata_xml)
        .map_err(|problem| Error::internal(UNEXPECTED, problem))?;
    let metadata = refreshed(app, &provider, metadata).await?;
    Ok((provider, metadata))
}

async fn refreshed(
    app: &App,
    provider: &SsoProvider,
    metadata: Metadata,
) -> Result<Metadata, Error> {
    let now = app.now();
    let id = provider.id;
    let Some(url) = provider
        .metadata_url
        .as_deref()
        .filter(|url| !url.is_empty())
    else {
        if metadata
            .valid_until
            .is_some_and(|until| until - now <= EXPIRES_SOON)
        {
            tracing::warn!(sso_provider_id = %id, "the metadata of an identity provider end soon: update its metadata_xml");
        }
        return Ok(metadata);
    };
    if !metadata.is_stale(provider.metadata_updated_at, now) {
        return Ok(metadata);
    }
    let newer = async {
        let text = fetch::fetch(url).await?;
        let newer = providers::read_metadata(&text)?;
        if newer.entity_id != provider.entity_id {
            let message = "the metadata are of another entity";
            return Err(Error::bad_request(Code::SamlEntityIdMismatch, message));
        }
        Ok((text, newer))
    };
    match newer.await {
        Ok((text, newer)) => {
            let mut conn = app.connection().await?;
            sso::refresh_metadata(&mut conn, id, &text, now).await?;
            Ok(newer)
        }
        Err(error) => {
            let cause = std::error::Error::source(&error).map(ToString::to_string);
            tracing::warn!(sso_provider_id = %id, %error, cause, "the metadata of an identity provider could not be fetched; the old ones stay");
            Ok(metadata)
        }
    }
}

/// What the response says, if it is to be believed. Why not is for the log alone.
fn believe(
    app: &App,
    saml: &Saml,
    begun: &Begun,
    metadata: &Metadata,
    provider: &SsoProvider,
    posted: &Posted,
) -> Result<Assertion, Error> {
    let addresses = Addresses::of(saml);
    let decrypting: Vec<_> = [Some(&saml.key), saml.next_key.as_ref()]
        .into_iter()
        .flatten()
        .filter(|_| saml.allow_encrypted_assertions)
        .collect();
    let read = || {
        let text = decode(&posted.response).unwrap_or_default();
        let text = String::from_utf8(text)
            .map_err(|_| super::Problem::new("the response is not UTF-8"))?;
        let trusted = metadata.keys()?;
        let expected = Expected {
            audience: &addresses.entity_id,
            acs_url: &addresses.acs,
            issuer: &provider.entity_id,
            trusted: &trusted,
            request_id: match begun {
                Begun::Here(state) => Some(&state.request_id),
                Begun::There { .. } => None,
            },
            decrypting: &decrypting,
            now: app.now(),
        };
        response::read(&text, &expected)
    };
    read().map_err(|problem| {
        tracing::warn!(sso_provider_id = %provider.id, %problem, "a response of an identity provider is not believed");
        not_valid()
    })
}

fn not_valid() -> Error {
    Error::invalid("SAML Assertion is not valid")
}

/// What an assertion is remembered by.
fn mark(provider: &SsoProvider, assertion: &Assertion) -> Uuid {
    let mut hash = digest::Context::new(&digest::SHA256);
    hash.update(b"used SAML assertion");
    hash.update(provider.id.as_bytes());
    hash.update(assertion.id.as_bytes());
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash.finish().as_ref()[..16]);
    uuid::Builder::from_custom_bytes(bytes).into_uuid()
}

async fn sign_in(
    app: &App,
    begun: &Begun,
    provider: &SsoProvider,
    assertion: &Assertion,
    caller: &Caller,
) -> Result<Completed, Error> {
    let mapping: Mapping = match &provider.attribute_mapping {
        Some(mapping) => serde_json::from_value(mapping.0.clone())
            .map_err(|error| Error::internal(UNEXPECTED, error))?,
        None => Mapping::default(),
    };
    let profile = mapping::profile(&mapping, &provider.entity_id, assertion)?;
    let visitor = Visitor {
        provider: &format!("sso:{}", provider.id),
        profile: &profile,
        email_optional: false,
    };
    let now = app.now();
    let mut tx = app.begin().await?;
    if !saml_relay_states::use_assertion(&mut tx, mark(provider, assertion), provider.id, now)
        .await?
    {
        tracing::warn!(sso_provider_id = %provider.id, "an assertion came a second time");
        return Err(not_valid());
    }
    let (account, created) = match account::sign_in(app, &mut tx, visitor, caller).await? {
        Outcome::Account { account, created } => (account, created),
        Outcome::Pending(error) => {
            tx.commit().await?;
            return Err(error);
        }
    };
    let completed = match begun {
        Begun::Here(state) if state.is_pkce => {
            let tokens = ProviderTokens {
                access: "",
                refresh: "",
            };
            let user = account.user.id;
            let flow = state.flow_state_id;
            let code = external_flows::claim(&mut tx, flow, user, tokens, now).await?;
            let used = || {
                let message = "State has already been used";
                Error::bad_request(Code::FlowStateAlreadyUsed, message)
            };
            Completed::Code(code.ok_or_else(used)?)
        }
        _ => {
            if let Begun::Here(state) = begun {
                flow_state::delete(&mut tx, state.flow_state_id).await?;
            }
            let issued = session::begin(app, &mut tx, &account, Method::SsoSaml, caller).await?;
            if let Some(end) = assertion.session_not_on_or_after {
                sessions::end_at(&mut tx, issued.session_id, end).await?;
            }
            Completed::Session(Box::new(issued))
        }
    };
    tx.commit().await?;
    if created {
        signup::after_created(app, &account, caller).await?;
    }
    Ok(completed)
}
