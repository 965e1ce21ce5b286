//! What a limit allows, and the state that it needs.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::config::SendLimit;

/// How often something may happen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rule {
    /// So many at once, and then so many per second.
    Refilled {
        /// At once.
        burst: f64,
        /// After that.
        per_second: f64,
    },
    /// So many in each window, which begins with the first.
    Window {
        /// How many.
        events: f64,
        /// How long a window is.
        length: Duration,
    },
}

impl Rule {
    /// How many may happen at once, to begin with.
    pub fn burst(self) -> f64 {
        match self {
            Self::Refilled { burst, .. } => burst,
            Self::Window { events, .. } => events,
        }
    }

    /// How long it takes until an empty bucket is full.
    pub fn filled_after(self) -> Duration {
        match self {
            Self::Refilled { burst, per_second } => {
                Duration::try_from_secs_f64(burst / per_second).unwrap_or(Duration::MAX)
            }
            Self::Window { length, .. } => length,
        }
    }

    /// How long until the next one may happen, given what is left and since when; at least a second.
    pub fn wait(self, bucket: &Bucket, now: DateTime<Utc>) -> Duration {
        let seconds = match self {
            Self::Refilled { per_second, .. } if per_second > 0.0 => {
                let elapsed = (now - bucket.since).as_seconds_f64().max(0.0);
                (1.0 - bucket.tokens) / per_second - elapsed
            }
            // It never refills; nobody should ask again soon.
            Self::Refilled { .. } => 3600.0,
            Self::Window { length, .. } => {
                length.as_secs_f64() - (now - bucket.since).as_seconds_f64()
            }
        };
        Duration::from_secs_f64(seconds.clamp(1.0, 86_400.0).ceil())
    }
}

impl From<SendLimit> for Rule {
    fn from(limit: SendLimit) -> Self {
        match limit {
            SendLimit::PerHour(events) => Self::Window {
                events,
                length: Duration::from_secs(3600),
            },
            SendLimit::Refilled(burst, over) => Self::Refilled {
                burst,
                per_second: 1.0 / over.as_secs_f64().max(1e-9),
            },
        }
    }
}

/// What is left under a rule.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bucket {
    /// How many may happen.
    pub tokens: f64,
    /// When that was so; for windows when this one began.
    pub since: DateTime<Utc>,
}

impl Bucket {
    /// A full one.
    pub fn full(rule: Rule, now: DateTime<Utc>) -> Self {
        Self {
            tokens: rule.burst(),
            since: now,
        }
    }

    /// Takes one, or says how long to wait.
    pub fn take(&mut self, rule: Rule, now: DateTime<Utc>) -> Result<(), Duration> {
        match rule {
            Rule::Refilled { burst, per_second } => {
                let elapsed = (now - self.since).as_seconds_f64().max(0.0);
                self.tokens = (self.tokens + elapsed * per_second).min(burst);
                self.since = now;
            }
            Rule::Window { events, length } => {
                let age = (now - self.since).to_std().unwrap_or_default();
                if age >= length {
                    *self = Self {
                        tokens: events,
                        since: now,
                    };
                }
            }
        }
        if self.tokens < 1.0 {
            return Err(rule.wait(self, now));
        }
        self.tokens -= 1.0;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_refills_one_by_one() {
        let rule = Rule::Refilled {
            burst: 2.0,
            per_second: 0.1,
        };
        let now = Utc::now();
        let mut bucket = Bucket::full(rule, now);
        assert!(bucket.take(rule, now).is_ok() && bucket.take(rule, now).is_ok());
        assert_eq!(bucket.take(rule, now), Err(Duration::from_secs(10)));
        let later = now + chrono::Duration::seconds(4);
        assert_eq!(bucket.take(rule, later), Err(Duration::from_secs(6)));
        assert!(
            bucket
                .take(rule, now + chrono::Duration::seconds(11))
                .is_ok()
        );
    }

    #[test]
    fn a_window_begins_with_its_first() {
        let rule = Rule::from(SendLimit::PerHour(2.0));
        let now = Utc::now();
        let mut bucket = Bucket::full(rule, now);
        assert!(bucket.take(rule, now).is_ok() && bucket.take(rule, now).is_ok());
        let later = now + chrono::Duration::minutes(59);
        assert_eq!(bucket.take(rule, later), Err(Duration::from_secs(60)));
        assert!(
            bucket
                .take(rule, now + chrono::Duration::minutes(60))
                .is_ok()
        );
    }

    #[test]
    fn what_never_refills_is_not_asked_for_every_second() {
        let rule = Rule::Refilled {
            burst: 0.0,
            per_second: 0.0,
        };
        let now = Utc::now();
        let refused = Bucket::full(rule, now).take(rule, now);
        assert_eq!(refused, Err(Duration::from_secs(3600)));
    }
}
