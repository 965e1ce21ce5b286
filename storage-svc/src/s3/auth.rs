//! Who sends a request: whoever holds the service's key pair, or a user with a token of its own.

use chrono::{DateTime, Utc};
use http::request::Parts;
use secrecy::SecretString;

use crate::{
    App,
    auth::{Caller, Context},
    error::{Error, Result},
    s3::{
        query::Query,
        signature::{ClientSignature, KeyPair, LengthRange, Rules, Signed, Signer},
    },
};

/// A verified request.
pub(super) struct Verified {
    pub(super) caller: Caller,
    pub(super) signer: Signer,
    /// The hash that the body must have.
    pub(super) hash: Option<[u8; 32]>,
    /// What the first chunk of the body is chained to.
    pub(super) seed: String,
}

/// Verifies a request that carries its signature in a header or in its query.
pub(super) fn verify(
    app: &App,
    parts: &Parts,
    query: &Query,
    now: DateTime<Utc>,
) -> Result<Verified> {
    let signature = ClientSignature::find(&parts.headers, query, now)?
        .ok_or_else(|| Error::access_denied("Missing signature"))?;
    let request = Signed {
        method: &parts.method,
        path: parts.uri.path(),
        query,
        headers: &parts.headers,
        authority: parts.uri.authority().map(http::uri::Authority::as_str),
    };
    let signer = signature.verify(&request, &key_pair(app, &signature)?, &rules(app))?;
    Ok(Verified {
        caller: caller(app, &signature, parts)?,
        hash: signature.body_hash(&request),
        seed: signature.seed().to_owned(),
        signer,
    })
}

/// Verifies a form; gives also how long its file may be.
pub(super) fn verify_form(
    app: &App,
    parts: &Parts,
    form: &ClientSignature,
    bucket: &str,
    now: DateTime<Utc>,
) -> Result<(Caller, LengthRange)> {
    let range = form.verify_form(bucket, &key_pair(app, form)?, &rules(app), now)?;
    Ok((caller(app, form, parts)?, range))
}

fn key_pair<'a>(app: &'a App, signature: &ClientSignature) -> Result<KeyPair<'a>> {
    let config = app.config();
    let pair = |access_key: &'a str, secret: &'a SecretString| KeyPair { access_key, secret };
    if signature.session_token.is_some() {
        return Ok(pair(&config.tenant, &config.anon_key));
    }
    config
        .s3
        .credentials
        .as_ref()
        .map(|(access_key, secret)| pair(access_key, secret))
        .ok_or_else(|| {
            Error::access_denied(
                "Missing S3 Protocol Access Key ID or Secret Key Environment variables",
            )
        })
}

fn caller(app: &App, signature: &ClientSignature, parts: &Parts) -> Result<Caller> {
    let context = Context::of(parts);
    match &signature.session_token {
        Some(token) => app.authenticate_token(token, context),
        None => Ok(app.service(context)),
    }
}

fn rules(app: &App) -> Rules {
    let config = app.config();
    Rules {
        region: config.s3.region.clone(),
        enforce_region: config.s3.enforce_region,
        prefix: config.s3.prefix.clone(),
        trust_prefix_header: config.allow_forwarded_prefix,
        public_host: config.public_url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            Some(match url.port() {
                Some(port) => format!("{host}:{port}"),
                None => host.to_owned(),
            })
        }),
        allow_forwarded: config.s3.allow_forwarded,
        host_header: config.s3.host_header.clone(),
    }
}
