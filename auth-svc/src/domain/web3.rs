//! Signing in with a wallet: a message that names this project, signed with the key of an address.
//!
//! [`message`] reads what was signed, [`signature`] checks by whom; here it is decided whether the message
//! was meant for this project and for now.

mod message;
mod signature;

use chrono::{DateTime, Duration, Utc};
use serde_json::{Value, json};

use self::message::Message;
use super::{
    audit::{self, Action, Actor},
    external::{
        Profile,
        account::{self, Outcome, Visitor},
    },
    redirect::AllowList,
    session::{self, Caller, Issued, Method},
    signup,
};
use crate::{
    app::App,
    config::Web3,
    error::{Code, Error},
};

/// The provider of all wallets.
pub const PROVIDER: &str = "web3";

/// Shorter texts name nobody, longer ones no wallet shows.
const MESSAGE_LENGTH: std::ops::RangeInclusive<usize> = 64..=20 * 1024;

/// Whose wallets sign what.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chain {
    /// EIP-4361, signed by way of EIP-191.
    Ethereum,
    /// The same form for Solana, signed with Ed25519.
    Solana,
}

impl Chain {
    /// The chain of this name, if it is one and if the project takes it.
    pub fn find(name: &str, settings: &Web3) -> Result<Self, Error> {
        let (chain, enabled) = match name {
            "solana" => (Self::Solana, settings.solana.enabled),
            "ethereum" => (Self::Ethereum, settings.ethereum.enabled),
            _ => {
                return Err(Error::bad_request(
                    Code::Web3UnsupportedChain,
                    "Unsupported chain",
                ));
            }
        };
        if enabled {
            return Ok(chain);
        }
        let message = format!("{} Web3 provider is disabled", chain.title());
        Err(Error::unprocessable(Code::Web3ProviderDisabled, message))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Ethereum => "ethereum",
            Self::Solana => "solana",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Ethereum => "Ethereum",
            Self::Solana => "Solana",
        }
    }
}

/// Fails unless some chain is on.
pub fn check_enabled(settings: &Web3) -> Result<(), Error> {
    if settings.solana.enabled || settings.ethereum.enabled {
        return Ok(());
    }
    Err(Error::unprocessable(
        Code::Web3ProviderDisabled,
        "Web3 provider is disabled",
    ))
}

fn refused(description: String) -> Error {
    Error::oauth("invalid_grant", description)
}

/// Signs in whoever signed `text`.
pub async fn sign_in(
    app: &App,
    chain: Chain,
    text: &str,
    signed: &str,
    caller: &Caller,
) -> Result<Issued, Error> {
    if text.len() < *MESSAGE_LENGTH.start() {
        return Err(Error::invalid("message is too short"));
    }
    if text.len() > *MESSAGE_LENGTH.end() {
        return Err(Error::invalid("message must not exceed 20KB"));
    }
    let signed = signature::read(chain, signed)?;
    let message = Message::parse(chain, text).map_err(Error::invalid)?;
    if !signature::fits(chain, &signed, text, &message) {
        return Err(refused(
            "Signature does not match address in message".into(),
        ));
    }
    let config = app.config();
    check_place(chain, &message, &config.allow_list)?;
    let validity = match chain {
        Chain::Ethereum => config.external.web3.ethereum.maximum_validity,
        Chain::Solana => config.external.web3.solana.maximum_validity,
    };
    let validity = Duration::from_std(validity).unwrap_or(Duration::MAX);
    check_time(chain, &message, validity, app.now())?;
    enter(app, chain, &message, caller).await
}

/// Whoever gets a message signed for one app must not be able to use it at another.
fn check_place(chain: Chain, message: &Message<'_>, allowed: &AllowList) -> Result<(), Error> {
    let (title, uri) = (chain.title(), &message.uri);
    let local = uri.hostname() == "localhost";
    if uri.scheme != "https" && !local {
        return Err(refused(format!(
            "Signed {title} message is using URI which does not use HTTPS"
        )));
    }
    if !allowed.allows(uri.text) {
        return Err(refused(format!(
            "Signed {title} message is using URI which is not allowed on this server, message was signed for another app"
        )));
    }
    let home = format!("https://{}/", message.domain);
    if !local && (uri.host != message.domain || !allowed.allows(&home)) {
        return Err(refused(format!(
            "Signed {title} message is using a Domain that does not match the one in URI which is not allowed on this server"
        )));
    }
    Ok(())
}

fn check_time(
    chain: Chain,
    message: &Message<'_>,
    validity: Duration,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let title = chain.title();
    if message.not_before.is_some_and(|time| now < time) {
        return Err(refused(format!(
            "Signed {title} message becomes valid in the future"
        )));
    }
    if message.expiration_time.is_some_and(|time| now > time) {
        return Err(refused(format!("Signed {title} message is expired")));
    }
    let age = now.signed_duration_since(message.issued_at);
    if age > validity {
        return Err(refused(format!("{title} message was issued too long ago")));
    }
    if age < -validity {
        return Err(refused(format!(
            "{title} message was issued too far in the future"
        )));
    }
    Ok(())
}

async fn enter(
    app: &App,
    chain: Chain,
    message: &Message<'_>,
    caller: &Caller,
) -> Result<Issued, Error> {
    let statement = match (chain, message.statement) {
        (Chain::Ethereum, None) => Value::Null,
        (_, statement) => statement.unwrap_or_default().into(),
    };
    let subject = format!("{PROVIDER}:{}:{}", chain.name(), message.address);
    let profile = Profile::of_wallet(
        subject,
        json!({
            "address": message.address,
            "chain": chain.name(),
            "network": message.chain_id,
            "domain": message.domain,
            "statement": statement,
        }),
    );
    let visitor = Visitor {
        provider: PROVIDER,
        profile: &profile,
        email_optional: true,
    };
    let mut tx = app.begin().await?;
    let (account, created) = match account::sign_in(app, &mut tx, visitor, caller).await? {
        Outcome::Account { account, created } => (account, created),
        Outcome::Pending(error) => {
            tx.commit().await?;
            return Err(error);
        }
    };
    let traits = Some(json!({
        "provider": PROVIDER,
        "chain": chain.name(),
        "network": message.chain_id,
        "address": message.address,
        "domain": message.domain,
        "uri": message.uri.text,
    }));
    let actor = Actor::User(&account.user);
    audit::record(app, &mut tx, caller, actor, Action::Login, traits).await?;
    let issued = session::begin(app, &mut tx, &account, Method::Web3, caller).await?;
    tx.commit().await?;
    if created {
        signup::after_created(app, &account, caller).await?;
    }
    Ok(issued)
}
