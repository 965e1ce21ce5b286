use std::time::Duration;

use svc_kit::env::Reader;

use super::read::{code_length, frequency, list};

/// Second factors.
#[derive(Clone, Debug)]
pub struct Mfa {
    /// `GOTRUE_MFA_TOTP_*_ENABLED`, both on by default.
    pub totp: FactorKind,
    /// `GOTRUE_MFA_PHONE_*`, off by default.
    pub phone: PhoneFactors,
    /// `GOTRUE_MFA_WEB_AUTHN_*_ENABLED`, both off by default.
    pub webauthn: FactorKind,
    /// `GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION`, seconds, never below 300.
    pub challenge_expiry: Duration,
    /// `GOTRUE_MFA_FACTOR_EXPIRY_DURATION`, never below five minutes: how long a factor may stay
    /// unverified without a challenge.
    pub factor_expiry: Duration,
    /// `GOTRUE_MFA_MAX_ENROLLED_FACTORS`, default 10.
    pub max_enrolled: usize,
    /// `GOTRUE_MFA_MAX_VERIFIED_FACTORS`, default 10.
    pub max_verified: usize,
}

/// What may be done with one kind of factor.
#[derive(Clone, Copy, Debug)]
pub struct FactorKind {
    /// `…_ENROLL_ENABLED`.
    pub enroll: bool,
    /// `…_VERIFY_ENABLED`: challenges and their answers.
    pub verify: bool,
}

/// Factors that are a telephone number.
#[derive(Clone, Copy, Debug)]
pub struct PhoneFactors {
    /// What may be done.
    pub kind: FactorKind,
    /// `GOTRUE_MFA_PHONE_OTP_LENGTH`: 6 to 10 digits.
    pub otp_length: u8,
    /// `GOTRUE_MFA_PHONE_MAX_FREQUENCY`: between two codes to one factor, default a minute.
    pub max_frequency: Duration,
}

/// Who asks for WebAuthn credentials.
#[derive(Clone, Debug)]
pub struct RelyingParty {
    /// `GOTRUE_WEBAUTHN_RP_ID`: the domain that credentials belong to.
    pub id: String,
    /// `GOTRUE_WEBAUTHN_RP_DISPLAY_NAME`.
    pub display_name: String,
    /// `GOTRUE_WEBAUTHN_RP_ORIGINS`: the pages that may use them.
    pub origins: Vec<String>,
    /// `GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION`: how long the challenge of a passkey lasts, default
    /// five minutes.
    pub challenge_expiry: Duration,
}

pub(super) fn factors(r: &mut Reader<'_>) -> Mfa {
    let shortest = Duration::from_secs(300);
    let seconds = r.parse_or(&["GOTRUE_MFA_CHALLENGE_EXPIRY_DURATION"], 300.0_f64);
    Mfa {
        totp: kind(r, "TOTP", true),
        phone: PhoneFactors {
            kind: kind(r, "PHONE", false),
            otp_length: code_length(r, "GOTRUE_MFA_PHONE_OTP_LENGTH"),
            max_frequency: frequency(r, "GOTRUE_MFA_PHONE_MAX_FREQUENCY"),
        },
        webauthn: kind(r, "WEB_AUTHN", false),
        challenge_expiry: Duration::try_from_secs_f64(seconds)
            .unwrap_or(shortest)
            .max(shortest),
        factor_expiry: r
            .duration(&["GOTRUE_MFA_FACTOR_EXPIRY_DURATION"], shortest)
            .max(shortest),
        max_enrolled: r.parse_or(&["GOTRUE_MFA_MAX_ENROLLED_FACTORS"], 10),
        max_verified: r.parse_or(&["GOTRUE_MFA_MAX_VERIFIED_FACTORS"], 10),
    }
}

fn kind(r: &mut Reader<'_>, name: &str, default: bool) -> FactorKind {
    let flag = |r: &mut Reader<'_>, what: &str| {
        r.flag(&[&format!("GOTRUE_MFA_{name}_{what}_ENABLED")], default)
    };
    FactorKind {
        enroll: flag(r, "ENROLL"),
        verify: flag(r, "VERIFY"),
    }
}

/// Missing settings fail the ceremony and not the start, as in the original.
pub(super) fn relying_party(r: &mut Reader<'_>) -> Option<RelyingParty> {
    let five_minutes = Duration::from_secs(300);
    let party = RelyingParty {
        id: r.text_or(&["GOTRUE_WEBAUTHN_RP_ID"], ""),
        display_name: r.text_or(&["GOTRUE_WEBAUTHN_RP_DISPLAY_NAME"], ""),
        origins: list(r.text(&["GOTRUE_WEBAUTHN_RP_ORIGINS"])),
        challenge_expiry: r.duration(&["GOTRUE_WEBAUTHN_CHALLENGE_EXPIRY_DURATION"], five_minutes),
    };
    let complete =
        !party.id.is_empty() && !party.display_name.is_empty() && !party.origins.is_empty();
    complete.then_some(party)
}
