//! Asks HaveIBeenPwned.org whether a password is known from a leak.
//!
//! It learns the first five digits of the password's SHA-1 and answers with all leaked ones that begin so; the
//! answer is padded, so that its length tells nothing either.

mod bloom;

use std::{
    sync::{Mutex, PoisonError},
    time::Duration,
};

use aws_lc_rs::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use self::bloom::Filter;
use super::external::{Problem, fetch};
use crate::{app::App, config::Hibp};

const RANGES: &str = "https://api.pwnedpasswords.com/range/";
/// Users wait for the answer.
const TIMEOUT: Duration = Duration::from_secs(5);
const PREFIX: usize = 5;
const DIGITS: usize = 40;

/// What is remembered of the answers.
#[derive(Debug)]
pub struct Pwned(Option<Mutex<Filter>>);

impl Pwned {
    /// Remembers nothing yet, and never anything if the settings say so.
    pub fn new(settings: Option<&Hibp>) -> Self {
        let bloom = settings.and_then(|settings| settings.bloom);
        Self(bloom.map(|bloom| Mutex::new(Filter::new(bloom))))
    }

    fn knows(&self, hash: &[u8]) -> bool {
        self.0.as_ref().is_some_and(|filter| {
            let filter = filter.lock().unwrap_or_else(PoisonError::into_inner);
            filter.contains(hash)
        })
    }

    fn remember(&self, prefix: &str, suffixes: &[&str]) {
        let Some(filter) = &self.0 else { return };
        let hashes: Vec<Vec<u8>> = suffixes
            .iter()
            .filter_map(|suffix| hex::decode(format!("{prefix}{suffix}")).ok())
            .collect();
        let mut filter = filter.lock().unwrap_or_else(PoisonError::into_inner);
        filter.add(&hashes);
    }
}

/// True for a leaked password.
pub async fn is_leaked(app: &App, settings: &Hibp, password: &str) -> Result<bool, Problem> {
    let hash = digest(&SHA1_FOR_LEGACY_USE_ONLY, password.as_bytes());
    if app.pwned().knows(hash.as_ref()) {
        return Ok(true);
    }
    let digits = hex::encode_upper(hash);
    let (prefix, suffix) = digits.split_at(PREFIX);
    let url = app.outside().stand_in(&format!("{RANGES}{prefix}"));
    let request = app
        .http()
        .get(url)
        .header(http::header::USER_AGENT, &settings.user_agent)
        .header("add-padding", "true");
    let answer = tokio::time::timeout(TIMEOUT, fetch::send_as(request))
        .await
        .map_err(|_| Problem::Slow)??;
    if answer.status != 200 {
        return Err(Problem::Status(answer.status));
    }
    let text = std::str::from_utf8(&answer.body).map_err(|_| Problem::Answer("no text"))?;
    let leaked: Vec<&str> = text.lines().filter_map(suffix_of).collect();
    app.pwned().remember(prefix, &leaked);
    Ok(leaked.contains(&suffix))
}

/// The rest of a leaked hash in a line such as `0018A45C…:3`; padding is counted as seen no times.
fn suffix_of(line: &str) -> Option<&str> {
    let (suffix, count) = line.trim_end().split_once(':')?;
    let is_digit = |b: u8| b.is_ascii_digit() || (b'A'..=b'F').contains(&b);
    let fits = suffix.len() == DIGITS - PREFIX && suffix.bytes().all(is_digit);
    let counted = count.bytes().all(|b| b.is_ascii_digit()) && !matches!(count, "" | "0");
    (fits && counted).then_some(suffix)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_noise_are_no_leaks() {
        let suffix = "0018A45C4D1DEF81644B54AB7F969B88D65";
        for (line, expected) in [
            (format!("{suffix}:3\r"), Some(suffix)),
            (format!("{suffix}:0"), None),
            (format!("{suffix}:"), None),
            (format!("{suffix}:x"), None),
            (format!("{suffix}A:1"), None),
            (suffix.to_lowercase() + ":1", None),
            ("<html>".to_owned(), None),
        ] {
            assert_eq!(suffix_of(&line), expected, "{line}");
        }
    }
}
