//! Who is asking: the token of a request, and the database caller that it stands for.

use std::{
    borrow::Cow,
    time::{SystemTime, UNIX_EPOCH},
};

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};

use http::{HeaderMap, header, request::Parts};
use serde_json::{Map, Value};
use svc_kit::{
    jwt::{Claims, JwtError, KeySet},
    pg,
};

use crate::{
    App, Config,
    error::{Error, Result},
};

/// What policies and triggers may know of a request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Context {
    method: String,
    path: String,
    headers: String,
    request_id: Option<String>,
}

impl Context {
    pub(crate) fn of(parts: &Parts) -> Self {
        let path = parts.uri.path_and_query();
        Self {
            method: parts.method.to_string(),
            path: path.map_or_else(|| parts.uri.path().to_owned(), ToString::to_string),
            headers: headers_json(&parts.headers),
            request_id: request_id(&parts.headers),
        }
    }
}

/// The header by which a request is found again in logs.
fn request_id(headers: &HeaderMap) -> Option<String> {
    let id = headers.get(svc_kit::http::REQUEST_ID)?;
    Some(id.to_str().ok()?.to_owned())
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
    subject: Option<String>,
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
                self.subject.as_deref().unwrap_or_default(),
            )
            .with("request.headers", self.context.headers.as_str())
            .with("request.method", self.context.method.as_str())
            .with("request.path", self.context.path.as_str())
            .with("storage.operation", operation)
            .with("storage.allow_delete_query", "true")
            .with("statement_timeout", self.statement_timeout.as_str())
    }

    /// The same as it stands in the token, which may be a number.
    pub(crate) fn claimed_subject(&self) -> Option<&Value> {
        self.claims.get("sub").filter(|claim| !claim.is_null())
    }

    /// Whether the caller's role is the one that the service itself has.
    pub(crate) fn is_service(&self, config: &Config) -> bool {
        self.role == config.service_role
    }

    /// `sb-request-id` of the request.
    pub(crate) fn request_id(&self) -> Option<&str> {
        self.context.request_id.as_deref()
    }

    /// The claim `sub`, who owns what is made.
    pub(crate) fn subject(&self) -> Option<&str> {
        self.subject.as_deref()
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

    /// The same, for routes on which no token is a bad token.
    pub(crate) fn authenticate_or_refuse(&self, parts: &Parts) -> Result<Caller> {
        match self.authenticate(parts) {
            Err(error) if error.code == "InvalidRequest" => {
                Err(Error::access_denied("Invalid Compact JWS"))
            }
            other => other,
        }
    }

    /// Who sends a request that may do without a token; nobody if there is none, or one that is not valid.
    pub(crate) fn maybe_authenticate(&self, parts: &Parts) -> Option<Caller> {
        let header = parts.headers.get(header::AUTHORIZATION)?;
        let token = bearer(header.to_str().unwrap_or_default());
        self.authenticate_token(token, Context::of(parts)).ok()
    }

    /// Whom a token stands for.
    pub(crate) fn authenticate_token(&self, token: &str, context: Context) -> Result<Caller> {
        let config = self.config();
        let claims = verify(token, &config.keys, config.only_algorithm.as_deref());
        let claims = claims.map_err(Error::access_denied)?;
        let role = match claims.get("role") {
            None | Some(Value::Null) => "anon".to_owned(),
            Some(Value::String(role)) if role.is_empty() => "anon".to_owned(),
            Some(Value::String(role)) => role.clone(),
            // What is no name is no role either, and Postgres will say so.
            Some(other) => other.to_string(),
        };
        let subject = owner_text(claims.get("sub"));
        Ok(Caller {
            role,
            subject,
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
            subject: self.service_claims().subject().map(str::to_owned),
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

/// The text of a claim that names an owner.
pub(crate) fn owner_text(claim: Option<&Value>) -> Option<String> {
    match claim? {
        Value::Null => None,
        Value::String(owner) => Some(owner.clone()),
        other => Some(other.to_string()),
    }
}

fn bearer(header: &str) -> &str {
    match header.split_once(char::is_whitespace) {
        Some((scheme, token)) if scheme.eq_ignore_ascii_case("bearer") => token.trim(),
        _ => header,
    }
}

/// Verifies a token's signature and times; the error is what the caller reads. `algorithm` is the one that is allowed
/// where there is no set of keys.
pub(crate) fn verify(
    token: &str,
    keys: &KeySet,
    algorithm: Option<&str>,
) -> Result<Claims, Cow<'static, str>> {
    const NOT_ALLOWED: &str = r#""alg" (Algorithm) Header Parameter value not allowed"#;
    let parts: Vec<&str> = token.split('.').collect();
    let [header, payload, signature] = parts[..] else {
        return Err("Invalid Compact JWS".into());
    };
    let header = decoded(header).ok_or("JWS Protected Header is invalid")?;
    if let Some(names) = header.get("crit").and_then(Value::as_array) {
        // There is none that this service knows.
        let name = names.first().and_then(Value::as_str).unwrap_or_default();
        return Err(format!("Extension Header Parameter \"{name}\" is not recognized").into());
    }
    if algorithm.is_some_and(|only| header.get("alg").and_then(Value::as_str) != Some(only)) {
        return Err(NOT_ALLOWED.into());
    }
    let claims = keys.verify(token).map_err(|error| match error {
        JwtError::Algorithm => NOT_ALLOWED,
        JwtError::Malformed if decoded(payload).is_none() => {
            "JWT Claims Set must be a top-level JSON object"
        }
        JwtError::Malformed | JwtError::Parts(_) => "Invalid Compact JWS",
        JwtError::UnknownKey | JwtError::Signature => {
            let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(&byte);
            // A single digit is no byte.
            let is_whole = signature.trim_end_matches('=').len() % 4 != 1;
            if is_whole && signature.bytes().all(is_base64) {
                "signature verification failed"
            } else {
                "Failed to base64url decode the signature"
            }
        }
    })?;
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs_f64();
    let time = |name: &str| claims.get(name).map(Value::as_f64);
    for name in ["iat", "nbf", "exp"] {
        match time(name) {
            Some(None) => return Err(format!("\"{name}\" claim must be a number").into()),
            Some(Some(start)) if name == "nbf" && start > now => {
                return Err(r#""nbf" claim timestamp check failed"#.into());
            }
            Some(Some(expiry)) if name == "exp" && expiry <= now => {
                return Err(r#""exp" claim timestamp check failed"#.into());
            }
            _ => {}
        }
    }
    Ok(claims)
}

/// The JSON object in a part of a token.
fn decoded(part: &str) -> Option<Map<String, Value>> {
    serde_json::from_slice(&URL_SAFE_NO_PAD.decode(part).ok()?).ok()
}

/// True for a client that fails on a bucket with a type: releases of the Python client before 2.18.
pub(crate) fn omits_bucket_type(headers: &HeaderMap) -> bool {
    let older = |name: &str, prefix: &str, than: [u32; 3]| {
        headers
            .get(name)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.strip_prefix(prefix))
            .and_then(numbers)
            .is_some_and(|version| version < than)
    };
    older("x-client-info", "supabase-py/", [2, 18, 0])
        || older("user-agent", "supabase-py/storage3 v", [0, 12, 1])
}

/// Major, minor and patch, if a version has all of them.
fn numbers(version: &str) -> Option<[u32; 3]> {
    let mut parts = version.splitn(3, '.');
    let mut next = || {
        let part = parts.next()?;
        let end = part
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(part.len());
        part[..end].parse().ok()
    };
    Some([next()?, next()?, next()?])
}
