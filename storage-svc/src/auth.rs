//! Who is asking: the token of a request, and the database caller that it stands for.

use std::{
    convert::Infallible,
    time::{SystemTime, UNIX_EPOCH},
};

use axum::extract::FromRequestParts;
use http::{header, request::Parts};
use serde_json::Value;
use svc_kit::{
    jwt::{Claims, JwtError, KeySet},
    pg,
};

use crate::{App, error::Error};

/// A verified token together with what policies may know of the request.
#[derive(Debug)]
pub(crate) struct Caller {
    claims: Claims,
    token: String,
    method: String,
    path: String,
}

impl Caller {
    /// The caller of a transaction, for the operation that policies see as `storage.operation()`.
    pub(crate) fn doing(&self, operation: &'static str) -> pg::Caller {
        let role = self.claims.role().unwrap_or("anon");
        pg::Caller::new(role, &self.claims)
            .with("request.jwt.claim.role", role)
            .with("request.jwt", self.token.as_str())
            .with(
                "request.jwt.claim.sub",
                self.claims.subject().unwrap_or_default(),
            )
            .with("request.method", self.method.as_str())
            .with("request.path", self.path.as_str())
            .with("storage.operation", operation)
    }
}

impl FromRequestParts<App> for Caller {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Self, Error> {
        let header = parts
            .headers
            .get(header::AUTHORIZATION)
            .ok_or(Error::NoAuthorization)?;
        let text = header.to_str().unwrap_or_default();
        let token = match text.split_once(' ') {
            Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
            _ => text,
        };
        Ok(Self {
            claims: verify(token, app.keys())?,
            token: token.to_owned(),
            method: parts.method.to_string(),
            path: parts.uri.path().to_owned(),
        })
    }
}

fn verify(token: &str, keys: &KeySet) -> Result<Claims, Error> {
    let claims = keys.verify(token).map_err(|error| {
        Error::AccessDenied(match error {
            JwtError::Parts(_) | JwtError::Malformed => "Invalid Compact JWS",
            JwtError::Algorithm | JwtError::UnknownKey | JwtError::Signature => {
                "signature verification failed"
            }
        })
    })?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    let time = |name: &str| claims.get(name).map(Value::as_f64);
    match time("exp") {
        Some(None) => return Err(Error::AccessDenied(r#""exp" claim must be a number"#)),
        Some(Some(expiry)) if expiry <= now => {
            return Err(Error::AccessDenied(r#""exp" claim timestamp check failed"#));
        }
        _ => {}
    }
    match time("nbf") {
        Some(None) => Err(Error::AccessDenied(r#""nbf" claim must be a number"#)),
        Some(Some(start)) if start > now => {
            Err(Error::AccessDenied(r#""nbf" claim timestamp check failed"#))
        }
        _ => Ok(claims),
    }
}

/// The part of a client's name and version that decides what it can read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Client {
    /// Releases of the Python client before 2.18 fail on a bucket with a type.
    pub(crate) knows_bucket_types: bool,
}

impl<S: Sync> FromRequestParts<S> for Client {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, Infallible> {
        let older = |name: &str, prefix: &str, than: [u32; 3]| {
            parts
                .headers
                .get(name)
                .and_then(|value| value.to_str().ok())
                .and_then(|value| value.strip_prefix(prefix))
                .is_some_and(|version| numbers(version) < than)
        };
        let old = older("x-client-info", "supabase-py/", [2, 18, 0])
            || older("user-agent", "supabase-py/storage3 v", [0, 12, 1]);
        Ok(Self {
            knows_bucket_types: !old,
        })
    }
}

/// Major, minor and patch; what is not a number counts as zero.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}
