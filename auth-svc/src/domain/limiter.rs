//! How often a client may ask, and how much may be sent.
//!
//! The counts live in Postgres, so that they hold for all copies of the service together, and cost one statement
//! each; a refusal is remembered here until it is over and costs none. Where the table is missing or the setting
//! `NILAM_AUTH_SHARED_RATE_LIMITS` is off, each copy counts for itself, as GoTrue does.

mod bucket;

pub use bucket::{Bucket, Rule};

use std::{
    borrow::Cow,
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use chrono::{DateTime, Utc};
use sqlx::PgPool;
use svc_kit::observe::PoolState;

use crate::{
    config::RateLimits,
    error::{Code, Error},
    metrics::Counts,
    store::rate_limits,
};

/// How many may come at once.
const BURST: f64 = 30.0;
/// How long it takes until another wrong code may be tried. Ten and 288 a day leave a guesser of six digits one
/// chance in 3,000 a day.
pub const GUESS_EVERY: Duration = Duration::from_secs(300);
/// Old ones are forgotten once this many clients are known.
const MAX_CLIENTS: usize = 100_000;
/// Longer names of clients are cut.
const MAX_NAME: usize = 64;
/// No bucket is kept for longer than this without use, however slowly it fills.
const FORGOTTEN_AFTER: Duration = Duration::from_secs(30 * 86_400);
/// Every one is kept for this long.
const KEPT_FOR: Duration = Duration::from_secs(7_200);

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
    Web3,
    Sso,
    SamlAssertion,
}

#[derive(Debug, Default)]
struct Known {
    buckets: HashMap<String, Bucket>,
    refused_until: HashMap<String, DateTime<Utc>>,
}

/// All limits.
#[derive(Debug)]
pub struct Limiter {
    limits: RateLimits,
    shared: Option<PgPool>,
    known: Mutex<Known>,
    refused: Counts<1>,
    refused_mails: AtomicU64,
}

impl Limiter {
    /// Counts in the database behind `shared`, or else alone.
    pub fn new(limits: &RateLimits, shared: Option<PgPool>) -> Self {
        Self {
            limits: limits.clone(),
            shared,
            known: Mutex::default(),
            refused: Counts::default(),
            refused_mails: AtomicU64::new(0),
        }
    }

    /// Refusals by their code.
    pub fn refused(&self) -> &Counts<1> {
        &self.refused
    }

    /// Mails that the limit for all of them kept back.
    pub fn refused_mails(&self) -> u64 {
        self.refused_mails.load(Ordering::Relaxed)
    }

    /// The connections that limits are counted over, if they are shared.
    pub(crate) fn pool_state(&self) -> Option<PoolState> {
        let pool = self.shared.as_ref()?;
        Some(PoolState::of_sqlx("limits", pool, None))
    }

    /// A refusal, which is counted.
    fn refuse(&self, code: Code, message: impl Into<Cow<'static, str>>, wait: Duration) -> Error {
        self.refused.add([code.as_str()]);
        Error::too_many(code, message, wait)
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn rule(&self, route: Route) -> Rule {
        let five_minutes = 300.0;
        let (burst, per_second) = match route {
            Route::Anonymous => (self.limits.anonymous, self.limits.anonymous / 3600.0),
            Route::Verify => (BURST, self.limits.verify / five_minutes),
            Route::Token => (BURST, self.limits.token / five_minutes),
            Route::OAuthClientRegister => (BURST, self.limits.oauth_client_register / five_minutes),
            Route::FactorChallenge | Route::FactorVerify => (BURST, self.limits.mfa / 60.0),
            Route::PasskeyAuthentication => (BURST, self.limits.passkey / five_minutes),
            Route::Web3 => (BURST, self.limits.web3 / five_minutes),
            Route::Sso => (BURST, self.limits.sso / five_minutes),
            Route::SamlAssertion => (BURST, self.limits.saml_assertion / five_minutes),
            _ => (BURST, self.limits.otp / five_minutes),
        };
        Rule::Refilled { burst, per_second }
    }

    /// How long it takes until the slowest bucket is full, and so says nothing any more.
    fn kept_for(&self) -> Duration {
        const ROUTES: [Route; 7] = [
            Route::Anonymous,
            Route::Verify,
            Route::Token,
            Route::OAuthClientRegister,
            Route::FactorVerify,
            Route::PasskeyAuthentication,
            Route::Otp,
        ];
        let sent = [self.limits.email_sent, self.limits.sms_sent].map(Rule::from);
        let routes = ROUTES.into_iter().map(|route| self.rule(route));
        let slowest = routes
            .chain(sent)
            .chain(self.guesses())
            .map(Rule::filled_after)
            .max()
            .unwrap_or_default();
        slowest.clamp(KEPT_FOR, FORGOTTEN_AFTER)
    }

    /// Takes one from the bucket of this name, or says how long to wait.
    async fn take(&self, name: String, rule: Rule, now: DateTime<Utc>) -> Result<(), Duration> {
        if rule.burst() < 1.0 {
            return Err(rule.wait(&Bucket::full(rule, now), now));
        }
        if let Some(shared) = &self.shared {
            let until = self.known().refused_until.get(&name).copied();
            let left = until.and_then(|until| (until - now).to_std().ok());
            if let Some(left) = left.filter(|left| !left.is_zero()) {
                return Err(left);
            }
            match rate_limits::take(shared, &name, rule, now).await {
                Ok(Ok(())) => return Ok(()),
                Ok(Err(wait)) => {
                    let mut known = self.known();
                    if known.refused_until.len() >= MAX_CLIENTS {
                        known.refused_until.retain(|_, until| *until > now);
                    }
                    let until = now + wait;
                    known.refused_until.insert(name, until);
                    return Err(wait);
                }
                Err(error) => tracing::warn!(%error, "limits are counted by this process alone"),
            }
        }
        let mut known = self.known();
        if known.buckets.len() >= MAX_CLIENTS {
            let oldest = now - self.kept_for();
            known.buckets.retain(|_, bucket| bucket.since > oldest);
        }
        let bucket = known.buckets.entry(name);
        bucket.or_insert(Bucket::full(rule, now)).take(rule, now)
    }

    /// Fails when this client asked too often. Clients that cannot be told apart are not limited.
    pub async fn check(
        &self,
        route: Route,
        client: Option<&str>,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let Some(client) = client else { return Ok(()) };
        let client: String = client.chars().take(MAX_NAME).collect();
        let name = format!("{route:?}:{client}");
        self.take(name, self.rule(route), now)
            .await
            .map_err(|wait| {
                self.refuse(
                    Code::OverRequestRateLimit,
                    "Request rate limit reached",
                    wait,
                )
            })
    }

    /// Fails when no more mail may go out. With autoconfirmation only an outright ban counts.
    pub async fn check_mail(&self, autoconfirm: bool, now: DateTime<Utc>) -> Result<(), Error> {
        let limit = self.limits.email_sent;
        if autoconfirm && !limit.is_zero() {
            return Ok(());
        }
        self.take("mail".to_owned(), limit.into(), now)
            .await
            .map_err(|wait| {
                self.refused_mails.fetch_add(1, Ordering::Relaxed);
                self.refuse(
                    Code::OverEmailSendRateLimit,
                    "email rate limit exceeded",
                    wait,
                )
            })
    }

    /// Fails when no more text messages may go out.
    pub async fn check_text(&self, autoconfirm: bool, now: DateTime<Utc>) -> Result<(), Error> {
        if autoconfirm {
            return Ok(());
        }
        self.take("text".to_owned(), self.limits.sms_sent.into(), now)
            .await
            .map_err(|wait| {
                self.refuse(Code::OverSmsSendRateLimit, "SMS rate limit exceeded", wait)
            })
    }

    fn guesses(&self) -> Option<Rule> {
        let burst = self.limits.wrong_codes;
        (burst >= 1.0).then(|| Rule::Refilled {
            burst,
            per_second: 1.0 / GUESS_EVERY.as_secs_f64(),
        })
    }

    /// Fails when too many wrong codes were tried for this subject lately, before another one is looked at.
    pub async fn check_guesses(&self, subject: &str, now: DateTime<Utc>) -> Result<(), Error> {
        let Some(rule) = self.guesses() else {
            return Ok(());
        };
        let name = guess(subject);
        let mut bucket = self.known().buckets.get(&name).copied();
        if let Some(shared) = &self.shared {
            match rate_limits::peek(shared, &name).await {
                Ok(found) => bucket = found,
                Err(error) => tracing::warn!(%error, "limits are counted by this process alone"),
            }
        }
        let left = bucket.map_or(Ok(()), |mut bucket| bucket.take(rule, now));
        left.map_err(|wait| {
            self.refuse(
                Code::OverRequestRateLimit,
                "Request rate limit reached",
                wait,
            )
        })
    }

    /// Counts a wrong code.
    pub async fn note_wrong_guess(&self, subject: &str, now: DateTime<Utc>) {
        if let Some(rule) = self.guesses() {
            // That it was the last one is said to the next one.
            let _ = self.take(guess(subject), rule, now).await;
        }
    }

    /// Fails when the last message of this kind went out too short a time ago.
    pub fn check_frequency(
        &self,
        sent_at: Option<DateTime<Utc>>,
        frequency: Duration,
        code: Code,
        now: DateTime<Utc>,
    ) -> Result<(), Error> {
        let frequency = chrono::Duration::from_std(frequency).unwrap_or_default();
        match sent_at.map(|sent_at| sent_at + frequency) {
            Some(next) if next > now => {
                let seconds = (next - now).num_seconds();
                Err(self.refuse(
                    code,
                    format!(
                        "For security purposes, you can only request this after {seconds} seconds."
                    ),
                    (next - now).to_std().unwrap_or_default(),
                ))
            }
            _ => Ok(()),
        }
    }

    /// Removes the counts that say nothing any more.
    pub async fn clean_up(&self, now: DateTime<Utc>) -> Result<(), sqlx::Error> {
        self.known().refused_until.retain(|_, until| *until > now);
        match &self.shared {
            Some(shared) => rate_limits::forget(shared, now - self.kept_for()).await,
            None => Ok(()),
        }
    }
}

/// The name of the bucket. Addresses do not stand in it.
fn guess(subject: &str) -> String {
    format!("guess:{}", super::otp::hash(subject, ""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SendLimit;

    fn limits() -> RateLimits {
        RateLimits {
            oauth_client_register: 30.0,
            header: None,
            otp: 30.0,
            verify: 30.0,
            token: 150.0,
            anonymous: 30.0,
            mfa: 15.0,
            passkey: 30.0,
            web3: 30.0,
            sso: 30.0,
            saml_assertion: 15.0,
            email_sent: SendLimit::PerHour(2.0),
            sms_sent: SendLimit::Refilled(1.0, Duration::from_secs(10)),
            wrong_codes: 2.0,
            shared: false,
        }
    }

    #[tokio::test]
    async fn a_client_has_a_burst_and_then_its_share() {
        let limiter = Limiter::new(&limits(), None);
        let now = Utc::now();
        for _ in 0..30 {
            limiter.check(Route::Otp, Some("a"), now).await.unwrap();
        }
        let refused = limiter.check(Route::Otp, Some("a"), now).await;
        assert!(matches!(
            refused,
            Err(Error::TooMany {
                retry_after: 10,
                ..
            })
        ));
        limiter.check(Route::Otp, Some("b"), now).await.unwrap();
        limiter.check(Route::Recover, Some("a"), now).await.unwrap();
        let later = now + chrono::Duration::seconds(10);
        limiter.check(Route::Otp, Some("a"), later).await.unwrap();
        for _ in 0..100 {
            limiter.check(Route::Otp, None, now).await.unwrap();
        }
    }

    #[tokio::test]
    async fn with_autoconfirmation_only_a_ban_counts() {
        let mut banned = limits();
        banned.email_sent = SendLimit::PerHour(0.0);
        let now = Utc::now();
        let limiter = Limiter::new(&limits(), None);
        for _ in 0..5 {
            limiter.check_mail(true, now).await.unwrap();
        }
        limiter.check_mail(false, now).await.unwrap();
        limiter.check_mail(false, now).await.unwrap();
        limiter.check_mail(false, now).await.unwrap_err();
        let limiter = Limiter::new(&banned, None);
        limiter.check_mail(true, now).await.unwrap_err();
    }

    #[tokio::test]
    async fn only_wrong_guesses_count() {
        let limiter = Limiter::new(&limits(), None);
        let now = Utc::now();
        for _ in 0..5 {
            limiter.check_guesses("a", now).await.unwrap();
        }
        for _ in 0..2 {
            limiter.check_guesses("a", now).await.unwrap();
            limiter.note_wrong_guess("a", now).await;
        }
        let refused = limiter.check_guesses("a", now).await;
        assert!(matches!(
            refused,
            Err(Error::TooMany {
                retry_after: 300,
                ..
            })
        ));
        limiter.check_guesses("b", now).await.unwrap();
        let later = now + chrono::Duration::minutes(5);
        limiter.check_guesses("a", later).await.unwrap();
    }

    #[tokio::test]
    async fn texts_refill() {
        let limiter = Limiter::new(&limits(), None);
        let now = Utc::now();
        limiter.check_text(false, now).await.unwrap();
        limiter.check_text(false, now).await.unwrap_err();
        let later = now + chrono::Duration::seconds(10);
        limiter.check_text(false, later).await.unwrap();
    }
}
