//! What is counted, and how Prometheus reads it: the original's names as far as it counts the same, our own for what else
//! an operator has to know.

mod listener;
mod show;

use std::{
    collections::BTreeMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use svc_kit::observe::{Requests, Waiters};

use crate::error::Error;

pub use listener::Listener;

/// Upper ends of the classes of a hook's durations, in seconds. A hook has no more than five.
const HOOK_BOUNDS: [f64; 8] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Counts by labels, all of which the service chooses from a few words. What they count is rare beside a lock.
#[derive(Debug)]
pub struct Counts<const N: usize>(Mutex<BTreeMap<[&'static str; N], u64>>);

impl<const N: usize> Default for Counts<N> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<const N: usize> Counts<N> {
    /// One more with these labels.
    pub fn add(&self, labels: [&'static str; N]) {
        *locked(&self.0).entry(labels).or_default() += 1;
    }

    fn all(&self) -> Vec<([&'static str; N], u64)> {
        let counts = locked(&self.0);
        counts
            .iter()
            .map(|(labels, count)| (*labels, *count))
            .collect()
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The durations of one hook.
#[derive(Clone, Copy, Debug, Default)]
struct HookTimes {
    within: [u64; HOOK_BOUNDS.len()],
    count: u64,
    total: Duration,
}

/// How a hook answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookResult {
    /// It did.
    Success,
    /// It said no, with a reason.
    Refused,
    /// It did not, or not in a way that can be used.
    Failed,
}

/// Counters of the service.
#[derive(Debug, Default)]
pub struct Metrics {
    requests: Requests,
    sign_ins: Counts<2>,
    mails: Counts<1>,
    failed_mails: Counts<1>,
    texts: Counts<0>,
    failed_texts: Counts<0>,
    hooks: Counts<2>,
    hook_times: Mutex<BTreeMap<&'static str, HookTimes>>,
    connections: Waiters,
}

impl Metrics {
    /// Requests by route.
    pub fn requests(&self) -> &Requests {
        &self.requests
    }

    /// Who waits for a connection to the database.
    pub fn connections(&self) -> &Waiters {
        &self.connections
    }

    /// A user has a session.
    pub fn signed_in(&self, method: &'static str) {
        self.sign_ins.add([method, "success"]);
    }

    /// A user has none, for this reason.
    pub fn not_signed_in(&self, method: &'static str, reason: &Error) {
        self.sign_ins.add([method, reason.wire().code.as_str()]);
    }

    /// A sign-in ended at the provider.
    pub fn refused_by_provider(&self, method: &'static str) {
        self.sign_ins.add([method, "refused_by_provider"]);
    }

    /// A mail was handed over to the mail server or a hook, or could not be.
    pub fn mailed<T, E>(&self, kind: &'static str, outcome: &Result<T, E>) {
        self.mails.add([kind]);
        if outcome.is_err() {
            self.failed_mails.add([kind]);
        }
    }

    /// A text message was handed over to the carrier or a hook, or could not be.
    pub fn texted<T, E>(&self, outcome: &Result<T, E>) {
        self.texts.add([]);
        if outcome.is_err() {
            self.failed_texts.add([]);
        }
    }

    /// A hook was called.
    pub fn hook_answered(&self, hook: &'static str, result: HookResult, took: Duration) {
        let result = match result {
            HookResult::Success => "success",
            HookResult::Refused => "refused",
            HookResult::Failed => "failed",
        };
        self.hooks.add([hook, result]);
        let mut times = locked(&self.hook_times);
        let times = times.entry(hook).or_default();
        times.count += 1;
        times.total += took;
        for (bound, count) in HOOK_BOUNDS.iter().zip(&mut times.within) {
            *count += u64::from(took.as_secs_f64() <= *bound);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hook_counts_in_every_class_that_it_was_not_slower_than() {
        let metrics = Metrics::default();
        for millis in [10, 300, 60_000] {
            let took = Duration::from_millis(millis);
            metrics.hook_answered("send-sms", HookResult::Success, took);
        }
        let times = locked(&metrics.hook_times)["send-sms"];
        assert_eq!(times.within, [1, 1, 1, 1, 1, 2, 2, 2]);
        assert_eq!(times.count, 3);
        assert_eq!(times.total, Duration::from_millis(60_310));
        assert_eq!(metrics.hooks.all(), [(["send-sms", "success"], 3)]);
    }
}
