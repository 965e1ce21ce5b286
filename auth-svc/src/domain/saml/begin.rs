//! The way out: where a user goes to prove at an identity provider who they are.

use url::Url;
use uuid::Uuid;

use super::{metadata::Metadata, sp};
use crate::{
    app::App,
    config::Saml,
    domain::{clock, pkce::Challenge},
    error::{Code, Error},
    store::{
        saml_relay_states::{self, RelayState},
        sso::{self, SsoProvider},
    },
};

/// The longest address that an app may wish its user back to.
const MAX_REDIRECT: usize = 8192;

/// Whom a user signs in with.
#[derive(Clone, Debug)]
pub enum Chosen {
    /// A provider.
    Provider(Uuid),
    /// Whoever answers for the users of a domain.
    Domain(String),
}

/// The beginning of the ids of our requests; what follows are the digits of [`ID_BYTES`].
const ID_PREFIX: &str = "id-";
const ID_BYTES: usize = 20;

/// True for what could be the id of a request of ours.
pub(super) fn is_request_id(text: &str) -> bool {
    text.strip_prefix(ID_PREFIX).is_some_and(|digits| {
        digits.len() == 2 * ID_BYTES && digits.bytes().all(|b| b.is_ascii_hexdigit())
    })
}

fn no_provider(message: &'static str) -> Error {
    Error::refused(404, Code::SsoProviderNotFound, message)
}

async fn find(app: &App, chosen: &Chosen) -> Result<SsoProvider, Error> {
    let mut conn = app.connection().await?;
    let provider = match chosen {
        Chosen::Provider(id) => sso::find(&mut conn, *id)
            .await
            .map_err(Error::database("Unable to find SSO provider by ID"))?
            .ok_or_else(|| no_provider("No such SSO provider"))?,
        Chosen::Domain(domain) => sso::find_by_domain(&mut conn, domain)
            .await
            .map_err(Error::database("Unable to find SSO provider by domain"))?
            .ok_or_else(|| no_provider("No SSO provider assigned for this domain"))?,
    };
    if provider.is_enabled() {
        return Ok(provider);
    }
    Err(Error::refused(
        404,
        Code::SsoProviderDisabled,
        "SSO Provider is currently disabled",
    ))
}

/// Where at a provider its users sign in.
fn destination(provider: &SsoProvider) -> Result<Url, Error> {
    let metadata = Metadata::parse(&provider.metadata_xml).map_err(|problem| {
        Error::internal("Error parsing SAML Metadata for SAML provider", problem)
    })?;
    let unusable = || {
        let reason = anyhow::anyhow!("the metadata name no place for requests by redirect");
        Error::internal(
            "Error creating SAML authentication request redirect URL",
            reason,
        )
    };
    let url = metadata.sign_in_url.as_deref().ok_or_else(unusable)?;
    let url = Url::parse(url).map_err(|_| unusable())?;
    // A browser is sent there, so it must not be a script.
    if !matches!(url.scheme(), "https" | "http") {
        return Err(unusable());
    }
    Ok(url)
}

/// Notes what was asked for, and gives the address at the provider.
pub async fn begin(
    app: &App,
    saml: &Saml,
    chosen: &Chosen,
    redirect_to: String,
    (challenge, method): (&str, &str),
) -> Result<Url, Error> {
    let provider = find(app, chosen).await?;
    let challenge = Challenge::read(challenge, method)?;
    if redirect_to.len() > MAX_REDIRECT {
        return Err(Error::invalid("redirect_to is too long"));
    }
    let destination = destination(&provider)?;
    let mut random = [0; ID_BYTES];
    app.random().fill(&mut random);
    let state = RelayState {
        id: clock::id(app.random()),
        sso_provider_id: provider.id,
        request_id: format!("{ID_PREFIX}{}", hex::encode(random)),
        redirect_to,
        flow_state_id: clock::id(app.random()),
        created_at: app.now(),
        is_pkce: challenge.is_some(),
    };
    let request = sp::Request {
        id: &state.request_id,
        destination: &destination,
        name_id_format: provider.name_id_format.as_deref(),
        relay_state: &state.id.to_string(),
    };
    let url = request.url(saml, app.now()).map_err(|reason| {
        Error::internal(
            "Error creating SAML authentication request redirect URL",
            reason,
        )
    })?;
    let pkce = challenge
        .as_ref()
        .map(|challenge| (challenge, clock::id(app.random())));
    let mut tx = app.begin().await?;
    saml_relay_states::insert(&mut tx, &state, pkce)
        .await
        .map_err(Error::database(
            "Error creating SAML relay state from sign up",
        ))?;
    tx.commit().await?;
    Ok(url)
}
