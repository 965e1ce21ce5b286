//! Sessions and the access tokens that speak for them.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};
use sqlx::{PgConnection, types::ipnetwork::IpNetwork};
use url::Url;
use uuid::Uuid;

use super::{account::Account, clock, hooks, refresh};
use crate::{
    app::App,
    error::Error,
    store::{
        rotation::{self, NewSession},
        sessions::{Claim, Origin, Session},
    },
};

/// Who asks, as far as the request alone says.
#[derive(Clone, Debug)]
pub struct Caller {
    /// Its address.
    pub ip: Option<IpAddr>,
    /// Its name of itself.
    pub user_agent: Option<String>,
    /// What a limit counts it by, when there are limits.
    pub limited_as: Option<String>,
    /// The audience that look-ups are about.
    pub aud: String,
    /// Where links send the user; always allowed.
    pub redirect_to: String,
    /// How the outside reached us.
    pub external_url: Url,
}

impl Caller {
    /// What a session remembers.
    pub fn origin(&self) -> Origin {
        Origin {
            user_agent: self.user_agent.clone(),
            ip: self.ip.map(IpNetwork::from),
        }
    }
}

/// How a session was proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names of the protocol")]
pub enum Method {
    Password,
    Otp,
    Recovery,
    Invite,
    MagicLink,
    EmailSignup,
    EmailChange,
    Anonymous,
    TokenRefresh,
    OAuth,
    OAuthServerCode,
    Totp,
    MfaPhone,
    MfaWebAuthn,
    Passkey,
    Web3,
    SsoSaml,
}

impl Method {
    /// The name in tokens and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Otp => "otp",
            Self::Recovery => "recovery",
            Self::Invite => "invite",
            Self::MagicLink => "magiclink",
            Self::EmailSignup => "email/signup",
            Self::EmailChange => "email_change",
            Self::Anonymous => "anonymous",
            Self::TokenRefresh => "token_refresh",
            Self::OAuth => "oauth",
            Self::OAuthServerCode => "oauth_provider/authorization_code",
            Self::Totp => "totp",
            Self::MfaPhone => "mfa/phone",
            Self::MfaWebAuthn => "mfa/webauthn",
            Self::Passkey => "passkey",
            Self::Web3 => "web3",
            Self::SsoSaml => "sso/saml",
        }
    }

    /// Reads what the database has, and the types of `/verify`.
    pub fn parse(text: &str) -> Option<Self> {
        Some(match text {
            "password" => Self::Password,
            "otp" => Self::Otp,
            "recovery" => Self::Recovery,
            "invite" => Self::Invite,
            "magiclink" => Self::MagicLink,
            "email/signup" | "signup" => Self::EmailSignup,
            "email_change" => Self::EmailChange,
            "anonymous" => Self::Anonymous,
            "oauth" => Self::OAuth,
            "oauth_provider/authorization_code" => Self::OAuthServerCode,
            "totp" => Self::Totp,
            "mfa/phone" => Self::MfaPhone,
            "mfa/webauthn" => Self::MfaWebAuthn,
            "passkey" => Self::Passkey,
            "web3" => Self::Web3,
            "sso/saml" => Self::SsoSaml,
            _ => return None,
        })
    }
}

/// What a client gets when it signed in or refreshed.
#[derive(Clone, Debug)]
pub struct Issued {
    /// The signed claims.
    pub access_token: String,
    /// When they expire.
    pub expires_at: DateTime<Utc>,
    /// In how many seconds that is.
    pub expires_in: i64,
    /// What the next access token is asked for with.
    pub refresh_token: String,
    /// Its number when it is a signed one.
    pub refresh_token_counter: Option<i64>,
    /// The user.
    pub account: Account,
    /// The session.
    pub session_id: Uuid,
    /// Tokens of an external provider.
    pub provider_token: Option<String>,
    /// See above.
    pub provider_refresh_token: Option<String>,
    /// Why the password that was used is weak.
    pub weak_password: Option<Value>,
}

impl Issued {
    /// The session as clients see it.
    pub fn to_json(&self) -> Value {
        let mut value = json!({
            "access_token": self.access_token,
            "token_type": "bearer",
            "expires_in": self.expires_in,
            "expires_at": self.expires_at.timestamp(),
            "refresh_token": self.refresh_token,
            "user": self.account.to_json(),
        });
        for (name, token) in [
            ("provider_token", &self.provider_token),
            ("provider_refresh_token", &self.provider_refresh_token),
        ] {
            if let Some(token) = token.as_deref().filter(|token| !token.is_empty()) {
                value[name] = token.into();
            }
        }
        if let Some(weak) = &self.weak_password {
            value["weak_password"] = weak.clone();
        }
        value
    }
}

/// Begins a session for a user who proved who they are.
pub async fn begin(
    app: &App,
    conn: &mut PgConnection,
    account: &Account,
    method: Method,
    caller: &Caller,
) -> Result<Issued, Error> {
    begin_for(app, conn, account.user.id, method, None, caller).await
}

/// Begins a session; one for a client of the OAuth server is the client's alone, for the scopes given.
pub async fn begin_for(
    app: &App,
    conn: &mut PgConnection,
    user: Uuid,
    method: Method,
    client: Option<(Uuid, &str)>,
    caller: &Caller,
) -> Result<Issued, Error> {
    let now = app.now();
    let id = clock::id(app.random());
    let (token, key) = if app.config().security.signed_refresh_tokens {
        (None, Some(refresh::new_session_key(app, id)?))
    } else {
        (Some(refresh::generate(app.random())), None)
    };
    let new = NewSession {
        id,
        user_id: user,
        origin: caller.origin(),
        client,
        token: token.as_deref(),
        hmac_key: key.as_ref().map(|(_, stored)| stored.as_str()),
        proof: (clock::id(app.random()), method.as_str()),
    };
    let (session, account) = rotation::begin(conn, &new, now)
        .await
        .map_err(Error::database("Database error granting user"))?;
    let proof = Claim {
        authentication_method: method.as_str().to_owned(),
        updated_at: now,
    };
    let counter = key.as_ref().map(|_| 0);
    let signed = key.map(|(key, _)| key.token(id, 0));
    let grant = Grant {
        account,
        session: &session,
        proofs: &[proof],
        refresh_token: signed.or(token).unwrap_or_default(),
        counter,
    };
    let issued = issue(app, conn, grant, method, caller).await?;
    app.metrics().signed_in(method.as_str());
    Ok(issued)
}

/// When a session ends in which a user with a second factor did not prove it, where that is limited.
pub fn low_aal_end(app: &App, account: &Account, session: &Session) -> Option<DateTime<Utc>> {
    let allowed = app.config().sessions.allow_low_aal?;
    let is_low = account.has_verified_factor() && !session.is_aal2();
    is_low.then(|| session.created_at + allowed)
}

/// Whom an access token speaks for, and the refresh token that goes with it.
#[derive(Debug)]
pub struct Grant<'a> {
    /// The user.
    pub account: Account,
    /// The session.
    pub session: &'a Session,
    /// How it was proved, newest first.
    pub proofs: &'a [Claim],
    /// What the next access token is asked for with.
    pub refresh_token: String,
    /// The refresh token's number when it is a signed one.
    pub counter: Option<i64>,
}

/// True for a session that could not be refreshed any more because of its age.
pub fn is_over(app: &App, account: &Account, session: &Session) -> bool {
    let (rules, now) = (&app.config().sessions, app.now());
    let timebox = rules.timebox.map(|timebox| session.created_at + timebox);
    let inactivity = rules
        .inactivity_timeout
        .map(|timeout| session.last_refreshed_at(None) + timeout);
    let low_aal = low_aal_end(app, account, session);
    [session.not_after, timebox, inactivity, low_aal]
        .into_iter()
        .flatten()
        .any(|end| now > end)
}

/// Signs an access token for a session.
pub async fn issue(
    app: &App,
    conn: &mut PgConnection,
    grant: Grant<'_>,
    method: Method,
    caller: &Caller,
) -> Result<Issued, Error> {
    let Grant {
        account,
        session,
        proofs,
        refresh_token,
        counter,
    } = grant;
    let config = app.config();
    let now = app.now();
    let mut expires_at = now + config.jwt.exp;
    if let Some(end) = low_aal_end(app, &account, session) {
        expires_at = expires_at.min(end);
    }
    let amr: Vec<Value> = proofs
        .iter()
        .map(|proof| {
            let mut entry = json!({
                "method": proof.authentication_method,
                "timestamp": proof.updated_at.timestamp(),
            });
            if let (true, [identity]) = (
                proof.authentication_method == Method::SsoSaml.as_str(),
                account.identities.as_slice(),
            ) && let Some(provider) = identity.provider.strip_prefix("sso:")
            {
                entry["provider"] = provider.into();
            }
            entry
        })
        .collect();
    let user = &account.user;
    let mut claims = Map::new();
    if !config.jwt.issuer.is_empty() {
        claims.insert("iss".into(), config.jwt.issuer.as_str().into());
    }
    let standard = [
        ("sub", Value::from(user.id.to_string())),
        ("aud", user.aud.as_str().into()),
        ("exp", expires_at.timestamp().into()),
        ("iat", now.timestamp().into()),
        ("email", user.email.as_str().into()),
        ("phone", user.phone.as_str().into()),
        (
            "app_metadata",
            Value::Object(user.raw_app_meta_data.0.clone()),
        ),
        (
            "user_metadata",
            Value::Object(user.raw_user_meta_data.0.clone()),
        ),
        ("role", user.role.as_str().into()),
        ("aal", session.aal.as_str().into()),
        ("amr", amr.into()),
        ("session_id", session.id.to_string().into()),
        ("is_anonymous", user.is_anonymous.into()),
    ];
    for (name, value) in standard {
        claims.insert(name.into(), value);
    }
    if let Some(client) = session.oauth_client_id {
        claims.insert("client_id".into(), client.to_string().into());
    }
    if let Some(scopes) = session.scopes.as_deref().filter(|text| !text.is_empty()) {
        claims.insert("scope".into(), scopes.into());
    }
    if let Some(hook) = &config.hooks.custom_access_token {
        claims = hooks::customise_claims(app, conn, hook, user.id, claims, method, caller).await?;
    }
    let access_token = config
        .jwt
        .keys
        .sign(&claims)
        .map_err(|error| Error::internal("error generating jwt token", error))?;
    Ok(Issued {
        access_token,
        expires_at,
        expires_in: (expires_at - now).num_seconds(),
        refresh_token,
        refresh_token_counter: counter,
        account,
        session_id: session.id,
        provider_token: None,
        provider_refresh_token: None,
        weak_password: None,
    })
}
