//! Who is asking: the token of a request, and the database caller that it stands for.

use std::time::{SystemTime, UNIX_EPOCH};

use http::{HeaderMap, header, request::Parts};
use serde_json::{Map, Value};
use svc_kit::{
    jwt::{Claims, JwtError, KeySet},
    pg,
};

use crate::{
    App,
    error::{Error, Result},
};

/// What policies and triggers may know of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    method: String,
    path: String,
    headers: String,
}

impl Context {
    pub(crate) fn of(parts: &Parts) -> Self {
        let path = parts.uri.path_and_query();
        Self {
            method: parts.method.to_string(),
            path: path.map_or_else(|| parts.uri.path().to_owned(), ToString::to_string),
            headers: headers_json(&parts.headers),
        }
    }
}

/// The headers as Node.js has them: names in lower case, values of one name joined.
fn headers_json(headers: &HeaderMap) -> String {
    let mut map = Map::with_capacity(headers.keys_len());
    for name in headers.keys() {
        let values = headers.get_all(name).iter();
        let values: Vec<_> = values
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
            .collect();
        map.insert(name.as_str().to_owned(), Value::String(values.join(", ")));
    }
    Value::Object(map).to_string()
}

/// Somebody with a verified token, or the service itself, together with what is known of the request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    role: String,
    claims: Claims,
    token: String,
    context: Context,
    statement_timeout: String,
}

impl Caller {
    /// The caller of a transaction, for the operation that policies see as `storage.operation()`.
    pub(crate) fn doing(&self, operation: &'static str) -> pg::Caller {
        pg::Caller::new(self.role.as_str(), &self.claims)
            .with("request.jwt.claim.role", self.role.as_str())
            .with("request.jwt", self.token.as_str())
            .with(
                "request.jwt.claim.sub",
                self.claims.subject().unwrap_or_default(),
            )
            .with("request.headers", self.context.headers.as_str())
            .with("request.method", self.context.method.as_str())
            .with("request.path", self.context.path.as_str())
            .with("storage.operation", operation)
            .with("storage.allow_delete_query", "true")
            .with("statement_timeout", self.statement_timeout.as_str())
    }

    /// The claim `sub`, who owns what is made.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.claims.subject()
    }

    pub(crate) fn role(&self) -> &str {
        &self.role
    }
}

impl App {
    /// Who sends a request that needs a token.
    pub(crate) fn authenticate(&self, parts: &Parts) -> Result<Caller> {
        let header = parts.headers.get(header::AUTHORIZATION);
        let header = header
            .ok_or_else(|| Error::schema("headers must have required property 'authorization'"))?;
        self.authenticate_token(
            bearer(header.to_str().unwrap_or_default()),
            Context::of(parts),
        )
    }

    /// Who sends a request that may do without a token; nobody if there is none, or one that is not valid.
    pub(crate) fn maybe_authenticate(&self, parts: &Parts) -> Option<Caller> {
        let header = parts.headers.get(header::AUTHORIZATION)?;
        let token = bearer(header.to_str().unwrap_or_default());
        self.authenticate_token(token, Context::of(parts)).ok()
    }

    /// Whom a token stands for.
    pub(crate) fn authenticate_token(&self, token: &str, context: Context) -> Result<Caller> {
        let claims = verify(token, &self.config().keys).map_err(Error::access_denied)?;
        Ok(Caller {
            role: claims.role().unwrap_or("anon").to_owned(),
            claims,
            token: token.to_owned(),
            context,
            statement_timeout: self.statement_timeout(),
        })
    }

    /// The same, for routes that only the service role may use.
    pub(crate) fn authenticate_service(&self, parts: &Parts) -> Result<Caller> {
        let caller = self.authenticate(parts)?;
        if caller.role != self.config().service_role {
            return Err(Error::access_denied("Access denied: Invalid role").with_rest_status(403));
        }
        Ok(caller)
    }

    /// The service itself, with the claims of the service key.
    pub(crate) fn service(&self, context: Context) -> Caller {
        Caller {
            role: self.config().service_role.clone(),
            claims: self.service_claims().clone(),
            token: self.service_token().to_owned(),
            context,
            statement_timeout: self.statement_timeout(),
        }
    }

    /// The service on behalf of a caller: its rights, the caller's request.
    pub(crate) fn service_for(&self, caller: &Caller) -> Caller {
        self.service(caller.context.clone())
    }

    fn statement_timeout(&self) -> String {
        self.config().statement_timeout.as_millis().to_string()
    }
}

fn bearer(header: &str) -> &str {
    match header.split_once(char::is_whitespace) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => header,
    }
}

/// Verifies a token's signature and times; the error is what the caller reads.
pub(crate) fn verify(token: &str, keys: &KeySet) -> Result<Claims, &'static str> {
    let claims = keys.verify(token).map_err(|error| match error {
        JwtError::Parts(_) | JwtError::Malformed => "Invalid Compact JWS",
        JwtError::Algorithm => r#""alg" (Algorithm) Header Parameter value not allowed"#,
        JwtError::UnknownKey | JwtError::Signature => "signature verification failed",
    })?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    let time = |name: &str| claims.get(name).map(Value::as_f64);
    match time("exp") {
        Some(None) => return Err(r#""exp" claim must be a number"#),
        Some(Some(expiry)) if expiry <= now => {
            return Err(r#""exp" claim timestamp check failed"#);
        }
        _ => {}
    }
    match time("nbf") {
        Some(None) => Err(r#""nbf" claim must be a number"#),
        Some(Some(start)) if start > now => Err(r#""nbf" claim timestamp check failed"#),
        _ => Ok(claims),
    }
}

/// True for a client that fails on a bucket with a type: releases of the Python client before 2.18.
pub(crate) fn omits_bucket_type(headers: &HeaderMap) -> bool {
    let older = |name: &str, prefix: &str, than: [u32; 3]| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix(prefix))
            .is_some_and(|version| numbers(version) < than)
    };
    older("x-client-info", "supabase-py/", [2, 18, 0])
        || older("user-agent", "supabase-py/storage3 v", [0, 12, 1])
}

/// Major, minor and patch; what is not a number counts as zero.
fn numbers(version: &str) -> [u32; 3] {
    let mut parts = version
        .split(|c: char| !c.is_ascii_digit())
        .map(|part| part.parse().unwrap_or(0));
    [(); 3].map(|()| parts.next().unwrap_or(0))
}
