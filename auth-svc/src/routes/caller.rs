//! Who asks: the request's origin, the signed-in user, or an administrator.

use std::net::{IpAddr, SocketAddr};

use axum::extract::{ConnectInfo, FromRequestParts};
use http::{HeaderMap, header, request::Parts};
use svc_kit::jwt::Claims;
use url::Url;
use uuid::Uuid;

use super::extract::Query;
use crate::{
    app::App,
    domain::{account::Account, session::Caller},
    error::{Code, Error},
    store::{
        accounts,
        sessions::{self, Session},
    },
};

impl FromRequestParts<App> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        Ok(read(parts, app))
    }
}

fn read(parts: &Parts, app: &App) -> Caller {
    let config = app.config();
    let headers = &parts.headers;
    let query = Query::of(parts);
    let wished = [
        text(headers, "redirect_to"),
        query.get("redirect_to"),
        text(headers, "referer"),
    ];
    let forwarded = config
        .security
        .sb_forwarded_for
        .then(|| first(text(headers, "sb-forwarded-for")))
        .flatten();
    let limited_as = forwarded.map(str::to_owned).or_else(|| {
        let name = config.rate_limits.header.as_deref()?;
        first(text(headers, name)).map(str::to_owned)
    });
    let aud = text(headers, "x-jwt-aud");
    Caller {
        ip: forwarded
            .and_then(|ip| ip.parse().ok())
            .or_else(|| client_ip(parts)),
        user_agent: Some(text(headers, "user-agent"))
            .filter(|agent| !agent.is_empty())
            .map(|agent| agent.chars().take(1024).collect()),
        limited_as,
        aud: if aud.is_empty() {
            config.jwt.aud.clone()
        } else {
            aud.chars().take(255).collect()
        },
        redirect_to: chosen(app, wished),
        external_url: external_url(headers, app),
    }
}

/// The header's address is looked at first, then the query's; one that is not allowed is passed over
/// in favour of the page that the request came from.
fn chosen(app: &App, [header, query, referer]: [&str; 3]) -> String {
    let wished = if header.is_empty() { query } else { header };
    app.config().allow_list.choose([wished, referer]).to_owned()
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers
        .get(name)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default()
}

fn first(list: &str) -> Option<&str> {
    list.split(',').map(str::trim).find(|item| !item.is_empty())
}

/// The first valid address that a proxy names, else the peer.
fn client_ip(parts: &Parts) -> Option<IpAddr> {
    text(&parts.headers, "x-forwarded-for")
        .split(',')
        .find_map(|item| item.trim().parse().ok())
        .or_else(|| {
            let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>();
            peer.map(|ConnectInfo(address)| address.ip())
        })
}

/// Links point to the forwarded host only if it is listed.
fn external_url(headers: &HeaderMap, app: &App) -> Url {
    let api = &app.config().api;
    let host = text(headers, "x-forwarded-host");
    let listed = !host.is_empty() && api.external_hosts.iter().any(|listed| listed == host);
    if listed && let Ok(url) = Url::parse(&format!("https://{host}")) {
        return url;
    }
    api.external_url.clone()
}

/// The token of the request, after its signature and times were checked.
fn claims(parts: &Parts, app: &App) -> Result<Claims, Error> {
    let missing = || {
        Error::refused(
            401,
            Code::NoAuthorization,
            "This endpoint requires a valid Bearer token",
        )
    };
    let header = parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .ok_or_else(missing)?;
    let (scheme, token) = header.split_once(' ').ok_or_else(missing)?;
    let token = token.trim();
    if !scheme.eq_ignore_ascii_case("bearer") || token.is_empty() || token.contains(' ') {
        return Err(missing());
    }
    let now = app.now().timestamp();
    app.config().jwt.keys.verify(token, now).map_err(|reason| {
        Error::forbidden(
            Code::BadJwt,
            format!("invalid JWT: unable to parse or verify signature, {reason}"),
        )
    })
}

fn audience(claims: &Claims) -> Option<&str> {
    match claims.get("aud")? {
        serde_json::Value::String(aud) => Some(aud.as_str()),
        serde_json::Value::Array(list) => list.first()?.as_str(),
        _ => None,
    }
    .filter(|aud| !aud.is_empty())
}

fn is_admin(app: &App, claims: &Claims) -> bool {
    claims.role().is_some_and(|role| {
        app.config()
            .jwt
            .admin_roles
            .iter()
            .any(|admin| admin == role)
    })
}

/// The id of the session that a token names, if it names one.
fn session_id(claims: &Claims) -> Result<Option<Uuid>, Error> {
    let Some(id) = claims.text("session_id").filter(|id| !id.is_empty()) else {
        return Ok(None);
    };
    let id: Uuid = id.parse().map_err(|_| {
        Error::forbidden(
            Code::BadJwt,
            "invalid claim: session_id claim must be a UUID",
        )
    })?;
    Ok(Some(id).filter(|id| !id.is_nil()))
}

fn session_is_gone() -> Error {
    Error::forbidden(
        Code::SessionNotFound,
        "Session from session_id claim in JWT does not exist",
    )
}

/// A user with a valid token and a live session.
pub(super) struct SignedIn {
    /// The user.
    pub(super) account: Account,
    /// The session, for tokens that name one.
    pub(super) session: Option<Session>,
    /// The request's origin, with the audience of the token.
    pub(super) caller: Caller,
    /// The audience in the token.
    pub(super) token_aud: String,
}

impl SignedIn {
    /// Fails for a user without any address, who could not come back to what it is about to set up.
    pub(super) fn check_not_anonymous(&self) -> Result<(), Error> {
        if self.account.user.is_anonymous {
            return Err(Error::forbidden(
                Code::NoAuthorization,
                "Anonymous user not allowed to perform these actions",
            ));
        }
        Ok(())
    }
}

impl FromRequestParts<App> for SignedIn {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        let claims = claims(parts, app)?;
        let subject = claims
            .subject()
            .filter(|subject| !subject.is_empty())
            .ok_or_else(|| Error::forbidden(Code::BadJwt, "invalid claim: missing sub claim"))?;
        let id: Uuid = subject.parse().map_err(|_| {
            Error::bad_request(Code::BadJwt, "invalid claim: sub claim must be a UUID")
        })?;
        let named = session_id(&claims);
        let wanted = named.as_ref().ok().copied().flatten();
        let mut conn = app.connection().await?;
        let found = accounts::find_with_session(&mut conn, id, wanted).await?;
        drop(conn);
        let (account, session) = found.ok_or_else(|| {
            Error::forbidden(
                Code::UserNotFound,
                "User from sub claim in JWT does not exist",
            )
        })?;
        if named?.is_some() && session.is_none() {
            return Err(session_is_gone());
        }
        if account.user.is_banned(app.now()) {
            return Err(Error::forbidden(Code::UserBanned, "User is banned"));
        }
        let mut caller = read(parts, app);
        let token_aud = audience(&claims).unwrap_or_default().to_owned();
        if text(&parts.headers, "x-jwt-aud").is_empty()
            && !token_aud.is_empty()
            && !is_admin(app, &claims)
        {
            caller.aud.clone_from(&token_aud);
        }
        Ok(Self {
            account,
            session,
            caller,
            token_aud,
        })
    }
}

/// Somebody with a role that may administer. There need not be a user behind it.
pub(super) struct Admin {
    /// The role.
    pub(super) role: String,
    /// The request's origin.
    pub(super) caller: Caller,
}

impl FromRequestParts<App> for Admin {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        let claims = claims(parts, app)?;
        if !is_admin(app, &claims) {
            return Err(Error::forbidden(Code::NotAdmin, "User not allowed"));
        }
        if let Some(id) = session_id(&claims)? {
            let mut conn = app.connection().await?;
            let session = sessions::find(&mut conn, id).await?;
            let over = |end| app.now() > end;
            if session
                .ok_or_else(session_is_gone)?
                .not_after
                .is_some_and(over)
            {
                return Err(Error::forbidden(Code::SessionExpired, "Session expired"));
            }
        }
        Ok(Self {
            role: claims.role().unwrap_or_default().to_owned(),
            caller: read(parts, app),
        })
    }
}
