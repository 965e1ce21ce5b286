//! The grant `id_token`: an app shows what a provider signed for it.

use std::sync::Arc;

use aws_lc_rs::digest;
use subtle::ConstantTimeEq as _;

use super::{
    Problem, Profile,
    account::{self, Outcome, Visitor},
    custom,
    id_token::{self, azure_tenant, is_apple},
    issuers::Issuer,
    linking,
    spec::{FACEBOOK, GOOGLE, KAKAO, SNAPCHAT, VERCEL},
};
use crate::{
    app::App,
    config::Provider,
    domain::{
        account::Account,
        session::{self, Caller, Issued, Method},
        signup,
    },
    error::{Code, Error},
    store::custom_providers::{self, CustomProvider},
};

/// What an app shows.
#[derive(Default)]
pub struct Shown<'a> {
    /// The token.
    pub id_token: &'a str,
    /// The access token that came with it, or nothing.
    pub access_token: &'a str,
    /// The nonce that the app asked the provider with, as it was before it was hashed.
    pub nonce: &'a str,
    /// Who signed, by the name of the provider,
    pub provider: &'a str,
    /// or by the name of the issuer,
    pub issuer: &'a str,
    /// together with who it is for.
    pub client_id: &'a str,
}

/// Whose token it may be, and for whom.
struct Terms {
    provider: String,
    issuer: String,
    audience: Vec<String>,
    skip_nonce: bool,
    email_optional: bool,
    /// The one that an administrator added.
    custom: Option<CustomProvider>,
}

fn invalid(description: impl Into<std::borrow::Cow<'static, str>>) -> Error {
    Error::OAuth {
        error: "invalid request",
        description: description.into(),
    }
}

async fn terms(app: &App, shown: &Shown<'_>) -> Result<Terms, Error> {
    let external = &app.config().external;
    let settings = |name: &str| external.providers.get(name);
    let is = |name: &str, issuer: &str| shown.provider == name || shown.issuer == issuer;
    let keycloak =
        settings("keycloak").map_or(
            "",
            |keycloak| {
                if keycloak.enabled { &keycloak.url } else { "" }
            },
        );
    let (name, issuer) = if shown.provider == "apple" || is_apple(shown.issuer) {
        ("apple", said(shown, "Apple", is_apple)?)
    } else if is("google", GOOGLE) {
        ("google", GOOGLE.to_owned())
    } else if shown.provider == "azure" || azure_tenant(shown.issuer).is_some() {
        let is_azure = |issuer: &str| azure_tenant(issuer).is_some() || is_old_azure(issuer);
        ("azure", said(shown, "Azure", is_azure)?)
    } else if is("facebook", FACEBOOK) {
        ("facebook", FACEBOOK.to_owned())
    } else if shown.provider == "keycloak" || (!keycloak.is_empty() && shown.issuer == keycloak) {
        ("keycloak", keycloak.to_owned())
    } else if is("kakao", KAKAO) {
        ("kakao", KAKAO.to_owned())
    } else if is("vercel_marketplace", VERCEL) {
        ("vercel_marketplace", VERCEL.to_owned())
    } else if is("snapchat", SNAPCHAT) {
        ("snapchat", SNAPCHAT.to_owned())
    } else {
        return other(app, shown).await;
    };
    let found: &Provider = settings(name)
        .filter(|provider| provider.enabled)
        .ok_or_else(|| not_enabled(&issuer))?;
    let mut audience = found.client_ids.clone();
    if name == "apple" && !external.ios_bundle_id.is_empty() {
        audience.push(external.ios_bundle_id.clone());
    }
    Ok(Terms {
        provider: name.to_owned(),
        issuer,
        audience,
        // Facebook's Limited Login puts the nonce in as it is, which nothing could be compared with.
        skip_nonce: found.skip_nonce_check || name == "facebook",
        email_optional: found.email_optional,
        custom: None,
    })
}

fn not_enabled(issuer: &str) -> Error {
    Error::bad_request(
        Code::ProviderDisabled,
        format!("Provider (issuer \"{issuer}\") is not enabled"),
    )
}

/// An issuer that the project allows by name, and whose users are known by it.
async fn other(app: &App, shown: &Shown<'_>) -> Result<Terms, Error> {
    let provider: String = shown.provider.chars().take(100).collect();
    if provider.starts_with(custom::PREFIX) {
        return added(app, &provider).await;
    }
    let allowed = &app.config().external.allowed_id_token_issuers;
    if shown.issuer.is_empty() || !allowed.iter().any(|issuer| issuer == shown.issuer) {
        return Err(Error::invalid(format!(
            "Custom OIDC provider {provider:?} not allowed"
        )));
    }
    Ok(Terms {
        provider: shown.issuer.to_owned(),
        issuer: shown.issuer.to_owned(),
        audience: vec![shown.client_id.to_owned()],
        skip_nonce: false,
        email_optional: false,
        custom: None,
    })
}

/// One that an administrator added.
async fn added(app: &App, identifier: &str) -> Result<Terms, Error> {
    if !app.config().custom_oauth.enabled {
        return Err(Error::invalid("Custom OAuth providers are disabled"));
    }
    let mut conn = app.connection().await?;
    let found = custom_providers::find(&mut conn, identifier)
        .await
        .map_err(Error::database("Error finding custom provider"))?
        .ok_or_else(|| Error::invalid(format!("Custom provider {identifier:?} not found")))?;
    if !found.enabled {
        return Err(Error::bad_request(
            Code::ProviderDisabled,
            format!("Custom provider {identifier:?} is disabled"),
        ));
    }
    if !found.is_oidc() {
        return Err(Error::invalid(format!(
            "Provider {identifier:?} is not an OIDC provider"
        )));
    }
    let mut audience = vec![found.client_id.clone()];
    audience.extend_from_slice(&found.acceptable_client_ids);
    Ok(Terms {
        provider: identifier.to_owned(),
        issuer: found.issuer.clone().unwrap_or_default(),
        audience,
        skip_nonce: found.skip_nonce_check,
        email_optional: found.email_optional,
        custom: Some(found),
    })
}

fn is_old_azure(issuer: &str) -> bool {
    let tenant = issuer.strip_prefix("https://sts.windows.net/");
    tenant.is_some_and(|rest| {
        let tenant = rest.trim_end_matches('/');
        let plain = |b: u8| b.is_ascii_alphanumeric() || b == b'-' || b == b'.';
        !tenant.is_empty() && tenant.bytes().all(plain)
    })
}

/// The issuer that the token names, where a provider has several.
fn said(shown: &Shown<'_>, whose: &str, is_theirs: impl Fn(&str) -> bool) -> Result<String, Error> {
    let said = id_token::claimed_issuer(shown.id_token).ok_or_else(|| {
        Error::invalid(format!(
            "Unable to detect issuer in ID token for {whose} provider"
        ))
    })?;
    if !is_theirs(&said) {
        return Err(Error::invalid(format!(
            "Detected ID token issuer is not an {whose} ID token issuer"
        )));
    }
    if !shown.issuer.is_empty() && shown.issuer != said {
        return Err(Error::invalid(
            "Provided issuer does not match ID token issuer",
        ));
    }
    Ok(said)
}

/// Checks everything about a token that does not need the database.
async fn read(app: &App, shown: &Shown<'_>, terms: &Terms) -> Result<Profile, Error> {
    let bad = |problem: Problem| {
        tracing::info!(provider = terms.provider, %problem, "an ID token was refused");
        invalid("Bad ID token")
    };
    if terms.issuer.is_empty() {
        return Err(not_enabled(&terms.issuer));
    }
    // For what is no token nobody is asked for keys.
    if id_token::claimed_issuer(shown.id_token).is_none() {
        return Err(invalid("Bad ID token"));
    }
    let found: Result<Arc<Issuer>, Problem> = match &terms.custom {
        Some(custom) => custom::issuer(app, custom).await,
        None => app.issuers().find(app, &terms.issuer).await,
    };
    let issuer = found.map_err(|problem| {
        tracing::warn!(provider = terms.provider, %problem, "the issuer cannot be used");
        Error::refused(
            500,
            Code::UnexpectedFailure,
            "Unexpected failure, please check server logs for more information",
        )
    })?;
    let verified = id_token::verify(app, &issuer, shown.id_token)
        .await
        .map_err(bad)?;
    if !shown.access_token.is_empty() {
        verified
            .check_access_token(shown.access_token)
            .map_err(bad)?;
    }
    if verified.text("sub").is_empty() {
        return Err(invalid("Missing sub claim in id_token"));
    }
    let audience = verified.audience();
    let is_ours = |id: &&String| !id.is_empty() && audience.contains(&id.as_str());
    if !terms.audience.iter().any(|id| is_ours(&id)) {
        return Err(invalid(format!(
            "Unacceptable audience in id_token: [{}]",
            audience.join(" ")
        )));
    }
    if !terms.skip_nonce {
        check_nonce(shown.nonce, verified.text("nonce"))?;
    }
    id_token::profile(&verified).map_err(bad)
}

/// The token holds the hash of what the app holds, so that who sees the token cannot use it.
fn check_nonce(given: &str, hashed: &str) -> Result<(), Error> {
    if given.is_empty() != hashed.is_empty() {
        return Err(invalid(
            "Passed nonce and nonce in id_token should either both exist or not.",
        ));
    }
    let hash = hex::encode(digest::digest(&digest::SHA256, given.as_bytes()));
    if given.is_empty() || bool::from(hash.as_bytes().ct_eq(hashed.as_bytes())) {
        return Ok(());
    }
    Err(Error::OAuth {
        error: "invalid nonce",
        description: "Nonces mismatch".into(),
    })
}

/// Signs in, or adds a way to sign in for `target`.
pub async fn sign_in(
    app: &App,
    shown: &Shown<'_>,
    target: Option<&Account>,
    caller: &Caller,
) -> Result<Issued, Error> {
    let terms = terms(app, shown).await?;
    let profile = read(app, shown, &terms).await?;
    let visitor = Visitor {
        provider: &terms.provider,
        profile: &profile,
        email_optional: terms.email_optional,
    };
    let mut tx = app.begin().await?;
    let outcome = match target {
        Some(target) => linking::link(app, &mut tx, target, visitor, caller).await?,
        None => account::sign_in(app, &mut tx, visitor, caller).await?,
    };
    let (account, created) = match outcome {
        Outcome::Account { account, created } => (account, created),
        Outcome::Pending(error) => {
            tx.commit().await?;
            return Err(error);
        }
    };
    let issued = session::begin(app, &mut tx, &account, Method::OAuth, caller).await?;
    tx.commit().await?;
    if created {
        signup::after_created(app, &account, caller).await?;
    }
    Ok(issued)
}
