use std::time::Duration;

/// Per-address limits, and those on what is sent by mail and text message.
#[derive(Clone, Debug)]
pub struct RateLimits {
    /// `GOTRUE_RATE_LIMIT_HEADER`: names the client; without it nothing is limited per address.
    pub header: Option<String>,
    /// `GOTRUE_RATE_LIMIT_OTP`: per five minutes.
    pub otp: f64,
    /// `GOTRUE_RATE_LIMIT_VERIFY`: per five minutes.
    pub verify: f64,
    /// `GOTRUE_RATE_LIMIT_TOKEN_REFRESH`: per five minutes, all grants.
    pub token: f64,
    /// `GOTRUE_RATE_LIMIT_ANONYMOUS_USERS`: per hour.
    pub anonymous: f64,
    /// `GOTRUE_RATE_LIMIT_O_AUTH_DYNAMIC_CLIENT_REGISTER`: per five minutes.
    pub oauth_client_register: f64,
    /// `GOTRUE_MFA_RATE_LIMIT_CHALLENGE_AND_VERIFY`: per minute, each of the two.
    pub mfa: f64,
    /// `GOTRUE_RATE_LIMIT_PASSKEY`: per five minutes.
    pub passkey: f64,
    /// `GOTRUE_RATE_LIMIT_WEB3`: per five minutes.
    pub web3: f64,
    /// `GOTRUE_RATE_LIMIT_SSO`: per five minutes.
    pub sso: f64,
    /// `GOTRUE_SAML_RATE_LIMIT_ASSERTION`: per five minutes.
    pub saml_assertion: f64,
    /// `GOTRUE_RATE_LIMIT_EMAIL_SENT`.
    pub email_sent: SendLimit,
    /// `GOTRUE_RATE_LIMIT_SMS_SENT`.
    pub sms_sent: SendLimit,
    /// `NILAM_AUTH_WRONG_CODES`, ours: how many wrong codes may be tried for an address, factor or user before it
    /// takes five minutes to try another; 0 is any number.
    pub wrong_codes: f64,
    /// `NILAM_AUTH_SHARED_RATE_LIMITS`, ours: all copies of the service count together, in the database.
    pub shared: bool,
}

/// How many messages may be sent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SendLimit {
    /// So many in each hour, counted from the first.
    PerHour(f64),
    /// A bucket of so many that refills once in the time given.
    Refilled(f64, Duration),
}

impl SendLimit {
    /// Reads `30` or `30/1h`.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let reason = || "expected a number such as 30, or 30/1h".to_owned();
        let count = |text: &str| text.trim().parse::<f64>().ok().filter(|n| *n >= 0.0);
        match text.split_once('/') {
            None => Ok(Self::PerHour(count(text).ok_or_else(reason)?)),
            Some((events, over)) => {
                let over = svc_kit::env::parse_duration(over.trim()).map_err(|_| reason())?;
                Ok(Self::Refilled(count(events).ok_or_else(reason)?, over))
            }
        }
    }

    /// True when nothing may be sent at all.
    pub fn is_zero(self) -> bool {
        match self {
            Self::PerHour(events) | Self::Refilled(events, _) => events <= 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_send_limit_is_per_hour_or_refilled() {
        assert_eq!(SendLimit::parse("30"), Ok(SendLimit::PerHour(30.0)));
        assert_eq!(
            SendLimit::parse("5/10m"),
            Ok(SendLimit::Refilled(5.0, Duration::from_secs(600)))
        );
        for wrong in ["-1", "many", "3/x"] {
            assert!(SendLimit::parse(wrong).is_err(), "{wrong}");
        }
    }
}
