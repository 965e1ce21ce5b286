//! Asking for the proof of a factor.

use serde_json::{Value, json};
use sqlx::{PgConnection, types::Json};

use super::{Acting, FactorType, credentials, entity, factor_not_found};
use crate::{
    app::App,
    domain::{
        audit::{self, Action, Actor},
        clock, encryption, hooks, otp,
        session::Caller,
        sms::{self, Channel, Failure},
        webauthn::{self, Purpose},
    },
    error::{Code, Error},
    store::{
        challenges::{self, Challenge},
        factors::{self, Factor},
    },
};

/// Makes a challenge and, for phones, sends it; gives what clients see of it.
pub async fn challenge(
    app: &App,
    who: Acting<'_>,
    factor: &Factor,
    channel: Channel,
) -> Result<Value, Error> {
    let factor_type = FactorType::parse(&factor.factor_type)?;
    factor_type.check_verify(app)?;
    let Acting {
        account, caller, ..
    } = who;
    let now = app.now();
    let mut new = Challenge {
        id: clock::id(app.random()),
        factor_id: factor.id,
        created_at: now,
        verified_at: None,
        ip_address: caller.address(),
        otp_code: None,
        web_authn_session_data: None,
    };
    let mut answer = json!({
        "id": new.id,
        "type": factor.factor_type,
        "expires_at": (now + app.config().mfa.challenge_expiry).timestamp(),
    });
    let mut tx = app.begin().await?;
    // Locked, so that it is not removed meanwhile, and two requests at once send one message.
    let factor = factors::lock(&mut tx, account.user.id, factor.id)
        .await?
        .ok_or_else(factor_not_found)?;
    match factor_type {
        FactorType::Totp => {}
        FactorType::Phone => {
            let code = text(app, &mut tx, who, &factor, channel).await?;
            let rules = &app.config().security.encryption;
            new.otp_code = Some(encryption::seal(rules, app.random(), new.id, &code)?);
        }
        FactorType::WebAuthn => {
            let (options, session) = ceremony(app, &mut tx, who, &factor).await?;
            answer["webauthn"] = options;
            new.web_authn_session_data = Some(Json(session));
        }
    }
    challenges::insert(&mut tx, &new).await?;
    factors::set_challenged(&mut tx, factor.id, now).await?;
    // The original keeps no record of WebAuthn challenges; there is no reason why.
    let traits = json!({ "factor_id": factor.id, "factor_status": factor.status });
    let actor = Actor::User(&account.user);
    let action = Action::ChallengeCreated;
    audit::record(app, &mut tx, caller, actor, action, Some(traits)).await?;
    tx.commit().await?;
    Ok(answer)
}

/// Sends a code by text message.
async fn text(
    app: &App,
    conn: &mut PgConnection,
    Acting {
        account, caller, ..
    }: Acting<'_>,
    factor: &Factor,
    channel: Channel,
) -> Result<String, Error> {
    let phone = app.config().mfa.phone;
    let (last, code) = (factor.last_challenged_at, Code::OverSmsSendRateLimit);
    app.limiter()
        .check_frequency(last, phone.max_frequency, code, app.now())?;
    let otp = otp::generate(app.random(), phone.otp_length);
    if let Some(hook) = &app.config().hooks.send_sms {
        let message = (factor.phone.as_str(), otp.as_str());
        let sent = hooks::send_mfa_sms(app, conn, hook, account, message, caller).await;
        app.metrics().texted(&sent);
        sent?;
        return Ok(otp);
    }
    let message = sms::Message {
        phone: &factor.phone,
        code: &otp,
        for_factor: true,
        channel,
    };
    let sent = sms::send(app, message).await;
    app.metrics().texted(&sent);
    sent.map_err(|failure| match failure {
        Failure::NotSetUp(_) => Error::internal("Failed to get SMS provider", failure),
        _ => Error::internal("error sending message", failure),
    })?;
    Ok(otp)
}

/// A new factor makes a credential, a verified one uses it.
async fn ceremony(
    app: &App,
    conn: &mut PgConnection,
    Acting { account, .. }: Acting<'_>,
    factor: &Factor,
) -> Result<(Value, Value), Error> {
    let party = app.relying_party()?;
    let existing = credentials(conn, account).await?;
    let handle = account.user.id.to_string();
    let (purpose, random) = (Purpose::SecondFactor, app.random());
    let (kind, (options, session)) = if !factor.is_verified() {
        let user = entity(&handle, account);
        let begun = webauthn::begin_creation(party, random, purpose, user, &existing);
        ("create", begun)
    } else if existing.is_empty() {
        return Err(Error::unprocessable(
            Code::MfaVerificationFailed,
            "Found no credentials for user",
        ));
    } else {
        let user = Some((handle.as_str(), existing.as_slice()));
        let begun = webauthn::begin_assertion(party, random, purpose, user);
        ("request", begun)
    };
    let session = serde_json::to_value(session)
        .map_err(|error| Error::internal("WebAuthn session data", error))?;
    let options = json!({ "type": kind, "credential_options": { "publicKey": options } });
    Ok((options, session))
}

impl Caller {
    /// The address that a challenge is bound to. Without any, as behind a socket of the machine, all are alike.
    pub(super) fn address(&self) -> sqlx::types::ipnetwork::IpNetwork {
        self.ip
            .unwrap_or(std::net::Ipv4Addr::UNSPECIFIED.into())
            .into()
    }
}
