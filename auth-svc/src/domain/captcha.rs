//! Asks hCaptcha or Turnstile whether a person solved their riddle.

use std::net::IpAddr;

use secrecy::ExposeSecret as _;
use serde::Deserialize;
use url::form_urlencoded;

use super::external::{Problem, fetch};
use crate::{
    app::App,
    config::{Captcha, CaptchaProvider},
    error::{Code, Error},
};

/// Longer ones are no tokens: theirs have about two kilobytes.
const MAX_TOKEN: usize = 16 * 1024;
/// So many of the provider's reasons are passed on.
const MAX_REASONS: usize = 8;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Verdict {
    success: bool,
    #[serde(rename = "error-codes")]
    error_codes: Option<Vec<String>>,
}

fn refused(reason: &str) -> Error {
    let message = format!("captcha protection: request disallowed ({reason})");
    Error::bad_request(Code::CaptchaFailed, message)
}

/// Fails unless the token is the provider's word for a person at this address.
pub async fn check(
    app: &App,
    rules: &Captcha,
    token: &str,
    ip: Option<IpAddr>,
) -> Result<(), Error> {
    let token = token.trim();
    if token.is_empty() {
        return Err(refused("no captcha_token found"));
    }
    if token.len() > MAX_TOKEN {
        return Err(refused("invalid-input-response"));
    }
    let verdict = ask(app, rules, token, ip)
        .await
        .map_err(|problem| Error::internal("captcha verification process failed", problem))?;
    if verdict.success {
        return Ok(());
    }
    let reasons = verdict.error_codes.unwrap_or_default();
    let reasons: Vec<String> = reasons
        .iter()
        .take(MAX_REASONS)
        .map(|reason| reason.chars().take(100).collect())
        .collect();
    Err(refused(&reasons.join(", ")))
}

async fn ask(
    app: &App,
    rules: &Captcha,
    token: &str,
    ip: Option<IpAddr>,
) -> Result<Verdict, Problem> {
    let url = match rules.provider {
        CaptchaProvider::HCaptcha => "https://hcaptcha.com/siteverify",
        CaptchaProvider::Turnstile => "https://challenges.cloudflare.com/turnstile/v0/siteverify",
    };
    let ip = ip.map(|ip| ip.to_string()).unwrap_or_default();
    let body = form_urlencoded::Serializer::new(String::new())
        .append_pair("secret", rules.secret.expose_secret())
        .append_pair("response", token)
        .append_pair("remoteip", &ip)
        .finish();
    let request = app
        .http()
        .post(app.outside().stand_in(url))
        .header(
            http::header::CONTENT_TYPE,
            "application/x-www-form-urlencoded",
        )
        .body(body);
    // Both say what is wrong in the body, whatever the status.
    let answer = tokio::time::timeout(rules.timeout, fetch::send(request))
        .await
        .map_err(|_| Problem::Slow)??;
    serde_json::from_slice(&answer.body).map_err(|_| Problem::Answer("not JSON"))
}
