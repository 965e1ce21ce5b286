//! Token buckets, per address and for what is sent.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use chrono::{DateTime, Utc};

use crate::{
    config::{RateLimits, SendLimit},
    error::{Code, Error},
};

/// How many may come at once.
const BURST: f64 = 30.0;
/// Forgotten once this many clients are known: buckets that are full again say nothing.
const MAX_BUCKETS: usize = 100_000;

/// What is limited per address; each has a bucket of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the names of the routes")]
pub enum Route {
    Signup,
    Anonymous,
    Otp,
    MagicLink,
    Recover,
    Resend,
    User,
    Verify,
    Token,
    OAuthClientRegister,
    FactorChallenge,
    FactorVerify,
    PasskeyAuthentication,
    Sso,
    SamlAssertion,
}

#[derive(Debug)]
struct Bucket {
    tokens: f64,
    filled_at: DateTime<Utc>,
}

impl Bucket {
    fn take(&mut self, burst: f64, per_second: f64, now: DateTime<Utc>) -> bool {
        let elapsed = (now - self.filled_at).as_seconds_f64().max(0.0);
        self.tokens = (self.tokens + elapsed * per_second).min(burst);
        self.filled_at = now;
        if self.tokens < 1.0 {
            return false;
        }
        self.tokens -= 1.0;
        true
    }
}

/// What is sent, to everybody together.
#[derive(Debug)]
struct Sent {
    limit: SendLimit,
    bucket: Mutex<Option<Bucket>>,
}

impl Sent {
    fn new(limit: SendLimit) -> Self {
        Self {
            limit,
            bucket: Mutex::new(None),
        }
    }

    fn allows(&self, now: DateTime<Utc>) -> bool {
        if self.limit.is_zero() {
            return false;
        }
        let mut guard = self.bucket.lock().unwrap_or_else(PoisonError::into_inner);
        let (events, per_second) = match self.limit {
            SendLimit::PerHour(events) => {
                let hour = Duration::from_secs(3600);
                let over = guard
                    .as_ref()
                    .is_some_and(|b| (now - b.filled_at).to_std().is_ok_and(|age| age >= hour));
                if over {
                    *guard = None;
                }
                (events, 0.0)
            }
            SendLimit::Refilled(events, over) => (events, 1.0 / over.as_secs_f64().max(1e-9)),
        };
        let bucket = guard.get_or_insert(Bucket {
            tokens: events,
            filled_at: now,
        });
        if per_second > 0.0 {
            return bucket.take(events, per_second, now);
        }
        // A fixed hour: its beginning must stay known.
        let allowed = bucket.tokens >= 1.0;
        if allowed {
            bucket.tokens -= 1.0;
        }
        allowed
    }
}

/// All limits of the process.
#[derive(Debug)]
pub struct Limiter {
    limits: RateLimits,
    clients: Mutex<HashMap<(Route, String), Bucket>>,
    mails: Sent,
    texts: Sent,
}

impl Limiter {
    /// All buckets full.
    pub fn new(limits: &RateLimits) -> Self {
        Self {
            limits: limits.clone(),
            clients: Mutex::default(),
            mails: Sent::new(limits.email_sent),
            texts: Sent::new(limits.sms_sent),
        }
    }

    /// Fails when this client asked too often. Clients that cannot be told apart are not limited.
    pub fn check(
        &self,
        route: Route,
        client: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let Some(client) = client else { return Ok(()) };
        let five_minutes = 300.0;
        let (burst, per_second) = match route {
            Route::Anonymous => (self.limits.anonymous, self.limits.anonymous / 3600.0),
            Route::Verify => (BURST, self.limits.verify / five_minutes),
            Route::Token => (BURST, self.limits.token / five_minutes),
            Route::OAuthClientRegister => (BURST, self.limits.oauth_client_register / five_minutes),
            Route::FactorChallenge | Route::FactorVerify => (BURST, self.limits.mfa / 60.0),
            Route::PasskeyAuthentication => (BURST, self.limits.passkey / five_minutes),
            Route::Sso => (BURST, self.limits.sso / five_minutes),
            Route::SamlAssertion => (BURST, self.limits.saml_assertion / five_minutes),
            _ => (BURST, self.limits.otp / five_minutes),
        };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_BUCKETS {
            clients.retain(|_, bucket| (now - bucket.filled_at).num_seconds() < 3600);
        }
        let bucket = clients
            .entry((route, client.chars().take(64).collect()))
            .or_insert(Bucket {
                tokens: burst,
                filled_at: now,
            });
        if bucket.take(burst, per_second, now) {
            return Ok(());
        }
        Err(Error::too_many(
            Code::OverRequestRateLimit,
            "Request rate limit reached",
        ))
    }

    /// Fails when no more mail may go out. With autoconfirmation only an outright ban counts.
    pub fn check_mail(&self, autoconfirm: bool, now: DateTime<Utc>) -> Result<(), Error> {
        let refused = self.limits.email_sent.is_zero() || (!autoconfirm && !self.mails.allows(now));
        if !refused {
            return Ok(());
        }
        Err(Error::too_many(
            Code::OverEmailSendRateLimit,
            "email rate limit exceeded",
        ))
    }

    /// Fails when no more text messages may go out.
    pub fn check_text(&self, autoconfirm: bool, now: DateTime<Utc>) -> Result<(), Error> {
        if autoconfirm || self.texts.allows(now) {
            return Ok(());
        }
        Err(Error::too_many(
            Code::OverSmsSendRateLimit,
            "SMS rate limit exceeded",
        ))
    }
}

/// Fails when the last message of this kind went out too short a time ago.
pub fn check_frequency(
    sent_at: Option<DateTime<Utc>>,
    frequency: Duration,
    code: Code,
    now: DateTime<Utc>,
) -> Result<(), Error> {
    let frequency = chrono::Duration::from_std(frequency).unwrap_or_default();
    match sent_at.map(|sent_at| sent_at + frequency) {
        Some(next) if next > now => Err(Error::too_many(
            code,
            format!(
                "For security purposes, you can only request this after {} seconds.",
                (next - now).num_seconds()
            ),
        )),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> RateLimits {
        RateLimits {
            oauth_client_register: 30.0,
            header: None,
            otp: 30.0,
            verify: 30.0,
            token: 150.0,
            anonymous: 2.0,
            mfa: 15.0,
            passkey: 30.0,
            sso: 30.0,
            saml_assertion: 15.0,
            email_sent: SendLimit::PerHour(2.0),
            sms_sent: SendLimit::Refilled(1.0, Duration::from_secs(10)),
        }
    }

    #[test]
    fn a_client_has_thirty_at_once_and_then_waits() {
        let limiter = Limiter::new(&limits());
        let now = Utc::now();
        let ask = |client, at| limiter.check(Route::Otp, Some(client), at).is_ok();
        assert!((0..30).all(|_| ask("a", now)));
        assert!(!ask("a", now));
        assert!(ask("b", now), "another client has a bucket of its own");
        assert!(ask("a", now + chrono::Duration::seconds(10)));
        assert!(limiter.check(Route::Otp, None, now).is_ok());
    }

    #[test]
    fn mails_are_counted_by_the_hour() {
        let limiter = Limiter::new(&limits());
        let now = Utc::now();
        assert!(limiter.check_mail(false, now).is_ok());
        assert!(limiter.check_mail(false, now).is_ok());
        let later = now + chrono::Duration::minutes(59);
        assert!(limiter.check_mail(false, later).is_err());
        assert!(limiter.check_mail(true, later).is_ok());
        let next_hour = now + chrono::Duration::minutes(60);
        assert!(limiter.check_mail(false, next_hour).is_ok());
    }

    #[test]
    fn texts_refill() {
        let limiter = Limiter::new(&limits());
        let now = Utc::now();
        assert!(limiter.check_text(false, now).is_ok());
        assert!(limiter.check_text(false, now).is_err());
        let later = now + chrono::Duration::seconds(10);
        assert!(limiter.check_text(false, later).is_ok());
    }
}
