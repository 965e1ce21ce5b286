//! Proof that a person asks: `GOTRUE_SECURITY_CAPTCHA_*`.

use std::time::Duration;

use secrecy::SecretString;
use svc_kit::env::Reader;

/// Who checks the proof.
#[derive(Clone, Debug)]
pub struct Captcha {
    /// `…_PROVIDER`, default `hcaptcha`.
    pub provider: CaptchaProvider,
    /// `…_SECRET`: our key at the provider.
    pub secret: SecretString,
    /// `…_TIMEOUT`, default 10 s.
    pub timeout: Duration,
}

/// Those that are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "their names")]
pub enum CaptchaProvider {
    HCaptcha,
    Turnstile,
}

/// Nothing unless `…_ENABLED`.
pub(super) fn read(r: &mut Reader<'_>) -> Option<Captcha> {
    const PREFIX: &str = "GOTRUE_SECURITY_CAPTCHA_";
    let name = |rest: &str| format!("{PREFIX}{rest}");
    if !r.flag(&[&name("ENABLED")], false) {
        return None;
    }
    let known = |text: &str| match text {
        "hcaptcha" => Ok(CaptchaProvider::HCaptcha),
        "turnstile" => Ok(CaptchaProvider::Turnstile),
        _ => Err("expected hcaptcha or turnstile".to_owned()),
    };
    let provider = r
        .parse_with(&[&name("PROVIDER")], known)
        .unwrap_or(CaptchaProvider::HCaptcha);
    let secret = r.required(&[&name("SECRET")]).trim().to_owned();
    let wished = r.duration(&[&name("TIMEOUT")], Duration::ZERO);
    Some(Captcha {
        provider,
        secret: secret.into(),
        timeout: if wished.is_zero() {
            Duration::from_secs(10)
        } else {
            wished
        },
    })
}
