//! Passwords: the rules for new ones, and hashing on a bounded number of threads.

mod scheme;

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use svc_kit::observe::Waiters;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{
    app::App,
    config::{self, PasswordHash},
    domain::{
        clock::{self, Random},
        pwned,
    },
    error::Error,
};

/// The longest password; bytes.
pub const MAX_BYTES: usize = scheme::BCRYPT_BYTES;

const UNAVAILABLE: &str = "Password hashing is not available";

/// Hashes and compares, no more than a few at a time: a flood of sign-ins waits here, while every other
/// request goes on.
#[derive(Clone, Debug)]
pub struct Hasher {
    scheme: PasswordHash,
    nobody: Arc<str>,
    slots: Arc<Semaphore>,
    places: u32,
    counts: Arc<Counts>,
}

/// What was to be done and what was done.
#[derive(Debug, Default)]
struct Counts {
    hashes: Done,
    comparisons: Done,
    waiters: Waiters,
}

/// Pieces of work that were begun, and those that came to an end.
#[derive(Debug, Default)]
pub struct Done {
    begun: AtomicU64,
    done: AtomicU64,
}

impl Done {
    /// How many were asked for.
    pub fn begun(&self) -> u64 {
        self.begun.load(Ordering::Relaxed)
    }

    /// How many came to an end.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    async fn count<T, E>(&self, work: impl Future<Output = Result<T, E>>) -> Result<T, E> {
        self.begun.fetch_add(1, Ordering::Relaxed);
        let outcome = work.await;
        if outcome.is_ok() {
            self.done.fetch_add(1, Ordering::Relaxed);
        }
        outcome
    }
}

/// What there is to do, and what was done.
#[derive(Debug)]
pub struct Work<'a> {
    /// New hashes.
    pub hashes: &'a Done,
    /// Comparisons with hashes.
    pub comparisons: &'a Done,
    /// How many can be worked on at a time.
    pub places: usize,
    /// How many of the places are taken.
    pub running: usize,
    /// Who waits for one.
    pub waiting: usize,
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new(PasswordHash::default())
    }
}

impl Hasher {
    /// As many at a time as there are cores.
    pub fn new(scheme: PasswordHash) -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        let places = u32::try_from(cores).unwrap_or(2);
        Self {
            scheme,
            nobody: scheme::of_nobody(scheme).into(),
            slots: Arc::new(Semaphore::new(cores)),
            places,
            counts: Arc::default(),
        }
    }

    /// What is done now, and what was.
    pub fn work(&self) -> Work<'_> {
        let places = self.places as usize;
        Work {
            hashes: &self.counts.hashes,
            comparisons: &self.counts.comparisons,
            places,
            running: places.saturating_sub(self.slots.available_permits()),
            waiting: self.counts.waiters.count(),
        }
    }

    /// Takes all places, so that hashing waits until they are given back: what a flood of sign-ins does.
    pub async fn occupy(&self) -> Result<OwnedSemaphorePermit, Error> {
        Arc::clone(&self.slots)
            .acquire_many_owned(self.places)
            .await
            .map_err(|error| Error::internal(UNAVAILABLE, error))
    }

    /// True when a password whose hash this is had better be hashed again.
    pub fn is_outdated(&self, hash: &str) -> bool {
        scheme::is_outdated(self.scheme, hash)
    }

    /// The hash of a password.
    pub async fn hash(&self, password: &str) -> Result<String, Error> {
        let (password, scheme) = (password.to_owned(), self.scheme);
        let made = self.run(move || scheme::make(scheme, &password));
        let made = self.counts.hashes.count(made).await?;
        made.map_err(|source| Error::internal("Error generating password hash", source))
    }

    /// True when the password belongs to the hash. Without a hash the answer is no, after as long.
    pub async fn matches(&self, password: &str, hash: Option<&str>) -> Result<bool, Error> {
        let known = hash.is_some_and(|hash| !hash.is_empty());
        let hash = hash.filter(|hash| !hash.is_empty()).unwrap_or(&self.nobody);
        let (password, hash) = (password.to_owned(), hash.to_owned());
        let compared = self.run(move || scheme::verify(&password, &hash));
        let matches = self.counts.comparisons.count(compared).await?;
        Ok(matches && known)
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Error> {
        let slot = Arc::clone(&self.slots).acquire_owned();
        let slot = self.counts.waiters.wait(slot).await;
        let slot = slot.map_err(|error| Error::internal(UNAVAILABLE, error))?;
        tokio::task::spawn_blocking(move || {
            let _slot = slot;
            work()
        })
        .await
        .map_err(|error| Error::internal(UNAVAILABLE, error))
    }
}

/// What is wrong with a password: the reasons, and the same in sentences.
#[derive(Default)]
struct Faults {
    reasons: Vec<&'static str>,
    messages: Vec<String>,
}

impl Faults {
    fn note(&mut self, reason: &'static str, message: String) {
        self.reasons.push(reason);
        self.messages.push(message);
    }

    /// What the rules alone have against it. Fails when it is too long to be looked at.
    fn of(password: &str, rules: &config::Password) -> Result<Self, Error> {
        if password.len() > MAX_BYTES {
            return Err(Error::invalid(
                "Password cannot be longer than 72 characters",
            ));
        }
        let mut faults = Self::default();
        if password.len() < rules.min_length {
            let least = rules.min_length;
            let message = format!("Password should be at least {least} characters.");
            faults.note("length", message);
        }
        let lacks = |set: &String| !password.contains(|c| set.contains(c));
        if rules.required_characters.iter().any(lacks) {
            let message = format!(
                "Password should contain at least one character of each: {}.",
                rules.required_characters.join(", ")
            );
            faults.note("characters", message);
        }
        Ok(faults)
    }

    fn into_result(self) -> Result<(), Error> {
        if self.reasons.is_empty() {
            return Ok(());
        }
        Err(Error::WeakPassword {
            message: self.messages.join(" "),
            reasons: self.reasons,
        })
    }
}

/// Fails when a password is too long, too weak, or known from a leak.
pub async fn check_strength(app: &App, password: &str) -> Result<(), Error> {
    let mut faults = Faults::of(password, &app.config().password)?;
    if let Some(settings) = &app.config().hibp {
        match pwned::is_leaked(app, settings, password).await {
            Ok(true) => faults.note(
                "pwned",
                "Password is known to be weak and easy to guess, please choose a different one."
                    .to_owned(),
            ),
            Ok(false) => {}
            Err(problem) if settings.fail_closed => {
                return Err(Error::internal(
                    "Unable to perform password strength check with HaveIBeenPwned.org.",
                    problem,
                ));
            }
            Err(problem) => {
                tracing::warn!(%problem, "leaked passwords are not looked for: no usable answer");
            }
        }
    }
    faults.into_result()
}

/// A password that nobody knows, for accounts that sign in by code.
pub fn generate(random: &dyn Random, rules: &config::Password) -> String {
    const ALPHABET: &[u8] = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    let mut password = clock::text(random, ALPHABET, 33);
    // One of each required set, or our own rules would refuse it.
    for set in &rules.required_characters {
        let chars: Vec<char> = set.chars().collect();
        let index = clock::below(random, chars.len().max(1) as u64);
        if let Some(c) = usize::try_from(index).ok().and_then(|i| chars.get(i)) {
            password.push(*c);
        }
    }
    password
}

/// True when a hash that an administrator brings along is one that can be checked here.
pub fn is_readable_hash(hash: &str) -> bool {
    scheme::is_readable(hash)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::clock::SystemRandom;

    fn check_strength(password: &str, rules: &config::Password) -> Result<(), Error> {
        Faults::of(password, rules)?.into_result()
    }

    fn rules(sets: &[&str]) -> config::Password {
        config::Password {
            min_length: 8,
            required_characters: sets.iter().map(|s| (*s).to_owned()).collect(),
        }
    }

    #[test]
    fn each_reason_of_weakness_is_named() {
        let rules = rules(&["abc", "123"]);
        for (password, expected) in [
            ("a1", vec!["length"]),
            ("aaaaaaaa", vec!["characters"]),
            ("x", vec!["length", "characters"]),
        ] {
            match check_strength(password, &rules) {
                Err(Error::WeakPassword { reasons, .. }) => assert_eq!(reasons, expected),
                other => panic!("{password}: {other:?}"),
            }
        }
        assert!(check_strength("aaaaaaa1", &rules).is_ok());
        assert!(matches!(
            check_strength(&"é".repeat(37), &rules),
            Err(Error::Refused { .. })
        ));
    }

    #[test]
    fn a_generated_password_passes_the_rules() {
        let rules = rules(&["!?", "0123"]);
        for _ in 0..20 {
            check_strength(&generate(&SystemRandom, &rules), &rules).unwrap();
        }
    }

    #[tokio::test]
    async fn only_the_right_password_matches() {
        let hasher = Hasher::default();
        let hash = hasher.hash("correct horse").await.unwrap();
        assert!(hasher.matches("correct horse", Some(&hash)).await.unwrap());
        assert!(!hasher.matches("wrong", Some(&hash)).await.unwrap());
        assert!(!hasher.matches("anything", None).await.unwrap());
        assert!(is_readable_hash(&hash) && !is_readable_hash("plain"));
    }
}
